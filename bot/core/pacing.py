"""When the next post may go out, and which of those that wait it is: pure, so that whoever foresees it counts alike.

    when    the least gap, the most an hour and a day; what waits and what just went out share the span of `spread`
            evenly; never in quiet hours
    which   the highest priority; among equals the story that most feeds told; among these the one that came first (or
            last). Every fourth turn is that of whatever has waited longest, so that nothing is passed over for ever

A limit defers, it never drops.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from bot.core.quiet import NO_QUIET, QuietHours

if TYPE_CHECKING:
    from collections.abc import Iterable

MIDDLE: Final = 5
"""The priority of a feed that says nothing of it: as many above as below, 0 to 9."""

LONGEST_WAITING_EVERY: Final = 4
"""One turn in so many is that of what has waited longest: the others keep three quarters of the posts."""

HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)


class Order(StrEnum):
    """Which goes first of those that are equal otherwise."""

    OLDEST = "oldest"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What of a queue its pace depends on.

    Attributes:
        waiting: rows that could go out now, >= 1.
        expires: when the first of all rows expires, None when none does.
    """

    waiting: int = 1
    expires: datetime | None = None


ONE: Final = Queue()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """How fast a destination is fed.

    Attributes:
        min_gap: between two posts, >= 0.
        per_hour, per_day: most posts within any 60 minutes and any 24 hours, >= 1.
        spread: a burst is spread evenly over so long; 0: it goes out as fast as the rest allows.
        quiet: when nothing goes out.
        order: which goes first of those that are equal otherwise.
    """

    min_gap: timedelta
    per_hour: int
    per_day: int
    spread: timedelta = timedelta(0)
    quiet: QuietHours = NO_QUIET
    order: Order = Order.OLDEST

    def earliest(self, claims: list[datetime], now: datetime, queue: Queue = ONE) -> datetime:
        """Return when the next post may go out, given when the last day's posts did (oldest first)."""
        return self.quiet.opens(self.unless_quiet(claims, now, queue))

    def unless_quiet(self, claims: list[datetime], now: datetime, queue: Queue = ONE) -> datetime:
        """Return what `earliest` would without quiet hours."""
        # A claim in the future was made before the clock was set back: it counts as made now.
        claims = [min(claim, now) for claim in claims]
        earliest = now
        if claims:
            earliest = max(earliest, claims[-1] + self._gap(claims, now, queue))
        for count, span in ((self.per_hour, HOUR), (self.per_day, DAY)):
            if len(claims) >= count:
                earliest = max(earliest, claims[-count] + span)
        return earliest

    def _gap(self, claims: list[datetime], now: datetime, queue: Queue) -> timedelta:
        """Return the gap that spreads what waits and what just went out over `spread`, never less than `min_gap`.

        It is `min_gap` where a row has less than `spread` left before it expires, quiet hours not counted: those that
        would be spread fit into that time at `min_gap`, so that none expires because of it.
        """
        if not self.spread:
            return self.min_gap
        lately = len(claims) - bisect_right(claims, now - self.spread)
        gap = self.spread / max(lately + queue.waiting, 1)
        if gap <= self.min_gap or not lately:
            return self.min_gap
        if queue.expires is not None and self.quiet.open_time(now, queue.expires, self.spread) < self.spread:
            return self.min_gap
        return gap


class Waiting(Protocol):
    """A queued row, as far as its turn goes."""

    @property
    def id(self) -> int:
        """Its number."""
        ...

    @property
    def priority(self) -> int:
        """Of its feed, 0-9."""
        ...

    @property
    def sources(self) -> int:
        """Feeds that told its story, >= 1."""
        ...

    @property
    def queued_at(self) -> datetime:
        """When it was accepted."""
        ...

    @property
    def not_before(self) -> datetime:
        """No attempt earlier."""
        ...

    @property
    def expires_at(self) -> datetime:
        """Stale from then on."""
        ...


Rank = tuple[int, int, float, int]


def rank(row: Waiting, order: Order) -> Rank:
    """Return what puts rows into the order of their turns, the first the least."""
    queued = row.queued_at.timestamp()
    if order is Order.NEWEST:
        return -row.priority, -row.sources, -queued, -row.id
    return -row.priority, -row.sources, queued, row.id


def is_turn_of_longest(turns: int, order: Order) -> bool:
    """Return whether the next turn, after so many, is that of the row that waited longest.

    Who wants the newest first leaves the old ones to expire.
    """
    return order is Order.OLDEST and turns % LONGEST_WAITING_EVERY == LONGEST_WAITING_EVERY - 1


_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)

W = TypeVar("W", bound=Waiting)


class Turns(Generic[W]):
    """Rows taken one by one in the order of their turns.

    Args:
        rows: that wait, in any order.
        order: which goes first of those that are equal otherwise.
        turns: how many posts were begun before.
    """

    def __init__(self, rows: Iterable[W], order: Order, turns: int) -> None:
        self._order = order
        self._turns = turns
        self._left = {row.id: row for row in rows}
        self._later = [(row.not_before, row.id) for row in self._left.values()]
        heapq.heapify(self._later)
        self._ready: list[tuple[Rank, int]] = []
        self._oldest: list[tuple[datetime, int]] = []
        self._ends = [(row.expires_at, row.id) for row in self._left.values()]
        heapq.heapify(self._ends)

    def __len__(self) -> int:
        return len(self._left)

    def next_at(self) -> datetime | None:
        """Return from when on one may be taken, None when none is left; a time that is over: at once."""
        if len(self._later) < len(self._left):
            return _LONG_AGO
        return self._later[0][0] if self._later else None

    def shape(self, now: datetime) -> Queue:
        """Return what of the queue its pace depends on."""
        self._wake(now)
        while self._ends and self._ends[0][1] not in self._left:
            heapq.heappop(self._ends)
        return Queue(
            waiting=max(len(self._left) - len(self._later), 1),
            expires=self._ends[0][0] if self._ends else None,
        )

    def take(self, now: datetime) -> W | None:
        """Take the row out whose turn it is, and return it; None when all are to wait longer.

        Say `sent` where it goes out; otherwise its turn passes to the next.
        """
        self._wake(now)
        self._drop_taken()
        if not self._ready:
            return None
        if is_turn_of_longest(self._turns, self._order):
            number = heapq.heappop(self._oldest)[1]
        else:
            number = heapq.heappop(self._ready)[1]
        return self._left.pop(number)

    def sent(self) -> None:
        """Count the turn of the row that was taken last."""
        self._turns += 1

    def _wake(self, now: datetime) -> None:
        while self._later and self._later[0][0] <= now:
            _, number = heapq.heappop(self._later)
            row = self._left[number]
            heapq.heappush(self._ready, (rank(row, self._order), number))
            heapq.heappush(self._oldest, (row.queued_at, number))

    def _drop_taken(self) -> None:
        while self._ready and self._ready[0][1] not in self._left:
            heapq.heappop(self._ready)
        while self._oldest and self._oldest[0][1] not in self._left:
            heapq.heappop(self._oldest)
