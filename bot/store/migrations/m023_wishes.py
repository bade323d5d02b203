"""What a person wants of a queued post: its own text, and its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database


@migrations()
def m023_wishes(db: Database) -> None:
    """Add both to the outbox."""
    db.execute("alter table outbox add column own_text text")  # NULL: the template makes it
    db.execute("alter table outbox add column moved_up integer not null default 0")
