from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.core.politeness import ASKED_TO_WAIT, JITTER, LONGEST, is_due, next_poll

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINUTES = timedelta(minutes=30)


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
