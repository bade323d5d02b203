"""What names a post towards a destination that knows such names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database


@migrations()
def m016_keys(db: Database) -> None:
    """Add to the outbox the key of a row's post, given at its claim; null: none, or the destination knows no keys."""
    db.execute("alter table outbox add column key text")
