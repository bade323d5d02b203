"""Which posts a person had deleted again. Their rows of the outbox stay `sent`: they were, and are not sent again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.outbox_rows import OutboxRow, row_of
from bot.store.rows import rows
from bot.store.times import known

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database


class Deletions:
    """The table of deleted posts. `add` is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, outbox_id: int, *, was_gone: bool, now: datetime) -> None:
        """Note that the post of a row is gone, on the row itself, too; the first time that it is said counts."""
        cursor = self._db.execute(
            "insert or ignore into deletions values (?, ?, ?)", [outbox_id, now.timestamp(), int(was_gone)]
        )
        if cursor.rowcount == 1:
            how = "was deleted already, found" if was_gone else "deleted"
            self._db.execute(
                "update outbox set reason = ? where id = ?",
                [f"{how} by `shinglebot undo` at {now:%Y-%m-%d %H:%M} UTC", outbox_id],
            )

    def deleted_at(self, outbox_id: int) -> datetime | None:
        """Return when the post of a row was deleted, None when it was not."""
        rows = list(self._db.query("select deleted_at from deletions where outbox_id = ?", [outbox_id]))
        return known(rows[0]["deleted_at"]) if rows else None

    def newest_sent(self, destination: str | None, count: int) -> list[int]:
        """Return the rows of the newest `count` posts at a destination or at all, deleted or not, newest first."""
        query = """
            select id from outbox where (?1 is null or destination = ?1) and state = 'sent'
            order by coalesce(claimed_at, settled_at) desc, id desc limit ?2
        """
        return [row["id"] for row in list(self._db.query(query, [destination, count]))]

    def rows_of(self, remote_id: str) -> list[OutboxRow]:
        """Return the rows whose post has this number or key, of whichever destination."""
        found = rows(self._db, "select * from outbox where remote_id = ? order by id", [remote_id])
        return [row_of(row) for row in found]
