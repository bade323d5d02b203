"""What a person called spam or ham."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database


@migrations()
def m022_spam(db: Database) -> None:
    """Add the labels of single texts, which stay when the entry's own text is dropped."""
    db.execute(
        """
        create table spam_labels (
            entry_id integer primary key references entries(id),
            spam integer not null check (spam in (0, 1)),
            text text not null,
            marked_at real not null
        ) strict
        """
    )
