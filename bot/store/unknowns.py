"""Rows of the outbox whose fate nobody knows, and the ways out of it.

A row that a crash left in `sending` becomes `unknown` at the next start: it may have gone out. Every way out holds
only while the row still is what it was: a person may decide about it at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.store.outbox import Cause, OutboxRow, row_of

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database

LOOKED_FOR_LAST: Final = 3
"""The `misses` of a row that was given up and looked for once more: two readings before, and that one."""

_FINDABLE: Final = "(state in ('queued', 'unknown', 'unconfirmed') or (state = 'sent' and remote_id is null))"


class Unknowns:
    """The outbox seen by what is not known of it. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def recover(self, destination: str, now: datetime) -> list[int]:
        """Turn rows that a crash left in `sending` into `unknown`; return their numbers.

        Those of one destination: another's are being sent, maybe, just now.
        """
        query = "select id from outbox where destination = ? and state = 'sending'"
        left = [row["id"] for row in list(self._db.query(query, [destination]))]
        why = f"the bot was stopped while it was being sent (found {now:%Y-%m-%d %H:%M} UTC)"
        for row_id in left:
            self.add(row_id, Cause.CRASH, why)
        return left

    def add(self, row_id: int, cause: Cause, reason: str) -> None:
        """Note that nobody knows whether a row that was being sent went out."""
        self._db.execute(
            """
            update outbox set state = 'unknown', cause = ?, reason = ?, unknown_times = unknown_times + 1, misses = 0,
                missed_at = null where id = ? and state = 'sending'
            """,
            [cause, reason, row_id],
        )

    def waiting(self, destination: str) -> list[OutboxRow]:
        """Return the unknown rows, the one that was claimed first first."""
        query = "select * from outbox where destination = ? and state = 'unknown' order by claimed_at, id"
        return [row_of(row) for row in list(self._db.query(query, [destination]))]

    def findable(self, destination: str, account: str | None) -> list[OutboxRow]:
        """Return the rows that may be posts of `account` without anybody's knowing, those claimed first first.

        They are unknown, unconfirmed, or sent by the destination's word alone.
        """
        query = f"""
            select * from outbox where destination = ? and (account is null or account = ?) and state <> 'queued'
                and claimed_at is not null and {_FINDABLE} order by claimed_at, id
        """  # noqa: S608 - a constant
        return [row_of(row) for row in list(self._db.query(query, [destination, account]))]

    def given_up(self, destination: str, since: datetime) -> list[OutboxRow]:
        """Return the rows that were settled since without being seen, and not looked for a last time; oldest claim first.

        They are unconfirmed, or sent by the destination's word alone.
        """
        query = """
            select * from outbox where destination = :destination and state = 'unconfirmed'
                and claimed_at is not null and settled_at > :since and misses < :all union all
            select * from outbox where destination = :destination and state = 'sent' and remote_id is null
                and reconciled = 1 and claimed_at > :since and misses < :all
            order by claimed_at, id
        """
        values = {"destination": destination, "since": since.timestamp(), "all": LOOKED_FOR_LAST}
        return [row_of(row) for row in list(self._db.query(query, values))]

    def looked_for_last(self, row: OutboxRow, reason: str) -> bool:
        """Note that the last look did not show a row that was given up. Return False when it was decided meanwhile."""
        cursor = self._db.execute(
            "update outbox set misses = ?, reason = ? where id = ? and state = ? and remote_id is null",
            [LOOKED_FOR_LAST, reason, row.id, row.state],
        )
        return cursor.rowcount == 1

    def queued(self, destination: str) -> list[OutboxRow]:
        """Return every queued row, the oldest first."""
        query = "select * from outbox where destination = ? and state = 'queued' order by queued_at, id"
        return [row_of(row) for row in list(self._db.query(query, [destination]))]

    def found(
        self, row_id: int, *, remote_id: str, url: str | None, account: str | None, reason: str, now: datetime
    ) -> bool:
        """Settle a row as sent: its post is on the account. Return False when it was decided meanwhile."""
        cursor = self._db.execute(
            f"""
            update outbox set state = 'sent', verified = 1, reconciled = 1, reason = ?, remote_id = ?, remote_url = ?,
                account = ?, settled_at = ?, waits_for = null where id = ? and {_FINDABLE}
            """,  # noqa: S608 - a constant
            [reason, remote_id, url, account, now.timestamp(), row_id],
        )
        return cursor.rowcount == 1

    def missed(self, row_id: int, now: datetime) -> None:
        """Note that a reading of the timeline did not show the row's post."""
        self._db.execute(
            "update outbox set misses = misses + 1, missed_at = ? where id = ? and state = 'unknown'",
            [now.timestamp(), row_id],
        )

    def is_not_there(self, row_id: int, reason: str, now: datetime) -> bool:
        """Queue an unknown row again: its post is not on the account. Return False when it was decided meanwhile."""
        cursor = self._db.execute(
            """
            update outbox set state = 'queued', reason = ?, not_before = ?, text_hash = null
            where id = ? and state = 'unknown'
            """,
            [reason, now.timestamp(), row_id],
        )
        return cursor.rowcount == 1

    def taken_at_its_word(self, row_id: int, reason: str, now: datetime) -> bool:
        """Settle a row as sent, unverified: the destination says that it has it. Return False when it was decided."""
        cursor = self._db.execute(
            """
            update outbox set state = 'sent', verified = 0, reconciled = 1, reason = ?, settled_at = ?
            where id = ? and state = 'unknown'
            """,
            [reason, now.timestamp(), row_id],
        )
        return cursor.rowcount == 1

    def give_up(self, row_id: int, reason: str, now: datetime) -> bool:
        """Leave an unknown row to a person, as unconfirmed. Return False when it was decided meanwhile."""
        cursor = self._db.execute(
            "update outbox set state = 'unconfirmed', reason = ?, settled_at = ? where id = ? and state = 'unknown'",
            [reason, now.timestamp(), row_id],
        )
        return cursor.rowcount == 1
