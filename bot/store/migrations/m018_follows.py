"""Who follows the accounts and whom they follow: readings of both lists, what is remembered of people, and each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    # A reading of both lists of one account, page by page.
    """
    create table follow_readings (
        id integer primary key,
        destination text not null,
        account text not null,          -- the network's id of the account: another account is another history
        began_at real not null,
        ended_at real,                  -- null: under way
        state text not null check (state in ('reading', 'accepted', 'refused', 'broken')),
        reason text not null default '',        -- why it was refused or broke off
        yields integer not null default 0,      -- 1: refused, and a person may accept it all the same
        list text not null default 'followers' check (list in ('followers', 'following', 'done')),
        cursor text,                    -- of the page that is read next; null: the first
        stale integer not null default 0,       -- pages in a row that showed nobody new
        pages integer not null default 0,
        told_followers integer not null,        -- what the profile said when it began
        told_following integer not null,
        followers integer,              -- different people in the list; null: not read to its end
        following integer
    ) strict
    """,
    "create unique index follow_readings_open on follow_readings(destination) where state = 'reading'",
    "create index follow_readings_newest on follow_readings(destination, account, id)",
    # Who stood in the lists of a reading; dropped when a later one counts.
    """
    create table follow_seen (
        reading_id integer not null references follow_readings(id) on delete cascade,
        list text not null check (list in ('followers', 'following')),
        person text not null,
        name text not null,
        is_private integer not null,
        is_suspended integer not null,
        primary key (reading_id, list, person)
    ) strict, without rowid
    """,
    # What is remembered of everybody who was ever in a list that counted.
    """
    create table follow_people (
        destination text not null,
        account text not null,
        person text not null,
        name text not null,
        follower_since real,            -- null: never seen among the followers
        missing_since real,             -- null: follows now, or never did
        misses integer not null default 0,      -- readings in a row that did not show them
        followed_since real,            -- null: never followed by the account
        let_go_at real,                 -- null: followed now, or never
        refused text not null default '',       -- the network's words when it refused a step for good
        primary key (destination, account, person)
    ) strict, without rowid
    """,
    # Each step, written down before it is made. `begun` after a crash: it may have been made or not.
    """
    create table follow_steps (
        id integer primary key,
        destination text not null,
        account text not null,
        person text not null,
        name text not null,
        kind text not null check (kind in ('follow', 'unfollow')),
        why text not null,
        state text not null check (state in ('begun', 'done', 'skipped', 'undone', 'refused')),
        key text,                       -- what the follow is called at a network where it has a name; null: none
        begun_at real not null,
        settled_at real,                -- null: not settled
        said text not null default ''   -- why it was skipped, undone or refused
    ) strict
    """,
    "create unique index follow_steps_begun on follow_steps(destination, person) where state = 'begun'",
    "create index follow_steps_newest on follow_steps(destination, begun_at)",
    # What stands against steps at a destination; no row: nothing does.
    """
    create table follow_stops (
        destination text primary key,
        kind text not null check (kind in ('not_on_plan', 'unauthorized')),
        since real not null,
        asked_at real not null,         -- when the network said so last
        reason text not null
    ) strict
    """,
)


@migrations()
def m018_follows(db: Database) -> None:
    """Add the readings of followers and followed, the people in them, and the steps."""
    for statement in _STATEMENTS:
        db.execute(statement)
