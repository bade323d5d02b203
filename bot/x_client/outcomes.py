"""What an answer of X means, told by its status and its raw JSON: the table, and the errors made from it.

tweepy's own reading of errors is not used: it fails on a body that is `null` or a list, and drops the words of
problems that have only a `detail`. The first row of `RULES` that fits decides. The words are those that
public logs of bots show, 2023 to 2026; X's own table of codes (v1.1) gives the numbers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from bot.errors import (
    NotSent,
    OutcomeUnknown,
    OutOfCredit,
    PublishError,
    RateLimited,
    Refused,
    SaidDuplicate,
    Unauthorized,
)
from bot.x_client.limits import retry_at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from datetime import datetime

LONGEST_QUOTE: Final = 200
"""Characters of X's own words that a message holds."""


_SIGNS: Final = re.compile(r"""(?i)\bbearer\s+[^\s,"']+|\boauth_\w+["']?\s*[=:]\s*["']?[^\s,&"']+""")


class Meaning(Enum):
    """What X means."""

    UNAUTHORIZED = auto()
    OUT_OF_CREDIT = auto()
    RATE_LIMITED = auto()
    DUPLICATE = auto()
    REFUSED = auto()
    NOT_SENT = auto()
    UNKNOWN = auto()


OF_WRITES: Final[Mapping[Meaning, type[PublishError]]] = {
    Meaning.UNAUTHORIZED: Unauthorized,
    Meaning.OUT_OF_CREDIT: OutOfCredit,
    Meaning.DUPLICATE: SaidDuplicate,
    Meaning.REFUSED: Refused,
    Meaning.NOT_SENT: NotSent,
    Meaning.UNKNOWN: OutcomeUnknown,
}
OF_READS: Final[Mapping[Meaning, type[PublishError]]] = {
    **OF_WRITES,
    Meaning.DUPLICATE: Refused,
    Meaning.UNKNOWN: NotSent,
}
"""Meaning -> error; nothing can have gone out where nothing was to be changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row: it fits when the status does and, where anything else is named, any one of that is there.

    Attributes:
        status: those that it is about.
        codes: numbers in `errors[].code`.
        types: last parts of a problem's `type`, or its `reason`.
        says: parts of X's words, in small letters.
        any_json: fits every answer with this status whose body is a JSON object.
        meaning: what it means.
        sentence: for a person: what happened, and what to do.
    """

    status: Collection[int]
    meaning: Meaning
    sentence: str
    codes: frozenset[int] = frozenset()
    types: frozenset[str] = frozenset()
    says: tuple[str, ...] = ()
    any_json: bool = False


KEYS = "check the four keys of [account] against the app's page on console.x.com"
APP = "give the app on console.x.com Read and Write permission, make new access tokens and store them"

RULES: Final = (
    Rule(
        status={429},
        types=frozenset({"usage-capped"}),
        says=("usage cap",),
        meaning=Meaning.OUT_OF_CREDIT,
        sentence="X says that the monthly cap of the app is used up: raise it on console.x.com or wait for the next month",
    ),
    Rule(
        status={429},
        meaning=Meaning.RATE_LIMITED,
        sentence="X has been asked too often; it will be asked again when its window is over",
    ),
    Rule(
        status={402},
        meaning=Meaning.OUT_OF_CREDIT,
        sentence="the X account has no credit left: buy credits or raise the spending limit on console.x.com",
    ),
    Rule(
        status={403},
        types=frozenset({"credits", "credits-depleted", "usage-capped", "spend-cap-reached"}),
        says=("spend cap", "spending limit", "does not have any credits"),
        meaning=Meaning.OUT_OF_CREDIT,
        sentence="the X account has met its spending limit: raise it on console.x.com or wait for the next billing cycle",
    ),
    Rule(
        status={400, 401, 403},
        codes=frozenset({135}),
        says=("timestamp out of bounds",),
        meaning=Meaning.UNAUTHORIZED,
        sentence="X does not accept the time of this machine: set its clock (for example with systemd-timesyncd)",
    ),
    Rule(
        status={401},
        meaning=Meaning.UNAUTHORIZED,
        sentence=f"X does not accept the credentials: {KEYS}; if they are right, X itself may be at fault for an hour or two",
    ),
    Rule(
        status={400, 403},
        codes=frozenset({32, 89, 99, 215}),
        says=("bad authentication data", "could not authenticate you", "invalid or expired token"),
        meaning=Meaning.UNAUTHORIZED,
        sentence=f"X does not accept the credentials: {KEYS}",
    ),
    Rule(
        status={400, 403},
        codes=frozenset({187}),
        says=("duplicate content", "status is a duplicate"),
        meaning=Meaning.DUPLICATE,
        sentence="X says that it has this post already",
    ),
    Rule(
        status={403},
        codes=frozenset({88, 185}),
        says=("status update limit", "daily limit"),
        meaning=Meaning.RATE_LIMITED,
        sentence="X says that the account has posted too often; it will be tried again later",
    ),
    Rule(
        status={400, 403},
        codes=frozenset({385, 433}),
        says=(
            "reply to this conversation is not allowed",
            "quoting this post is not allowed",
            "mentioned or otherwise engaged",
            "only reply to or quote",
            "deleted or not visible",
        ),
        meaning=Meaning.REFUSED,
        sentence="X allows a reply or a quote only where the other author called for it: let it go, or answer by hand",
    ),
    Rule(
        status={403},
        codes=frozenset({63, 64, 326}),
        types=frozenset({"user-suspended"}),
        says=("is suspended", "been suspended", "temporarily locked", "account is locked"),
        meaning=Meaning.UNAUTHORIZED,
        sentence="X has suspended or locked the account: sign in on x.com with it and follow what is asked there",
    ),
    Rule(
        status={403},
        codes=frozenset({226}),
        says=("looks like it might be automated",),
        meaning=Meaning.UNAUTHORIZED,
        sentence="X takes the account for spam and lets nothing through for now: sign in on x.com with it, look for a notice, and post less often",
    ),
    Rule(
        status={403},
        codes=frozenset({261}),
        types=frozenset({"oauth1-permissions", "oauth2-permissions"}),
        says=("cannot perform write actions", "app permissions"),
        meaning=Meaning.UNAUTHORIZED,
        sentence=f"the app may not write for the account: {APP}",
    ),
    Rule(
        status={403},
        codes=frozenset({87, 220, 453}),
        types=frozenset({"client-forbidden", "client-not-enrolled", "unsupported-authentication"}),
        says=(
            "not permitted",
            "subset of x api",
            "subset of twitter api",
            "access level",
            "attached to a project",
        ),
        meaning=Meaning.UNAUTHORIZED,
        sentence="the account or its plan does not permit this: look at the app's plan and at the account's state on console.x.com",
    ),
    Rule(
        status={400, 403},
        codes=frozenset({186}),
        says=("text is too long", "needs to be a bit shorter", "cashtag"),
        meaning=Meaning.REFUSED,
        sentence="X does not take this text: shorten it, or leave out all cashtags ($NAME) but one",
    ),
    Rule(
        status={400, 403, 422},
        any_json=True,
        meaning=Meaning.REFUSED,
        sentence="X does not take this request as it is",
    ),
    Rule(
        status={400, 413, 414, 415, 422, 431},
        meaning=Meaning.REFUSED,
        sentence="X does not take this request as it is",
    ),
    Rule(
        status={403, 451},
        meaning=Meaning.NOT_SENT,
        sentence="something in front of X has turned the request away; it will be tried again, and if that lasts, look whether x.com is blocked from this machine",
    ),
    Rule(
        status={408, 409, 423, 425, 499},
        meaning=Meaning.UNKNOWN,
        sentence="X gave up on the request half-way",
    ),
    Rule(
        status=range(400, 500),
        meaning=Meaning.NOT_SENT,
        sentence="X does not know what was asked; it will be tried again, and if that lasts, the bot is too old for X's API",
    ),
    Rule(
        status=range(500, 600),
        meaning=Meaning.UNKNOWN,
        sentence="X has trouble of its own",
    ),
    Rule(
        status=range(1000),
        meaning=Meaning.UNKNOWN,
        sentence="the answer is none of X's",
    ),
)

LOOK: Final = "it may have happened all the same; the account's own posts tell"
AGAIN: Final = "it will be asked again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer that is no success.

    Attributes:
        status: as sent.
        headers: names in any case.
        body: decoded from its content coding, at most as much as the client reads.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON, None when it is none."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    @property
    def words(self) -> str:
        """What X says in it, on one line, "" when it says nothing that can be read."""
        return " / ".join(dict.fromkeys(_words(self.json)))

    def named(self, parameter: str) -> bool:
        """Return whether it is a refusal that names this parameter of the request."""
        return self.status == 400 and parameter in self.body.decode(errors="replace")  # noqa: PLR2004 - Bad Request


def error_from(answer: Answer, *, write: bool, now: datetime, secrets: Collection[str]) -> PublishError:
    """Return the error that an unsuccessful answer stands for. `write` is False where nothing was to be changed."""
    rule = next(rule for rule in RULES if _fits(rule, answer))
    said = (
        f" (X said {answer.status}: {quoted(answer.words, secrets)})"
        if answer.words
        else f" (X said {answer.status})"
    )
    sentence = f"{rule.sentence}{said}"
    if rule.meaning is Meaning.RATE_LIMITED:
        return RateLimited(sentence, retry_at=retry_at(answer.headers, now))
    if rule.meaning is Meaning.UNKNOWN:
        sentence = f"{sentence}; {LOOK if write else AGAIN}"
    return (OF_WRITES if write else OF_READS)[rule.meaning](sentence)


def quoted(words: str, secrets: Collection[str]) -> str:
    """Return X's words for a message: short, on one line, and without anything that signs."""
    for secret in secrets:
        words = words.replace(secret, "***")
    words = _SIGNS.sub("***", words)
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in words).split())
    return words if len(words) <= LONGEST_QUOTE else f"{words[:LONGEST_QUOTE]}…"


def _fits(rule: Rule, answer: Answer) -> bool:
    if answer.status not in rule.status:
        return False
    if rule.any_json:
        return isinstance(answer.json, dict)
    if not (rule.codes or rule.types or rule.says):
        return True
    said = answer.words.lower()
    return bool(
        rule.codes & set(_codes(answer.json))
        or rule.types & set(_types(answer.json))
        or any(part in said for part in rule.says)
    )


def _problems(body: Any) -> Iterator[dict[str, Any]]:
    """Yield the body and what its `errors` hold, whatever shape X gave them."""
    if isinstance(body, dict):
        yield body
        for name in ("errors", "error"):
            inner = body.get(name)
            for each in inner if isinstance(inner, list) else [inner]:
                if isinstance(each, dict):
                    yield each
                elif isinstance(each, str):
                    yield {"message": each}
    elif isinstance(body, list):
        for each in body:
            if isinstance(each, dict):
                yield each


def _words(body: Any) -> Iterator[str]:
    for problem in _problems(body):
        for name in ("title", "detail", "message"):
            if isinstance(problem.get(name), str) and problem[name]:
                yield problem[name]


def _codes(body: Any) -> Iterator[int]:
    for problem in _problems(body):
        code = problem.get("code")
        if isinstance(code, int):
            yield code
        elif isinstance(code, str) and re.fullmatch("[0-9]{1,9}", code):
            yield int(code)


def _types(body: Any) -> Iterator[str]:
    for problem in _problems(body):
        for name in ("type", "reason"):
            if isinstance(problem.get(name), str):
                yield problem[name].rstrip("/").rpartition("/")[2]
