"""A database of before posts had keys: what was on its way then goes on its way now."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlite_utils import Database

from bot.core.model import Entry, Fresh, Post
from bot.store import StateDir, Store
from bot.store.migrations import migrations
from bot.store.outbox import State

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=2)


def test_queued_sent_and_unknown_rows_go_on(tmp_path):
    state = StateDir(tmp_path)
    with Store.open(state, NOW) as store, store.transaction():
        for number in range(3):
            entry = Entry(feed="a", title=f"Story {number}", link=f"https://example.com/{number}")
            entry_id = store.entries.add(entry, Fresh(), variant=number, now=NOW)
            store.outbox.queue(entry_id, "x", now=NOW, expires_at=LATER)
        rows = sorted(store.outbox.rows(), key=lambda row: row.id)
        for row in rows[1:]:
            post = Post(text=f"Story {row.id}", weight=7, limit=280, has_link=False)
            assert store.outbox.claim(row, post, NOW, account="1", since_id="9")
    before_keys(state)
    with Store.open(state, NOW) as store:
        rows = sorted(store.outbox.rows(), key=lambda row: row.id)
        assert [row.state for row in rows] == [State.QUEUED, State.SENDING, State.SENDING]
        assert [row.key for row in rows] == [None, None, None]
        with store.transaction():
            assert store.unknowns.recover("x", NOW) == [rows[1].id, rows[2].id]
            store.outbox.put_back(rows[1].id, "not there", NOW)
        # What may be there already under no key keeps what is known of it; a key can only help from now on.
        with store.transaction():
            again = store.outbox.get(rows[1].id)
            post = Post(text="Story 2", weight=7, limit=280, has_link=False)
            assert store.outbox.claim(again, post, NOW, account="1", since_id="12", key="k1")
        claimed = store.outbox.get(rows[1].id)
        assert (claimed.since_id, claimed.key) == ("9", "k1")
        assert store.claims("x").is_behind() is False
        assert store.claims("bluesky").is_behind() is False


def before_keys(state: StateDir) -> None:
    """Take the last step back: the database as the version before left it."""
    db = Database(state.database)
    db.execute("alter table outbox drop column key")
    with db.atomic():
        db.execute("delete from _sqlite_migrations where name = 'm016_keys'")
    assert [step.name for step in migrations.pending(db)][:1] == ["m016_keys"]
    db.close()
