"""Sources, entries with their keys and signatures, holds, the outbox and faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    """
    create table install (
        id integer primary key check (id = 1),
        store_id text not null,         -- the same as in the state directory's mark
        created_at real not null
    ) strict
    """,
    """
    create table sources (
        name text primary key,
        url text not null,              -- as configured when last polled; another url drops the validators
        etag text,                      -- byte for byte as received; null: the server sent none
        last_modified text,             -- byte for byte as received; null: the server sent none
        body_hash text,                 -- of the last readable body; null: none yet
        next_poll_at real not null,
        last_attempt_at real,           -- null: never asked
        last_good_at real,              -- last readable answer, 304 included; null: never
        last_body_at real,              -- when the last new body was read; null: never
        first_good_at real,             -- null: never
        seeded_at real,                 -- when its first items became known; null: none seen yet
        floor_at real,                  -- oldest date among those; null: undated
        failures integer not null default 0,    -- in a row
        fault text,                     -- the last fault, in words; null: none since the last good poll
        largest_body integer not null default 0,    -- items
        largest_batch integer not null default 0,   -- new items in one poll that were let through
        habit_new real not null default 0,      -- new items, decaying
        habit_hours real not null default 0,    -- hours watched, decaying alike
        guid_trusted integer not null default 1,
        link_trusted integer not null default 1,
        anchored integer not null default 0,    -- its items are places on one page
        seed_silently integer not null default 0,   -- its first items are not posted, whatever first_run says
        renumbered_at real,             -- last time that all guids or links changed; null: never
        whole_at real,                  -- when the server last sent a whole body, known or new; null: never
        moved_to text,                  -- where permanent redirects lead; null: nowhere
        moved_since real                -- since when they have led there without a break; null: nowhere
    ) strict
    """,
    """
    create table entries (
        id integer primary key,
        feed text not null,
        variant integer not null,       -- hash of what the feed said of it, see core.identity.variant
        guid text, link text, orig_link text,   -- null: the feed gave none
        title text not null,
        summary text not null,
        image text,                     -- null: none
        categories text not null,       -- JSON list
        published real, updated real,   -- null: the feed did not say
        first_seen_at real not null,
        last_seen_at real not null,
        verdict text not null check (verdict in ('fresh', 'duplicate', 'rejected', 'held', 'seeded')),
        reason text not null,
        detail text,                    -- null: the reason says it all
        of_id integer references entries(id),   -- the entry that it repeats; null: not a duplicate
        lead_id integer references entries(id), -- the lead of its story; null: it leads
        resemblance real,               -- null: no text was compared
        hold_id integer references holds(id),   -- null: never held
        trace text not null             -- JSON list of steps
    ) strict
    """,
    "create unique index entries_variant on entries(feed, variant)",
    "create index entries_seen on entries(first_seen_at)",
    "create index entries_feed_seen on entries(feed, last_seen_at)",
    "create index entries_lead on entries(lead_id) where lead_id is not null",
    "create index entries_hold on entries(hold_id) where hold_id is not null",
    """
    create table entry_keys (
        key blob primary key,           -- 16 bytes: hash of kind, scope and value
        entry_id integer not null references entries(id),
        seen_at real not null           -- since when it has led to this entry
    ) strict, without rowid
    """,
    "create index entry_keys_entry on entry_keys(entry_id)",
    """
    create table signatures (
        entry_id integer primary key references entries(id),
        version integer not null,       -- of the analysis that made it
        seen_at real not null,
        body blob not null
    ) strict
    """,
    "create index signatures_seen on signatures(seen_at)",
    """
    create table signature_keys (
        key integer not null,
        entry_id integer not null references signatures(entry_id) on delete cascade,
        primary key (key, entry_id)
    ) strict, without rowid
    """,
    "create index signature_keys_entry on signature_keys(entry_id)",
    """
    create table holds (
        id integer primary key,
        feed text not null,
        reason text not null,
        detail text not null,
        created_at real not null,
        resolved_at real,               -- null: waits for a person
        resolution text check (resolution in ('released', 'discarded'))
    ) strict
    """,
    """
    create table outbox (
        id integer primary key,
        entry_id integer not null references entries(id),
        destination text not null,
        state text not null check (state in (
            'queued', 'sending', 'sent', 'unknown', 'refused', 'unconfirmed', 'expired', 'dropped')),
        reason text,                    -- why it is in this state, in words; null: nothing to say
        queued_at real not null,
        not_before real not null,       -- no attempt earlier
        expires_at real not null,       -- stale from then on
        attempt integer not null default 0,
        claimed_at real,                -- null: never claimed
        settled_at real,                -- null: not final yet
        text text, weight integer, has_link integer,    -- as claimed; null: never claimed
        remote_id text, remote_url text,                -- null: the destination gave none
        unique (destination, entry_id)
    ) strict
    """,
    """
    create table pauses (
        destination text primary key,
        until real not null,            -- nothing is sent there earlier
        reason text not null
    ) strict
    """,
    "create index outbox_state on outbox(destination, state, queued_at)",
    "create index outbox_claimed on outbox(destination, claimed_at)",  # the pacing asks at every turn of the loop
    """
    create table faults (
        id integer primary key,
        feed text not null,
        at real not null,
        detail text not null
    ) strict
    """,
    "create index faults_feed on faults(feed, at)",
)


@migrations()
def m001_ground(db: Database) -> None:
    """Create sources, entries with their keys and signatures, holds, the outbox and faults."""
    for statement in _STATEMENTS:
        db.execute(statement)
