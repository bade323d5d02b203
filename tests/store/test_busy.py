"""Another writer holds the database: the bot waits for it, loses nothing, and says so where that takes too long."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime

import pytest

from bot.errors import StoreUnwritable
from bot.simulated_x import Rules, SimulatedX
from bot.store import StateDir, Store
from tests.publishing_desk import Desk

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def held(state: StateDir, seconds: float) -> threading.Thread:
    """Let another connection hold the database for writing, from now on, for so long."""
    has_it = threading.Event()

    def hold() -> None:
        with closing(sqlite3.connect(state.database, isolation_level=None)) as other:
            other.execute("begin immediate")
            has_it.set()
            threading.Event().wait(seconds)
            other.execute("rollback")

    thread = threading.Thread(target=hold)
    thread.start()
    assert has_it.wait(10)
    return thread


@pytest.mark.parametrize("seconds", [0.5, pytest.param(20, marks=pytest.mark.slow)])
def test_a_post_waits_for_another_writer_and_goes_out_once(seconds, tmp_path):
    state = StateDir(tmp_path / "state")
    with SimulatedX(rules=Rules(duplicate_filter=False)) as x, Store.open(state, NOW) as store:
        desk = Desk(x, store)
        desk.queue("One", "Two")
        thread = held(state, seconds)
        desk.publishing.drain()
        thread.join()
        assert desk.states() == ["sent", "sent"]
        assert len(desk.texts()) == 2


def test_a_writer_that_does_not_end_stops_all_before_anything_is_sent(tmp_path):
    state = StateDir(tmp_path / "state")
    with SimulatedX(rules=Rules(duplicate_filter=False)) as x, Store.open(state, NOW) as store:
        desk = Desk(x, store)
        desk.queue("One")
        store._db.execute("pragma busy_timeout = 200")  # not 30 seconds
        thread = held(state, 2)
        with pytest.raises(StoreUnwritable, match="wait, and start again"):
            desk.publishing.drain()
        assert desk.texts() == []
        thread.join()
        desk.publishing.drain()
        assert desk.states() == ["sent"]
        assert len(desk.texts()) == 1
