"""What only explains is dropped after its time; what a story is known by, waits or is labelled stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.core.model import Entry, Fresh, Key, KeyKind, Step
from bot.store import Store

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=100)


def add(store: Store, number: int, at: datetime = LONG_AGO) -> int:
    entry = Entry(
        feed="a",
        title=f"Story {number}",
        link=f"https://a.example/{number}",
        summary="words",
        categories=("c",),
    )
    return store.entries.add(entry, Fresh(), variant=number, now=at)


def test_texts_go_and_what_a_story_is_known_by_stays():
    with Store.in_memory() as store:
        with store.transaction():
            for number in range(5):
                add(store, number)
            still_there, new, queued, labelled = (
                add(store, 5),
                add(store, 6, NOW),
                add(store, 7),
                add(store, 8),
            )
            store.entries.touch("a", [5], NOW)
            store.outbox.queue(queued, "x", now=NOW, expires_at=NOW)
            store._db.execute("insert into labels values (?, ?, 'duplicate', 0)", [1, labelled])
            key = Key(kind=KeyKind.GUID, scope="a", value="one")
            store.entries.learn_keys([key], 2, LONG_AGO)
            store.entries.keep_trace(2, [Step(name="new", outcome="it is")])
        assert store.drop_texts(NOW - timedelta(days=90), lambda: False) == 4
        kept = {number for number in range(1, 10) if store.entries.get(number).entry.summary}
        assert kept == {1, still_there, new, queued, labelled}
        gone = store.entries.get(2)
        assert (gone.entry.title, gone.entry.link, gone.entry.categories) == (
            "Story 1",
            "https://a.example/1",
            (),
        )
        assert store.entries.known_by([key], "a", NOW)[1].id == 2
        assert store.drop_texts(NOW - timedelta(days=90), lambda: False) == 0
        assert store.drop_texts(NOW - timedelta(days=90), lambda: True) == 0
