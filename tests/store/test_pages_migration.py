"""What pages ask of the entries is answered by indexes: how long it takes does not grow with the texts beside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.model import Duplicate, Entry, Fresh, Match, Reason
from bot.store import Store

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def store():
    with Store.in_memory() as made:
        yield made


def steps_of(store, ask):
    """Return how SQLite answers what `ask` asks of the store."""
    asked = []
    store._db.conn.set_trace_callback(asked.append)
    ask()
    store._db.conn.set_trace_callback(None)
    return [row[3] for query in asked for row in store._db.conn.execute(f"explain query plan {query}")]


def entry(number, feed="a"):
    return Entry(
        feed=feed, guid=str(number), link=f"https://example.com/{number}", title="A ferry", summary=""
    )


def repeat_of(first, at):
    match = Match(
        entry_id=first, lead_id=first, feed="a", title="A ferry", link="https://example.com/1", seen_at=at
    )
    return Duplicate(reason=Reason.SAME_LINK, of=match)


@pytest.mark.parametrize(
    ("ask", "index"),
    [
        (lambda s: s.stories.by_day(NOW), "COVERING INDEX entries_seen"),
        (lambda s: s.stories.newest(NOW, limit=20), "COVERING INDEX entries_seen"),
        (
            lambda s: s.stories.newest(NOW, verdict="duplicate", feed="a", limit=20),
            "COVERING INDEX entries_seen",
        ),
        (lambda s: s.entries.skipped_since(NOW), "COVERING INDEX entries_seen"),
    ],
    ids=["by day", "newest", "newest skipped of a feed", "skipped"],
)
def test_the_index_by_time_alone_answers(store, ask, index):
    steps = steps_of(store, lambda: ask(store))
    assert any(index in step for step in steps)
    assert not any(step.startswith("SCAN entries") for step in steps)


def test_days_are_those_of_utc_and_counted_by_verdict(store):
    midnight = NOW.replace(hour=0)
    with store.transaction():
        first = store.entries.add(entry(1), Fresh(), variant=1, now=midnight - timedelta(seconds=0.5))
        again = repeat_of(first, midnight)
        store.entries.add(entry(2, "b"), again, variant=2, now=midnight)
        store.entries.add(entry(3, "c"), again, variant=3, now=NOW)
    assert store.stories.by_day(midnight - timedelta(days=1)) == [
        ("2026-03-01", "fresh", 1),
        ("2026-03-02", "duplicate", 2),
    ]


def test_skipped_are_the_repeats_since_oldest_first(store):
    with store.transaction():
        first = store.entries.add(entry(1), Fresh(), variant=1, now=NOW - timedelta(days=3))
        again = repeat_of(first, NOW)
        late = store.entries.add(entry(2, "b"), again, variant=2, now=NOW)
        early = store.entries.add(entry(3, "c"), again, variant=3, now=NOW - timedelta(days=1))
        store.entries.add(entry(4, "d"), again, variant=4, now=NOW - timedelta(days=3))
        store.entries.add(entry(5, "e"), Fresh(), variant=5, now=NOW)
    assert store.entries.skipped_since(NOW - timedelta(days=2)) == [early, late]
