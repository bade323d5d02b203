"""What pages ask of the entries, answered by an index alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.migrations.register import migrations

if TYPE_CHECKING:
    from sqlite_utils import Database


@migrations()
def m025_pages(db: Database) -> None:
    """Let the index by time answer for stories and counts.

    A row has its texts and its trace beside it, a page of the file or more: to read 100,000 of them for counts took most of a second.
    An index more would cost the bot more with each entry: one of the skipped alone gained little beside this.
    """
    db.execute("drop index entries_seen")
    db.execute("create index entries_seen on entries(first_seen_at, verdict, feed, lead_id)")
