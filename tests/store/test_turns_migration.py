"""What an older version queued, brought up to date."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

from bot.core.model import Duplicate, Entry, Fresh, Reason
from bot.store import StateDir, Store

NOW = datetime(2026, 12, 3, 12, tzinfo=UTC)


def test_queued_stories_get_their_sources_and_wait_for_nothing_new(tmp_path):
    state = StateDir(tmp_path / "state")
    with Store.open(state, NOW) as store, store.transaction():
        lead = store.entries.add(Entry(feed="a", title="Ferry"), Fresh(), variant=1, now=NOW)
        store.outbox.queue(lead, "x", now=NOW, expires_at=NOW + timedelta(days=1))
        of = store.entries.get(lead).match()
        for number, feed in enumerate(("b", "c", "c"), start=2):
            copy = Duplicate(reason=Reason.SAME_TEXT, of=of)
            store.entries.add(Entry(feed=feed, title="Ferry"), copy, variant=number, now=NOW)
    with closing(sqlite3.connect(state.database)) as db, db:
        for index in (
            "outbox_turn",
            "outbox_ready",
            "outbox_stale",
            "outbox_unknown",
            "outbox_begun",
            "outbox_entry",
        ):
            db.execute(f"drop index {index}")
        for column in ("priority", "sources", "copy_until"):
            db.execute(f"alter table outbox drop column {column}")
        db.execute("delete from _sqlite_migrations where name = 'm014_turns'")
    with Store.read_only(state) as store:
        assert [(row.priority, row.sources) for row in store.outbox.rows()] == [(5, 1)]
        assert store.better_copies.waiting("x", NOW) == []
    with Store.open(state, NOW) as store:
        (row,) = store.outbox.rows()
        assert (row.priority, row.sources, row.copy_until) == (5, 3, None)
        assert store.outbox.due("x", NOW) == row
