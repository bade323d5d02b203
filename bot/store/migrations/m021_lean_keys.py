"""Candidate keys without an index by entry, which took as much room and work as the keys themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database


@migrations()
def m021_lean_keys(db: Database) -> None:
    """Keep signature_keys in the order of its keys alone.

    The keys of an entry follow from its signature, so who forgets the signature knows which rows go with it; a
    cascade would look through the whole table for them.
    """
    db.execute(
        """
        create table lean_keys (
            key integer not null,
            entry_id integer not null,      -- of signatures; a row without one there is left over, and is no candidate
            primary key (key, entry_id)
        ) strict, without rowid
        """
    )
    db.execute("insert into lean_keys select key, entry_id from signature_keys order by key, entry_id")
    db.execute("drop table signature_keys")
    db.execute("alter table lean_keys rename to signature_keys")
