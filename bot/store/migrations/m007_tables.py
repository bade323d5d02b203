"""The tables of near-duplicates that were fitted to the labels of a bot's owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    """
    create table near_tables (
        id integer primary key,
        level text not null,            -- that it was fitted for; other levels keep the packaged tables
        made_at real not null,
        labels integer not null,        -- how many it was fitted to
        wrong_before integer not null,  -- of them, by the packaged table
        wrong_unseen integer not null,  -- of them, by fits that had not seen them
        engine text not null,           -- the version of the bot that fitted it
        terms text not null,            -- fingerprint of what the weights multiply; with other terms it is not used
        shipped text not null,          -- fingerprint of the packaged table that it was held near
        base real not null,
        threshold real not null,
        same_feed real not null,        -- what the threshold rises by within one feed
        weights text not null,          -- JSON object: weight by term
        retired_at real                 -- null: in use, if it is the level's newest
    ) strict
    """,
)


@migrations()
def m007_tables(db: Database) -> None:
    """Create the tables of fitted weights."""
    for statement in _STATEMENTS:
        db.execute(statement)
