"""The short links that were made, for good, and how the shorteners do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    """
    create table short_links (
        service text not null,          -- the shortener and whose links it makes; no secret
        link text not null,             -- the long link, as it was given to the service
        short text,                     -- null: none was made
        place text not null,            -- the canonical key of the long link, fragment and all; '': it has none
        tries integer not null,         -- calls that failed
        first_at real not null,         -- when it was first wanted
        made_at real,                   -- when the short link came; null: it did not
        refused integer not null,       -- 1: the service will never shorten it
        reason text,                    -- why there is none; null: nothing to say
        primary key (service, link)
    ) strict, without rowid
    """,
    "create index short_links_place on short_links(place) where short is not null",
    "create index short_links_short on short_links(short) where short is not null",
    """
    create table shorteners (
        service text primary key,       -- those that fail now; one that does well has no row
        cause text not null check (cause in ('down', 'busy', 'key')),
        failures integer not null,      -- calls in a row
        reason text not null,
        since real not null,            -- when the first of them failed
        last_at real not null,
        closed_until real               -- not asked before; null: it may be
    ) strict, without rowid
    """,
)


@migrations()
def m012_short_links(db: Database) -> None:
    """Add the short links and the shorteners that fail."""
    for statement in _STATEMENTS:
        db.execute(statement)
