"""The outbox: what is to be posted, what may have been, and what was.

    queued --claim (committed before the call)--> sending --> sent | refused | unknown | queued again
    queued --too old--> expired        queued --a person--> dropped
    queued --on the account already--> sent
    unknown --found on the account--> sent          --not there, twice--> queued again, at most twice
    unknown --neither can be told--> unconfirmed    --a person--> sent | queued | dropped
    unconfirmed --a person, or found later--> sent | queued | dropped

What leads out of `unknown` is in `bot.store.unknowns`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from bot.core.model import BY_HAND
from bot.core.pacing import MIDDLE, Order, Queue, is_turn_of_longest
from bot.core.recognition import words_hash
from bot.core.timing import LONGEST_PAUSE
from bot.store.outbox_rows import FINAL, UNSAID, Cause, OutboxRow, State, WaitsFor, row_of
from bot.store.rows import rows
from bot.store.times import from_seconds, known, to_seconds

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from sqlite_utils import Database

    from bot.core.model import Post, Receipt
    from bot.core.timing import Moment


__all__ = ["SAME_WORDS_AFTER", "Cause", "Outbox", "OutboxRow", "State", "WaitsFor", "row_of"]

SAME_WORDS_AFTER: Final = timedelta(hours=24)
"""A text goes out once in so long; X refuses repeats for up to 12 hours (reported 2026-07), and readers for longer."""


_BY_RANK: Final = {
    Order.OLDEST: "priority desc, sources desc, queued_at, id",
    Order.NEWEST: "priority desc, sources desc, queued_at desc, id desc",
}
"""`core.pacing.rank` in SQL."""


class Outbox:
    """The table of posts. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def queue(
        self,
        entry_id: int,
        destination: str,
        *,
        now: datetime,
        expires_at: datetime,
        priority: int = MIDDLE,
        copy_until: datetime | None = None,
        reason: str | None = None,
    ) -> bool:
        """Accept a story for a destination; return False when it was accepted there before.

        With `copy_until` it waits so long for a better copy, for that `reason`.
        """
        cursor = self._db.execute(
            """
            insert into outbox (
                entry_id, destination, state, queued_at, not_before, expires_at, priority, copy_until, reason, sources
            ) values (:entry, :destination, 'queued', :now, :not_before, :expires, :priority, :copy_until, :reason, (
                select max(count(distinct feed), 1) from entries where (id = :entry or lead_id = :entry) and feed <> :by_hand
            )) on conflict do nothing
            """,
            {
                "entry": entry_id,
                "destination": destination,
                "now": now.timestamp(),
                "not_before": (copy_until or now).timestamp(),
                "expires": expires_at.timestamp(),
                "priority": priority,
                "copy_until": to_seconds(copy_until),
                "reason": reason,
                "by_hand": BY_HAND,
            },
        )
        return cursor.rowcount == 1

    def due(self, destination: str, now: datetime, order: Order = Order.OLDEST) -> OutboxRow | None:
        """Return the queued row whose turn it is and that may be tried now, None when there is none.

        That is the first by `core.pacing.rank`, or the one that has waited longest where it is its turn.
        """
        index, by = ("outbox_turn", _BY_RANK[order])
        if is_turn_of_longest(self.turns(destination), order):
            index, by = "outbox_state", "queued_at, id"
        query = f"""
            select * from outbox indexed by {index}
            where destination = ? and state = 'queued' and (not_before <= ? or not_before > ?)
            order by {by} limit 1
        """  # noqa: S608 - our own words
        found = rows(self._db, query, [destination, now.timestamp(), (now + LONGEST_PAUSE).timestamp()])
        return row_of(found[0]) if found else None

    def turns(self, destination: str) -> int:
        """Return how often a post was begun."""
        query = "select coalesce(sum(attempt), 0) as n from outbox where destination = ? and attempt > 0"
        return int(rows(self._db, query, [destination])[0]["n"])

    def queued(self, destination: str) -> list[OutboxRow]:
        """Return every queued row, in no order."""
        query = "select * from outbox where destination = ? and state = 'queued'"
        return [row_of(row) for row in rows(self._db, query, [destination])]

    def shape(self, destination: str, now: datetime) -> Queue:
        """Return what of the queue its pace depends on."""
        query = """
            select (select count(*) from outbox where destination = :destination and state = 'queued' and not_before <= :now)
                as waiting, (select min(expires_at) from outbox where destination = :destination and state = 'queued') as expires
        """
        row = rows(self._db, query, {"destination": destination, "now": now.timestamp()})[0]
        return Queue(waiting=max(row["waiting"], 1), expires=from_seconds(row["expires"]))

    def next_not_before(self, destination: str) -> datetime | None:
        """Return when the next queued row may be tried, None when nothing is queued."""
        query = "select min(not_before) as at from outbox where destination = ? and state = 'queued'"
        return from_seconds(rows(self._db, query, [destination])[0]["at"])

    def set_priorities(self, priorities: Mapping[str, int]) -> None:
        """Give what is queued the priority that its feed has now; of a feed that is not named, what it had."""
        self._db.conn.executemany(
            """
            update outbox set priority = :priority where state = 'queued' and priority <> :priority and not moved_up
                and entry_id in (select id from entries where feed = :feed)
            """,
            [{"feed": feed, "priority": priority} for feed, priority in priorities.items()],
        )

    def said_lately(
        self, row: OutboxRow, post: Post, now: datetime, *, account: str | None = None
    ) -> tuple[int, datetime] | None:
        """Return the other row that has said, or may have said, the very words of `post` within 24 hours, and when."""
        query = """
            select id, claimed_at from outbox
            where destination = ? and coalesce(account, '') = ? and text_hash = ? and claimed_at > ? and id <> ?
        """
        since = (now - SAME_WORDS_AFTER).timestamp()
        words = words_hash(post.text)
        rows = list(self._db.query(query, [row.destination, account or "", words, since, row.id]))
        return (rows[0]["id"], known(rows[0]["claimed_at"])) if rows else None

    def claim(
        self,
        row: OutboxRow,
        post: Post,
        now: datetime,
        *,
        account: str | None = None,
        since_id: str | None = None,
        moment: Moment | None = None,
        key: str | None = None,
    ) -> bool:
        """Mark a queued row as being sent, with the text that goes out; return False when it is queued no more.

        The transaction must be committed before the destination is called. Of a row whose fate was unknown before,
        `since_id` and `key` stay what they were: its first post may show late, and a second under its key is the same.
        """
        self._db.execute(
            "update outbox set text_hash = null where destination = ? and text_hash is not null and claimed_at <= ?",
            [row.destination, (now - SAME_WORDS_AFTER).timestamp()],
        )
        cursor = self._db.execute(
            """
            update outbox set state = 'sending', attempt = attempt + 1, claimed_at = ?, text = ?, weight = ?, has_link = ?,
                text_hash = ?, account = ?, era = ?, era_seconds = ?, misses = 0, missed_at = null, waits_for = null,
                since_id = case when unknown_times > 0 then since_id else ? end,
                key = case when unknown_times > 0 and key is not null then key else ? end
            where id = ? and state = 'queued' and entry_id = ?
            """,
            [
                now.timestamp(),
                post.text,
                post.weight,
                int(post.has_link),
                words_hash(post.text),
                account,
                moment.era if moment else None,
                moment.seconds if moment else None,
                since_id,
                key,
                row.id,
                row.entry_id,
            ],
        )
        return cursor.rowcount == 1

    def settle_sent(self, row_id: int, receipt: Receipt, now: datetime) -> None:
        """Note that the destination took the post, or that a person found it there."""
        self._db.execute(
            """
            update outbox set state = 'sent', reason = null, remote_id = ?, remote_url = ?, settled_at = ?, verified = 1,
                waits_for = null where id = ?
            """,
            [receipt.remote_id, receipt.url, now.timestamp(), row_id],
        )

    def settle(self, row_id: int, state: State, reason: str | None, now: datetime) -> None:
        """Put a row into any other state, with the reason in words."""
        settled = now.timestamp() if state in FINAL else None
        self._db.execute(
            """
            update outbox set state = :state, reason = :reason, settled_at = :settled, waits_for = null,
                verified = iif(:state = 'sent', 0, null), text_hash = iif(:unsaid, null, text_hash) where id = :id
            """,
            {
                "state": state,
                "reason": reason,
                "settled": settled,
                "unsaid": state in UNSAID,
                "id": row_id,
            },
        )

    def defer(
        self, row: OutboxRow, reason: str, not_before: datetime, waits_for: WaitsFor | None = None
    ) -> bool:
        """Let a queued row wait; return False when it is queued no more, or tells another entry by now."""
        cursor = self._db.execute(
            """
            update outbox set reason = ?, not_before = ?, waits_for = ?, copy_until = null, text_hash = null
            where id = ? and state = 'queued' and entry_id = ?
            """,
            [reason, not_before.timestamp(), waits_for, row.id, row.entry_id],
        )
        return cursor.rowcount == 1

    def refuse(self, row: OutboxRow, reason: str, now: datetime) -> bool:
        """Settle a queued row of which no post can be made; return False as `defer` does."""
        cursor = self._db.execute(
            """
            update outbox set state = 'refused', reason = ?, settled_at = ?, waits_for = null, text_hash = null
            where id = ? and state = 'queued' and entry_id = ?
            """,
            [reason, now.timestamp(), row.id, row.entry_id],
        )
        return cursor.rowcount == 1

    def put_back(
        self, row_id: int, reason: str | None, not_before: datetime, waits_for: WaitsFor | None = None
    ) -> None:
        """Queue a row again that certainly did not go out, or is to wait."""
        self._db.execute(
            """
            update outbox set state = 'queued', reason = ?, not_before = ?, waits_for = ?, settled_at = null,
                verified = null, text_hash = null, copy_until = null where id = ?
            """,
            [reason, not_before.timestamp(), waits_for, row_id],
        )

    def wait_no_more(self, destination: str, waits_for: WaitsFor, now: datetime) -> None:
        """Let the rows that wait for this try at once: what they wait for may have changed."""
        self._db.execute(
            "update outbox set not_before = ?, waits_for = null where destination = ? and state = 'queued' and waits_for = ?",
            [now.timestamp(), destination, waits_for],
        )

    def requeue(self, row_id: int, reason: str, *, now: datetime, max_age: timedelta | None) -> None:
        """Queue a row again because a person says so; it has `max_age` from now, or what it had, to go out."""
        self.put_back(row_id, reason, now)
        # The person looked: what is known of earlier attempts does not bind the new one.
        self._db.execute(
            "update outbox set unknown_times = 0, misses = 0, since_id = null where id = ?", [row_id]
        )
        if max_age is not None:
            self._db.execute(
                "update outbox set expires_at = ? where id = ?", [(now + max_age).timestamp(), row_id]
            )

    def move_up(self, row_id: int) -> bool:
        """Put a queued row before all others, also before those that were moved up before; return False when it is queued no more."""
        cursor = self._db.execute(
            """
            update outbox set moved_up = 1, priority = (
                select max(10, max(priority) + 1) from outbox o where o.destination = outbox.destination and o.state = 'queued'
            ) where id = ? and state = 'queued'
            """,
            [row_id],
        )
        return cursor.rowcount == 1

    def reword(self, row_id: int, text: str | None) -> bool:
        """Give a queued row a person's own text, or the template's again for None; return False when it is queued no more."""
        cursor = self._db.execute(
            "update outbox set own_text = ?, text_hash = null where id = ? and state = 'queued'",
            [text, row_id],
        )
        return cursor.rowcount == 1

    def pause(self, destination: str, until: datetime, reason: str) -> None:
        """Send nothing to a destination before `until`: it said so, or a person has to act first."""
        self._db.execute(
            "insert or replace into pauses values (?, ?, ?)", [destination, until.timestamp(), reason]
        )

    def end_pause(self, destination: str) -> None:
        """Send again: the destination took a post."""
        self._db.execute("delete from pauses where destination = ?", [destination])

    def paused(self, destination: str) -> tuple[datetime, str] | None:
        """Return until when nothing is sent to a destination and why, None when nothing stands against it."""
        rows = list(self._db.query("select until, reason from pauses where destination = ?", [destination]))
        return (known(rows[0]["until"]), rows[0]["reason"]) if rows else None

    def expire(self, destination: str, now: datetime) -> list[OutboxRow]:
        """Let stale queued rows go, each with its reason; return them."""
        rows = list(
            self._db.query(
                "select * from outbox where destination = ? and state = 'queued' and expires_at <= ?",
                [destination, now.timestamp()],
            )
        )
        stale = [row_of(row) for row in rows]
        for row in stale:
            hours = (now - row.queued_at).total_seconds() / 3600
            why = f"waited {hours:.0f} hours in the queue and is older than max_age" + (
                f"; last: {row.reason}" if row.reason else ""
            )
            self.settle(row.id, State.EXPIRED, why, now)
        return stale

    def claimed_since(self, destination: str, since: datetime) -> list[datetime]:
        """Return when posts were claimed that went out or may have, oldest first."""
        query = """
            select claimed_at from outbox
            where destination = ? and claimed_at > ? and state in ('sending', 'sent', 'unknown', 'unconfirmed')
            order by claimed_at
        """
        return [
            known(row["claimed_at"]) for row in list(self._db.query(query, [destination, since.timestamp()]))
        ]

    def get(self, row_id: int) -> OutboxRow | None:
        """Return one row, None when there is none of that number."""
        rows = list(self._db.query("select * from outbox where id = ?", [row_id]))
        return row_of(rows[0]) if rows else None

    def of_entry(self, entry_id: int) -> list[OutboxRow]:
        """Return the rows of one story, a destination each."""
        return [
            row_of(r)
            for r in list(self._db.query("select * from outbox where entry_id = ? order by id", [entry_id]))
        ]

    def destinations_of(self, lead_id: int) -> frozenset[str]:
        """Return where a story was queued, by its lead's number: for itself or for one of its copies."""
        query = """
            select distinct destination from outbox where entry_id = :lead
                or entry_id in (select id from entries where lead_id = :lead)
        """
        return frozenset(row["destination"] for row in rows(self._db, query, {"lead": lead_id}))

    def rows(
        self, states: Collection[State] | None = None, limit: int = 100, *, destination: str | None = None
    ) -> list[OutboxRow]:
        """Return the newest rows in the given states (all when None), of one destination or of all, newest first."""
        wanted = list(states) if states is not None else list(State)
        where = f"state in ({','.join('?' * len(wanted))})"
        values: list[Any] = [*wanted, limit]
        if destination is not None:
            where = f"destination = ? and {where}"
            values.insert(0, destination)
        query = f"select * from outbox where {where} order by id desc limit ?"  # noqa: S608 - marks
        return [row_of(row) for row in list(self._db.query(query, values))]

    def counts(self, destination: str | None = None) -> dict[State, int]:
        """Count the rows by state, of one destination or of all; states without rows are left out."""
        query = "select state, count(*) as n from outbox where ?1 is null or destination = ?1 group by state"
        return {State(row["state"]): row["n"] for row in list(self._db.query(query, [destination]))}

    def destinations(self) -> list[str]:
        """Return the names of all destinations that have rows, in no order that means anything."""
        found = rows(self._db, "select distinct destination from outbox order by destination", [])
        return [row["destination"] for row in found]

    def last_sent(self, destination: str) -> OutboxRow | None:
        """Return the newest row that went out there, None when none did."""
        query = """
            select * from outbox where destination = ? and state = 'sent'
            order by coalesce(claimed_at, settled_at) desc, id desc limit 1
        """
        found = rows(self._db, query, [destination])
        return row_of(found[0]) if found else None

    def settled_since(self, since: datetime) -> list[OutboxRow]:
        """Return what became final since, oldest first."""
        query = "select * from outbox where settled_at >= ? order by settled_at, id"
        return [row_of(row) for row in list(self._db.query(query, [since.timestamp()]))]
