"""Quiet hours: spans of the wall clock of one zone in which nothing is posted, on every day or on some.

A span begins when the clock first shows its beginning, or skips it, and ends when the clock last shows its end, or skips
it. So where clocks are set back, an hour that is told twice is quiet both times and so is what lies between; where they
are set forward, a span that is skipped whole is not there that night. Whatever the clock shows within a span is quiet.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
EVERY_DAY: Final = frozenset(range(7))
_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)

HORIZON: Final = 15
"""Days that are looked through for an open moment: a week of spans, and one that a change of clocks took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietSpan:
    """One span of the wall clock.

    Attributes:
        begins: after midnight, from 0 to less than a day.
        ends: after midnight of the day on which it begins, later than `begins` by a day at most.
        days: on which it begins, Monday 0; not empty.
    """

    begins: timedelta
    ends: timedelta
    days: frozenset[int] = EVERY_DAY

    def __str__(self) -> str:
        """Return the span as the configuration writes it."""
        ends = self.ends if self.ends <= _DAY else self.ends - _DAY
        days = "" if self.days == EVERY_DAY else f"{','.join(DAYS[day] for day in sorted(self.days))} "
        return f"{days}{_clock(self.begins)}-{_clock(ends)}"


def _clock(after_midnight: timedelta) -> str:
    hours, minutes = divmod(int(after_midnight.total_seconds()) // 60, 60)
    return f"{hours:02d}:{minutes:02d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """All quiet spans, by the wall clock of one zone; they may overlap.

    Attributes:
        spans: none: there are no quiet hours.
        zone: whose wall clock counts.
    """

    spans: tuple[QuietSpan, ...] = ()
    zone: tzinfo = UTC

    def opens(self, at: datetime) -> datetime:
        """Return the first moment from `at` on that is not quiet; `at` itself where it is not.

        Where everything within `HORIZON` days is quiet, the end of what was looked through.
        """
        if not self.spans:
            return at
        for begins, ends in self._from(at, HORIZON):
            if begins > at:
                break
            at = max(at, ends)
        return at

    def open_time(self, begins: datetime, ends: datetime, enough: timedelta) -> timedelta:
        """Return how much of the time from `begins` to `ends` is not quiet; `enough` where it is that or more."""
        if not self.spans:
            return min(max(ends - begins, timedelta(0)), enough)
        found, at = timedelta(0), begins
        for starts, stops in self._from(begins, HORIZON):
            if starts >= ends or found >= enough:
                break
            found += max(starts - at, timedelta(0))
            at = max(at, stops)
        else:
            return enough  # it ends beyond the days that were looked through
        return min(found + max(ends - at, timedelta(0)), enough) if found < enough else enough

    @property
    def longest(self) -> timedelta:
        """How long nothing is posted at most, by the wall clock: of an ordinary week, 0 without quiet hours."""
        week = sorted(
            (day * _DAY + span.begins, day * _DAY + span.ends)
            for span in self.spans
            for turn in (0, 7)
            for day in (place + turn for place in span.days)
        )
        longest, since, until = timedelta(0), timedelta(0), timedelta(0)
        for begins, ends in week:
            if begins > until:
                since = begins
            until = max(until, ends)
            longest = max(longest, until - since)
        return longest

    @property
    def is_always(self) -> bool:
        """Whether a whole week is quiet: nothing would ever go out."""
        return self.longest >= 7 * _DAY

    def _from(self, at: datetime, days: int) -> Iterator[tuple[datetime, datetime]]:
        """Yield the spans of the days around `at` and after, as moments, in order of their beginning."""
        first = (
            at.astimezone(self.zone).date() - 2 * _DAY
        )  # a span of yesterday may be on, a zone may skip a day
        for day in (first + place * _DAY for place in range(days + 4)):
            midnight = datetime(day.year, day.month, day.day)  # noqa: DTZ001 - what the wall clock shows
            spans = [
                (
                    self._moment(midnight + span.begins, last=False),
                    self._moment(midnight + span.ends, last=True),
                )
                for span in self.spans
                if day.weekday() in span.days
            ]
            yield from sorted((begins, ends) for begins, ends in spans if begins < ends)

    def _moment(self, wall: datetime, *, last: bool) -> datetime:
        """Return when the clock first or last shows `wall`, in UTC; where it skips that, the moment of the jump."""
        at = wall.replace(tzinfo=self.zone, fold=int(last)).astimezone(UTC)
        if at.astimezone(self.zone).replace(tzinfo=None) == wall:
            return at
        other = wall.replace(tzinfo=self.zone, fold=int(not last)).astimezone(UTC)
        before, after = min(at, other), max(at, other)  # around the jump, at most a day apart
        while after - before > _SECOND:
            middle = before + (after - before) / 2
            middle = middle.replace(microsecond=0)
            if middle <= before:
                break
            if middle.astimezone(self.zone).replace(tzinfo=None) >= wall:
                after = middle
            else:
                before = middle
        return after


NO_QUIET: Final = QuietHours()
