"""A database of every step of the schema that was ever released, filled, brought up to date and used; also when killed on the way."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from contextlib import closing
from datetime import UTC, datetime

import pytest
from sqlite_utils import Database

from bot.simulated_x import Rules, SimulatedX
from bot.store import StateDir, Store
from bot.store.connection import connect
from bot.store.migrations import migrations
from tests.publishing_desk import Desk

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
STEPS = [step.name for step in migrations.pending(Database(memory=True))]
ROWS = 2


def made_by(state: StateDir, step: str) -> dict[str, int]:
    """Make the database as the version that ended with `step` did, filled and marked; return how many rows each table has."""
    state.prepare()
    with closing(connect(state.database)) as db:
        later = STEPS[STEPS.index(step) + 1 :]
        migrations.apply(db, **({"stop_before": later[0]} if later else {}))
        assert [done.name for done in migrations.applied(db)] == STEPS[: STEPS.index(step) + 1]
        fill(db)
        (row,) = db.query("select store_id from install")
        state.write_mark(row["store_id"])
        return counts(db)


def tables(db: Database) -> list[str]:
    """Return the tables, but for the one that every start writes to."""
    return [name for name in db.table_names() if not name.startswith(("_", "sqlite_")) and name != "upkeep"]


def counts(db: Database) -> dict[str, int]:
    return {name: db[name].count for name in tables(db)}


def fill(db: Database) -> None:
    """Put rows into every table, parents first: what may not be null, and what leads to a parent."""
    waiting = tables(db)
    for _ in range(len(waiting)):
        filled = {name for name in tables(db) if name not in waiting}
        for name in list(waiting):
            parents = {key.other_table for key in db[name].foreign_keys} - {name}
            if parents <= filled:
                for number in range(1, 2 if name in {"install", "labels"} else ROWS + 1):
                    row = row_of(db, name, number)
                    db[name].insert(row)
                waiting.remove(name)
    assert not waiting, f"no way to fill {waiting}"


def row_of(db: Database, table: str, number: int) -> dict[str, object]:
    allowed = {
        column: json.loads(f"[{values}]".replace("'", '"'))[0]
        for column, values in re.findall(r"check \((\w+) in \(([^)]*)\)", db[table].schema)
    }
    row: dict[str, object] = {}
    for column in db[table].columns:
        leads = any(key.column == column.name for key in db[table].foreign_keys)
        if column.name in {"of_id", "lead_id", "hold_id"} or not (column.notnull or column.is_pk or leads):
            continue
        kind = column.type.lower()
        usual: object = {
            "integer": number,
            "real": NOW.timestamp() + number,
            "blob": bytes([number]) * 16,
            "text": "[]" if column.name in {"categories", "trace", "links"} else f"x{number}",
        }[kind]
        row[column.name] = allowed.get(column.name, usual)
        if column.name == "destination":
            row[column.name] = "x" if table == "outbox" or number == 1 else "y"
        if column.name in {"one_id", "other_id"}:
            row[column.name] = 1 + (column.name == "other_id")
        if table == "entries" and column.name == "reason":
            row[column.name] = "new"
        if column.name == "day":
            row[column.name] = "2026-11-30"
    return row


@pytest.mark.parametrize("step", STEPS)
def test_a_database_of_that_step_is_brought_up_to_date_with_all_that_it_holds_and_used(step, tmp_path):
    state = StateDir(tmp_path / "state")
    before = made_by(state, step)
    with SimulatedX(rules=Rules(duplicate_filter=False)) as x, Store.open(state, NOW) as store:
        after = counts(store._db)
        assert {name: after.get(name) for name in before} == before
        assert store._db.execute("pragma foreign_key_check").fetchall() == []
        assert store._db.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert len(store.entries.find_text("", 9)) == ROWS
        with store.transaction():
            for row in store.outbox.rows():
                store.outbox.settle(row.id, "dropped", "made up by a test", NOW)
        desk = Desk(x, store)
        desk.queue("News of today")
        desk.publishing.drain()
        desk.go_on(3)
        assert [text.split(" https")[0] for text in desk.texts()] == ["News of today"]
        store.tidy(NOW, 86_400)
    with Store.read_only(state) as store:
        assert store.outbox.counts()["sent"] == 1


def killed_at(state: StateDir, statement: int) -> bool:
    """Bring the database up to date in a process that is killed at a statement; return whether it came so far."""
    child = os.fork()
    if child == 0:
        left = statement

        def count(_: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        db = connect(state.database)
        db.conn.set_trace_callback(count)
        migrations.apply(db)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def test_an_update_that_is_killed_at_any_statement_is_made_good_by_the_next_start(tmp_path):
    kills = 0
    before = made_by(StateDir(tmp_path / "first"), STEPS[0])
    for statement in range(1, 400, 13):
        state = StateDir(tmp_path / f"state-{statement}")
        shutil.copytree(tmp_path / "first", state.path)
        kills += killed_at(state, statement)
        with Store.open(state, NOW) as store:
            after = counts(store._db)
            assert {name: after.get(name) for name in before} == before
            assert [done.name for done in migrations.applied(store._db)] == STEPS
    assert kills > 10
