"""A start reads the whole database where somebody or something may have touched it, and once a week; not otherwise."""

from __future__ import annotations

import os
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.model import Entry, Fresh
from bot.errors import StateError
from bot.store import StateDir, Store
from bot.store.upkeep import Chore

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def state(tmp_path):
    made = StateDir(tmp_path / "state")
    with Store.open(made, NOW) as store, store.transaction():
        for number in range(400):
            store.entries.add(Entry(feed="a", title="x" * 500), Fresh(), variant=number, now=NOW)
    return made


def checked_at(state: StateDir, now: datetime) -> datetime | None:
    """Start at `now`; return when the whole database was checked last."""
    with Store.open(state, now) as store:
        return store.upkeep.done_at(Chore.WHOLE_CHECK)


def test_after_a_clean_end_the_whole_is_checked_once_a_week(state):
    assert [checked_at(state, NOW + days * DAY) - NOW for days in (1, 6, 7, 8)] == [
        0 * DAY,
        0 * DAY,
        7 * DAY,
        7 * DAY,
    ]


def test_a_clock_that_is_set_back_puts_no_check_off(state):
    assert checked_at(state, NOW - DAY) == NOW - DAY


def test_after_a_kill_the_whole_is_checked(state):
    child = os.fork()
    if child == 0:
        Store.open(state, NOW)
        os._exit(9)
    os.waitpid(child, 0)
    assert checked_at(state, NOW + DAY) == NOW + DAY


def test_after_another_hand_had_the_file_the_whole_is_checked(state):
    with sqlite3.connect(state.database) as db:
        db.execute("delete from faults")
        db.execute("update entries set last_seen_at = 1 where id = 1")
    db.close()
    assert checked_at(state, NOW + DAY) == NOW + DAY


def test_after_a_copy_was_put_there_the_whole_is_checked(state):
    shutil.copy(state.database, state.path / "copy")
    (state.path / "copy").replace(state.database)
    assert checked_at(state, NOW + DAY) == NOW + DAY


def test_a_bad_page_that_was_written_since_is_found_and_nothing_is_opened(state):
    size = state.database.stat().st_size
    with state.database.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xa5" * 4096)
    with pytest.raises(StateError, match=r"is damaged.*Nothing is posted"):
        Store.open(state, NOW + DAY)


@pytest.mark.parametrize("note", [b"", b"[]", b"{", b"[" * 100_000, b"\xff"])
def test_a_note_that_says_nothing_has_the_whole_checked(state, note):
    (state.path / "last-end.json").write_bytes(note)
    assert checked_at(state, NOW + DAY) == NOW + DAY
