"""What is kept for the pages: the balance and what repeats saved, each repeat reckoned once, and what traces say."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.balance import Savings, look
from bot.web import kept


def test_the_kept_balance_is_the_one_that_is_reckoned_at_once(bot):
    with bot.store() as store:
        whole = look(store, bot.config, bot.now)
    found = bot.desk().balance.at(bot.now)
    assert sum(cost.repeats for cost in whole.feeds.values()) > 0
    assert found.is_saved_known
    assert found.feeds == whole.feeds


def test_nobody_waits_for_many_repeats_and_the_page_says_that_more_come(bot, monkeypatch):
    monkeypatch.setattr(kept, "AT_ONCE", 0)
    balance = bot.desk().balance
    balance.end()  # nothing behind the page
    found = balance.at(bot.now)
    assert not found.is_saved_known
    assert sum(cost.repeats for cost in found.feeds.values()) == 0


def test_a_repeat_is_reckoned_once_and_forgotten_when_its_month_is_over(bot):
    savings = Savings(bot.config)
    with bot.store() as store:
        behind = savings.behind(store, bot.now)
        savings.learn(store, behind)
        assert behind
        assert savings.behind(store, bot.now) == []
        later = bot.now + timedelta(days=40)
        assert savings.by_feed(store, later) == {}
        savings.forget_others(store, later)
        assert savings.behind(store, bot.now) == behind


@pytest.mark.parametrize("bound", [0, 1000])
def test_what_was_measured_is_the_same_when_it_is_read_again(bot, monkeypatch, bound):
    monkeypatch.setattr(kept, "LIKENESSES", bound)
    desk = bot.desk()
    with desk.reading() as store:
        first = desk.likenesses.newest(store, bot.now - timedelta(days=90), 100)
        again = desk.likenesses.newest(store, bot.now - timedelta(days=90), 100)
    assert first == again
    assert {"duplicate"} <= {one["verdict"] for one in first}
    assert all(one["points"] is not None for one in first)


def test_what_was_measured_is_not_read_twice(bot):
    known = {}
    with bot.desk().reading() as store:
        since = bot.now - timedelta(days=90)
        store.stories.likenesses(since, 100, known)
        asked = []
        store._db.conn.set_trace_callback(asked.append)
        store.stories.likenesses(since, 100, known)
        store._db.conn.set_trace_callback(None)
    assert known
    assert not any("trace" in query for query in asked)


def test_days_that_are_over_are_counted_once_an_hour_and_today_always(bot):
    days = kept.KeptDays()
    since = bot.now - timedelta(days=30)
    with bot.desk().reading() as store:
        tomorrow = bot.now + timedelta(days=1)
        first = days.since(store, since, tomorrow)
        assert first == store.stories.by_day(since.replace(hour=0, minute=0, second=0, microsecond=0))
        asked = []
        store._db.conn.set_trace_callback(asked.append)
        assert days.since(store, since, tomorrow + timedelta(minutes=59)) == first
        assert len(asked) == 1  # today
        assert days.since(store, since, tomorrow + timedelta(minutes=61)) == first
        assert len(asked) == 3
        store._db.conn.set_trace_callback(None)
