"""What others say to the bot or of its subjects, what became of it, and answers to it in the outbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    """
    create table hits (
        destination text not null,
        id text not null,               -- the network's own
        stream text not null check (stream in ('mentions', 'search')),
        search text not null,           -- the rule that decided; '': none
        author text not null,
        name text not null,             -- of the author; '': the network did not say
        conversation text not null,     -- '': nobody knows
        original text,                  -- the post that it repeats; null: its own words
        text text,                      -- null: forgotten, or never needed
        created_at real not null,
        seen_at real not null,
        outcome text not null,          -- 'answered', 'posted', or why not, see core.answers.Skip
        detail text not null,
        answered_at real,               -- when an answer was queued, as far as turns and cooldowns count; null: none was
        due_on text,                    -- the UTC day that it counts for; null: none was
        outbox_id integer references outbox(id),        -- null: none was
        signature blob,                 -- of its own words, for copies; null: none is needed any more
        signature_version integer,
        primary key (destination, id)
    ) strict
    """,
    "create index hits_author on hits(destination, author, answered_at) where answered_at is not null",
    "create index hits_conversation on hits(destination, conversation) where answered_at is not null",
    "create index hits_original on hits(destination, original) where original is not null",
    "create index hits_seen on hits(seen_at)",
    "create index hits_due on hits(destination, search, due_on) where due_on is not null",
    "create index hits_outbox on hits(outbox_id) where outbox_id is not null",
    """
    create table opt_outs (             -- who said stop; kept for good
        destination text not null,
        author text not null,
        hit_id text not null,           -- the post that said it
        at real not null,
        primary key (destination, author)
    ) strict, without rowid
    """,
    """
    create table hit_readings (
        destination text not null,
        stream text not null,
        search text not null,           -- '' for mentions, which are read once for all rules
        newest_id text,                 -- null: nothing was there yet
        since_at real not null,         -- the first look: what is older is not answered
        read_at real,                   -- when it was last read whole; null: never
        not_before real not null,       -- no reading earlier
        failures integer not null default 0,
        reason text,                    -- why it waits, in words; null: its turn
        day text,                       -- the UTC day that `micros` were spent on; null: none yet
        micros integer not null default 0,
        primary key (destination, stream, search)
    ) strict, without rowid
    """,
    # What the destination needs to answer another's post; null: the row answers none, or one of our own.
    "alter table outbox add column answers text",
    # 1: whom it answers called for the bot.
    "alter table outbox add column summoned integer not null default 0",
    # What the destination needs to pass another's post on; null: the row has words of its own.
    "alter table outbox add column repost_of text",
    # The post that an own post answers, whoever made it; null: none, or an older version noted it.
    "alter table own_posts add column answers text",
)


@migrations()
def m017_hits(db: Database) -> None:
    """Add hits, opt-outs and readings, and to the outbox whom it answers."""
    for statement in _STATEMENTS:
        db.execute(statement)
