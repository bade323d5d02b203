"""When to ask a feed again, how, and where."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

LONGEST: Final = timedelta(hours=24)
"""No back-off and no interval is longer, so that a feed that recovers is found within a day."""

JITTER: Final = 0.1
"""A tenth either way, so that feeds that failed together do not come back together."""

ASKED_TO_WAIT: Final = timedelta(days=7)
"""A server's Retry-After is obeyed up to a week."""

LONGEST_PAUSE: Final = timedelta(hours=25)
"""Nothing is put off for longer at a destination: X's longest window is a day. A later time in the store was
written before the clock was set back."""


def next_poll(
    now: datetime, interval: timedelta, *, failures: int, draw: float, retry_at: datetime | None = None
) -> datetime:
    """Return when a feed is to be asked next.

    Args:
        now: the time of the answer.
        interval: the configured one, > 0.
        failures: how many polls in a row have failed, this one included; each doubles the wait.
        draw: a random number, 0-1, from which the jitter is made.
        retry_at: what the server asked for, None when it did not.
    """
    wait = min(interval * float(2 ** min(failures, 20)), max(LONGEST, interval))
    at = now + wait * (1 - JITTER + 2 * JITTER * draw)
    if retry_at is not None:
        at = max(at, min(retry_at, now + ASKED_TO_WAIT))
    return at


def is_due(next_poll_at: datetime, now: datetime, interval: timedelta) -> bool:
    """Say whether a feed may be asked: its time has come, or lies so far ahead that a clock was set back."""
    return next_poll_at <= now or next_poll_at > now + ASKED_TO_WAIT + max(LONGEST, interval) * (1 + JITTER)


NOT_MODIFIED_FOR: Final = timedelta(hours=24)
NOT_MODIFIED_POLLS: Final = 4
"""Servers that stamp a feed with a date of the year 2041 say "not modified" for ever (FreshRSS 1020). One whole body
a day, or one in four polls of a feed that is seldom asked, costs little and finds them out."""


def asks_for_all(whole_at: datetime | None, now: datetime, interval: timedelta) -> bool:
    """Say whether to ask for the whole feed, changed or not.

    Args:
        whole_at: when the server last sent a whole body, None when it never did.
        now: the time of the poll.
        interval: the configured one, > 0.
    """
    return whole_at is None or now - whole_at >= max(NOT_MODIFIED_FOR, interval * NOT_MODIFIED_POLLS)


MOVED_FOR: Final = timedelta(days=7)
"""A redirect that is a mistake, or another's doing, is mended within days; until then the old address decides."""


def asks_new_place(moved_since: datetime | None, now: datetime, *, failures: int) -> bool:
    """Say whether to ask a feed where its permanent redirect has led, instead of at its configured address.

    After a failure the two take turns, so that a new place that goes dead strands no feed, nor an old one that does.

    Args:
        moved_since: since when the redirect has led there without a break, None when it leads nowhere.
        now: the time of the poll.
        failures: how many polls in a row have failed.
    """
    return moved_since is not None and now - moved_since >= MOVED_FOR and failures % 2 == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A point in time by a clock that nobody sets.

    Attributes:
        era: names the stretch in which the clock ran without a break: a boot of the machine.
        seconds: since the era began.
    """

    era: str
    seconds: float

    def since(self, earlier: Moment) -> timedelta:
        """Return how long ago `earlier` was, at least: what went by of an era that is over is not known."""
        passed = self.seconds - earlier.seconds if earlier.era == self.era else self.seconds
        return timedelta(seconds=max(passed, 0.0))
