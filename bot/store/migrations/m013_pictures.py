"""What is to be seen on an entry's picture, and the pictures that destinations were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    # What the feed says of the image; '': nothing.
    "alter table entries add column image_alt text not null default ''",
    """
    create table pictures (
        outbox_id integer primary key references outbox(id),
        url text,                       -- where the picture is; null: none was found
        media_id text,                  -- the destination's own name of it; null: it was not given there
        expires_at real,                -- the destination forgets it then; null: it was not given there
        described integer not null,     -- 1: the destination has its alt text
        tries integer not null,         -- how often it failed
        left_out integer not null,      -- 1: the post goes without
        reason text                     -- why the last try failed, or why it is left out; null: nothing to say
    ) strict
    """,
)


@migrations()
def m013_pictures(db: Database) -> None:
    """Add the words on pictures, and what became of each picture."""
    for statement in _STATEMENTS:
        db.execute(statement)
