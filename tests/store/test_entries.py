from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.core.model import Entry, Fresh
from bot.store import Store

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_a_count_of_the_day_looks_at_the_day_and_not_at_all_that_was_ever_seen():
    steps = []
    with Store.in_memory() as store:
        with store.transaction():
            for number in range(1000):
                at = NOW - timedelta(days=1000 - number)
                store.entries.add(Entry(feed="a", title=f"Story {number}"), Fresh(), variant=number, now=at)
        store._db.conn.set_progress_handler(lambda: steps.append(1), 1)
        assert store.entries.count_since(NOW - timedelta(days=2)) == [("a", "fresh", "new", 2)]
        store._db.conn.set_progress_handler(None, 0)
    assert len(steps) < 1000, "steps of SQLite's machine: several for each row that is looked at"
