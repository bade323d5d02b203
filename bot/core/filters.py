"""What a feed's owner wants of it: filters, age, and how much after a pause.

All rules are pure; each says in words why an entry is not wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.core.model import Entry, Reason, Rejected

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator
    from datetime import datetime

PAUSE: Final = timedelta(days=7)
"""A feed that was not read for so long was paused, and `catch_up` decides. News feeds are read again after
every outage of a few days as if nothing had been: `max_age` and the pacing bound what follows."""


class TakeKind(StrEnum):
    """How much of what is there is taken."""

    NONE = "none"
    NEWEST = "newest"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """How many of the items at hand to post: none, the newest `count`, or all."""

    kind: TakeKind
    count: int = 0

    def limit(self, there: int) -> int:
        """Return how many of `there` items are taken."""
        match self.kind:
            case TakeKind.NONE:
                return 0
            case TakeKind.NEWEST:
                return min(self.count, there)
            case TakeKind.ALL:
                return there


MAX_AGE: Final = timedelta(days=3)
"""How old a published date may be unless the owner says otherwise: a weekend away, and no stale news."""

NOTHING: Final = Take(kind=TakeKind.NONE)
"""A new feed is seeded silently unless its owner says otherwise."""

BOUNDED_CATCH_UP: Final = Take(kind=TakeKind.NEWEST, count=25)
"""After a pause: about as many as a common feed holds, and no flood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patterns:
    """Regular expressions by field; each is searched without regard to case."""

    title: tuple[re.Pattern[str], ...] = ()
    summary: tuple[re.Pattern[str], ...] = ()
    category: tuple[re.Pattern[str], ...] = ()
    link: tuple[re.Pattern[str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.title or self.summary or self.category or self.link)

    def hit(self, entry: Entry) -> str | None:
        """Return the first pattern that `entry` meets, as "field pattern"; None when it meets none."""
        for field, patterns, text in self._looked_at(entry):
            for pattern in patterns:
                if pattern.search(text):
                    return f"{field} '{pattern.pattern}'"
        return None

    def _looked_at(self, entry: Entry) -> Iterator[tuple[str, tuple[re.Pattern[str], ...], str]]:
        yield "title", self.title, entry.title
        yield "summary", self.summary, entry.summary
        for category in entry.categories:
            yield "category", self.category, category
        yield "link", self.link, entry.link or ""


NO_PATTERNS: Final = Patterns()


def reject(
    entry: Entry,
    *,
    include: Patterns,
    exclude: Patterns,
    max_age: timedelta,
    floor: datetime | None,
    now: datetime,
) -> Rejected | None:
    """Return why `entry` is not wanted, None when it is.

    Args:
        entry: any entry.
        include: when not empty, at least one of them has to be met.
        exclude: none of them may be met.
        max_age: how old a published date may be; an undated entry is as old as its first sight, so never too old.
        floor: the oldest date among the feed's first items; what is older slid into the window from below.
        now: the time of the poll.
    """
    if not entry.title and not entry.summary:
        return Rejected(reason=Reason.EMPTY, detail="it has neither a title nor a summary")
    if not entry.link and not entry.orig_link:
        return Rejected(reason=Reason.NO_LINK, detail="it has no http(s) link")
    if too_old := _too_old(entry, max_age=max_age, floor=floor, now=now):
        return Rejected(reason=Reason.TOO_OLD, detail=too_old)
    if hit := exclude.hit(entry):
        return Rejected(reason=Reason.FILTERED, detail=f"excluded by {hit}")
    if include and not include.hit(entry):
        return Rejected(reason=Reason.FILTERED, detail="no include pattern is met")
    return None


def _too_old(entry: Entry, *, max_age: timedelta, floor: datetime | None, now: datetime) -> str | None:
    if entry.published is None:
        return None
    age = now - entry.published
    if age > max_age:
        return f"published {_span(age)} ago, max_age is {_span(max_age)}"
    if floor is not None and entry.published < floor:
        return "older than everything that the feed held when it was first read"
    return None


def _span(span: timedelta) -> str:
    if span >= timedelta(days=2):
        return f"{round(span / timedelta(days=1), 1):g} days"
    return f"{round(span / timedelta(hours=1), 1):g} hours"
