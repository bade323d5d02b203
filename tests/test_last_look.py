"""What was given up is looked for once more 15 minutes later, and nothing waits for that."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.reconciling import LAST_CHANCE
from bot.settling import LAST_LOOK
from bot.simulated_x import TIMELINE, Rules, SimulatedX, answering
from bot.store import Store
from tests.publishing_desk import Desk
from tests.test_reconciling import Money, again, lost, reads

NOTHING = answering(200, {"meta": {"result_count": 0}})
"""What a timeline shows that lags behind."""


@pytest.fixture
def x():
    with SimulatedX(["newsbot", "other"], rules=Rules(duplicate_filter=False)) as made:
        yield made


@pytest.fixture
def desk(x):
    with Store.in_memory() as store:
        yield Desk(x, store, budget=Money())


def give_up(desk: Desk) -> None:
    """Let the fate of a row become unknown three times, with nothing of it on the account."""
    lost(desk, "lost_request", "lost_request", "lost_request")
    desk.go_on(6)
    assert desk.states() == ["unconfirmed"]


def unverified(desk: Desk) -> None:
    """Let X say "duplicate" of a post that its timeline does not show."""
    desk.x.put("One https://example.com/0 #news")
    desk.x.rules = Rules(duplicate_filter=True)
    desk.x.faults.next(NOTHING, NOTHING, NOTHING, on=TIMELINE)
    desk.queue("One")
    desk.publishing.drain()
    desk.go_on(2)
    row = desk.store.outbox.rows()[0]
    assert (row.state, row.verified, row.remote_id) == ("sent", False, None)


def shows(desk: Desk) -> None:
    desk.x.put(desk.store.outbox.rows()[0].text)


def test_a_post_that_shows_minutes_later_is_sent_and_charged(desk):
    money = desk.publishing._budget
    give_up(desk)
    claimed = desk.store.outbox.rows()[0].claimed_at
    assert money.told[-1] == ("reserve", 1), "what it may have cost stays set aside"
    shows(desk)
    desk.go_on()
    assert desk.now == claimed + LAST_LOOK
    assert desk.states() == ["sent"]
    assert money.told[-1] == ("charge", 1)
    assert desk.reports[-1].row.remote_id == desk.x.posts()[0].id
    assert desk.publishing.next_at(desk.now) is None


def test_what_does_not_show_is_looked_for_once_and_left_to_a_person(desk):
    give_up(desk)
    before = reads(desk.x)
    desk.go_on()
    assert desk.states() == ["unconfirmed"]
    assert "nor was it there at" in desk.store.outbox.rows()[0].reason
    assert desk.publishing._budget.told[-1] == ("release", 1)
    assert desk.publishing.next_at(desk.now) is None
    assert reads(desk.x) == before + 1


def test_what_x_called_a_duplicate_gets_its_number(desk):
    unverified(desk)
    desk.go_on()
    row = desk.store.outbox.rows()[0]
    assert (row.state, row.verified, row.remote_id) == ("sent", True, desk.x.posts()[0].id)


def test_nothing_waits_for_it(desk):
    give_up(desk)
    desk.queue("Two")
    now = desk.now
    desk.publishing.drain()
    assert desk.now == now
    assert desk.states() == ["unconfirmed", "sent"]


def test_an_unreadable_account_stops_nothing_and_is_asked_again(desk):
    give_up(desk)
    shows(desk)
    desk.x.faults.next("error_before", "429", on=TIMELINE)
    desk.go_on()
    assert desk.store.outbox.paused("x") is None
    desk.queue("Two")
    desk.publishing.drain()
    assert desk.states() == ["unconfirmed", "sent"]
    first = desk.now
    desk.go_on()
    assert desk.now == first + timedelta(minutes=1)
    desk.go_on()
    assert desk.states() == ["sent", "sent"]


def test_another_process_does_it_and_a_day_later_none(desk):
    give_up(desk)
    shows(desk)
    claimed = desk.store.outbox.rows()[0].claimed_at
    second = again(desk)
    assert second.publishing.next_at(second.now) == claimed + LAST_LOOK
    second.now += LAST_CHANCE
    assert second.publishing.next_at(second.now) is None
    second.now = claimed + LAST_LOOK
    second.publishing.drain()
    assert second.states() == ["sent"]


def test_what_may_be_on_another_account_is_not_looked_for(desk):
    give_up(desk)
    other = again(desk, user="other")
    other.go_on()
    assert other.states() == ["unconfirmed"]
    assert "nor was it" not in other.store.outbox.rows()[0].reason
    assert other.publishing.next_at(other.now) is None


@pytest.mark.parametrize("decided", ["dropped", "sent", "queued"])
def test_a_person_may_decide_meanwhile(desk, decided):
    give_up(desk)
    row = desk.store.outbox.rows()[0]
    desk.now = row.claimed_at + LAST_LOOK
    ask = desk.publishing._publisher.own_posts

    def meanwhile(since_id, limit):
        with desk.store.transaction():
            if decided == "queued":
                desk.store.outbox.requeue(row.id, "again", now=desk.now + timedelta(hours=1), max_age=None)
            else:
                desk.store.outbox.settle(row.id, decided, "a person says so", desk.now)
        return ask(since_id, limit)

    desk.publishing._publisher.own_posts = meanwhile
    desk.publishing.drain()
    assert desk.states() == [decided]
    assert desk.store.outbox.rows()[0].reason in {"again", "a person says so"}
