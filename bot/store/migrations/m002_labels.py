"""The labels that a person gives to pairs of entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    """
    create table labels (
        one_id integer not null references entries(id),     -- of the pair, the entry that was stored first
        other_id integer not null references entries(id),
        label text not null check (label in ('duplicate', 'different')),
        marked_at real not null,        -- when it was said last; a later word takes the place of an earlier
        primary key (one_id, other_id),
        check (one_id < other_id)
    ) strict, without rowid
    """,
    "create index labels_other on labels(other_id)",
)


@migrations()
def m002_labels(db: Database) -> None:
    """Create the labels that a person gives to pairs of entries."""
    for statement in _STATEMENTS:
        db.execute(statement)
