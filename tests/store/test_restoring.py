"""A backup that is put back: checked, exchanged all or nothing, and followed by two readings of every account before anything is sent."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.model import Entry, Fresh
from bot.core.prices import Item
from bot.errors import AlreadyRunning, StateError, StoreLost
from bot.simulated_x import Rules, SimulatedX
from bot.store import StateDir, Store
from bot.store.backups import back_up
from bot.store.restoring import restore
from tests.pds_server import PdsServer
from tests.publishers.contract_desk import Desk as OtherDesk
from tests.publishing_desk import START
from tests.publishing_desk import Desk as XDesk

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def state(tmp_path):
    return StateDir(tmp_path / "state")


def spend(store: Store, number: int, now: datetime = NOW) -> None:
    with store.transaction():
        row = store.ledger.reserve(destination="x", item=Item.POST, unit=15_000, now=now)
        if number % 2:
            store.ledger.answered(row, [str(number)], now)


def backed_up(state: StateDir, folder) -> tuple:
    """A bot with an entry and a call, a backup of it, and another entry and two calls since."""
    with Store.open(state, NOW) as store:
        with store.transaction():
            store.entries.add(Entry(feed="a", title="Before"), Fresh(), variant=1, now=NOW)
        spend(store, 1)
    made = back_up(state, folder, keep=7, now=NOW)
    with Store.open(state, NOW + HOUR) as store:
        with store.transaction():
            store.entries.add(Entry(feed="a", title="Since"), Fresh(), variant=2, now=NOW)
        spend(store, 2)
        spend(store, 3)
        spent = store.ledger.spent(NOW)
    return made.path, spent


def test_the_backup_takes_the_place_and_the_money_stays_spent(state, tmp_path):
    backup, spent = backed_up(state, tmp_path / "backups")
    done = restore(state, backup, ["x", "mastodon"], NOW + HOUR)
    assert (done.entries, done.carried, done.knows_until) == (1, 2, NOW)
    assert backup.exists()
    assert all(path.exists() for path in done.set_aside)
    with Store.open(state, NOW + HOUR) as store:
        assert [each.entry.title for each in store.entries.find_text("", 9)] == ["Before"]
        assert store.ledger.spent(NOW) == spent
        assert all(store.claims(name).is_behind() for name in ("x", "mastodon"))


@pytest.mark.parametrize("damage", ["missing", "empty", "zeroed", "truncated", "garbage"])
def test_it_is_the_way_back_from_every_damage(state, tmp_path, damage):
    backup, _ = backed_up(state, tmp_path / "backups")
    with Store.open(state, NOW) as store, store.transaction():
        for number in range(3, 300):
            store.entries.add(Entry(feed="a", title="x" * 500), Fresh(), variant=number, now=NOW)
    harm(state, damage)
    with pytest.raises(StateError, match="Nothing is posted until a person decides"):
        Store.open(state, NOW)
    restore(state, backup, ["x"], NOW)
    with Store.open(state, NOW) as store:
        assert store.entries.any()


def harm(state: StateDir, damage: str) -> None:
    body = state.database.read_bytes()
    match damage:
        case "missing":
            state.database.unlink()
        case "empty":
            state.database.write_bytes(b"")
        case "zeroed":
            state.database.write_bytes(bytes(100) + body[100:])
        case "truncated":
            state.database.write_bytes(body[: len(body) // 2])
        case "garbage":
            middle = len(body) // 2 // 4096 * 4096
            state.database.write_bytes(body[:middle] + b"\xa5" * 4096 + body[middle + 4096 :])


def test_a_file_that_is_no_backup_changes_nothing(state, tmp_path):
    backup, _ = backed_up(state, tmp_path / "backups")
    before = state.database.read_bytes()
    other = StateDir(tmp_path / "other")
    Store.open(other, NOW).close()
    foreign = tmp_path / "foreign.db"
    sqlite3.connect(foreign).execute("create table t (a)").connection.close()
    half = tmp_path / "half.db"
    half.write_bytes(backup.read_bytes()[:5000])
    text = tmp_path / "text.db"
    text.write_text("no database " * 500)
    for file, kind, words in (
        (tmp_path / "nowhere.db", StateError, "missing, empty or no file"),
        (tmp_path, StateError, "missing, empty or no file"),
        (state.database, StateError, "the database itself"),
        (foreign, StateError, "no database of a bot"),
        (half, StateError, "damaged"),
        (text, StateError, "damaged"),
        (other.database, StoreLost, "another bot"),
    ):
        with pytest.raises(kind, match=words):
            restore(state, file, ["x"], NOW)
        assert state.database.read_bytes() == before
        assert not list(state.path.glob("*restoring*"))
    restore(state, other.database, ["x"], NOW, another=True)
    with Store.open(state, NOW) as store:
        assert store.identity() == state.mark() == other.mark()


def test_a_bot_at_work_keeps_its_database(state, tmp_path):
    backup, _ = backed_up(state, tmp_path / "backups")
    with state.lock(), pytest.raises(AlreadyRunning):
        restore(state, backup, ["x"], NOW)


def test_a_copy_that_a_hand_made_with_its_log_is_taken_whole(state, tmp_path):
    backed_up(state, tmp_path / "backups")
    with Store.open(state, NOW) as store:
        with store.transaction():
            store.entries.add(Entry(feed="a", title="In the log"), Fresh(), variant=3, now=NOW)
        for part in ("", "-wal"):
            shutil.copy(f"{state.database}{part}", tmp_path / f"copy.db{part}")
    assert restore(state, tmp_path / "copy.db", ["x"], NOW).entries == 3


@pytest.mark.parametrize("kind", ["x", "mastodon", "bluesky"])
@pytest.mark.parametrize("counts_lost", [False, True])
def test_what_went_out_since_is_not_posted_again_anywhere(kind, counts_lost, state, tmp_path, request):
    """Also where the file that counts posts is lost with the database."""
    with request.getfixturevalue(f"desk_of_{kind}")() as desk_over:
        with Store.open(state, START) as store:
            desk = desk_over(store)
            desk.queue("Zero")
            work(desk)
            backup = back_up(state, tmp_path / "backups", keep=1, now=NOW)
            desk.queue("One", "Two")
            work(desk)
        if counts_lost:
            state.claims(kind).unlink()
        restore(state, backup.path, [kind], NOW)
        with Store.open(state, START) as store:
            desk = desk_over(store)
            assert store.claims(kind).is_behind()
            desk.queue("One", "Two", "Three")
            work(desk)
            assert set(desk.states()) == {"sent"}
            assert not store.claims(kind).is_behind()
            texts = desk.texts() if kind == "x" else list(desk.made().elements())
            assert sorted(text.split()[0] for text in texts) == ["One", "Three", "Two", "Zero"]


def work(desk) -> None:
    if isinstance(desk, XDesk):
        for _ in range(6):
            desk.go_on()
    else:
        desk.run()


class _Kept:
    """A desk before Mastodon or Bluesky whose server outlives a change of its store."""

    def __init__(self, kind: str, pds) -> None:
        self._kind, self._pds, self._desk = kind, pds, None

    def __enter__(self):
        return self.over

    def __exit__(self, *_: object) -> None:
        self._desk.__exit__()

    def over(self, store: Store):
        if self._desk is None:
            self._desk = OtherDesk(self._kind, store, self._pds)
            self._desk.__enter__()
        else:
            self._desk.store, self._desk._count = store, 1
            self._desk.start()
        return self._desk


@pytest.fixture
def desk_of_mastodon():
    return lambda: _Kept("mastodon", lambda: None)


@pytest.fixture
def desk_of_bluesky():
    pds = PdsServer()
    yield lambda: _Kept("bluesky", lambda: pds)
    pds.close()


@pytest.fixture
def desk_of_x():
    @contextmanager
    def made():
        with SimulatedX(rules=Rules(duplicate_filter=False)) as x:
            yield lambda store: XDesk(x, store)

    return made
