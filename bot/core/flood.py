"""When a feed brings far more than its habit, or the same stories under new names.

The habit is a rate: how many new items an hour, learned with a memory of about a week. What is expected
grows with the time since the last good poll, up to one full feed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

ALWAYS_ALLOWED: Final = 15
"""So many new items in one poll are never a flood: the default items of a common feed are 10-15, and in
two-month histories of 26 news feeds one poll in three of the busy ones replaced that many."""

TIMES_HABIT: Final = 6.0
"""Newsrooms publish in bursts: feeds of those histories brought up to 6 times their mean rate in 2 hours."""

FULL_FEED_SLACK: Final = 1.25
"""A full feed is the largest body seen, and a quarter more."""

MEMORY_HOURS: Final = 7 * 24.0
"""How long the habit remembers: a week, which has its rhythm; weights halve in five days. A feed that became
busy for good is let through after two days even if nobody releases what is held."""

RENUMBERED_SHARE: Final = 0.8
RENUMBERED_MIN_ITEMS: Final = 3
"""A body is renumbered when at least this share of the titles that stayed (and at least so many) came back
with neither a known guid nor a known link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """What a feed usually brings.

    Attributes:
        new: items that were new, decaying with the hours.
        hours: hours watched, decaying alike, >= 0.
        largest_body: most items in one body so far.
        largest_batch: most new items in one poll that were let through.
    """

    new: float = 0.0
    hours: float = 0.0
    largest_body: int = 0
    largest_batch: int = 0

    def allowed(self, hours: float) -> int:
        """Return how many new items are within the habit, `hours` after the last good poll."""
        full = self.largest_body * FULL_FEED_SLACK
        rate = self.new / self.hours if self.hours > 0 else 0.0
        expected = min(full, TIMES_HABIT * rate * hours)
        return int(max(ALWAYS_ALLOWED, self.largest_batch * FULL_FEED_SLACK, expected))

    def after(self, *, new: int, body: int, hours: float, let_through: bool) -> Habit:
        """Return the habit once a poll, `hours` after the last, brought `new` new items among `body`."""
        keep = MEMORY_HOURS / (MEMORY_HOURS + max(hours, 0.0))
        return replace(
            self,
            new=self.new * keep + new,
            hours=self.hours * keep + max(hours, 0.0),
            largest_body=max(self.largest_body, body),
            largest_batch=max(self.largest_batch, new) if let_through else self.largest_batch,
        )


def first_habit(dates: Sequence[datetime], body: int, now: datetime) -> Habit:
    """Guess the habit of a new feed from the `dates` of its first items: the newer half came in so many hours."""
    past = sorted((d for d in dates if d <= now), reverse=True)
    # The newer half: one old item that stays pinned says nothing of the pace.
    past = past[: (len(past) + 1) // 2]
    if len(past) <= 1:
        return Habit(largest_body=body)
    hours = max((now - min(past)).total_seconds() / 3600, 1.0)
    keep = min(1.0, MEMORY_HOURS / hours)
    return Habit(new=len(past) * keep, hours=hours * keep, largest_body=body)


def is_renumbered(*, stayed: int, strangers: int) -> bool:
    """Say whether a feed gave new names to its stories.

    Args:
        stayed: items whose titles were in the feed's last body.
        strangers: those of them that have neither a known guid nor a known link.
    """
    return strangers >= RENUMBERED_MIN_ITEMS and strangers >= RENUMBERED_SHARE * stayed
