"""When a trouble is told: once, then rarely, and its end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.alerts import REMINDERS, Trouble, as_told, decide

START = datetime(2026, 12, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def trouble(key="feed BBC", **other):
    return Trouble(key=key, text=f"{key} is in trouble", is_fault=False, **other)


class Owner:
    """Looks whenever asked, is told everything, and notes when what was told."""

    def __init__(self):
        self.known = ()
        self.told = []
        self.ended = []

    def look(self, after, *troubles, reached=True):
        now = START + after
        decision = decide(troubles, self.known, now)
        if reached:
            self.told += [(after, one.key) for one in decision.tell]
            self.ended += [(after, one.key) for one in decision.ended]
        self.known = as_told(decision, now) if reached else decision.known


@pytest.fixture
def owner():
    return Owner()


def test_a_trouble_is_told_once_then_after_a_day_and_every_week(owner):
    for hours in range(24 * 30):
        owner.look(hours * HOUR, trouble())
    assert [after / DAY for after, _ in owner.told] == [0, 1, 8, 15, 22, 29]
    assert owner.ended == []


def test_what_passes_within_its_patience_is_never_told(owner):
    for hours in range(40):
        owner.look(hours * HOUR, *([trouble(patience=3 * HOUR)] if hours % 4 < 3 else []))
    assert owner.told == owner.ended == []


def test_its_end_is_told_once(owner):
    owner.look(0 * HOUR, trouble())
    for hours in range(1, 5):
        owner.look(hours * HOUR)
    assert owner.ended == [(HOUR, "feed BBC")]


def test_an_end_that_its_own_text_foretells_is_not_told(owner):
    owner.look(0 * HOUR, trouble(ends_unsaid=True))
    owner.look(HOUR)
    assert owner.ended == []


def test_what_flaps_is_told_no_more_often_than_what_stays(owner):
    for hours in range(24 * 9):
        owner.look(hours * HOUR, *([trouble()] if hours % 2 == 0 else []))
    assert [after / DAY for after, _ in owner.told] == [0, 1, 8]


def test_what_comes_back_after_long_is_new(owner):
    owner.look(0 * HOUR, trouble())
    owner.look(HOUR)
    owner.look(20 * DAY)
    assert owner.known == ()
    owner.look(21 * DAY, trouble())
    assert [after for after, _ in owner.told] == [0 * HOUR, 21 * DAY]
    assert owner.known[0].since == START + 21 * DAY


def test_what_reached_nobody_is_told_at_the_next_look(owner):
    owner.look(0 * HOUR, trouble(), reached=False)
    owner.look(HOUR, trouble())
    owner.look(2 * HOUR, reached=False)
    owner.look(3 * HOUR)
    assert (owner.told, owner.ended) == ([(HOUR, "feed BBC")], [(3 * HOUR, "feed BBC")])


def test_a_clock_that_is_set_back_silences_nothing(owner):
    owner.look(400 * DAY, trouble())
    owner.look(0 * DAY, trouble())
    assert [after for after, _ in owner.told] == [400 * DAY, 0 * DAY]


@given(st.lists(st.sets(st.sampled_from("abc")), max_size=60), st.lists(st.booleans(), min_size=60))
def test_nothing_is_told_twice_within_its_turn_and_no_end_without_a_beginning(looks, reached):
    owner = Owner()
    for hours, keys in enumerate(looks):
        owner.look(hours * 5 * HOUR, *(trouble(key) for key in sorted(keys)), reached=reached[hours])
    for key in "abc":
        told = [after for after, one in owner.told if one == key]
        assert all(later - earlier >= REMINDERS[0] for earlier, later in pairwise(told))
        first_end = min((after for after, one in owner.ended if one == key), default=None)
        assert first_end is None or told[0] < first_end
