"""What a queued row's turn goes by, and the better copy that it may wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    # Of the feed, 0-9; the highest goes first.
    "alter table outbox add column priority integer not null default 5",
    # Feeds that told the story, as of now while it is queued; the story that most of them told goes first among equals.
    "alter table outbox add column sources integer not null default 1",
    # Until when it waits for a copy of a preferred feed; null: for none.
    "alter table outbox add column copy_until real",
    """
    update outbox set sources = (
        select max(count(distinct e.feed), 1) from entries e where e.id = outbox.entry_id or e.lead_id = outbox.entry_id
    ) where state = 'queued'
    """,
    # The loop asks for these at each of its turns, however many rows wait.
    """
    create index outbox_turn on outbox(destination, priority desc, sources desc, queued_at, id)
    where state = 'queued'
    """,
    "create index outbox_ready on outbox(destination, not_before) where state = 'queued'",
    "create index outbox_stale on outbox(destination, expires_at) where state = 'queued'",
    "create index outbox_unknown on outbox(destination, claimed_at, id) where state = 'unknown'",
    "create index outbox_begun on outbox(destination, attempt) where attempt > 0",  # asked for once a post
    "create index outbox_entry on outbox(entry_id)",
)


@migrations()
def m014_turns(db: Database) -> None:
    """Add what a queued row's turn goes by, and until when it waits for a better copy."""
    for statement in _STATEMENTS:
        db.execute(statement)
