"""What a post told, what its feed says now, and the posts that answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database

_STATEMENTS = (
    # The version of the entry whose words were claimed; null: never claimed, or by a version that told the entry's own.
    "alter table outbox add column told_id integer references entries(id)",
    # The row whose post this one answers; null: it stands alone.
    "alter table outbox add column reply_to integer references outbox(id)",
    "create index outbox_answers on outbox(reply_to) where reply_to is not null",
    """
    create table corrections (
        id integer primary key,
        outbox_id integer not null references outbox(id),   -- the post that is corrected
        round integer not null,         -- 0: what the post said; n: what its n-th answer said
        said_id integer not null references entries(id),    -- the version that readers were told
        entry_id integer not null references entries(id),   -- the version that counts now
        kind text not null check (kind in ('explicit', 'substance', 'wording', 'rewrite')),
        noticed_at real not null,
        changed_at real not null,       -- when the feed last changed its words
        edits integer not null default 1,       -- how often it did
        returns integer not null default 0,     -- how often it went back to what readers were told
        is_back integer not null default 0,     -- 1: that is what it says now
        answer_id integer references outbox(id),    -- the answer that tells it; null: none
        unique (outbox_id, round)
    ) strict
    """,
    "create index corrections_changed on corrections(changed_at)",
)


@migrations()
def m015_corrections(db: Database) -> None:
    """Add corrections, and to the outbox what was told and what is answered."""
    for statement in _STATEMENTS:
        db.execute(statement)
