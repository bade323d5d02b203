"""What the bot learned of how often words stand in its own stream, and the order of rarity under which keys were chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    """
    create table epochs (
        id integer primary key,
        version integer not null,       -- of the signature whose tokens were counted; another's words mean nothing
        started_at real not null,
        texts integer not null,         -- how many were counted
        levels blob not null,           -- 5 bytes a word that the stream has more often: 32 bits of hash, its level
        last_seen_at real               -- of the entries whose keys were chosen under it; null: it is the current one
    ) strict
    """,
    # The entries that are there had their keys chosen by the packaged table alone.
    "insert into epochs values (0, 0, 0, 0, x'', null)",
)


@migrations()
def m006_frequencies(db: Database) -> None:
    """Create the epochs of learned frequencies, the first of which learned nothing."""
    for statement in _STATEMENTS:
        db.execute(statement)
