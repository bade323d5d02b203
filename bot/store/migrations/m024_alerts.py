"""What the owner was told of the bot's troubles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database


@migrations()
def m024_alerts(db: Database) -> None:
    """Add the troubles that there are or lately were; what is long over is forgotten."""
    db.execute(
        """
        create table alerts (
            key text primary key,       -- what it is the trouble of
            text text not null,         -- as it was last
            ends_unsaid integer not null check (ends_unsaid in (0, 1)),
            since real not null,
            told_at real,               -- NULL: never yet
            times integer not null,
            over integer not null check (over in (0, 1))
        ) strict
        """
    )
