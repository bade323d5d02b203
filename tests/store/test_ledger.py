from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.budget import Spent
from bot.core.model import Entry, Fresh, Post, Receipt
from bot.core.prices import Item
from bot.store import Store
from bot.store.outbox import State

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
TOMORROW = NOW + timedelta(days=1)
LINKED = 200_000
READ = 1_000


@pytest.fixture
def store():
    with Store.in_memory() as store:
        yield store


def row(store: Store, number: int) -> int:
    """Return the outbox row of a new story that is being sent."""
    with store.transaction():
        entry = store.entries.add(Entry(feed="a", title=f"Story {number}"), Fresh(), variant=number, now=NOW)
        store.outbox.queue(entry, "x", now=NOW, expires_at=TOMORROW)
        found = store.outbox.of_entry(entry)[0]
        text = f"Story {number} https://example.com/{number}"
        assert store.outbox.claim(found, Post(text=text, weight=31, limit=280, has_link=True), NOW)
    return found.id


def post(store: Store, outbox_id: int, now: datetime = NOW) -> None:
    with store.transaction():
        store.ledger.reserve(
            destination="x", item=Item.POST_WITH_URL, unit=LINKED, feed="a", outbox_id=outbox_id, now=now
        )


def read(store: Store, question: str = "", *, most: int = 5, now: datetime = NOW) -> int:
    with store.transaction():
        return store.ledger.reserve(
            destination="x", item=Item.READ_OWN_POST, unit=READ, most=most, question=question, now=now
        )


def answered(store: Store, ticket: int, *ids: str, now: datetime = LATER) -> None:
    with store.transaction():
        store.ledger.answered(ticket, ids, now)


def declined(store: Store, ticket: int) -> None:
    with store.transaction():
        store.ledger.declined(ticket, LATER)


def lose(store: Store, ticket: int) -> None:
    with store.transaction():
        store.ledger.lose(ticket, LATER)


def spent(store: Store, now: datetime = NOW) -> int:
    return store.ledger.spent(now).day


def test_what_is_set_aside_counts_until_it_is_known_not_to_have_been_spent(store):
    one, two = row(store, 1), row(store, 2)
    post(store, one)
    post(store, two)
    assert spent(store) == 2 * LINKED
    with store.transaction():
        assert store.ledger.charge_post(one, LATER)
        assert store.ledger.release_post(two, LATER)
        assert not store.ledger.charge_post(two, LATER), "nothing is set aside any more"
        assert not store.ledger.release_post(one, LATER)
    assert spent(store) == LINKED


def test_a_post_counts_to_the_day_of_its_call_whenever_it_is_settled(store):
    one = row(store, 1)
    post(store, one)
    with store.transaction():
        store.ledger.charge_post(one, TOMORROW)
    assert store.ledger.spent(NOW) == Spent(day=LINKED, month=LINKED)
    assert store.ledger.spent(TOMORROW) == Spent(day=0, month=0), "another month begins"


@pytest.mark.parametrize(
    ("state", "counts"),
    [
        (State.SENT, LINKED),
        (State.UNCONFIRMED, LINKED),
        (State.UNKNOWN, LINKED),
        (State.REFUSED, 0),
        (State.DROPPED, 0),
        (State.QUEUED, 0),
    ],
)
def test_what_a_person_or_the_outbox_decided_of_a_post_is_taken_over_at_the_next_start(store, state, counts):
    one = row(store, 1)
    post(store, one)
    with store.transaction():
        if state is State.SENT:
            store.outbox.settle_sent(one, Receipt(remote_id="1"), LATER)
        elif state is State.QUEUED:
            store.outbox.put_back(one, None, LATER)
        else:
            store.outbox.settle(one, state, None, LATER)
        assert store.ledger.recover(LATER) == 0
    assert spent(store) == counts


def test_an_attempt_of_which_nothing_was_said_counts_beside_the_next(store):
    one = row(store, 1)
    post(store, one)
    post(store, one)
    assert spent(store) == 2 * LINKED
    with store.transaction():
        store.ledger.release_post(one, LATER)
    assert spent(store) == LINKED


def test_a_resource_is_charged_once_a_utc_day(store):
    answered(store, read(store), "1", "2")
    assert spent(store) == 2 * READ
    answered(store, read(store), "1", "2", "3")
    assert spent(store) == 3 * READ
    answered(store, read(store, now=TOMORROW), "1", now=TOMORROW)
    assert spent(store, TOMORROW) == READ


def test_a_call_that_was_declined_costs_nothing(store):
    declined(store, read(store))
    assert spent(store) == 0


def test_what_was_declined_says_nothing_of_a_lost_call_and_an_empty_answer_does(store):
    lose(store, read(store, "since 7"))
    declined(store, read(store, "since 7"))
    assert spent(store) == 5 * READ
    answered(store, read(store, "since 7"))
    assert spent(store) == 0, "there was nothing to read, so the lost call has brought nothing"


def test_calls_that_were_lost_with_the_same_question_on_one_day_count_once(store):
    for _ in range(3):
        lose(store, read(store, "since 7"))
    lose(store, read(store, "since 9"))
    lose(store, read(store))
    read(store, "since 7")
    with store.transaction():
        store.ledger.recover(LATER)
    assert spent(store) == 15 * READ, "since 7, since 9, and one that nobody can tell from others"
    lose(store, read(store, "since 7", now=TOMORROW))
    assert (spent(store), spent(store, TOMORROW)) == (15 * READ, 5 * READ)


def test_a_lost_read_counts_whole_until_the_same_is_read_again_that_day(store):
    ticket = read(store, "since 7")
    lose(store, ticket)
    assert spent(store) == 5 * READ
    answered(store, read(store, "since 9"), "10")
    assert spent(store) == 6 * READ, "another question says nothing of it"
    answered(store, read(store, "since 7"), "8", "10")
    assert spent(store) == 2 * READ, "X charges what both brought once"


def test_a_full_page_settles_no_lost_read_for_the_lost_one_may_have_brought_others(store):
    lose(store, read(store, "newest"))
    answered(store, read(store, "newest"), "1", "2", "3", "4", "5")
    assert spent(store) == 10 * READ


def test_an_answer_on_another_day_settles_no_lost_read(store):
    lose(store, read(store, "since 7"))
    answered(store, read(store, "since 7", now=TOMORROW), "8", now=TOMORROW)
    assert spent(store) == 5 * READ
    assert spent(store, TOMORROW) == READ


def test_who_the_account_is_is_one_resource_and_settles_what_was_lost(store):
    def me() -> int:
        with store.transaction():
            return store.ledger.reserve(
                destination="x", item=Item.READ_USER, unit=10_000, question="me", now=NOW
            )

    lose(store, me())
    assert spent(store) == 10_000
    answered(store, me(), "42")
    lose(store, me())
    assert spent(store) == 10_000


def test_a_lost_deletion_is_settled_by_one_that_finds_the_post_and_stays_when_it_is_gone(store):
    def deletion(of: str) -> int:
        with store.transaction():
            return store.ledger.reserve(destination="x", item=Item.DELETE, unit=5_000, question=of, now=NOW)

    lose(store, deletion("delete 1"))
    lose(store, deletion("delete 2"))
    answered(store, deletion("delete 1"), "1")
    lose(store, deletion("delete 2"))
    declined(store, deletion("delete 2"))
    lose(store, deletion("delete 1"))
    assert spent(store) == 10_000, "a post is deleted once"


def test_a_read_that_a_crash_interrupted_is_lost_and_may_still_be_answered(store):
    ticket = read(store)
    with store.transaction():
        assert store.ledger.recover(LATER) == 1
    assert spent(store) == 5 * READ
    answered(store, ticket, "1")
    assert spent(store) == READ


def test_old_months_are_kept_as_sums_and_what_was_read_is_forgotten(store):
    september = datetime(2026, 9, 30, 23, tzinfo=UTC)
    october = datetime(2026, 10, 31, 23, tzinfo=UTC)
    answered(store, read(store, now=september), "1", "2", now=september)
    lose(store, read(store, most=7, now=september))
    answered(store, read(store, now=october), "1", now=october)
    answered(store, read(store), "1", "2")
    before = store.ledger.months()
    assert before == {"2026-09": 9 * READ, "2026-10": READ, "2026-11": 2 * READ}
    with store.transaction():
        store.ledger.tidy(NOW)
        store.ledger.tidy(NOW)
    assert store.ledger.months() == before
    assert store.ledger.began() == october, "the rows of this month and the last stay"
    answered(store, read(store), "1")
    assert store.ledger.months() == before, "what was read today is still known"


def test_a_late_row_of_a_month_that_was_summed_up_is_added_to_it(store):
    july = datetime(2026, 7, 31, 23, tzinfo=UTC)
    one = row(store, 1)
    answered(store, read(store, now=july), "1", now=july)
    post(store, one, july)
    with store.transaction():
        store.ledger.tidy(NOW)
    assert store.ledger.months() == {"2026-07": READ + LINKED}, "a post of unknown fate is no sum yet"
    with store.transaction():
        store.ledger.charge_post(one, NOW)
        store.ledger.tidy(NOW)
    assert store.ledger.months() == {"2026-07": READ + LINKED}
    assert store.ledger.began() is None


def test_lines_sum_by_item_and_feed(store):
    one, two = row(store, 1), row(store, 2)
    post(store, one)
    post(store, two)
    with store.transaction():
        store.ledger.charge_post(one, LATER)
    answered(store, read(store), "1", "2")
    lose(store, read(store))
    first, second = store.ledger.lines(NOW, TOMORROW)
    assert (first.item, first.feed, first.calls, first.charged, first.reserved) == (
        *(Item.POST_WITH_URL, "a", 2),
        *(LINKED, LINKED),
    )
    assert (second.item, second.feed, second.resources, second.charged, second.lost) == (
        *(Item.READ_OWN_POST, None, 2),
        *(2 * READ, 5 * READ),
    )
    assert store.ledger.lines(TOMORROW, TOMORROW + timedelta(days=1)) == []
