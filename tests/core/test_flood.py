from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.flood import ALWAYS_ALLOWED, Habit, first_habit, is_renumbered

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_a_quiet_feed_may_bring_a_usual_bodyful_and_no_more():
    quiet = Habit(new=2, hours=300, largest_body=20)
    assert quiet.allowed(1) == ALWAYS_ALLOWED
    assert quiet.allowed(10_000) == 25  # one full feed of 20, and a quarter


def test_what_is_expected_grows_with_the_time_since_the_last_good_poll():
    busy = Habit(new=1000, hours=200, largest_body=200)
    allowed = [busy.allowed(hours) for hours in (0.5, 1, 2, 4, 8, 48)]
    assert allowed == sorted(allowed)
    assert allowed[0] < 100
    assert allowed[-1] == 250


def test_a_batch_that_was_let_through_is_within_the_habit_from_then_on():
    habit = Habit(largest_body=50).after(new=40, body=50, hours=1, let_through=True)
    assert habit.allowed(0) >= 40
    held = Habit(largest_body=50).after(new=40, body=50, hours=1, let_through=False)
    assert held.allowed(0) == ALWAYS_ALLOWED


def test_a_feed_that_became_busy_for_good_is_not_held_for_ever():
    habit = Habit(new=5, hours=150, largest_body=30)
    held = 0
    for _ in range(48):
        new = 30
        let_through = new <= habit.allowed(1)
        held += not let_through
        habit = habit.after(new=new, body=30, hours=1, let_through=let_through)
    assert 0 < held <= 40


@pytest.mark.parametrize(("body", "span", "rate"), [(20, 10, 2.0), (20, 1000, 0.02)])
def test_the_first_habit_comes_from_the_dates_of_the_first_items(body, span, rate):
    dates = [NOW - timedelta(hours=span * n / (body - 1)) for n in range(body)]
    habit = first_habit(dates, body, NOW)
    assert habit.new / habit.hours == pytest.approx(rate, rel=0.1)
    assert habit.largest_body == body


def test_undated_first_items_give_no_rate():
    assert first_habit([], 20, NOW) == Habit(largest_body=20)


@pytest.mark.parametrize(
    ("stayed", "strangers", "renumbered"),
    [(10, 10, True), (10, 8, True), (10, 7, False), (2, 2, False), (0, 0, False)],
)
def test_renumbered(stayed, strangers, renumbered):
    assert is_renumbered(stayed=stayed, strangers=strangers) is renumbered


def test_one_pinned_old_item_does_not_slow_the_first_habit():
    dates = [NOW - timedelta(minutes=30 * n) for n in range(1, 20)] + [NOW - timedelta(days=400)]
    habit = first_habit(dates, 20, NOW)
    assert habit.new / habit.hours == pytest.approx(2.0, rel=0.1)
