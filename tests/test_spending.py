from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from bot.core.budget import Limits
from bot.core.model import Entry, Fresh, Post
from bot.core.prices import Item, price_list
from bot.errors import OutOfBudget, OutOfCredit, PublishError
from bot.simulated_x import SimulatedX
from bot.simulated_x.faults import DELETE, ME, TIMELINE
from bot.spending import SAME_STOP, WITHOUT_CREDIT, Spending
from bot.store import Store
from bot.x_client import XClient

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
LINKED = Post(text="a https://example.com/a", weight=25, limit=280, has_link=True)
PLAIN = Post(text="a", weight=1, limit=280, has_link=False)
DOLLAR = 1_000_000
FREE = Limits(daily=None, monthly=None)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store():
    with Store.in_memory() as store:
        yield store


@pytest.fixture
def x(clock):
    with SimulatedX(clock=clock, credit=Decimal(10)) as simulated:
        yield simulated


def spending(store: Store, clock: Clock, limits: Limits = FREE) -> Spending:
    return Spending(store, destination="x", prices=price_list(), limits=limits, clock=clock)


def client(x: SimulatedX, meter: Spending, clock: Clock) -> XClient:
    return XClient(x.credentials(), base_url=x.base_url, meter=meter, clock=clock, read_timeout=2)


def row(store: Store, number: int = 1) -> int:
    with store.transaction():
        entry = store.entries.add(Entry(feed="a", title=str(number)), Fresh(), variant=number, now=NOW)
        store.outbox.queue(entry, "x", now=NOW, expires_at=MIDNIGHT)
        found = store.outbox.of_entry(entry)[0]
        post = Post(text=str(number), weight=1, limit=280, has_link=False)
        assert store.outbox.claim(found, post, NOW)
    return found.id


def spent(store: Store, now: datetime = NOW) -> Decimal:
    return Decimal(store.ledger.spent(now).day) / DOLLAR


def test_a_post_is_set_aside_when_it_is_claimed_and_waits_when_there_is_no_room(store, clock):
    money = spending(store, clock, Limits(daily=300_000, monthly=None))
    assert money.allowed_at(LINKED, NOW) == NOW
    one = row(store)
    with store.transaction():
        money.reserve(one, "a", LINKED, NOW)
    assert money.allowed_at(LINKED, NOW) == MIDNIGHT
    assert money.allowed_at(PLAIN, NOW) == NOW, "a post without a link still fits"
    with store.transaction():
        money.release(one, NOW)
    assert money.allowed_at(LINKED, NOW) == NOW


def test_a_reservation_that_is_rolled_back_with_its_claim_leaves_nothing(store, clock):
    money = spending(store, clock)
    one = row(store)

    def crash() -> None:
        with store.transaction():
            money.reserve(one, "a", LINKED, NOW)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        crash()
    assert spent(store) == 0


def test_what_the_reads_cost_is_what_x_charges(store, clock, x):
    money = spending(store, clock)
    reader = client(x, money, clock)
    x.put("one")
    reader.me()
    reader.me()
    assert [post.text for post in reader.own_posts()] == ["one"]
    x.put("two")
    assert len(reader.own_posts()) == 2
    assert spent(store) == x.account.spent == Decimal("0.012")
    clock.now = MIDNIGHT
    reader.own_posts()
    assert spent(store, MIDNIGHT) == Decimal("0.002")
    assert x.account.spent == Decimal("0.014")


def test_a_lost_read_is_settled_exactly_when_it_is_read_again(store, clock, x):
    reader = client(x, spending(store, clock), clock)
    x.put("one")
    for fault in ("lost_response", "error_after", "error_before", "reset_before", "cut", "half"):
        x.faults.next(fault, on=TIMELINE)
        with pytest.raises(PublishError):
            reader.own_posts(limit=20)
    assert spent(store) >= x.account.spent, "until then it counts what it may have cost"
    reader.own_posts(limit=20)
    assert spent(store) == x.account.spent == Decimal("0.001")


def test_a_lost_read_that_fills_the_day_is_asked_again_and_makes_room(store, clock, x):
    money = spending(store, clock, Limits(daily=20_000, monthly=None))
    reader = client(x, money, clock)
    for _ in range(3):
        x.faults.next("lost_request", on=TIMELINE)
        with pytest.raises(PublishError):
            reader.own_posts(limit=20)
        assert spent(store) == Decimal("0.02"), "one page, however often it was asked for"
    assert money.allowed_at(PLAIN, NOW) == MIDNIGHT
    with pytest.raises(OutOfBudget):
        reader.me()
    x.faults.next("402", on=TIMELINE)
    with pytest.raises(OutOfCredit):
        reader.own_posts(limit=20)
    with pytest.raises(OutOfBudget):
        reader.own_posts(limit=20)
    assert spent(store) == Decimal("0.02"), "a refusal says nothing of the lost ones"
    clock.now += WITHOUT_CREDIT
    assert reader.own_posts(limit=20) == []
    assert spent(store) == x.account.spent == 0
    assert money.allowed_at(PLAIN, clock.now) == clock.now


@pytest.mark.parametrize("fault", ["lost_request", "lost_response"])
def test_a_lost_deletion_that_is_repeated_is_charged_once(store, clock, x, fault):
    deleter = client(x, spending(store, clock), clock)
    post = x.put("one")
    x.faults.next(fault, on=DELETE)
    with pytest.raises(PublishError):
        deleter.delete_post(post.id)
    assert deleter.delete_post(post.id) == (fault == "lost_request")
    assert spent(store) == x.account.spent == Decimal("0.005")


@pytest.mark.parametrize("fault", ["429", "401", "402"])
def test_a_call_that_x_declined_costs_nothing(store, clock, x, fault):
    reader = client(x, spending(store, clock), clock)
    x.faults.next(fault, on=ME)
    with pytest.raises(PublishError):
        reader.me()
    assert spent(store) == x.account.spent == 0


def test_a_read_without_room_is_not_made(store, clock, x):
    reader = client(x, spending(store, clock, Limits(daily=9_999, monthly=None)), clock)
    with pytest.raises(OutOfBudget) as caught:
        reader.me()
    assert caught.value.retry_at == MIDNIGHT
    assert "; reading the account waits until" in str(caught.value)
    with pytest.raises(OutOfBudget, match="; deleting waits until"):
        client(x, spending(store, clock, Limits(daily=4_999, monthly=None)), clock).delete_post("1")
    assert x.log == []


def test_without_credit_nothing_is_called_and_one_alert_says_so(store, clock, x, caplog):
    money = spending(store, clock)
    caller = client(x, money, clock)
    x.account.credit = Decimal(0)
    with caplog.at_level(logging.INFO, logger="bot"):
        with pytest.raises(OutOfCredit):
            caller.create_post("a post")
        calls = len(x.log)
        for ask in (caller.me, caller.own_posts, lambda: caller.delete_post("1")):
            with pytest.raises(OutOfBudget) as caught:
                ask()
            assert caught.value.retry_at == NOW + WITHOUT_CREDIT
        assert money.allowed_at(PLAIN, NOW) == NOW + WITHOUT_CREDIT
        assert len(x.log) == calls, "no paid call of any kind"
        for _ in range(3):  # a probe an hour
            clock.now += WITHOUT_CREDIT
            with pytest.raises(OutOfCredit):
                caller.me()
    alerts = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(alerts) == 1
    assert alerts[0].levelno == logging.ERROR


def test_spending_goes_on_when_a_call_is_taken_and_a_later_stop_is_told_again(store, clock, x, caplog):
    money = spending(store, clock)
    caller = client(x, money, clock)
    for _ in range(2):
        x.account.credit = Decimal(0)
        with pytest.raises(OutOfCredit):
            caller.me()
        clock.now += WITHOUT_CREDIT
        x.account.credit = Decimal(5)
        caller.me()
        assert money.allowed_at(PLAIN, clock.now) == clock.now
    assert sum(record.levelno == logging.ERROR for record in caplog.records) == 2


def test_a_refusal_long_after_the_last_is_told_again(store, clock, caplog):
    money = spending(store, clock)
    money.out_of_credit("no credit")
    clock.now += WITHOUT_CREDIT + SAME_STOP + timedelta(seconds=1)
    money.out_of_credit("no credit")
    assert len(caplog.records) == 2


def test_a_stop_that_a_clock_set_back_made_endless_is_ended(store, clock):
    money = spending(store, clock)
    clock.now += timedelta(days=400)
    money.out_of_credit("no credit")
    clock.now = NOW
    assert money.allowed_at(PLAIN, NOW) == NOW + WITHOUT_CREDIT


def test_a_read_that_was_interrupted_is_told_and_counts_whole(store, clock, caplog):
    money = spending(store, clock)
    money.before(Item.READ_OWN_POST, 5)
    spending(store, clock).recover()
    assert "interrupted calls found" in caplog.text
    assert spent(store) == Decimal("0.005")
