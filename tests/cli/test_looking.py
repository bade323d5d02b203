"""What can be looked at while the configuration has faults."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.core.flood import Habit
from bot.core.model import Entry, Fresh
from bot.errors import ConfigError
from bot.store import StateDir, Store
from bot.store.sources import SourceState

GOOD = 'state_dir = "state"\n[[feed]]\nname = "a"\nurl = "https://a.invalid/"\n'


@pytest.fixture
def do(tmp_path, monkeypatch):
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    with Store.open(StateDir(tmp_path / "state"), datetime.now(UTC)):
        pass

    def run(text: str, *arguments: str):
        (tmp_path / "config.toml").write_text(text)
        return CliRunner().invoke(group, ["--config", str(tmp_path / "config.toml"), *arguments])

    return run


@pytest.mark.parametrize("command", ["status", "held", "outbox", "why"])
def test_a_fault_in_one_feed_keeps_nobody_from_looking(do, command):
    words = (command, "anything") if command == "why" else (command,)
    result = do(GOOD + 'interval = "soon"\n[[feed]]\nnmae = "b"\n', *words)
    assert result.exception is None
    assert "has 4 faults; `shinglebot check` says more" in result.stderr


def test_status_names_the_feeds_whose_names_can_be_read(do):
    result = do(GOOD + 'interval = "soon"\n[[feed]]\nnmae = "b"\n', "status", "--json")
    assert [feed["feed"] for feed in json.loads(result.stdout)["feeds"]] == ["a"]


@pytest.mark.parametrize("text", ["state_dir = 5\n[[feed]]\n", "state_dir = ''\n[[feed]]\n", "no toml"])
def test_without_a_state_directory_there_is_nothing_to_look_at(do, text):
    assert isinstance(do(text, "status").exception, ConfigError)


@pytest.mark.parametrize(
    ("watched", "shown"),
    [(timedelta(seconds=15), None), (timedelta(hours=23), None), (timedelta(hours=48), 4.0)],
)
def test_how_much_a_feed_brings_a_day_is_told_once_a_day_is_recorded(do, tmp_path, watched, shown):
    now = datetime.now(UTC)
    hours = watched / timedelta(hours=1)
    state = SourceState(
        name="a",
        url="https://a.invalid/",
        next_poll_at=now,
        last_good_at=now,
        seeded_at=now - watched,
        habit=Habit(new=8 if shown else 1, hours=hours),
    )
    with Store.open(StateDir(tmp_path / "state"), now) as store, store.transaction():
        store.sources.save(state)
    for command in ("status", "feeds"):
        told = json.loads(do(GOOD, command, "--json").stdout)
        feeds = told["feeds"] if command == "status" else told
        assert [feed["new_per_day"] for feed in feeds] == [shown]


def test_when_the_next_post_goes_out_and_who_waits_for_a_better_copy(do, tmp_path):
    now = datetime.now(UTC)
    until = now + timedelta(minutes=9)
    with Store.open(StateDir(tmp_path / "state"), now) as store, store.transaction():
        for number, copy_until in enumerate((now, until)):
            entry = Entry(feed="a", title=f"Ferry {number}", link=f"https://a.invalid/{number}")
            store.outbox.queue(
                store.entries.add(entry, Fresh(), variant=number, now=now),
                "x",
                now=now,
                expires_at=now + timedelta(days=1),
                copy_until=copy_until,
                reason="waits for a copy of wire",
            )
    told = json.loads(do(GOOD, "status", "--json").stdout)
    assert told["next_post"]["waits_for"] == "its turn"
    assert [(copy["title"], copy["reason"]) for copy in told["waiting_for_copies"]] == [
        ("Ferry 1", "waits for a copy of wire")
    ]
    assert "“Ferry 1” waits for a copy of wire" in do(GOOD, "status").stdout
    rows = json.loads(do(GOOD, "outbox", "--json").stdout)
    assert [row["reason"] for row in rows] == ["waits for a copy of wire", "no better copy came in time"]
    assert "no better copy came in time" in do(GOOD, "why", "Ferry 0").stdout
    tokyo = now.astimezone(ZoneInfo("Asia/Tokyo"))
    begins, ends = (tokyo + timedelta(hours=hours) for hours in (-2, 3))
    quiet = f'[pacing]\nquiet = ["{begins:%H:%M}-{ends:%H:%M}"]\nzone = "Asia/Tokyo"\n'
    at_night = do(GOOD.replace("[[feed]]", quiet + "[[feed]]"), "status", "--json")
    assert (
        json.loads(at_night.stdout)["next_post"]["waits_for"]
        == f"quiet hours, until {ends:%H:%M} in Asia/Tokyo"
    )
