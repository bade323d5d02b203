"""A forecast sends at the pace and in the order of the bot."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.config.pacing_settings import parse_quiet
from bot.core.budget import Limits
from bot.core.pacing import Order, Pacing
from bot.core.quiet import QuietHours
from bot.forecasting import Outcome, Story, send_in_thought

BEGIN = datetime(2026, 12, 3, 22, tzinfo=UTC)
HOUR = timedelta(hours=1)


def sent(stories: list[Story], until: timedelta, **pacing: object) -> Outcome:
    fast = {"min_gap": HOUR, "per_hour": 100, "per_day": 100} | pacing
    return send_in_thought(
        stories,
        pacing=Pacing(**fast),
        limits=Limits(daily=None, monthly=None),
        reads=0,
        since=BEGIN,
        until=BEGIN + until,
    )


def story(price: int, *, after: float = 0, life: float = 100, priority: int = 5) -> Story:
    at = BEGIN + after * HOUR
    return Story(at=at, feed="a", prices=(price,), expires_at=at + life * HOUR, priority=priority)


def test_nothing_is_sent_in_quiet_hours_and_what_ends_there_expires():
    night = QuietHours(spans=(parse_quiet("23:00-07:00"),))
    stories = [story(1), story(1), story(1, life=5)]
    assert sent(stories, 8 * HOUR, quiet=night, min_gap=HOUR) == Outcome(
        posts=1, expired=1, waiting=1, micros=1
    )
    assert sent(stories, 10 * HOUR, quiet=night).posts == 2
    assert sent(stories, 4 * HOUR).posts == 3


@pytest.mark.parametrize(
    ("order", "micros"), [(Order.OLDEST, 100 + 10_000 + 1), (Order.NEWEST, 100 + 10_000 + 10)]
)
def test_the_highest_priority_goes_first_and_then_by_the_order_asked_for(order, micros):
    # The prices tell which were sent: a first one at once, then two of the four that wait.
    stories = [
        story(100),
        story(1, after=0.1),
        story(10, after=0.2),
        story(1000, after=0.3, priority=4),
        story(10_000, after=0.4, priority=6),
    ]
    assert sent(stories, 2.5 * HOUR, order=order).micros == micros
    assert sent(stories, 10 * HOUR, order=order).posts == 5


def test_every_fourth_is_the_one_that_waited_longest():
    stories = [story(1, priority=0), *(story(10, after=-0.0, priority=9) for _ in range(9))]
    assert sent(stories, 2.5 * HOUR).micros == 30
    assert sent(stories, 3.5 * HOUR).micros == 31, "the first that came, whatever its priority"
