"""When to ask a feed again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

LONGEST: Final = timedelta(hours=24)
"""No back-off and no interval is longer, so that a feed that recovers is found within a day."""

JITTER: Final = 0.1
"""A tenth either way, so that feeds that failed together do not come back together."""

ASKED_TO_WAIT: Final = timedelta(days=7)
"""A server's Retry-After is obeyed up to a week."""


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
