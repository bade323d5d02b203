from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.model import Entry, Fresh
from bot.store import StateDir, Store
from bot.store.labels import Label, LabelledPair

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def state(tmp_path):
    state = StateDir(tmp_path / "state")
    with Store.open(state, NOW) as store, store.transaction():
        for number in range(1, 4):
            store.entries.add(Entry(feed="a", title=f"Story {number}"), Fresh(), variant=number, now=NOW)
    return state


def put(store: Store, one: int, other: int, label: Label, now: datetime = NOW) -> Label | None:
    with store.transaction():
        return store.labels.put(one, other, label, now)


def test_a_label_is_kept_once_a_pair_whichever_comes_first_and_the_later_wins(state):
    later = NOW + timedelta(minutes=1)
    with Store.alongside(state) as store:
        assert put(store, 2, 1, Label.DUPLICATE) is None
        assert put(store, 1, 2, Label.DIFFERENT, later) is Label.DUPLICATE
        expected = [LabelledPair(one_id=1, other_id=2, label=Label.DIFFERENT, marked_at=later)]
        assert store.labels.all() == expected
        assert store.labels.of_entry(1) == store.labels.of_entry(2) == expected
        assert store.labels.of_entry(3) == []


def test_labels_come_in_the_order_in_which_they_were_given(state):
    with Store.alongside(state) as store:
        put(store, 2, 3, Label.DUPLICATE, NOW)
        put(store, 1, 2, Label.DIFFERENT, NOW + timedelta(minutes=1))
        assert [(pair.one_id, pair.other_id) for pair in store.labels.all()] == [(2, 3), (1, 2)]
        assert [(pair.one_id, pair.other_id) for pair in store.labels.of_entry(2)] == [(1, 2), (2, 3)]


@pytest.mark.parametrize(("one", "other"), [(1, 1), (1, 99)])
def test_a_label_needs_two_entries_that_are_there(state, one, other):
    with Store.alongside(state) as store, pytest.raises(sqlite3.IntegrityError):
        put(store, one, other, Label.DUPLICATE)


def test_a_database_of_before_has_no_labels_to_read_and_takes_the_first(state):
    connection = sqlite3.connect(state.database)
    connection.execute("drop table labels")
    connection.execute("delete from _sqlite_migrations where name = 'm002_labels'")
    connection.commit()
    connection.close()
    with Store.read_only(state) as store:
        assert store.labels.all() == store.labels.of_entry(1) == []
    with Store.alongside(state) as store:
        put(store, 1, 2, Label.DUPLICATE)
    with Store.open(state, NOW) as store:
        assert [pair.label for pair in store.labels.all()] == [Label.DUPLICATE]
