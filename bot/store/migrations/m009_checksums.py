"""The checksums by which the classic ten-word form finds and compares entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    """
    create table classic_texts (
        entry_id integer primary key references entries(id),
        seen_at real not null,
        whole integer not null,         -- hash of all its words in order
        sums blob not null              -- CRC32 of each run of ten words: 4 bytes each, little-endian; empty: too short
    ) strict
    """,
    "create index classic_texts_seen on classic_texts(seen_at)",
    """
    create table classic_keys (
        key integer not null,           -- a checksum, or `whole` of a text that has none
        entry_id integer not null references classic_texts(entry_id) on delete cascade,
        primary key (key, entry_id)
    ) strict, without rowid
    """,
    "create index classic_keys_entry on classic_keys(entry_id)",
)


@migrations()
def m009_checksums(db: Database) -> None:
    """Create the checksums of the classic form."""
    for statement in _STATEMENTS:
        db.execute(statement)
