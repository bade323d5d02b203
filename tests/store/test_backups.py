"""Backups are whole, checked, rotated, private, and made while the bot is at work; a damaged or full place is a sentence."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.model import Entry, Fresh
from bot.errors import Interrupted, StateError, StoreDamaged
from bot.looking_after import BackingUp
from bot.store import StateDir, Store
from bot.store.backups import back_up, backups_in

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def state(tmp_path):
    return StateDir(tmp_path / "state")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "backups"


def fill(store: Store, first: int = 0, count: int = 50) -> None:
    with store.transaction():
        for number in range(first, first + count):
            store.entries.add(Entry(feed="a", title="x" * 500), Fresh(), variant=number, now=NOW)


def entries_in(path) -> int:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
        return db.execute("select count(*) from entries").fetchone()[0]


def test_a_backup_of_a_bot_at_work_holds_all_that_was_kept_and_delays_no_write(state, folder):
    with Store.open(state, NOW) as store:
        fill(store)
        with store.transaction():  # not kept yet, and not in the copy
            store.entries.add(Entry(feed="a", title="Later"), Fresh(), variant=99, now=NOW)
            made = back_up(state, folder, keep=7, now=NOW)
        assert len(store.entries.find_text("", 1000)) == 51
    assert entries_in(made.path) == 50
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in folder.iterdir()] == ["shinglebot-20261130T120000Z.db"]


def test_a_backup_of_a_bot_at_rest_leaves_no_trace_beside_the_database(state, folder):
    with Store.open(state, NOW) as store:
        fill(store)
    before = {path.name: path.read_bytes() for path in state.path.iterdir()}
    assert entries_in(back_up(state, folder, keep=7, now=NOW).path) == 50
    assert {path.name: path.read_bytes() for path in state.path.iterdir()} == before


def test_the_newest_are_kept_and_files_of_other_names_are_nobodys_business(state, folder):
    Store.open(state, NOW).close()
    folder.mkdir()
    for name in ("shinglebot-20200101T000000Z.db.mine", "notes.txt", "shinglebot-99999999T999999Z.db"):
        (folder / name).write_text("mine")
    for number in range(4):
        back_up(state, folder, keep=2, now=NOW + number * DAY)
    assert [each.at for each in backups_in(folder)] == [NOW + 3 * DAY, NOW + 2 * DAY]
    assert len(list(folder.iterdir())) == 5


def test_a_damaged_database_gives_no_backup_and_costs_none(state, folder):
    with Store.open(state, NOW) as store:
        fill(store, count=400)
    good = back_up(state, folder, keep=1, now=NOW)
    with state.database.open("r+b") as file:
        file.seek(state.database.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xa5" * 4096)
    with pytest.raises(StateError, match="damaged"):
        back_up(state, folder, keep=1, now=NOW + DAY)
    assert list(folder.iterdir()) == [good.path]


def test_a_backup_is_broken_off_when_the_bot_is_to_stop(state, folder):
    with Store.open(state, NOW) as store:
        fill(store, count=3000)
        with pytest.raises(Interrupted):
            back_up(state, folder, keep=7, now=NOW, stopping=lambda: True)
    assert list(folder.iterdir()) == []


def test_what_a_killed_backup_left_is_removed_by_the_next(state, folder):
    Store.open(state, NOW).close()
    folder.mkdir()
    (folder / "shinglebot-20261129T120000Z.db.new").write_text("half")
    made = back_up(state, folder, keep=7, now=NOW)
    assert list(folder.iterdir()) == [made.path]


def test_a_place_that_cannot_be_used_is_named(state, tmp_path):
    Store.open(state, NOW).close()
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match=r"backups cannot be kept in .*file: .*\[backup\]"):
        back_up(state, tmp_path / "file", keep=7, now=NOW)


def job(state, folder, installed_at=NOW, every=DAY) -> BackingUp:
    return BackingUp(
        state, folder, every=every, keep=3, installed_at=installed_at, stopping=threading.Event().is_set
    )


def test_the_running_bot_backs_up_when_it_is_due_whatever_process_did_so_last(state, folder):
    with Store.open(state, NOW):
        first = job(state, folder)
        assert first.next_at(NOW) == NOW + timedelta(minutes=10)
        first.run(NOW + timedelta(minutes=10))
        first.wait()
        due = NOW + timedelta(minutes=10) + DAY
        assert first.next_at(NOW) == job(state, folder).next_at(NOW) == due
        assert first.next_at(NOW - 30 * DAY) == NOW - 30 * DAY, "a clock that was set back"
    assert len(backups_in(folder)) == 1


def test_a_bot_whose_database_turns_out_damaged_stops(state, folder):
    with Store.open(state, NOW) as store:
        fill(store, count=400)
    with state.database.open("r+b") as file:
        file.seek(state.database.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xa5" * 4096)
    backing_up = job(state, folder)
    backing_up.run(NOW)
    backing_up.wait()
    assert backing_up.next_at(NOW) == NOW
    with pytest.raises(StoreDamaged, match="Nothing is posted"):
        backing_up.run(NOW)


def test_a_backup_that_fails_is_said_and_tried_again_in_an_hour(state, folder, caplog):
    Store.open(state, NOW).close()
    folder.write_text("in the way")
    failing = job(state, folder)
    failing.run(NOW)
    failing.wait()
    assert "no backup" in caplog.text
    assert failing.next_at(NOW) == NOW + timedelta(hours=1)
