"""Queued stories that are told again: by how many feeds, and by one whose copy is the better one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.core.model import BY_HAND
from bot.store.outbox_rows import OutboxRow, State, row_of
from bot.store.rows import rows, write

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database


class BetterCopies:
    """The queued rows of the outbox, seen by their stories. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def told_again(self, lead_id: int) -> None:
        """Count the feeds of a story anew, where it is queued."""
        write(
            self._db,
            """
            update outbox set sources = (
                select max(count(distinct feed), 1) from entries where (id = :lead or lead_id = :lead) and feed <> :by_hand
            ) where entry_id = :lead and state = 'queued'
            """,
            {"lead": lead_id, "by_hand": BY_HAND},
        )

    def replaceable(self, lead_id: int) -> list[OutboxRow]:
        """Return the rows of a story that may become those of another of its entries.

        None where any of them is not queued, or may have gone out: what was said of a story is said by its lead.
        """
        found = [row_of(row) for row in rows(self._db, "select * from outbox where entry_id = ?", [lead_id])]
        if all(row.state is State.QUEUED and row.unknown_times == 0 for row in found):
            return found
        return []

    def replace(
        self,
        row: OutboxRow,
        entry_id: int,
        *,
        priority: int,
        expires_at: datetime,
        reason: str,
        now: datetime,
    ) -> None:
        """Make a queued row that of another entry of its story, which waits for nothing; it keeps its place and its time.

        Of two priorities the higher counts, and of two ends the later.
        """
        write(
            self._db,
            """
            update outbox set entry_id = ?, priority = max(priority, ?), expires_at = max(expires_at, ?), reason = ?,
                not_before = ?, copy_until = null, waits_for = null where id = ? and state = 'queued' and entry_id = ?
            """,
            [entry_id, priority, expires_at.timestamp(), reason, now.timestamp(), row.id, row.entry_id],
        )

    def waiting(self, destination: str, now: datetime) -> list[OutboxRow]:
        """Return the rows that wait for a better copy, the one that waits least first."""
        # Not asked for by the column: a database that an older version left is read before it has it.
        query = "select * from outbox where destination = ? and state = 'queued' and not_before > ? order by not_before, id"
        found = [row_of(row) for row in rows(self._db, query, [destination, now.timestamp()])]
        return [row for row in found if row.copy_until is not None and row.copy_until > now]
