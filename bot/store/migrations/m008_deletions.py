"""The posts that a person had deleted again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    """
    create table deletions (
        outbox_id integer primary key references outbox(id),    -- the row stays sent: it was, and is not sent again
        deleted_at real not null,       -- when the destination said that it is gone
        was_gone integer not null check (was_gone in (0, 1))    -- 1: the destination did not know it any more
    ) strict
    """,
)


@migrations()
def m008_deletions(db: Database) -> None:
    """Create the posts that a person had deleted again."""
    for statement in _STATEMENTS:
        db.execute(statement)
