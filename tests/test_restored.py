"""A database that was put back from a backup: what went out since is known again before anything is sent."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.simulated_x import TIMELINE, Rules, SimulatedX, answering
from bot.store import StateDir, Store
from tests.publishing_desk import START, Desk

NOTHING = answering(200, {"meta": {"result_count": 0}})
"""What a timeline shows that lags behind."""

LOOK = timedelta(seconds=90)


@pytest.fixture
def x():
    with SimulatedX(rules=Rules(duplicate_filter=False)) as made:
        yield made


@pytest.fixture
def state(tmp_path):
    return StateDir(tmp_path)


def work_and_put_back(x, state, *, before: bool) -> None:
    """Post a story, with a copy of the database made before or after it, then another; put the copy back."""
    copy = state.path / "copy.db"
    with Store.open(state, START) as store:
        desk = Desk(x, store)
        if not before:
            desk.queue("Zero")
            desk.publishing.drain()
        store.copy_to(copy)
        if before:
            desk.queue("Zero")
            desk.publishing.drain()
        desk.queue("One")
        desk.publishing.drain()
        assert len(desk.texts()) == 2
    for part in state.path.glob("shinglebot.db*"):
        part.unlink()
    copy.rename(state.database)


def in_words(desk: Desk) -> list[str]:
    return [text.split(" ")[0] for text in desk.texts()]


@pytest.mark.parametrize("before", [False, True])
def test_what_the_account_does_not_show_yet_is_not_posted_again(x, state, before):
    work_and_put_back(x, state, before=before)
    with Store.open(state, START) as store:
        desk = Desk(x, store)
        assert store.claims("x").is_behind()
        x.faults.next(NOTHING, on=TIMELINE)
        desk.queue(*(["Zero", "One"] if before else ["One"]))
        desk.queue("Two")
        desk.publishing.drain()
        assert in_words(desk) == ["Zero", "One"], "nothing is sent before the second reading"
        desk.go_on()
        assert desk.now == START + LOOK
        assert in_words(desk) == ["Zero", "One", "Two"]
        assert desk.states() == ["sent"] * 3
        assert not store.claims("x").is_behind()


def test_short_lived_processes_share_the_two_readings(x, state):
    work_and_put_back(x, state, before=False)
    for number, passed in enumerate((0, 60, 100)):
        with Store.open(state, START) as store:
            desk = Desk(x, store)
            desk.now = START + timedelta(seconds=passed)
            if number == 0:
                desk.queue("One", "Two")
            if number < 2:
                x.faults.next(NOTHING, on=TIMELINE)
            desk.publishing.drain()
            assert in_words(desk) == ["Zero", "One", *(["Two"] if number == 2 else [])]


def test_a_bot_that_was_only_stopped_or_killed_sends_at_once(x, state):
    for number in range(3):
        with Store.open(state, START) as store:
            desk = Desk(x, store)
            desk.queue(f"Story-{number}")
            desk.publishing.drain()
            assert desk.states() == ["sent"] * (number + 1)


@pytest.mark.parametrize("text", ["", "soon", "3 boot", "-1", "\udcff"])
def test_a_count_that_cannot_be_read_stops_nothing(x, state, text):
    work_and_put_back(x, state, before=False)
    state.claims("x").write_bytes(text.encode("utf-8", "surrogateescape"))
    with Store.open(state, START) as store:
        assert not store.claims("x").is_behind()


def test_a_count_that_cannot_be_written_stops_nothing(x, state):
    state.prepare()
    state.claims("x").symlink_to("nowhere/at-all")
    with Store.open(state, START) as store:
        desk = Desk(x, store)
        desk.queue("One")
        desk.publishing.drain()
        assert desk.states() == ["sent"]


def test_a_new_store_begins_a_new_count(x, state):
    work_and_put_back(x, state, before=False)
    state.set_aside("old")
    with Store.open(state, START) as store:
        assert not store.claims("x").is_behind()
