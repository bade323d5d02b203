"""The samples of long texts, beside the signatures, with keys of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    """
    create table bodies (
        entry_id integer primary key references signatures(entry_id) on delete cascade,
        feed text not null,             -- of the entry: its newest bodies tell what it repeats
        version integer not null,       -- of the analysis that made it
        sample blob not null
    ) strict
    """,
    "create index bodies_feed on bodies(feed, entry_id)",
    """
    create table body_keys (
        key integer not null,
        entry_id integer not null references bodies(entry_id) on delete cascade,
        primary key (key, entry_id)
    ) strict, without rowid
    """,
    "create index body_keys_entry on body_keys(entry_id)",
)


@migrations()
def m005_bodies(db: Database) -> None:
    """Create the samples of bodies and their keys."""
    for statement in _STATEMENTS:
        db.execute(statement)
