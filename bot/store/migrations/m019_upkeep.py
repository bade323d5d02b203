"""When the store was last looked after: checked whole, tidied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database


@migrations()
def m019_upkeep(db: Database) -> None:
    """Create the table of what is done to the store now and then, and when it was done last."""
    db.execute("create table upkeep (what text primary key, at real not null) strict")
