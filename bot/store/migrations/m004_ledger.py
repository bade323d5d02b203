"""What was spent: each priced call, what was read on which day, past months, and stops for want of credit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    """
    create table ledger (               -- one row a priced call, of this month and the last
        id integer primary key,
        destination text not null,
        item text not null,             -- what is charged for, see core.prices.Item
        feed text,                      -- whose post it was; null: no post of a feed
        outbox_id integer references outbox(id),    -- the post; null: a read or a deletion
        question text,                  -- what was asked; the same asked again settles a lost call; null: not said
        unit integer not null check (unit >= 0),    -- micro-dollars for one, as of the call
        most integer not null check (most >= 1),    -- as many can be charged for at most
        resources integer,              -- as many were charged for; null: not known
        micros integer not null check (micros >= 0),    -- micro-dollars: what it cost, or the most that it may cost
        state text not null check (state in ('reserved', 'charged', 'released', 'lost')),
        day text not null,              -- the UTC day of the call, to which it counts whenever it is settled
        at real not null,               -- when it was set aside
        settled_at real                 -- null: not settled yet
    ) strict
    """,
    "create index ledger_day on ledger(day, state, micros)",
    "create unique index ledger_outbox on ledger(outbox_id) where state = 'reserved' and outbox_id is not null",
    "create index ledger_open on ledger(state) where state in ('reserved', 'lost')",
    """
    create table resources_read (       -- X charges a resource once a UTC day
        day text not null,
        item text not null,
        resource text not null,
        primary key (day, item, resource)
    ) strict, without rowid
    """,
    """
    create table ledger_months (        -- the sums of months that the ledger has no rows of any more
        month text not null,            -- as 2026-12
        destination text not null,
        item text not null,
        feed text not null,             -- '': no feed
        calls integer not null,
        resources integer not null,
        micros integer not null,        -- with the lost ones
        lost integer not null,          -- micro-dollars of `micros` that may have been spent
        primary key (month, destination, item, feed)
    ) strict, without rowid
    """,
    """
    create table credit_stops (
        destination text primary key,
        since real not null,            -- when it refused the first call for want of credit
        until real not null,            -- no priced call earlier
        reason text not null
    ) strict
    """,
)


@migrations()
def m004_ledger(db: Database) -> None:
    """Create the ledger, what was read, the months, and the stops."""
    for statement in _STATEMENTS:
        db.execute(statement)
