"""What goes wrong, and when: single faults in a queue, or any of them with a probability.

faults.next("lost_response")                        # the next post is stored, and nobody hears of it
faults.at(3, "hang_after")                          # the third post hangs
faults.chance("error_before", 0.2, on=TIMELINE)     # one timeline in five, by the plan's seed
faults.next(answering(403, {"detail": "..."}))      # any answer at all
"""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from bot.simulated_x.answers import (
    DUPLICATE,
    NO_CREDIT,
    NO_CREDIT_AS_PAYMENT,
    NOT_ENROLLED,
    NOT_ON_THIS_PLAN,
    NOT_SUMMONED,
    OVER_CAPACITY,
    READ_ONLY,
    SPEND_CAP,
    SUSPENDED,
    TOO_MANY,
    TOO_MANY_BY_CODE,
    UNAUTHORIZED,
    UNAVAILABLE,
    WINDOW,
    WRONG_PLAN,
    Answer,
    problem,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CREATE: Final = "POST /2/tweets"
TIMELINE: Final = "GET /2/users/:id/tweets"
ME: Final = "GET /2/users/me"
DELETE: Final = "DELETE /2/tweets/:id"
UPLOAD: Final = "POST /2/media/upload"
METADATA: Final = "POST /2/media/metadata"
FOLLOWERS: Final = "GET /2/users/:id/followers"
FOLLOWING: Final = "GET /2/users/:id/following"
FOLLOW: Final = "POST /2/users/:id/following"
UNFOLLOW: Final = "DELETE /2/users/:id/following/:id"
USER: Final = "GET /2/users/:id"
MENTIONS: Final = "GET /2/users/:id/mentions"
SEARCH: Final = "GET /2/tweets/search/recent"
REPOST: Final = "POST /2/users/:id/retweets"
OF_FOLLOWS: Final = (FOLLOWERS, FOLLOWING, FOLLOW, UNFOLLOW, USER)
REQUEST_TOKEN: Final = "POST /oauth/request_token"  # noqa: S105 - an endpoint
AUTHORIZE: Final = "GET /oauth/authorize"
ACCESS_TOKEN: Final = "POST /oauth/access_token"  # noqa: S105 - an endpoint
ENDPOINTS: Final = (
    *(CREATE, TIMELINE, ME, DELETE, UPLOAD, METADATA),
    *(REQUEST_TOKEN, AUTHORIZE, ACCESS_TOKEN),
    *OF_FOLLOWS,
    *(MENTIONS, SEARCH, REPOST),
)


class Way(Enum):
    """How an answer leaves."""

    WHOLE = auto()  # as it should
    NEVER = auto()  # the connection is closed without a byte
    RESET = auto()  # the connection is reset
    HANG = auto()  # nothing comes until the server is closed or released
    HALF = auto()  # half of the body, and a length that agrees with it: JSON that does not parse
    CUT = auto()  # half of the body, then the connection breaks


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong with one request.

    Attributes:
        name: as the log shows it.
        acted: whether X does what was asked before things go wrong; False when it never hears of it.
        way: how the answer leaves.
        answer: what is said in place of X's own answer, None for that one.
        echoes: whether the answer repeats how the request was signed, as careless servers and proxies do.
        delay: seconds until anything is sent, less when the server is closed or released.
        then: called when X has or has not acted and before anything is sent, to kill the bot at this point.
    """

    name: str
    acted: bool
    way: Way = Way.WHOLE
    answer: Answer | None = None
    echoes: bool = False
    delay: float = 0
    then: Callable[[], None] | None = None


def answering(
    status: int,
    body: Any,
    *,
    headers: Mapping[str, str | timedelta] | None = None,
    acted: bool = False,
    echoes: bool = False,
    kind: str = "application/json; charset=utf-8",
) -> Fault:
    """Return a fault that says what it is told to."""
    answer = Answer(status=status, body=body, headers=headers or {}, kind=kind)
    return Fault(name=f"answer {status}", acted=acted, answer=answer, echoes=echoes)


def calling(action: Callable[[], None], *, acted: bool) -> Fault:
    """Return a fault that calls `action` before or after X has acted, and answers nothing."""
    return Fault(name=f"call {'after' if acted else 'before'}", acted=acted, way=Way.NEVER, then=action)


def _limited(reset: str | timedelta | None) -> Answer:
    headers: dict[str, str | timedelta] = {}
    if reset is not None:
        headers = {"x-rate-limit-limit": "100", "x-rate-limit-remaining": "0", "x-rate-limit-reset": reset}
    return Answer(status=429, body=TOO_MANY.body, headers=headers)


def _limited_for_a_day(whose: str) -> Answer:
    headers: dict[str, str | timedelta] = {
        "x-rate-limit-limit": "100",
        "x-rate-limit-remaining": "99",
        "x-rate-limit-reset": WINDOW,
        f"x-{whose}-limit-24hour-limit": "10000",
        f"x-{whose}-limit-24hour-remaining": "0",
        f"x-{whose}-limit-24hour-reset": timedelta(hours=20),
    }
    return Answer(status=429, body=TOO_MANY.body, headers=headers)


FAULTS: Final = {
    fault.name: fault
    for fault in (
        Fault(name="lost_request", acted=False, way=Way.NEVER),
        Fault(name="lost_response", acted=True, way=Way.NEVER),
        Fault(name="error_before", acted=False, answer=UNAVAILABLE),
        Fault(name="error_after", acted=True, answer=UNAVAILABLE),
        Fault(name="html_error_after", acted=True, answer=OVER_CAPACITY),
        Fault(name="reset_before", acted=False, way=Way.RESET),
        Fault(name="reset_after", acted=True, way=Way.RESET),
        Fault(name="hang_before", acted=False, way=Way.HANG),
        Fault(name="hang_after", acted=True, way=Way.HANG),
        Fault(name="slow", acted=True, delay=1),
        Fault(name="half", acted=True, way=Way.HALF),
        Fault(name="cut", acted=True, way=Way.CUT),
        Fault(name="429", acted=False, answer=_limited(WINDOW)),
        Fault(name="429_bare", acted=False, answer=_limited(None)),
        Fault(name="429_past", acted=False, answer=_limited(-WINDOW)),
        Fault(name="429_far", acted=False, answer=_limited(WINDOW * 100_000)),
        Fault(name="429_absurd", acted=False, answer=_limited("soon")),
        Fault(name="429_code", acted=False, answer=TOO_MANY_BY_CODE),
        Fault(name="429_user_day", acted=False, answer=_limited_for_a_day("user")),
        Fault(name="429_app_day", acted=False, answer=_limited_for_a_day("app")),
        Fault(name="402", acted=False, answer=NO_CREDIT),
        Fault(name="402_payment", acted=False, answer=NO_CREDIT_AS_PAYMENT),
        Fault(name="403_spend_cap", acted=False, answer=SPEND_CAP),
        Fault(name="403_duplicate", acted=False, answer=DUPLICATE),
        Fault(name="403_not_summoned", acted=False, answer=NOT_SUMMONED),
        Fault(name="403_feature", acted=False, answer=NOT_ON_THIS_PLAN),
        Fault(name="403_plan", acted=False, answer=WRONG_PLAN),
        Fault(name="403_not_enrolled", acted=False, answer=NOT_ENROLLED),
        Fault(name="403_suspended", acted=False, answer=SUSPENDED),
        Fault(name="403_read_only", acted=False, answer=READ_ONLY),
        Fault(name="401", acted=False, answer=UNAUTHORIZED),
        Fault(name="401_echo", acted=False, answer=UNAUTHORIZED, echoes=True),
        Fault(name="403_echo", acted=False, answer=problem(403, "Forbidden", "Forbidden"), echoes=True),
        Fault(name="500_echo", acted=False, answer=problem(500, "Error", "Internal error"), echoes=True),
    )
}
"""Every fault that has a name."""


class FaultPlan:
    """Which request meets which fault. Safe to change while the server runs.

    Args:
        seed: of the draws behind `chance`.
    """

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._queued: dict[str, list[Fault]] = {}
        self._at: dict[tuple[str, int], Fault] = {}
        self._chances: dict[str, list[tuple[float, Fault]]] = {}
        self._count: dict[str, int] = {}

    def next(self, *faults: Fault | str, on: str = CREATE) -> None:
        """Let the next requests to the endpoint `on` meet these faults, one each, in order."""
        with self._lock:
            self._queued.setdefault(on, []).extend(map(named, faults))

    def at(self, number: int, fault: Fault | str, *, on: str = CREATE) -> None:
        """Let the request `number` (1 is the first ever) to the endpoint `on` meet `fault`."""
        with self._lock:
            self._at[on, number] = named(fault)

    def chance(self, fault: Fault | str, probability: float, *, on: str = CREATE) -> None:
        """Let a share of the requests to `on` meet `fault`, 0-1; the shares of one endpoint add up."""
        with self._lock:
            chances = self._chances.setdefault(on, [])
            if not 0 <= probability <= 1 - sum(share for share, _ in chances) + 1e-9:
                raise ValueError(
                    f"the probabilities on {on} must lie between 0 and 1 and add up to at most 1"
                )
            chances.append((probability, named(fault)))

    def clear(self) -> None:
        """Let everything go right from now on."""
        with self._lock:
            self._queued.clear()
            self._at.clear()
            self._chances.clear()

    def draw(self, endpoint: str) -> Fault | None:
        """Return what the request that has just come meets, None when all goes well."""
        with self._lock:
            self._count[endpoint] = number = self._count.get(endpoint, 0) + 1
            if fault := self._at.get((endpoint, number)):
                return fault
            if queue := self._queued.get(endpoint):
                return queue.pop(0)
            if chances := self._chances.get(endpoint):
                drawn = self._random.random()
                for share, fault in chances:
                    if drawn < share:
                        return fault
                    drawn -= share
            return None


def named(fault: Fault | str) -> Fault:
    """Return the fault of this name. Raises ValueError when there is none."""
    if isinstance(fault, Fault):
        return fault
    try:
        return FAULTS[fault]
    except KeyError:
        raise ValueError(f"no fault is called {fault!r}; there are: {', '.join(FAULTS)}") from None
