"""The money: what posts, reads and deletions may cost, and what they have cost.

    room?      the UTC day's and month's limits, and whether X has refused for want of credit
    reserve    the price is set aside in the ledger, COMMITTED before the call
    call
    settle     charged | released | lost (nobody knows: counts whole until it is known)

So no post passes a limit, whatever dies in between: what was set aside counts. Without room a post waits. A read needs
room for the first thing that it brings, and may pass a limit by the rest of its page; one that was lost is asked again
without, for it is charged once with the lost one, and its answer gives back what that one may not have cost.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot import logs
from bot.core.budget import Spent, in_dollars, room_at
from bot.core.prices import item_of
from bot.errors import OutOfBudget
from bot.store.ledger import Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime

    from bot.core.budget import Limits
    from bot.core.model import Post
    from bot.core.prices import Item
    from bot.store import Store

log = logging.getLogger(__name__)

WITHOUT_CREDIT: Final = timedelta(hours=1)
"""Without credit, X is asked again so often: a person has to act, and a refusal costs nothing."""

SAME_STOP: Final = timedelta(days=1)
"""A refusal so long after the last one's end is news again, and is told again."""


NOTHING: Final = Spent(day=0, month=0)


class Free:
    """The money of a destination that costs nothing. Fits `ports.Budget`."""

    def allowed_at(self, _post: Post, now: datetime) -> datetime:
        """Return `now`."""
        return now

    def room_for(self, _item: Item, now: datetime, _before: Spent = NOTHING) -> tuple[datetime, str]:
        """Return `now`, and no reason to wait."""
        return now, ""

    def reserve(self, outbox_id: int, feed: str, post: Post, now: datetime) -> None:
        """Do nothing."""

    def charge(self, outbox_id: int, now: datetime) -> None:
        """Do nothing."""

    def release(self, outbox_id: int, now: datetime) -> None:
        """Do nothing."""


class Spending:
    """The money of one destination. Fits `ports.Budget` and `ports.Meter`.

    Args:
        store: where the ledger is; the day and month are those of all destinations together.
        destination: whose calls these are.
        prices: of each item, in micro-dollars.
        limits: the owner's.
        clock: aware UTC now.
    """

    def __init__(
        self,
        store: Store,
        *,
        destination: str,
        prices: Mapping[Item, int],
        limits: Limits,
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._destination = destination
        self._prices = prices
        self._limits = limits
        self._clock = clock

    def recover(self) -> None:
        """Settle what an earlier process left behind when it was killed; call it once, at the start of the bot."""
        with self._store.transaction():
            interrupted = self._store.ledger.recover(self._clock())
        if interrupted:
            logs.event(
                log, logging.WARNING, "interrupted calls found", calls=interrupted, see="shinglebot budget"
            )

    def allowed_at(self, post: Post, now: datetime) -> datetime:
        """Return when there is room for the price of `post`: `now`, or when what stands against it ends."""
        return self.room_for(item_of(post), now)[0]

    def room_for(self, item: Item, now: datetime, before: Spent = NOTHING) -> tuple[datetime, str]:
        """Return when there is room for one of `item`, `now` or later, and what stands against it until then.

        `before` is what will have been spent by then beside what stands in the ledger.
        """
        if stopped := self._stopped(now):
            return stopped
        known = self._store.ledger.spent(now)
        spent = Spent(day=known.day + before.day, month=known.month + before.month)
        at = room_at(self._prices[item], spent, self._limits, now)
        return at, f"{in_dollars(spent.day)} are spent today and {in_dollars(spent.month)} this month"

    def reserve(self, outbox_id: int, feed: str, post: Post, now: datetime) -> None:
        """Set the price of `post` aside for a row of the outbox that is being claimed, in the caller's transaction."""
        item = item_of(post)
        self._store.ledger.reserve(
            destination=self._destination,
            item=item,
            unit=self._prices[item],
            feed=feed,
            outbox_id=outbox_id,
            now=now,
        )

    def charge(self, outbox_id: int, now: datetime) -> None:
        """What was set aside for the row was spent, in the caller's transaction. Does nothing when nothing is."""
        if self._store.ledger.charge_post(outbox_id, now):
            self._store.ledger.end_stop(self._destination)

    def release(self, outbox_id: int, now: datetime) -> None:
        """What was set aside for the row was not spent, in the caller's transaction. Does nothing when nothing is."""
        self._store.ledger.release_post(outbox_id, now)

    def before(self, item: Item, most: int, question: str = "") -> int:
        """Set aside the price of at most `most` resources, durably; return a ticket.

        Args:
            item: what is charged for.
            most: >= 1.
            question: what is asked, in any words: a lost call is settled when the same is answered later.

        Raises:
            OutOfBudget: there is no room; the call must not be made.
        """
        now = self._clock()
        with self._store.transaction():
            # Room for one resource is enough. The most that a page may hold is nearly never charged, and an unknown
            # post has to be looked for also late in the day: so a read, and that one call alone, may pass a limit.
            # A call that was lost is asked again without: both cost what one does, and only so is that known again.
            at, why = self.room_for(item, now)
            again = self._store.ledger.was_lost(self._destination, item, question, now)
            if at > now and not (again and self._stopped(now) is None):
                raise OutOfBudget(f"{why}; {item.doing} waits until {at:%Y-%m-%d %H:%M} UTC", retry_at=at)
            return self._store.ledger.reserve(
                destination=self._destination,
                item=item,
                unit=self._prices[item],
                most=most,
                question=question,
                now=now,
            )

    def after(self, ticket: int, resources: Collection[str]) -> None:
        """The call was answered with these resources (ids)."""
        with self._store.transaction():
            self._store.ledger.answered(ticket, resources, self._clock())
            self._store.ledger.end_stop(self._destination)

    def declined(self, ticket: int) -> None:
        """X certainly does not charge the call: it said no, or never heard of it."""
        with self._store.transaction():
            self._store.ledger.declined(ticket, self._clock())

    def lost(self, ticket: int) -> None:
        """Nobody knows whether the call was answered, and so whether it was charged."""
        with self._store.transaction():
            self._store.ledger.lose(ticket, self._clock())

    def out_of_credit(self, reason: str) -> None:
        """X refused a call because the account may not spend: make no priced call for a while, and tell of it once."""
        now = self._clock()
        with self._store.transaction():
            known = self._store.ledger.stop(self._destination)
            goes_on = known is not None and known.since <= now <= known.until + SAME_STOP
            since = known.since if known and goes_on else now
            self._store.ledger.put_stop(
                self._destination, Stop(since=since, until=now + WITHOUT_CREDIT, reason=reason)
            )
        if not goes_on:
            logs.event(
                log,
                logging.ERROR,
                "no credit: every paid call is stopped",
                destination=self._destination,
                reason=reason,
                remedy="buy credit or raise the spending limit in X's console, then `shinglebot outbox resume`",
            )

    def _stopped(self, now: datetime) -> tuple[datetime, str] | None:
        """Return until when no priced call is made for want of credit, and why; None when nothing is known against it."""
        stop = self._store.ledger.stop(self._destination)
        # A stop that is longer than any was noted by a clock that has been set back since.
        if stop is None or now >= min(stop.until, now + WITHOUT_CREDIT):
            return None
        until = min(stop.until, now + WITHOUT_CREDIT)
        return until, f"X has no credit for the bot since {stop.since:%Y-%m-%d %H:%M} UTC: {stop.reason}"
