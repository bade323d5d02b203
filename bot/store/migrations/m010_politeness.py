"""What feeds and hosts ask of a polite reader, kept so that a restart forgets none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    # The median gap between the dates of its newest items, in seconds, and the newest of them; null: not known.
    "alter table sources add column gap_seconds real",
    "alter table sources add column newest_at real",
    # What the feed itself asks for (ttl, sy:update*), in seconds; null: nothing.
    "alter table sources add column wait_seconds real",
    # How long its server said last that an answer holds (Cache-Control, Expires), in seconds; null: it did not say.
    "alter table sources add column fresh_seconds real",
    # Bit n: the hour n of the day (UTC), or the day n of the week (Monday 0), is to be skipped.
    "alter table sources add column skip_hours integer not null default 0",
    "alter table sources add column skip_days integer not null default 0",
    # When its server said that it is gone for good; null: it did not, or it came back.
    "alter table sources add column gone_at real",
    """
    create table hosts (
        host text primary key,
        closed_until real not null      -- it answered 429: none of its feeds is asked before
    ) strict, without rowid
    """,
)


@migrations()
def m010_politeness(db: Database) -> None:
    """Add what decides when a feed is asked next, and the hosts that want to be left alone."""
    for statement in _STATEMENTS:
        db.execute(statement)
