"""What an answer of X means, told by its status and its raw JSON, and the error made from it.

tweepy's own reading of errors is not used: it fails on a body that is `null` or a list, and drops the words of
problems that have only a `detail`. The first row of `meanings.RULES` that fits decides.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
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
from bot.x_client.meanings import RULES, Meaning, Rule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from datetime import datetime

LONGEST_QUOTE: Final = 200
"""Characters of X's own words that a message holds."""


_SIGNS: Final = re.compile(r"""(?i)\bbearer\s+[^\s,"']+|\boauth_\w+["']?\s*[=:]\s*["']?[^\s,&"']+""")


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

    def speaks_of(self, part: str) -> bool:
        """Return whether it names a parameter that begins with `part`, or its words hold that word."""
        names = (name for problem in _problems(self.json) for name in problem.get("parameters") or ())
        return any(name.startswith(part) for name in names if isinstance(name, str)) or bool(
            re.search(rf"\b{re.escape(part)}\b", self.words, re.IGNORECASE)
        )


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
