"""Which posts a person had deleted again. Their rows of the outbox stay `sent`: they were, and are not sent again."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

    def newest_sent(self, destination: str, count: int) -> list[int]:
        """Return the rows of the newest `count` posts at a destination, deleted or not, newest first."""
        query = """
            select id from outbox where destination = ? and state = 'sent'
            order by coalesce(claimed_at, settled_at) desc, id desc limit ?
        """
        return [row["id"] for row in list(self._db.query(query, [destination, count]))]

    def row_of(self, destination: str, remote_id: str) -> int | None:
        """Return the row that a destination's post belongs to, None when no row made it."""
        query = "select id from outbox where destination = ? and remote_id = ?"
        rows = list(self._db.query(query, [destination, remote_id]))
        return rows[0]["id"] if rows else None
