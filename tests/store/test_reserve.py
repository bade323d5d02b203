"""A disk that fills up: what went out is settled in the room that was kept for it, and nothing else is begun."""

from __future__ import annotations

import errno
import subprocess
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from bot.core.model import Entry, Fresh
from bot.errors import StoreUnwritable
from bot.simulated_x import CREATE, Rules, SimulatedX
from bot.simulated_x.faults import Fault
from bot.store import StateDir, Store
from bot.store.reserve import SIZE
from tests.publishing_desk import START, Desk

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 16 MB that this test alone uses."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", place], check=False).returncode:
        pytest.skip(
            "NOT RUN: no small file system can be mounted here (it takes root); full disks are proved less"
        )
    yield place
    subprocess.run(["umount", place], check=True)


def fill(place) -> None:
    """Let no byte be free."""
    with (place / "filler").open("ab", buffering=0) as file:
        block = b"\0" * 65536
        while block:
            try:
                file.write(block)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                block = block[: len(block) // 2]


@contextmanager
def opened(place):
    with Store.open(StateDir(place / "state"), NOW) as store:
        yield store


def test_what_went_out_is_settled_on_a_full_disk_and_nothing_else_is_begun(small_disk):
    with SimulatedX(rules=Rules(duplicate_filter=False)) as x, opened(small_disk) as store:
        desk = Desk(x, store)
        desk.queue("One", "Two")
        x.faults.next(Fault(name="fills", acted=True, then=lambda: fill(small_disk)), on=CREATE)
        with pytest.raises(StoreUnwritable, match="make room"):
            desk.publishing.drain()
        assert desk.states() == ["sent", "queued"], "settled in the room that was kept"
        assert len(x.posts()) == 1
        with pytest.raises(StoreUnwritable, match="make room"):
            desk.publishing.drain()
        assert len(x.posts()) == 1
        (small_disk / "filler").unlink()
        desk.publishing.drain()
        assert desk.states() == ["sent", "sent"]
        assert len(x.posts()) == 2
        assert (small_disk / "state" / "reserve").stat().st_blocks * 512 >= SIZE


def test_a_start_on_a_full_disk_waits_for_room(small_disk):
    with opened(small_disk) as store, store.transaction():
        store.entries.add(Entry(feed="a", title="Story"), Fresh(), variant=1, now=NOW)
    (small_disk / "state" / "reserve").unlink()
    fill(small_disk)
    with pytest.raises(StoreUnwritable, match=r"4 MB are free.*make room"):
        Store.open(StateDir(small_disk / "state"), NOW)
    (small_disk / "filler").unlink()
    with opened(small_disk) as store:
        assert store.entries.any()


def test_a_database_at_its_largest_is_as_a_full_disk(tmp_path):
    """The same without a file system of one's own: SQLite's own limit says "full", too."""
    with SimulatedX(rules=Rules(duplicate_filter=False)) as x, opened(tmp_path) as store:
        desk = Desk(x, store)
        desk.queue("One", "Two")
        calls = []

        def write() -> None:
            calls.append(1)
            with_room = 1_000_000 if len(calls) == 2 else 1
            store._db.execute(f"pragma max_page_count = {with_room}")
            for number in range(100):
                store.entries.add(Entry(feed="a", title="x" * 900), Fresh(), variant=5000 + number, now=START)

        store.surely(write)
        assert len(calls) == 2
        assert not (tmp_path / "state" / "reserve").exists(), "let go"
        assert len(store.entries.find_text("xxx", 1000)) == 100, "once, not twice"
        desk.queue("Three")
        assert (tmp_path / "state" / "reserve").stat().st_size == SIZE, (
            "made again before anything else was written"
        )
