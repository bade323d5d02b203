"""The table of what X's refusals mean: how each is recognised, and the one thing that a person does about it.

The words are those that public logs of bots show, 2023 to 2026; X's own table of codes (v1.1) gives the numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection


class Meaning(Enum):
    """What X means."""

    UNAUTHORIZED = auto()
    OUT_OF_CREDIT = auto()
    RATE_LIMITED = auto()
    DUPLICATE = auto()
    REFUSED = auto()
    NOT_SENT = auto()
    UNKNOWN = auto()


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


KEYS = "check the four keys against the app's page on console.x.com"
TOKENS = "make new access tokens, with `shinglebot auth` or on the app's page on console.x.com"
APP = "give the app on console.x.com Read and write permission first, and then " + TOKENS

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
        status={401, 403},
        codes=frozenset({416}),
        says=("suspended application",),
        meaning=Meaning.UNAUTHORIZED,
        sentence="X has suspended the app or does not know it: look at its state on console.x.com",
    ),
    Rule(
        status={401, 403},
        codes=frozenset({63, 64}),
        types=frozenset({"user-suspended"}),
        says=("is suspended", "been suspended"),
        meaning=Meaning.UNAUTHORIZED,
        sentence="X has suspended the account: sign in on x.com with it, and appeal there",
    ),
    Rule(
        status={400, 401, 403},
        codes=frozenset({89}),
        says=("invalid or expired token",),
        meaning=Meaning.UNAUTHORIZED,
        sentence=f"X does not know the access token (any more): {TOKENS}; if it was good yesterday, X itself may be at fault for an hour or two",
    ),
    Rule(
        status={401},
        meaning=Meaning.UNAUTHORIZED,
        sentence=f"X does not accept the credentials: {KEYS}; if they are right, X itself may be at fault for an hour or two",
    ),
    Rule(
        status={400, 403},
        codes=frozenset({32, 99, 215}),
        says=("bad authentication data", "could not authenticate you"),
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
        codes=frozenset({385}),
        says=("deleted or not visible",),
        meaning=Meaning.REFUSED,
        sentence="the post that it answers is not on X any more: let it go",
    ),
    Rule(
        status={400, 403},
        codes=frozenset({433}),
        says=(
            "reply to this conversation is not allowed",
            "quoting this post is not allowed",
            "mentioned or otherwise engaged",
            "only reply to or quote",
        ),
        meaning=Meaning.REFUSED,
        sentence="X allows a reply or a quote only where the other author called for it: let it go, or answer by hand",
    ),
    Rule(
        status={403},
        codes=frozenset({326}),
        says=("temporarily locked", "account is locked"),
        meaning=Meaning.UNAUTHORIZED,
        sentence="X has locked the account for now: sign in on x.com with it and do what is asked there",
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
        types=frozenset({"client-not-enrolled"}),
        says=("attached to a project",),
        meaning=Meaning.UNAUTHORIZED,
        sentence="the app is in no project and on no plan: put it into one on console.x.com (pay-per-use is the plan for newcomers)",
    ),
    Rule(
        status={403},
        codes=frozenset({453}),
        types=frozenset({"client-forbidden"}),
        says=("subset of x api", "subset of twitter api", "access level"),
        meaning=Meaning.UNAUTHORIZED,
        sentence="the app's plan does not hold this part of X's API: change to another plan on console.x.com",
    ),
    Rule(
        status={403},
        codes=frozenset({220}),
        types=frozenset({"unsupported-authentication"}),
        meaning=Meaning.UNAUTHORIZED,
        sentence=f"X wants the tokens of an account here and was shown others: {TOKENS}",
    ),
    Rule(
        status={403},
        codes=frozenset({87}),
        says=("not permitted",),
        meaning=Meaning.UNAUTHORIZED,
        sentence="X does not permit this to the account: sign in on x.com with it and look for a notice, and look whether the app's plan on console.x.com has this feature",
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
