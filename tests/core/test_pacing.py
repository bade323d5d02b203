"""When the next post may go out, and which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.pacing_settings import parse_quiet
from bot.core.pacing import Order, Pacing, Queue, Turns, is_turn_of_longest, rank
from bot.core.quiet import QuietHours

NOW = datetime(2026, 12, 3, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
SPREAD = Pacing(min_gap=2 * MINUTE, per_hour=100, per_day=1000, spread=HOUR)
NIGHT = QuietHours(spans=(parse_quiet("23:00-07:00"),))


@dataclass(frozen=True, kw_only=True)
class Row:
    id: int
    priority: int = 5
    sources: int = 1
    queued_at: datetime = NOW
    not_before: datetime = NOW
    expires_at: datetime = NOW + 72 * HOUR


def sent_at(pacing, waiting, *, expires=None, began=NOW):
    """Send a burst as soon as each may go, and return when, in minutes."""
    claims, now = [], began
    while waiting:
        at = pacing.earliest(claims, now, Queue(waiting=waiting, expires=expires))
        if at > now:
            now = min(at, now + MINUTE)  # the loop looks again and again
            continue
        claims.append(now)
        waiting -= 1
    return [(claim - began) / MINUTE for claim in claims]


def test_a_burst_shares_the_hour_evenly():
    assert sent_at(SPREAD, 6) == [0, 10, 20, 30, 40, 50]
    assert sent_at(replace(SPREAD, spread=timedelta(0)), 6) == [0, 2, 4, 6, 8, 10]


def test_a_burst_that_is_denser_by_min_gap_is_not_spread_and_a_single_story_goes_at_once():
    assert sent_at(SPREAD, 40) == [2 * n for n in range(40)]
    assert sent_at(SPREAD, 1) == [0]


@pytest.mark.parametrize("minutes", [5, 15, 30, 61])
def test_nothing_expires_because_it_was_spread(minutes):
    burst, end = 10, timedelta(minutes=minutes)
    spread = sent_at(SPREAD, burst, expires=NOW + end)
    plain = sent_at(replace(SPREAD, spread=timedelta(0)), burst)
    assert sum(at < minutes for at in spread) == sum(at < minutes for at in plain)


def test_what_ends_with_the_night_is_not_kept_back_for_it():
    pacing = replace(SPREAD, quiet=NIGHT)
    evening = datetime(2026, 12, 3, 22, 30, tzinfo=UTC)
    assert sent_at(pacing, 5, expires=evening + 9 * HOUR, began=evening) == [0, 2, 4, 6, 8]
    late = sent_at(pacing, 5, expires=evening + 48 * HOUR, began=evening)
    assert late[:3] == [0, 12, 24]
    assert all(at >= 510 for at in late[3:]), "after seven in the morning"


def test_what_waited_for_the_morning_is_no_burst():
    night = datetime(2026, 12, 4, 3, tzinfo=UTC)
    gaps = sent_at(replace(SPREAD, quiet=NIGHT), 10, began=night)
    assert gaps[0] == 240
    assert {b - a for a, b in pairwise(gaps)} == {6}


@given(
    st.lists(st.integers(0, 1440), max_size=30),
    st.integers(1, 50),
    st.integers(1, 2880),
    st.sampled_from([timedelta(0), HOUR, 6 * HOUR]),
)
def test_no_limit_is_passed_whatever_is_spread(ago, waiting, left, spread):
    pacing = Pacing(min_gap=3 * MINUTE, per_hour=5, per_day=20, spread=spread, quiet=NIGHT)
    claims = sorted(NOW - minutes * MINUTE for minutes in ago)
    queue = Queue(waiting=waiting, expires=NOW + left * MINUTE)
    at = pacing.earliest(claims, NOW, queue)
    assert at >= replace(pacing, spread=timedelta(0)).earliest(claims, NOW)
    assert not claims or at - claims[-1] >= 3 * MINUTE
    assert sum(at - HOUR < claim for claim in claims) < 5
    assert sum(at - timedelta(days=1) < claim for claim in claims) < 20
    assert 7 <= at.hour < 23
    assert at <= NIGHT.opens(max(replace(pacing, spread=timedelta(0)).earliest(claims, NOW), NOW + spread))


def taken(rows, order=Order.OLDEST, turns=0, now=NOW + 100 * HOUR):
    found = Turns(rows, order, turns)
    numbers = []
    while (row := found.take(now)) is not None:
        numbers.append(row.id)
        found.sent()
    return numbers


def test_priority_then_sources_then_age():
    rows = [
        Row(id=1, queued_at=NOW - HOUR),
        Row(id=2, sources=3),
        Row(id=3, priority=6),
        Row(id=4, queued_at=NOW - 2 * HOUR),
    ]
    assert taken(rows[:3]) == [3, 2, 1]
    assert taken(rows[:3], Order.NEWEST) == [3, 2, 1]
    assert taken([rows[0], rows[3]], Order.NEWEST) == [1, 4]
    assert taken([rows[0], rows[3]]) == [4, 1]


def test_every_fourth_turn_is_that_of_what_waited_longest_so_that_nothing_starves():
    low = Row(id=1, priority=0, queued_at=NOW - 10 * HOUR)
    rush = [Row(id=number, priority=9) for number in range(2, 12)]
    assert taken([low, *rush]).index(1) == 3
    assert taken([low, *rush], turns=2).index(1) == 1
    assert taken([low, *rush], Order.NEWEST).index(1) == 10, "who wants the newest lets the old ones go"


def test_a_turn_that_is_not_used_passes_on():
    found = Turns([Row(id=1, queued_at=NOW - HOUR, priority=0), Row(id=2), Row(id=3)], Order.OLDEST, 3)
    assert found.take(NOW).id == 1
    assert is_turn_of_longest(3, Order.OLDEST)
    assert found.take(NOW).id == 2, "the first did not go out, so it is still the turn of the longest"
    found.sent()
    assert found.shape(NOW).waiting == 1


def test_what_waits_for_something_has_no_turn_before():
    found = Turns([Row(id=1, priority=9, not_before=NOW + HOUR), Row(id=2)], Order.OLDEST, 0)
    assert found.shape(NOW) == Queue(waiting=1, expires=NOW + 72 * HOUR)
    assert found.next_at() < NOW
    assert found.take(NOW).id == 2
    assert found.take(NOW) is None
    assert found.next_at() == NOW + HOUR
    assert found.take(NOW + HOUR).id == 1
    assert (found.next_at(), len(found)) == (None, 0)


def test_rank_is_the_order_in_words():
    assert rank(Row(id=1, priority=9), Order.OLDEST) < rank(Row(id=2, sources=9), Order.OLDEST)
