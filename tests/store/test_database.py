from __future__ import annotations

import resource
import sqlite3
import time
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime

import pytest

from bot.core.model import Entry, Fresh, Seeded
from bot.errors import AlreadyRunning, StateError, StoreLost, StoreUnwritable
from bot.store import StateDir, Store
from bot.store.copies import copied
from bot.store.sources import SourceState

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def state(tmp_path):
    return StateDir(tmp_path / "state")


def add_entry(store: Store, number: int = 1) -> None:
    with store.transaction():
        store.entries.add(Entry(feed="a", title=f"Story {number}"), Fresh(), variant=number, now=NOW)
        store.sources.save(SourceState(name="a", url="https://a.example/", next_poll_at=NOW, seeded_at=NOW))


def test_a_first_start_makes_a_private_directory_a_database_and_a_mark(state):
    Store.open(state, NOW).close()
    assert state.path.stat().st_mode & 0o777 == 0o700
    assert state.database.stat().st_mode & 0o777 == 0o600
    assert state.mark()
    with Store.open(state, NOW) as again:
        assert again.identity() == state.mark()


def test_a_start_that_crashed_before_its_mark_is_finished_by_the_next(state):
    Store.open(state, NOW).close()
    (state.path / "installed.json").unlink()
    Store.open(state, NOW).close()
    assert state.mark()


def test_a_missing_database_of_an_installed_bot_is_noticed(state):
    Store.open(state, NOW).close()
    state.database.unlink()
    with pytest.raises(
        StoreLost, match=r"missing or empty.*Nothing is posted until a person decides.*--new-store"
    ):
        Store.open(state, NOW)


def test_an_empty_file_is_no_new_install(state):
    Store.open(state, NOW).close()
    state.database.write_bytes(b"")
    with pytest.raises(StoreLost):
        Store.open(state, NOW)


def test_another_bots_database_is_noticed(state, tmp_path):
    other = StateDir(tmp_path / "other")
    Store.open(other, NOW).close()
    Store.open(state, NOW).close()
    state.database.write_bytes(other.database.read_bytes())
    with pytest.raises(StoreLost, match="not the database"):
        Store.open(state, NOW)


def test_emptied_tables_are_noticed(state):
    with Store.open(state, NOW) as store:
        add_entry(store)
    connection = sqlite3.connect(state.database)
    connection.execute("delete from entries")
    connection.commit()
    connection.close()
    with pytest.raises(StoreLost, match="lost its entries"):
        Store.open(state, NOW)


def test_a_used_database_without_its_mark_may_be_a_copy_and_can_be_adopted(state):
    with Store.open(state, NOW) as store:
        add_entry(store)
        identity = store.identity()
    (state.path / "installed.json").unlink()
    with pytest.raises(StoreLost, match="--adopt-store"):
        Store.open(state, NOW)
    Store.adopt(state)
    assert state.mark() == identity
    Store.open(state, NOW).close()


def test_setting_aside_keeps_the_old_files_and_makes_room_for_a_new_start(state):
    with Store.open(state, NOW) as store:
        add_entry(store)
    moved = state.set_aside("20261130T120000Z")
    assert all(path.exists() for path in moved)
    with Store.open(state, NOW) as fresh:
        assert not fresh.entries.any()


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100])
def test_a_damaged_database_is_a_sentence(state, damage):
    Store.open(state, NOW).close()
    size = state.database.stat().st_size
    state.database.write_bytes(damage.ljust(size, b"\0") if damage else b"")
    with pytest.raises(StateError, match="Nothing is posted"):
        Store.open(state, NOW)


def test_a_damaged_mark_is_a_sentence(state):
    Store.open(state, NOW).close()
    (state.path / "installed.json").write_text("{")
    with pytest.raises(StoreLost, match="damaged"):
        Store.open(state, NOW)


def test_a_file_in_the_place_of_the_directory_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match="is a file"):
        StateDir(tmp_path / "file").prepare()


def test_two_processes_cannot_hold_one_directory(state):
    with state.lock(), pytest.raises(AlreadyRunning, match=r"process [0-9]+"), state.lock():
        pass
    with state.lock():
        pass


def test_looking_leaves_no_trace(state):
    with Store.open(state, NOW) as store:
        add_entry(store)
    before = {path.name: path.read_bytes() for path in state.path.iterdir()}
    with Store.read_only(state) as store:
        assert store.entries.any()
    assert {path.name: path.read_bytes() for path in state.path.iterdir()} == before


def test_looking_works_while_the_bot_is_at_work(state):
    with Store.open(state, NOW) as store:
        add_entry(store)
        with Store.read_only(state) as look:
            assert look.entries.get(1).entry.title == "Story 1"
        with Store.alongside(state) as hand, hand.transaction():
            hand.entries.settle(1, Seeded())
        assert store.entries.get(1).verdict == "seeded"


def test_looking_where_nothing_is(state):
    with pytest.raises(StateError, match="no database"):
        Store.read_only(state)


def test_looking_where_a_database_was_lost(state):
    Store.open(state, NOW).close()
    state.database.unlink()
    with pytest.raises(StoreLost, match="missing"):
        Store.read_only(state)


def test_faults_are_kept_newest_first():
    with Store.in_memory() as store:
        with store.transaction():
            store.sources.add_faults("a", ["item 3: no link", "item 5: broken date"], NOW)
        assert [what for _, what in store.sources.faults("a")] == ["item 5: broken date", "item 3: no link"]


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"[]", b'{"store_id": 5}', b"[" * 100_000])
def test_a_mark_that_says_nothing_is_a_sentence(state, mark):
    Store.open(state, NOW).close()
    (state.path / "installed.json").write_bytes(mark)
    with pytest.raises(StoreLost, match="damaged"):
        Store.open(state, NOW)


def add_many(store: Store) -> None:
    with store.transaction():
        for number in range(2, 5000):
            store.entries.add(Entry(feed="a", title="x" * 500), Fresh(), variant=number, now=NOW)


def test_a_full_disk_undoes_what_was_begun_and_says_so(state):
    with Store.open(state, NOW) as store:
        add_entry(store)
        store._db.execute("pragma max_page_count = 1")
        with pytest.raises(StoreUnwritable, match="full"):
            add_many(store)
        store._db.execute("pragma max_page_count = 1000000")
        assert len(store.entries.find_text("", 10)) == 1
        add_entry(store, 2)


def test_transactions_together_are_kept_at_the_end_each_all_or_nothing(state):
    with Store.open(state, NOW) as store:
        with store.together():
            add_entry(store)
            with pytest.raises(ZeroDivisionError), store.transaction():
                store.sources.add_faults("a", [str(1 / number) for number in (1, 0)], NOW)
            add_entry(store, 2)
            with Store.read_only(state) as other:
                assert not other.entries.any(), "nothing yet"
        with Store.read_only(state) as other:
            assert len(other.entries.find_text("", 10)) == 2
            assert other.sources.faults("a") == []
        add_entry(store, 3)
        with Store.read_only(state) as other:
            assert len(other.entries.find_text("", 10)) == 3, "one alone is kept at once"


def test_transactions_together_are_undone_by_what_ends_them(state):
    with Store.open(state, NOW) as store:
        with suppress(ZeroDivisionError), store.together():
            add_entry(store)
            raise ZeroDivisionError
        add_entry(store, 2)
        assert len(store.entries.find_text("", 10)) == 1


def test_a_disk_that_is_full_in_the_midst_of_several_transactions_says_so(state):
    with Store.open(state, NOW) as store:
        store._db.execute("pragma max_page_count = 1")
        with pytest.raises(StoreUnwritable, match="full"), store.together():
            add_many(store)
        store._db.execute("pragma max_page_count = 1000000")
        assert not store.entries.any()
        add_entry(store)
        assert store.entries.any()


def test_a_store_that_begins_afresh_seeds_the_feeds_of_before_silently():
    with Store.in_memory() as store:
        with store.transaction():
            store.sources.seed_silently([("a", "https://a.example/")], NOW)
        state = store.sources.get("a")
        assert state.seed_silently
        assert state.seeded_at is None


@contextmanager
def no_room():
    """No file of this process may grow: like a full disk, and without one. Nothing may be printed meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_disk_without_room_for_the_lock_is_to_be_tried_again(state):
    with pytest.raises(StoreUnwritable, match="make room"), no_room(), state.lock():
        pass


@pytest.mark.parametrize("is_installed", [False, True])
def test_a_disk_that_is_full_at_the_start_asks_for_room_and_for_no_new_database(state, is_installed):
    if is_installed:
        with Store.open(state, NOW) as store:
            add_entry(store)
    with pytest.raises(StoreUnwritable, match="make room") as told, no_room():
        Store.open(state, NOW)
    assert "--new-store" not in str(told.value)


def read_a_table_that_is_gone(state: StateDir) -> None:
    with Store.open(state, NOW) as store:
        store._db.execute("drop table outbox")
        store.outbox.counts()


def test_a_fault_while_reading_is_told_in_the_bots_own_words(state):
    with pytest.raises(StateError, match="the database cannot be used"):
        read_a_table_that_is_gone(state)


def each_way_in(state: StateDir):
    """Every door to the store of a state directory, by its name."""
    return {
        "open": lambda: Store.open(state, NOW).close(),
        "look": lambda: Store.read_only(state).close(),
        "decide": lambda: Store.alongside(state).close(),
        "copy": lambda: copied(state).__enter__(),
    }


WAYS = ("open", "look", "decide", "copy")


@pytest.mark.parametrize("way", WAYS)
def test_a_schema_that_is_no_text_is_damage(state, way):
    with Store.open(state, NOW) as store:
        add_entry(store)
    body = state.database.read_bytes()
    broken = body.replace(b"tableholdsholds", b"table\xff\xfe\xff\xfe\xffholds").replace(
        b"CREATE TABLE holds", b"CREATE HURDLE holds"
    )
    state.database.write_bytes(broken)
    with pytest.raises(StateError, match=r"is damaged.*Nothing is posted"):
        each_way_in(state)[way]()


@pytest.mark.parametrize("is_changed", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_a_database_of_a_later_version_asks_for_that_version_and_for_no_new_store(state, way, is_changed):
    with Store.open(state, NOW) as store:
        add_entry(store)
    with closing(sqlite3.connect(state.database)) as later, later:
        later.execute(
            "insert into _sqlite_migrations (migration_set, name, applied_at) values ('shinglebot', 'm999_later', '')"
        )
        if is_changed:
            later.execute("alter table entries rename to stories")
    with pytest.raises(StateError, match=r"newer shinglebot: update the bot") as told:
        each_way_in(state)[way]()
    assert "--new-store" not in str(told.value)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "name", ["shinglebot.db", "installed.json", "lock", "claims", "claims-mastodon", "reserve"]
)
def test_a_directory_in_the_place_of_a_file_is_named_with_its_remedy(state, way, name):
    Store.open(state, NOW).close()
    (state.path / name).unlink(missing_ok=True)
    (state.path / name).mkdir()
    with pytest.raises(StateError, match=rf"{name} is a directory, and has to be a file: (move|remove)"):
        each_way_in(state)[way]()


@pytest.mark.parametrize("way", WAYS)
def test_a_link_to_nowhere_in_the_place_of_the_directory_is_called_one(state, way):
    state.path.symlink_to("nowhere")
    with pytest.raises(StateError, match="is a link to nowhere, which is not there"):
        each_way_in(state)[way]()


def test_the_log_is_made_small_again_and_a_reader_is_not_waited_for(state):
    with Store.open(state, NOW) as store:
        log = state.database.with_name("shinglebot.db-wal")
        with closing(sqlite3.connect(state.database)) as reader:
            reader.execute("begin")
            reader.execute("select count(*) from entries").fetchall()
            add_many(store)
            grown = log.stat().st_size
            began = time.monotonic()
            store.tidy(NOW, 86_400)
            assert time.monotonic() - began < 10
            assert log.stat().st_size >= grown > 1_000_000
        store.tidy(NOW, 86_400)
        assert log.stat().st_size == 0
        assert store._db.execute("pragma busy_timeout").fetchone()[0] == 30_000
