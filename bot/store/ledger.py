"""The ledger: every priced call, what it cost or may have cost, and what was read on which UTC day.

    reserved --> charged      X did it: a write by the request, a read by each resource that is new today
             --> released     X certainly did not
             --> lost         nobody knows: counts whole until the same question is answered, and once however often it
                              was asked in vain on that day

A row counts to the UTC day on which the call was made, whenever it is settled. Amounts are micro-dollars.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.core.budget import DAY, Spent, day_of, month_of, start_of_month
from bot.core.prices import READS, Item
from bot.store.times import known

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlite_utils import Database

COUNTS: Final = "state in ('reserved', 'charged', 'lost')"

_RELEASE: Final = "update ledger set state = 'released', resources = 0, micros = 0, settled_at = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The account has no credit: `reason` as X said it, first at `since`; no priced call before `until`."""

    since: datetime
    until: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A sum of calls of one kind.

    Attributes:
        item: what was charged for.
        feed: whose posts, None for what belongs to no feed.
        calls: how many.
        resources: how many posts, deletions or things read were charged for.
        charged: micro-dollars that X certainly charged.
        reserved: micro-dollars of calls under way, and of posts whose fate is not known yet.
        lost: micro-dollars that X may have charged; nobody knows.
    """

    item: Item
    feed: str | None
    calls: int
    resources: int
    charged: int
    reserved: int
    lost: int

    @property
    def micros(self) -> int:
        """All of it."""
        return self.charged + self.reserved + self.lost


class Ledger:
    """The tables of money. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def reserve(
        self,
        *,
        destination: str,
        item: Item,
        unit: int,
        now: datetime,
        most: int = 1,
        feed: str | None = None,
        outbox_id: int | None = None,
        question: str | None = None,
    ) -> int:
        """Set aside the price of one call, of at most `most` resources at `unit` each; return its row."""
        if outbox_id is not None:
            self._settle_decided(now)
            # Still set aside for an earlier attempt, of which nobody has said what came of it.
            self._db.execute(
                "update ledger set state = 'lost', settled_at = ? where outbox_id = ? and state = 'reserved'",
                [now.timestamp(), outbox_id],
            )
        cursor = self._db.execute(
            """
            insert into ledger (destination, item, feed, outbox_id, question, unit, most, micros, state, day, at)
            values (?, ?, ?, ?, ?, ?, ?, ?, 'reserved', ?, ?)
            """,
            [
                *(destination, str(item), feed, outbox_id, question or None, unit, most, unit * most),
                *(day_of(now), now.timestamp()),
            ],
        )
        assert cursor.lastrowid is not None  # noqa: S101 - a row was inserted
        return cursor.lastrowid

    def charge_post(self, outbox_id: int, now: datetime) -> bool:
        """What is set aside for a row of the outbox was spent; return False when nothing is."""
        cursor = self._db.execute(
            """
            update ledger set state = 'charged', resources = most, settled_at = ?
            where outbox_id = ? and state = 'reserved'
            """,
            [now.timestamp(), outbox_id],
        )
        return cursor.rowcount > 0

    def release_post(self, outbox_id: int, now: datetime) -> bool:
        """What is set aside for a row of the outbox was not spent; return False when nothing is."""
        cursor = self._db.execute(
            f"{_RELEASE} where outbox_id = ? and state = 'reserved'", [now.timestamp(), outbox_id]
        )
        return cursor.rowcount > 0

    def answered(self, row_id: int, resources: Collection[str], now: datetime) -> None:
        """Settle a call that was answered with these resources; an answer may hold none.

        A lost call is settled with it when it asked the same: X charges what both brought once, a read by its UTC day,
        and a deletion only when there was something to delete.
        """
        row = self._open_call(row_id)
        if row is None:
            return
        item = Item(row["item"])
        is_read = item in READS
        count = self._fresh(row["day"], item, resources) if is_read else len(set(resources))
        self._db.execute(
            "update ledger set state = ?, resources = ?, micros = ?, settled_at = ? where id = ?",
            ["charged" if count else "released", count, count * row["unit"], now.timestamp(), row_id],
        )
        # A page that is not full holds all that there is: nothing that the lost one brought is missing.
        tells_all = len(resources) < max(row["most"], 2) if is_read else bool(resources)
        if row["question"] and tells_all:
            self._db.execute(
                f"""
                {_RELEASE}
                where state = 'lost' and destination = ? and item = ? and question = ? and (day = ? or ?)
                """,
                [
                    *(now.timestamp(), row["destination"], row["item"], row["question"]),
                    *(row["day"], not is_read),
                ],
            )

    def declined(self, row_id: int, now: datetime) -> None:
        """Settle a call that X certainly does not charge: it said no, or never heard of it."""
        if self._open_call(row_id) is not None:
            self._db.execute(f"{_RELEASE} where id = ?", [now.timestamp(), row_id])

    def lose(self, row_id: int, now: datetime) -> None:
        """Note that nobody knows what came of a call: it counts whole, once with all that asked the same on that day."""
        self._db.execute(
            "update ledger set state = 'lost', settled_at = ? where id = ? and state = 'reserved'",
            [now.timestamp(), row_id],
        )
        self._count_once(now)

    def cost(self, row_id: int) -> int:
        """Return what a call has cost, or may have, in micro-dollars: 0 when it was free, or was not made."""
        query = f"select micros from ledger where id = ? and {COUNTS}"  # noqa: S608 - a constant
        rows = list(self._db.query(query, [row_id]))
        return rows[0]["micros"] if rows else 0

    def was_lost(self, destination: str, item: Item, question: str, now: datetime) -> bool:
        """Return whether this was asked on the UTC day of `now` and nobody knows what came of it."""
        query = """
            select 1 from ledger where state = 'lost' and destination = ? and item = ? and question = ? and day = ?
        """
        return bool(list(self._db.query(query, [destination, str(item), question, day_of(now)])))

    def recover(self, now: datetime) -> int:
        """Settle what an end without warning left behind; return how many reads and deletions it interrupted.

        Posts under way are the outbox's to decide; what it has decided is taken over.
        """
        self._settle_decided(now)
        cursor = self._db.execute(
            "update ledger set state = 'lost', settled_at = ? where state = 'reserved' and outbox_id is null",
            [now.timestamp()],
        )
        self._count_once(now)
        return cursor.rowcount

    def spent(self, now: datetime) -> Spent:
        """Return what the UTC day and month of `now` have cost, with what is set aside and what may be lost."""
        # Rows of the last month are kept with those of this one, so that a sum by days is whole.
        query = f"""
            select coalesce(sum(micros), 0) as month, coalesce(sum(case when day = :day then micros end), 0) as day
            from ledger where day >= :first and day < :end and {COUNTS}
        """  # noqa: S608 - a constant
        first = start_of_month(now)
        given = {"day": day_of(now), "first": day_of(first), "end": day_of(first + 32 * DAY)[:8] + "01"}
        row = next(iter(list(self._db.query(query, given))))
        return Spent(day=row["day"], month=row["month"])

    def lines(self, since: datetime, until: datetime) -> list[Line]:
        """Return the sums by item and feed of the UTC days from `since` to before `until`, the dearest first.

        Exact for days of this month and the last.
        """
        query = f"""
            select item, feed, count(*) as calls, coalesce(sum(resources), 0) as resources,
                coalesce(sum(case when state = 'charged' then micros end), 0) as charged,
                coalesce(sum(case when state = 'reserved' then micros end), 0) as reserved,
                coalesce(sum(case when state = 'lost' then micros end), 0) as lost
            from ledger where day >= ? and day < ? and {COUNTS} group by item, feed
        """  # noqa: S608 - a constant
        rows = list(self._db.query(query, [day_of(since), day_of(until)]))
        lines = [Line(**{**row, "item": Item(row["item"])}) for row in rows]
        return sorted(lines, key=lambda line: (-line.micros, line.item, line.feed or ""))

    def months(self) -> dict[str, int]:
        """Return what each UTC month has cost, in micro-dollars, oldest first; months without a call are left out."""
        query = f"""
            select month, sum(micros) as micros from (
                select month, micros from ledger_months
                union all select substr(day, 1, 7), micros from ledger where {COUNTS}
            ) group by month order by month
        """  # noqa: S608 - a constant
        return {row["month"]: row["micros"] for row in list(self._db.query(query))}

    def by_day(self, first: str) -> dict[str, int]:
        """Return what each UTC day from `first` (as `budget.day_of` writes it) has cost, in micro-dollars."""
        query = f"select day, sum(micros) as micros from ledger where day >= ? and {COUNTS} group by day"  # noqa: S608 - a constant
        return {row["day"]: row["micros"] for row in list(self._db.query(query, [first]))}

    def began(self) -> datetime | None:
        """Return when the first call was priced whose row is kept, None without any."""
        at = next(iter(list(self._db.query("select min(at) as at from ledger"))))["at"]
        return None if at is None else known(at)

    def stop(self, destination: str) -> Stop | None:
        """Return the stop for want of credit that was noted last, None when calls have been taken since."""
        rows = list(self._db.query("select * from credit_stops where destination = ?", [destination]))
        if not rows:
            return None
        row = rows[0]
        return Stop(since=known(row["since"]), until=known(row["until"]), reason=row["reason"])

    def put_stop(self, destination: str, stop: Stop) -> None:
        """Note that there is no credit."""
        self._db.execute(
            "insert or replace into credit_stops values (?, ?, ?, ?)",
            [destination, stop.since.timestamp(), stop.until.timestamp(), stop.reason],
        )

    def end_stop(self, destination: str) -> None:
        """Spend again: a call was taken, or a person says that there is credit."""
        self._db.execute("delete from credit_stops where destination = ?", [destination])

    def tidy(self, now: datetime) -> None:
        """Keep the months before the last as sums, and forget what was read before yesterday."""
        last_month = month_of(start_of_month(now) - DAY)
        self._db.execute("delete from resources_read where day < ?", [day_of(now - DAY)])
        self._db.execute(
            f"""
            insert into ledger_months (month, destination, item, feed, calls, resources, micros, lost)
            select substr(day, 1, 7), destination, item, coalesce(feed, ''), count(*), coalesce(sum(resources), 0),
                sum(micros), coalesce(sum(case when state = 'lost' then micros end), 0)
            from ledger where day < ? and {COUNTS} and state <> 'reserved' group by 1, 2, 3, 4
            on conflict do update set calls = calls + excluded.calls, resources = resources + excluded.resources,
                micros = micros + excluded.micros, lost = lost + excluded.lost
            """,  # noqa: S608 - a constant
            [last_month],
        )
        self._db.execute("delete from ledger where day < ? and state <> 'reserved'", [last_month])

    def _open_call(self, row_id: int) -> dict[str, Any] | None:
        """Return a row that is not settled for good, None when it is or there is none."""
        query = "select * from ledger where id = ? and state in ('reserved', 'lost')"
        return next(iter(list(self._db.query(query, [row_id]))), None)

    def _count_once(self, now: datetime) -> None:
        """Let the last of the lost calls that asked the same on one UTC day count for all of them.

        X charges a resource once a day, and deletes a post once: where a question has one answer, and that was charged,
        there is nothing to be lost. An hour in which X does not answer costs what one call may cost, and not the whole
        day's money.
        """
        self._db.execute(
            f"""
            {_RELEASE}
            where state = 'lost' and question is not null and exists (
                select 1 from ledger l where l.destination = ledger.destination and l.item = ledger.item
                and l.question = ledger.question and (
                    l.state = 'lost' and l.id > ledger.id and l.day = ledger.day
                    or l.state = 'charged' and l.most = 1 and (l.item = 'delete' or l.day = ledger.day)
                )
            )
            """,  # noqa: S608 - a constant
            [now.timestamp()],
        )

    def _fresh(self, day: str, item: Item, resources: Collection[str]) -> int:
        """Remember what was read on a UTC day; return how much of it was not read before on that day."""
        return sum(
            self._db.execute(
                "insert or ignore into resources_read values (?, ?, ?)", [day, str(item), name]
            ).rowcount
            for name in set(resources)
        )

    def _settle_decided(self, now: datetime) -> None:
        """Take over what the outbox, or a person, has decided of posts for which money is still set aside."""
        self._db.execute(
            """
            update ledger set settled_at = ?1,
                state = case o.state when 'sent' then 'charged' when 'unconfirmed' then 'lost' else 'released' end,
                resources = case o.state when 'sent' then most when 'unconfirmed' then null else 0 end,
                micros = case when o.state in ('sent', 'unconfirmed') then micros else 0 end
            from outbox o
            where ledger.state = 'reserved' and o.id = ledger.outbox_id and o.state not in ('sending', 'unknown')
            """,
            [now.timestamp()],
        )
