from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.model import Entry, Fresh, Post, Receipt
from bot.core.pacing import Order, Turns
from bot.store import Store
from bot.store.outbox import State, WaitsFor

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
POST = Post(text="Ferry is back https://a.example/1", weight=37, limit=280, has_link=True)
HOUR = timedelta(hours=1)


def saying(number: int) -> Post:
    return Post(text=f"Story {number}", weight=9, limit=280, has_link=False)


@pytest.fixture
def store():
    with Store.in_memory() as made:
        yield made


def queue(store: Store, number: int = 1, at: datetime = NOW) -> int:
    with store.transaction():
        entry = Entry(feed="a", guid=str(number), link=f"https://a.example/{number}", title=f"Story {number}")
        entry_id = store.entries.add(entry, Fresh(), variant=number, now=at)
        assert store.outbox.queue(entry_id, "x", now=at, expires_at=at + timedelta(days=3))
    return entry_id


def test_a_story_is_queued_once_for_a_destination(store):
    entry_id = queue(store)
    with store.transaction():
        assert not store.outbox.queue(entry_id, "x", now=NOW, expires_at=NOW + HOUR)
        assert store.outbox.queue(entry_id, "elsewhere", now=NOW, expires_at=NOW + HOUR)
    assert len(store.outbox.rows()) == 2


def test_rows_of_one_destination_are_not_crowded_out_by_those_of_another(store):
    first = queue(store, 1)
    with store.transaction():
        store.outbox.queue(first, "elsewhere", now=NOW, expires_at=NOW + HOUR)
    queue(store, 2)
    queue(store, 3)
    found = store.outbox.rows({State.QUEUED}, 1, destination="elsewhere")
    assert [(row.destination, row.entry_id) for row in found] == [("elsewhere", first)]


def test_the_longest_waiting_row_is_due_first(store):
    queue(store, 1, NOW)
    queue(store, 2, NOW - HOUR)
    assert store.entries.get(store.outbox.due("x", NOW).entry_id).entry.title == "Story 2"
    assert store.outbox.due("elsewhere", NOW) is None


def test_the_pacing_looks_at_the_last_day_and_not_at_all_that_was_ever_sent(store):
    for number in range(500):
        queue(store, number, NOW - timedelta(days=500 - number))
    steps = []
    with store.transaction():
        for row in store.outbox.rows(limit=1000):
            store.outbox.claim(row, saying(row.id), row.queued_at)
            store.outbox.settle_sent(row.id, Receipt(remote_id=str(row.id)), row.queued_at)
    store._db.conn.set_progress_handler(lambda: steps.append(1), 1)
    assert len(store.outbox.claimed_since("x", NOW - timedelta(days=1, hours=1))) == 1
    store._db.conn.set_progress_handler(None, 0)
    assert len(steps) < 500, "steps of SQLite's machine: several for each row that is looked at"


def test_a_row_is_claimed_once_and_carries_its_text(store):
    queue(store)
    row = store.outbox.due("x", NOW)
    with store.transaction():
        assert store.outbox.claim(row, POST, NOW)
        assert not store.outbox.claim(row, POST, NOW)
    claimed = store.outbox.get(row.id)
    assert (claimed.state, claimed.text, claimed.weight, claimed.has_link) == (
        State.SENDING,
        POST.text,
        37,
        True,
    )
    assert claimed.attempt == 1
    assert store.outbox.due("x", NOW) is None


def test_what_a_crash_left_in_sending_becomes_unknown_and_is_not_due(store):
    queue(store)
    row = store.outbox.due("x", NOW)
    with store.transaction():
        store.outbox.claim(row, POST, NOW)
    with store.transaction():
        assert store.unknowns.recover("elsewhere", NOW + HOUR) == []
        assert store.outbox.get(row.id).state is State.SENDING
        assert store.unknowns.recover("x", NOW + HOUR) == [row.id]
        assert store.unknowns.recover("x", NOW + HOUR) == []
    found = store.outbox.get(row.id)
    assert found.state is State.UNKNOWN
    assert "stopped" in found.reason
    assert store.outbox.due("x", NOW + HOUR) is None


def test_a_row_that_certainly_did_not_go_out_waits_and_is_due_again(store):
    queue(store)
    row = store.outbox.due("x", NOW)
    with store.transaction():
        store.outbox.claim(row, POST, NOW)
        store.outbox.put_back(row.id, "no connection", NOW + HOUR)
    assert store.outbox.due("x", NOW) is None
    assert store.outbox.next_not_before("x") == NOW + HOUR
    assert store.outbox.due("x", NOW + HOUR).id == row.id
    assert store.outbox.claimed_since("x", NOW - HOUR) == []


def test_pacing_counts_what_went_out_or_may_have(store):
    for number, state in enumerate(("sent", "unknown", "refused", "queued"), start=1):
        queue(store, number)
        row = store.outbox.due("x", NOW)
        with store.transaction():
            store.outbox.claim(row, saying(number), NOW + timedelta(minutes=number))
            if state == "sent":
                store.outbox.settle_sent(row.id, Receipt(remote_id="7", url="https://x.example/7"), NOW)
            elif state == "queued":
                store.outbox.put_back(row.id, None, NOW)
            else:
                store.outbox.settle(row.id, State(state), "why", NOW)
    assert store.outbox.claimed_since("x", NOW) == [NOW + timedelta(minutes=1), NOW + timedelta(minutes=2)]
    assert store.outbox.counts() == {State.SENT: 1, State.UNKNOWN: 1, State.REFUSED: 1, State.QUEUED: 1}


def test_what_waited_too_long_expires_with_a_reason(store):
    queue(store, 1, NOW - timedelta(days=4))
    queue(store, 2)
    with store.transaction():
        assert len(store.outbox.expire("x", NOW)) == 1
    expired = store.outbox.rows([State.EXPIRED])
    assert [row.settled_at for row in expired] == [NOW]
    assert "96 hours" in expired[0].reason
    assert store.outbox.counts()[State.QUEUED] == 1


def test_a_failed_transaction_leaves_nothing_behind(store):
    queue(store)

    def fail():
        with store.transaction():
            row = store.outbox.due("x", NOW)
            store.outbox.claim(row, POST, NOW)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert store.outbox.due("x", NOW).state is State.QUEUED


@pytest.mark.parametrize("order", list(Order))
def test_the_store_takes_turns_as_the_core_does(store, order):
    draw = random.Random(7)
    for number in range(60):
        queue(store, number, NOW - draw.randrange(5) * HOUR)
    with store.transaction():
        for number in range(1, 61):
            store._db.execute(
                "update outbox set priority = ?, sources = ?, not_before = ? where id = ?",
                [
                    draw.randrange(10),
                    draw.randrange(1, 4),
                    (NOW + draw.randrange(3) * HOUR).timestamp(),
                    number,
                ],
            )
    turns = Turns(store.outbox.queued("x"), order, store.outbox.turns("x"))
    for now in (NOW, NOW + HOUR, NOW + 2 * HOUR):
        while True:
            assert store.outbox.shape("x", now).expires == turns.shape(now).expires
            due, row = store.outbox.due("x", now, order), turns.take(now)
            assert due == row
            if due is None:
                break
            turns.sent()
            with store.transaction():
                store.outbox.claim(due, saying(due.id), now)
                store.outbox.settle_sent(due.id, Receipt(remote_id=str(due.id)), now)
    assert store.outbox.counts() == {State.SENT: 60}


def test_ten_thousand_rows_that_wait_cost_the_loop_little(store):
    with store.transaction():
        for number in range(10_000):
            entry = Entry(feed="a", guid=str(number), title=f"Story {number}")
            entry_id = store.entries.add(entry, Fresh(), variant=number, now=NOW)
            store.outbox.queue(entry_id, "x", now=NOW, expires_at=NOW + HOUR, priority=number % 10)
    steps = []

    def cost(ask):
        steps.clear()
        store._db.conn.set_progress_handler(lambda: steps.append(1), 1)
        ask()
        store._db.conn.set_progress_handler(None, 0)
        return len(steps)

    assert cost(lambda: store.outbox.next_not_before("x")) < 100, "steps of SQLite's machine"
    with store.transaction():
        assert cost(lambda: store.outbox.expire("x", NOW)) < 100
    # Each post asks once how many were begun, which reads every row: seven steps each, a few milliseconds.
    assert cost(lambda: store.outbox.due("x", NOW)) - cost(lambda: store.outbox.turns("x")) < 200
    assert cost(lambda: store.outbox.due("x", NOW, Order.NEWEST)) < 250_000


@pytest.mark.parametrize("what", ["another copy", "a person"])
def test_what_was_read_of_a_row_decides_nothing_once_it_is_another(store, what):
    """The poll of a preferred feed, or a person, may change a row while its post is got ready."""
    entry_id = queue(store)
    better = queue(store, 2)
    row = store.outbox.due("x", NOW)
    assert row.entry_id == entry_id
    with store.transaction():
        store._db.execute("delete from outbox where entry_id = ?", [better])
        if what == "a person":
            store.outbox.settle(row.id, State.DROPPED, "decided by hand", NOW)
        else:
            store.better_copies.replace(
                row, better, priority=5, expires_at=row.expires_at, reason="a better copy", now=NOW
            )
    before = store.outbox.get(row.id)
    with store.transaction():
        assert not store.outbox.defer(row, "no room", NOW + HOUR, WaitsFor.BUDGET)
        assert not store.outbox.refuse(row, "no post can be made of it", NOW)
        assert not store.outbox.claim(row, POST, NOW)
    assert store.outbox.get(row.id) == before
    if what == "another copy":
        assert store.outbox.due("x", NOW) == before
        with store.transaction():
            assert store.outbox.defer(before, "no room", NOW + HOUR, WaitsFor.BUDGET)
            assert store.outbox.refuse(before, "no post can be made of it", NOW)
        assert store.outbox.get(row.id).state is State.REFUSED
