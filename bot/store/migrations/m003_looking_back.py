"""What is needed to find an unknown post again, and what is known of the accounts themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    # Whose post it is or would be, as of the claim; null: never claimed, or the destination has no accounts.
    "alter table outbox add column account text",
    # The newest own post that was known at the first claim since it was queued; null: none was.
    "alter table outbox add column since_id text",
    # Of the text that was claimed, for 24 hours; null: these words may go out.
    "alter table outbox add column text_hash blob",
    # When it was claimed, by a clock that nobody sets (bot.clocks); null: never claimed.
    "alter table outbox add column era text",
    "alter table outbox add column era_seconds real",
    # Why its fate was unknown last; null: it never was.
    "alter table outbox add column cause text check (cause in ('crash', 'no_answer', 'duplicate'))",
    # How often its fate was unknown since it was queued.
    "alter table outbox add column unknown_times integer not null default 0",
    # Readings of the timeline since the claim that did not show it, and the last of them; null: none yet.
    "alter table outbox add column misses integer not null default 0",
    "alter table outbox add column missed_at real",
    # Of a sent row: 1 the destination named the post or showed it, 0 its word alone; null: not sent.
    "alter table outbox add column verified integer check (verified in (0, 1))",
    # 1: settled by the account's own timeline.
    "alter table outbox add column reconciled integer not null default 0",
    # Of a queued row: what it waits for beside its turn; null: nothing.
    "alter table outbox add column waits_for text check (waits_for in ('budget', 'words'))",
    "update outbox set verified = 1 where state = 'sent'",
    """
    create unique index outbox_words on outbox(destination, coalesce(account, ''), text_hash)
    where text_hash is not null
    """,
    "create index outbox_remote on outbox(destination, remote_id) where remote_id is not null",
    """
    create table accounts (
        destination text primary key,
        account_id text not null,       -- whose posts were read last
        newest_id text,                 -- the newest own post that is known; null: it had none
        checked_at real not null        -- when its newest posts were last read whole
    ) strict
    """,
    """
    create table own_posts (            -- posts of the account that no row of the outbox had made when they were read
        destination text not null,
        remote_id text not null,
        account_id text not null,
        text_hash blob not null,        -- of its words, as core.recognition compares them
        links text not null,            -- JSON list of where its links lead
        url text,                       -- where a person can look at it; null: nowhere
        created_at real not null,
        noticed_at real not null,
        outbox_id integer references outbox(id),    -- the row that turned out to be this post; null: none did
        primary key (destination, remote_id)
    ) strict, without rowid
    """,
)


@migrations()
def m003_looking_back(db: Database) -> None:
    """Add what an unknown post is found again by, the accounts, and the posts that others made there."""
    for statement in _STATEMENTS:
        db.execute(statement)
