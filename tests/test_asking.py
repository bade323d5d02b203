"""When each feed is due, in order, without a look at each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.asking import Plan
from bot.store.sources import SourceState

NOW = datetime(2026, 12, 3, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
NAMES = ("a", "b", "c")
HOSTS = {name: f"{name}.example" for name in NAMES}


def known(name: str, at: datetime, **more: object) -> SourceState:
    return SourceState(name=name, url=name, next_poll_at=at, **more)


def plan_of(*states: SourceState, closed: dict[str, datetime] | None = None, now: datetime = NOW) -> Plan:
    return Plan(
        {name: (name, HOUR) for name in NAMES},
        sources={state.name: state for state in states},
        closed=closed or {},
        clock=lambda: now,
        steady=None,
    )


def test_feeds_never_asked_come_first_then_those_due_for_longest_and_each_once():
    plan = plan_of(known("a", NOW - HOUR), known("b", NOW - 2 * HOUR))
    assert plan.next_at(HOSTS, NOW) == NOW
    assert plan.take_due(HOSTS, NOW) == ["c", "b", "a"]
    assert plan.take_due(HOSTS, NOW) == []
    assert plan.next_at(HOSTS, NOW) is None


def test_a_feed_is_given_again_after_its_poll_or_when_it_was_not_asked():
    plan = plan_of(*(known(name, NOW) for name in NAMES))
    plan.take_due(HOSTS, NOW)
    plan.note(known("a", NOW + HOUR))
    plan.put_back("b")
    assert plan.take_due(HOSTS, NOW) == ["b"]
    assert plan.next_at(HOSTS, NOW) == NOW + HOUR
    assert plan.take_due(HOSTS, NOW + HOUR) == ["a"]


def test_a_poll_out_of_turn_makes_the_old_time_void():
    plan = plan_of(*(known(name, NOW + HOUR) for name in NAMES))
    plan.note(known("a", NOW + 3 * HOUR))
    assert plan.take_due(HOSTS, NOW + 2 * HOUR) == ["b", "c"]
    assert plan.next_at(HOSTS, NOW + 2 * HOUR) == NOW + 3 * HOUR


def test_a_feed_that_is_gone_is_waited_for_no_more():
    plan = plan_of(known("a", NOW, gone_at=NOW), *(known(name, NOW + HOUR) for name in "bc"))
    assert plan.next_at(HOSTS, NOW) == NOW + HOUR
    plan.note(known("b", NOW + HOUR, gone_at=NOW))
    assert plan.take_due(HOSTS, NOW + 2 * HOUR) == ["c"]


def test_a_feed_whose_host_is_closed_is_due_when_it_opens():
    opens = NOW + timedelta(minutes=20)
    plan = plan_of(*(known(name, NOW) for name in NAMES), closed={"a.example": opens, "b.example": opens})
    assert plan.take_due(HOSTS, NOW) == ["c"]
    assert plan.next_at(HOSTS, NOW) == opens
    plan.close({"b.example": opens + HOUR})
    assert plan.take_due(HOSTS, opens) == ["a"]
    assert plan.next_at(HOSTS, opens) == opens + HOUR


def test_when_the_clock_went_back_by_years_all_are_due():
    plan = plan_of(*(known(name, NOW + HOUR) for name in NAMES))
    assert plan.take_due(HOSTS, NOW) == []
    assert sorted(plan.take_due(HOSTS, NOW - timedelta(days=1000))) == ["a", "b", "c"]
    assert plan_of(known("a", NOW + timedelta(days=1000))).take_due(HOSTS, NOW).count("a") == 1
