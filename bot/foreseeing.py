"""What waits, foreseen: how each queued post would go out, when, and what stands against it now.

A dry run sends what could go out now to nobody, by the real pacing and with the real money, on a copy of the store.
What is left in its outbox is told here. Those before a post in the queue count: they take their turn and their money first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.core.budget import DAY, Spent, day_of, month_of
from bot.core.pacing import Turns
from bot.core.prices import item_of
from bot.core.timing import LONGEST_PAUSE
from bot.store.outbox import State, WaitsFor
from bot.versions import entry_to_tell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from bot.composing import Composer
    from bot.core.model import Entry, Post
    from bot.core.pacing import Pacing
    from bot.core.prices import Item
    from bot.ports import Budget
    from bot.publishing import Publishing
    from bot.store import Store
    from bot.store.outbox import OutboxRow

MOST: Final = 10_000
"""Rows that are foreseen, the newest: far more than go out before they are stale."""


class Wait(StrEnum):
    """What a post waits for."""

    PACING = "pacing"
    QUIET = "quiet"
    COPY = "copy"
    READY = "ready"
    MONEY = "money"
    PAUSE = "pause"
    WORDS = "words"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A queued post that would not go out now.

    Attributes:
        row: of the outbox.
        entry: the lead of the story.
        post: as it would go out then.
        wait: what it waits for.
        until: when it would go out, at the earliest.
        reason: the same in words.
    """

    row: OutboxRow
    entry: Entry
    post: Post
    wait: Wait
    until: datetime
    reason: str


class Foreseeing:
    """A job of the scheduler that tells of each post that waits, once for each thing that it waits for.

    Args:
        destination: whose queue it is.
        publishing: what has its turn first; None where nothing is sent at all.
        prices: of each item, in micro-dollars.
        tell: is told of each.
    """

    def __init__(
        self,
        destination: str,
        *,
        store: Store,
        publishing: Publishing | None,
        composer: Composer,
        pacing: Pacing,
        budget: Budget,
        prices: Mapping[Item, int],
        tell: Callable[[Waiting], None],
    ) -> None:
        self._destination = destination
        self._store = store
        self._publishing = publishing
        self._composer = composer
        self._pacing = pacing
        self._budget = budget
        self._prices = prices
        self._tell = tell
        self._told: set[tuple[int, str | None]] = set()

    def next_at(self, now: datetime) -> datetime | None:
        """Return `now` when something waits that was not told of, and nothing can be sent; else None."""
        at = self._publishing.next_at(now) if self._publishing else None
        if at is not None and at <= now:
            return None
        return now if any(_news(row) not in self._told for row in self._queued()) else None

    def run(self, now: datetime) -> None:
        """Tell of what waits."""
        queued = self._queued()
        for waiting in self.waiting(now):
            if _news(waiting.row) not in self._told:
                self._tell(waiting)
        self._told.update(map(_news, queued))

    def waiting(self, now: datetime, most: int = MOST) -> list[Waiting]:
        """Return what waits, in the order of the queue, at most so many; a row of which no post can be made is left out."""
        outbox = self._store.outbox
        claims = outbox.claimed_since(self._destination, now - timedelta(days=1))
        pause = outbox.paused(self._destination)
        begin, paused = now, None
        if pause is not None and pause[0] > now:
            begin, paused = min(pause[0], now + LONGEST_PAUSE), pause[1]
        days: Counter[str] = Counter()
        months: Counter[str] = Counter()
        found: list[Waiting] = []
        turns = Turns(self._queued(now), self._pacing.order, outbox.turns(self._destination))
        while len(turns) and len(found) < most:
            queue = turns.shape(begin)
            turn = self._pacing.earliest(claims, begin, queue)
            quiet = turn > self._pacing.unless_quiet(claims, begin, queue)
            row = turns.take(turn)
            if row is None:
                begin = max(turns.next_at() or turn, turn)
                continue
            entry = entry_to_tell(self._store, row)
            try:
                forms = self._composer.forms(entry, corrects=row.reply_to is not None)
            except ValueError:
                continue
            before = Spent(day=days[day_of(turn)], month=months[month_of(turn)])
            rooms = [self._budget.room_for(item_of(form), turn, before) for form in forms]
            fits = next((form for form, room in zip(forms, rooms, strict=True) if room[0] <= turn), None)
            if fits is None:
                until, why = min(rooms)
                wait, reason = Wait.MONEY, f"money, until {until:%Y-%m-%d %H:%M} UTC: {why}"
            elif row.waits_for is WaitsFor.WORDS:
                asked = outbox.get(row.id) or row
                until, wait, reason = asked.not_before, Wait.WORDS, row.reason or "the same words went out"
            else:
                turns.sent()
                claims = claims[bisect_right(claims, turn - DAY) :]
                claims.append(turn)
                begin = until = turn
                days[day_of(turn)] += self._prices[item_of(fits)]
                months[month_of(turn)] += self._prices[item_of(fits)]
                wait, reason = self._why(row, now, until, paused=paused, quiet=quiet)
            if row.expires_at <= until:
                reason += f"; it expires before, at {row.expires_at:%Y-%m-%d %H:%M} UTC"
            found.append(
                Waiting(row=row, entry=entry, post=fits or forms[0], wait=wait, until=until, reason=reason)
            )
        return found

    def _why(
        self, row: OutboxRow, now: datetime, until: datetime, *, paused: str | None, quiet: bool
    ) -> tuple[Wait, str]:
        """Say what keeps a row that takes its turn at `until`."""
        at = f"until about {until:%Y-%m-%d %H:%M} UTC"
        if paused is not None:
            return Wait.PAUSE, f"{paused}, {at}"
        if row.copy_until is not None and row.copy_until > now:
            return Wait.COPY, f"{row.reason or 'a better copy'}, {at}"
        if row.not_before > now:
            return Wait.READY, f"{row.reason or 'what its post needs'}, {at}"
        if quiet:
            return Wait.QUIET, f"quiet hours, {at}"
        return Wait.PACING, f"pacing, {at}"

    def _queued(self, now: datetime | None = None) -> list[OutboxRow]:
        """Return the queued rows; with `now` those that wait for money or words as if they could be tried now."""
        rows = self._store.outbox.rows({State.QUEUED}, MOST, destination=self._destination)
        if now is None:
            return rows
        # What they wait for is looked at below, as of their turn.
        return [replace(row, not_before=min(row.not_before, now)) if row.waits_for else row for row in rows]


def _news(row: OutboxRow) -> tuple[int, str | None]:
    return row.id, row.waits_for
