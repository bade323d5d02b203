"""When to ask a feed again, how, and where: as often as its rhythm is worth, and never oftener than it is asked to.

    base      the owner's interval, or half the feed's own rhythm
    failures  double it
    asked     ttl, sy:update*, Cache-Control, Expires: at least so long; Retry-After: not before
    skipped   the hours and days in which the feed says that nothing comes

The draws of the jitter are arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORTEST: Final = timedelta(minutes=15)
"""The rhythm asks for no more than that: readers of feeds are told off for asking conditionally more than four times an
hour. An owner who has a reason writes a shorter interval."""

UNKNOWN: Final = timedelta(minutes=60)
"""Of a feed whose rhythm cannot be told; Miniflux's default, too."""

LONGEST: Final = timedelta(hours=24)
"""No back-off and no wish of a feed is longer, so that a feed that recovers is found within a day."""

DATES_READ: Final = 30
"""Of a body: the newest dates tell the pace of today."""

SILENT_SHARE: Final = 10
"""A feed that was silent for ten of its gaps is taken to have slowed down, to a tenth of its silence: a news feed's night
of ten hours costs it half an hour, a dead feed is asked once a day after three weeks."""

JITTER: Final = 0.1
"""A tenth either way, so that feeds that failed together do not come back together; of what was asked for, upwards only."""

ASKED_TO_WAIT: Final = timedelta(days=7)
"""A server's Retry-After is obeyed up to a week."""

NOT_MODIFIED_FOR: Final = timedelta(hours=24)
NOT_MODIFIED_POLLS: Final = 4
"""Servers that stamp a feed with a date of the year 2041 say "not modified" for ever (FreshRSS 1020). One whole body
a day, or one in four polls of a feed that is seldom asked, costs little and finds them out."""

MOVED_FOR: Final = timedelta(days=7)
"""A redirect that is a mistake, or another's doing, is mended within days; until then the old address decides."""

HOURS: Final = 24
DAYS: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What a feed says of how often it wants to be asked.

    Attributes:
        wait: the largest of ttl and sy:updatePeriod by sy:updateFrequency, None when it says neither.
        skip_hours: hours of the day (UTC, 0-23) in which nothing comes.
        skip_days: days of the week (Monday 0) on which nothing comes.
    """

    wait: timedelta | None = None
    skip_hours: frozenset[int] = frozenset()
    skip_days: frozenset[int] = frozenset()


ANY_PACE: Final = Pace()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How a feed's items came.

    Attributes:
        gap: the median between the dates of its newest items, None when fewer than three are dated.
        newest: the newest of the dates that have passed, None without any.
    """

    gap: timedelta | None = None
    newest: datetime | None = None


def rhythm_of(dates: Sequence[datetime], now: datetime) -> Rhythm:
    """Return the rhythm of one body, from the dates of its items in any order; dates in the future say nothing."""
    past = sorted({date for date in dates if date <= now}, reverse=True)[:DATES_READ]
    gaps = [(newer - older).total_seconds() for newer, older in pairwise(past)]
    return Rhythm(
        gap=timedelta(seconds=median(gaps)) if len(gaps) > 1 else None, newest=past[0] if past else None
    )


def own_interval(rhythm: Rhythm, per_hour: float, now: datetime) -> timedelta:
    """Return how often a feed is worth asking, `SHORTEST` to `LONGEST`: half of its usual gap.

    Args:
        rhythm: of its last body.
        per_hour: how many new items an hour it was seen to bring; 0 when that is not known.
        now: the time of the poll.
    """
    gaps = [rhythm.gap] if rhythm.gap is not None else []
    if per_hour > 0:
        # What came counts beside what is dated: ten items that all bear the date of the day are no daily feed.
        gaps.append(timedelta(hours=min(1 / per_hour, 2 * HOURS)))
    if not gaps:
        return UNKNOWN
    gap = min(gaps)
    if rhythm.newest is not None:
        gap = max(gap, (now - rhythm.newest) / SILENT_SHARE)
    return min(max(gap / 2, SHORTEST), LONGEST)


def next_poll(
    now: datetime,
    interval: timedelta,
    *,
    failures: int,
    draw: float,
    retry_at: datetime | None = None,
    fresh_for: timedelta | None = None,
    pace: Pace = ANY_PACE,
) -> datetime:
    """Return when a feed is to be asked next.

    Args:
        now: the time of the answer.
        interval: the owner's or the feed's own one, > 0.
        failures: how many polls in a row have failed, this one included; each doubles the wait.
        draw: a random number, 0-1, from which the jitter is made.
        retry_at: what the server asked for, None when it did not.
        fresh_for: how long the server says that its answer holds, None when it does not say.
        pace: what the feed itself asks for.
    """
    wait = min(interval * float(2 ** min(failures, 20)), max(LONGEST, interval))
    at = now + wait * (1 - JITTER + 2 * JITTER * draw)
    asked = max((span for span in (pace.wait, fresh_for) if span is not None), default=timedelta(0))
    at = max(at, now + min(asked, LONGEST) * (1 + JITTER * draw))
    if retry_at is not None:
        at = max(at, min(retry_at, now + ASKED_TO_WAIT))
    return _not_skipped(at, pace, draw, latest=now + ASKED_TO_WAIT)


def _not_skipped(at: datetime, pace: Pace, draw: float, latest: datetime) -> datetime:
    """Return `at`, or the begin of the next hour that is not skipped and a little more; `at` where there is none."""
    if not _is_skipped(at, pace):
        return at
    hour = at.replace(minute=0, second=0, microsecond=0)
    for _ in range(HOURS * DAYS):
        hour += timedelta(hours=1)
        if hour > latest:
            break
        if not _is_skipped(hour, pace):
            return hour + timedelta(hours=1) * JITTER * draw
    return at


def _is_skipped(at: datetime, pace: Pace) -> bool:
    return at.hour in pace.skip_hours or at.weekday() in pace.skip_days


def is_due(next_poll_at: datetime, now: datetime, interval: timedelta | None) -> bool:
    """Say whether a feed may be asked: its time has come, or lies so far ahead that a clock was set back.

    Args:
        next_poll_at: as it was planned.
        now: the time.
        interval: the owner's, None where the feed's own decides.
    """
    longest = max(LONGEST, interval or LONGEST) * (1 + JITTER)
    return next_poll_at <= now or next_poll_at > now + ASKED_TO_WAIT + longest


def replanned(next_poll_at: datetime, asked_at: datetime | None, now: datetime) -> datetime:
    """Return when a feed is due that was asked at `asked_at`: now, when the clock was set back since by more than its wait.

    Not later, for a bot that cron starts would wait anew each time; a smaller step back delays it by less than a cycle.
    """
    if asked_at is None or asked_at - now <= next_poll_at - asked_at:
        return next_poll_at
    return min(next_poll_at, now)


def asks_for_all(whole_at: datetime | None, now: datetime, interval: timedelta) -> bool:
    """Say whether to ask for the whole feed, changed or not.

    Args:
        whole_at: when the server last sent a whole body, None when it never did.
        now: the time of the poll.
        interval: the owner's or the feed's own one, > 0.
    """
    return whole_at is None or now - whole_at >= max(NOT_MODIFIED_FOR, interval * NOT_MODIFIED_POLLS)


def asks_new_place(moved_since: datetime | None, now: datetime, *, failures: int) -> bool:
    """Say whether to ask a feed where its permanent redirect has led, instead of at its configured address.

    After a failure the two take turns, so that a new place that goes dead strands no feed, nor an old one that does.

    Args:
        moved_since: since when the redirect has led there without a break, None when it leads nowhere.
        now: the time of the poll.
        failures: how many polls in a row have failed.
    """
    return moved_since is not None and now - moved_since >= MOVED_FOR and failures % 2 == 0
