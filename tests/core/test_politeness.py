from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.politeness import (
    ASKED_TO_WAIT,
    JITTER,
    LONGEST,
    SHORTEST,
    UNKNOWN,
    Pace,
    Rhythm,
    is_due,
    next_poll,
    own_interval,
    replanned,
    rhythm_of,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINUTES = timedelta(minutes=30)
HOUR = timedelta(hours=1)


def test_a_good_feed_is_asked_again_after_its_interval():
    assert next_poll(NOW, MINUTES, failures=0, draw=0.5) == NOW + MINUTES


def test_each_failure_doubles_the_wait_up_to_a_day():
    waits = [next_poll(NOW, MINUTES, failures=n, draw=0.5) - NOW for n in range(12)]
    assert waits[:4] == [MINUTES, 2 * MINUTES, 4 * MINUTES, 8 * MINUTES]
    assert waits[-1] == LONGEST


@given(st.floats(0, 1), st.integers(0, 10_000))
def test_jitter_is_a_tenth_either_way(draw, failures):
    wait = next_poll(NOW, MINUTES, failures=failures, draw=draw) - NOW
    assert MINUTES * (1 - JITTER) <= wait <= LONGEST * (1 + JITTER)


def test_what_the_server_asks_for_is_obeyed_within_reason():
    assert next_poll(
        NOW, MINUTES, failures=1, draw=0.5, retry_at=NOW + timedelta(hours=5)
    ) == NOW + timedelta(hours=5)
    far = next_poll(NOW, MINUTES, failures=1, draw=0.5, retry_at=NOW + timedelta(days=900))
    assert far == NOW + ASKED_TO_WAIT
    past = next_poll(NOW, MINUTES, failures=0, draw=0.5, retry_at=NOW - timedelta(days=1))
    assert past == NOW + MINUTES


def test_due_and_a_clock_that_was_set_back():
    assert is_due(NOW, NOW, MINUTES)
    assert not is_due(NOW + timedelta(seconds=1), NOW, MINUTES)
    assert not is_due(NOW + ASKED_TO_WAIT, NOW, MINUTES)
    assert is_due(NOW + timedelta(days=30), NOW, MINUTES)


@pytest.mark.parametrize(
    ("gap", "silent", "per_day", "wait"),
    [
        (None, None, 0, UNKNOWN),
        (HOUR * 4, HOUR, 0, HOUR * 2),
        (MINUTES / 30, HOUR / 2, 0, SHORTEST),
        (HOUR * 900, HOUR * 900, 0, LONGEST),
        (HOUR * 24, HOUR, 24, HOUR / 2),  # dates without times; it brings one an hour
        (None, None, 4, HOUR * 3),
        (None, None, 0.001, LONGEST),
        (HOUR / 3, HOUR * 10, 60, HOUR / 2),  # a night
        (HOUR / 3, HOUR * 24 * 30, 1, LONGEST),  # it has died
    ],
)
def test_a_feed_is_worth_asking_twice_in_its_gap(gap, silent, per_day, wait):
    rhythm = Rhythm(gap=gap, newest=silent and NOW - silent)
    assert own_interval(rhythm, per_day / 24, NOW) == wait


def test_the_rhythm_is_the_median_of_what_has_come():
    dates = [NOW - HOUR * n for n in (1, 2, 3, 5, 400)] + [NOW + HOUR * 9]
    assert rhythm_of(dates, NOW) == Rhythm(gap=HOUR * 1.5, newest=NOW - HOUR)
    assert rhythm_of(dates[:2], NOW) == Rhythm(gap=None, newest=NOW - HOUR)
    assert rhythm_of([NOW] * 9, NOW) == Rhythm(gap=None, newest=NOW)
    assert rhythm_of([], NOW) == Rhythm()


@given(st.floats(0, 1), st.sets(st.integers(0, 23)), st.sets(st.integers(0, 6)), st.integers(0, 12))
def test_no_skipped_hour_is_asked_in_and_nothing_waits_for_ever(draw, hours, days, failures):
    pace = Pace(skip_hours=frozenset(hours), skip_days=frozenset(days))
    at = next_poll(NOW, MINUTES, failures=failures, draw=draw, pace=pace)
    assert NOW < at <= NOW + ASKED_TO_WAIT + HOUR
    if len(hours) < 24 and len(days) < 7:
        assert at.hour not in hours
        assert at.weekday() not in days


def test_wishes_are_capped_and_jittered_upwards_only():
    for draw in (0.0, 0.5, 1.0):
        wait = next_poll(NOW, MINUTES, failures=0, draw=draw, fresh_for=HOUR, pace=Pace(wait=HOUR * 2)) - NOW
        assert HOUR * 2 <= wait <= HOUR * 2.2
    assert next_poll(NOW, MINUTES, failures=0, draw=0.0, fresh_for=HOUR * 900) == NOW + LONGEST


def test_a_plan_of_a_clock_that_was_set_back_far_is_due():
    assert replanned(NOW + HOUR, NOW, NOW - HOUR / 2) == NOW + HOUR
    assert replanned(NOW + HOUR, NOW, NOW - HOUR * 2) == NOW - HOUR * 2
    assert replanned(NOW + HOUR, None, NOW) == NOW + HOUR
