"""A story's journey out, through the real client, to a simulated X that goes wrong on purpose."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bot.composing import Prepared, Style
from bot.core.model import Entry, Fresh
from bot.core.pacing import Pacing
from bot.core.timing import LONGEST_PAUSE
from bot.preparing import NotYet, Preparing
from bot.publishing import FIRST_RETRY, LOCKED_OUT
from bot.simulated_x import Rules, SimulatedX, answering
from bot.store import Store
from bot.store.outbox import State
from tests.publishing_desk import START, Desk


@pytest.fixture
def x():
    with SimulatedX(rules=Rules(duplicate_filter=False)) as made:
        yield made


@pytest.fixture
def store():
    with Store.in_memory() as made:
        yield made


@pytest.fixture
def desk(x, store):
    return Desk(x, store)


def test_a_queued_story_is_composed_posted_and_settled(desk):
    desk.queue("The ferry is back")
    desk.publishing.run(desk.now)
    row = desk.store.outbox.rows()[0]
    assert row.state is State.SENT
    assert row.text == "The ferry is back https://example.com/0 #news"
    assert row.remote_url
    assert row.remote_id in row.remote_url
    assert len(desk.texts()) == 1
    assert [report.row.state for report in desk.reports] == ["sent"]


def test_each_run_sends_one_and_the_oldest_first(desk):
    desk.queue("One", "Two")
    desk.publishing.run(desk.now)
    assert desk.states() == ["sent", "queued"]
    assert desk.publishing.drain() == 1
    assert desk.states() == ["sent", "sent"]
    assert desk.publishing.next_at(desk.now) is None


def test_a_long_queue_does_not_keep_the_process_from_ending(desk):
    desk.queue("One", "Two", "Three")
    desk.stop_after = 1
    assert desk.publishing.drain() == 1
    assert desk.states() == ["sent", "queued", "queued"]


@pytest.mark.parametrize(
    "fault",
    [
        "lost_response",
        "error_after",
        "error_before",
        "reset_after",
        "half",
        "cut",
        "hang_after",
        "lost_request",
    ],
)
def test_what_may_have_gone_out_is_unknown_and_nothing_else_is_sent_before_it_is_known(desk, fault):
    desk.queue("One", "Two")
    desk.x.faults.next(fault)
    desk.publishing.run(desk.now)
    assert desk.states() == ["unknown", "queued"]
    stored = len(desk.texts())
    desk.now += timedelta(seconds=29)
    desk.publishing.drain()
    assert desk.states() == ["unknown", "queued"]
    assert len(desk.texts()) == stored <= 1
    assert desk.store.outbox.rows()[1].reason
    for _ in range(2):
        desk.now = desk.publishing.next_at(desk.now) or desk.now
        desk.publishing.drain()
    assert desk.states() == ["sent", "sent"]
    assert desk.texts() == ["One https://example.com/0 #news", "Two https://example.com/1 #news"]
    assert desk.store.outbox.rows()[1].reconciled == (stored == 1)


def test_a_rate_limit_puts_back_and_waits_for_the_reset(desk):
    desk.queue("One", "Two")
    desk.x.faults.next("429")
    desk.publishing.run(desk.now)
    assert desk.states() == ["queued", "queued"]
    assert desk.texts() == []
    retry_at = desk.publishing.next_at(desk.now)
    assert retry_at > desk.now + timedelta(minutes=1)
    desk.publishing.run(desk.now)
    assert len([r for r in desk.x.log if r.path.startswith("/2/tweets")]) == 1, "one request in the window"
    desk.now = retry_at
    assert desk.publishing.drain() == 2
    assert desk.states() == ["sent", "sent"]


@pytest.mark.parametrize("fault", ["401", "402"])
def test_without_credentials_or_credit_everything_waits_and_nothing_is_lost(desk, fault):
    desk.queue("One", "Two")
    desk.x.faults.next(fault)
    desk.publishing.run(desk.now)
    desk.publishing.run(desk.now + timedelta(minutes=30))
    assert desk.states() == ["queued", "queued"]
    assert desk.texts() == []
    desk.now += LOCKED_OUT
    assert desk.publishing.drain() == 2
    assert desk.states() == ["sent", "sent"]


def test_no_connection_puts_back_and_waits_longer_each_time(store):
    with SimulatedX() as x:
        desk = Desk(x, store)
        desk.queue("Zero")
        desk.publishing.drain()
    desk.queue("One", "Two")
    waits = []
    for _ in range(3):
        assert desk.publishing.drain() == 1, "the other would meet the same"
        at = desk.publishing.next_at(desk.now)
        waits.append(at - desk.now)
        desk.now = at
    assert waits == [FIRST_RETRY, 2 * FIRST_RETRY, 4 * FIRST_RETRY]
    assert desk.states() == ["sent", "queued", "queued"]
    assert [row.attempt for row in store.outbox.rows()] == [0, 3, 1]


def test_a_post_that_x_refuses_is_refused_for_good_and_the_next_goes_out(desk):
    desk.queue("One", "Two")
    desk.x.faults.next(
        answering(400, {"title": "Invalid Request", "detail": "One or more parameters is invalid."})
    )
    assert desk.publishing.drain() == 2
    assert desk.states() == ["refused", "sent"]


def test_xs_own_word_for_a_duplicate_is_looked_up_and_never_sent_again(store):
    with SimulatedX() as x:
        desk = Desk(x, store)
        desk.queue("One")
        desk.x.faults.next(
            answering(403, {"detail": "You are not allowed to create a Tweet with duplicate content."})
        )
        desk.publishing.drain()
        assert desk.states() == ["unknown"]
        assert "has this post already" in store.outbox.rows()[0].reason
        for _ in range(2):
            desk.now = desk.publishing.next_at(desk.now) or desk.now
            desk.publishing.drain()
        row = store.outbox.rows()[0]
        assert (row.state, row.verified, row.remote_id) == (State.SENT, False, None)
        assert "not verified" in row.reason
        assert desk.texts() == []
        # It shows after all: then its post is known.
        x.put(row.text)
        desk.queue("Two")
        again = Desk(x, store)
        again.now = desk.now
        again.publishing.drain()
        row = store.outbox.rows()[1]
        assert (row.verified, row.remote_id) == (True, x.posts()[0].id)


def test_the_same_words_wait_for_a_day_and_say_why(desk):
    desk.queue("Daily Briefing", "Daily Briefing", "Other", link=None, max_age=timedelta(days=3))
    desk.publishing.drain()
    assert desk.states() == ["sent", "queued", "sent"]
    waits = desk.store.outbox.rows()[1]
    assert waits.waits_for == "words"
    assert "same words went out as row 1" in waits.reason
    assert desk.publishing.next_at(desk.now) == desk.now + timedelta(hours=24)
    desk.now += timedelta(hours=24)
    desk.publishing.drain()
    assert desk.states() == ["sent"] * 3
    assert len(desk.texts()) == 3


def test_what_waited_too_long_expires_and_is_not_sent(desk):
    desk.queue("Stale", max_age=timedelta(hours=1))
    desk.queue("Fresh")
    desk.now += timedelta(hours=2)
    desk.publishing.drain()
    assert desk.states() == ["expired", "sent"]
    assert "hours in the queue" in desk.store.outbox.rows([State.EXPIRED])[0].reason


def test_an_entry_of_which_no_post_can_be_made_is_refused_with_the_reason(desk):
    desk.queue("", link=None)
    desk.queue("Fine")
    desk.publishing.drain()
    assert desk.states() == ["refused", "sent"]


@pytest.mark.parametrize(
    ("pacing", "hours", "most"),
    [
        (Pacing(min_gap=timedelta(minutes=20), per_hour=1000, per_day=1000), 2, 7),
        (Pacing(min_gap=timedelta(0), per_hour=3, per_day=1000), 2, 9),
        (Pacing(min_gap=timedelta(0), per_hour=1000, per_day=4), 23, 4),
    ],
)
def test_a_cap_defers_and_drops_nothing(x, store, pacing, hours, most):
    desk = Desk(x, store, pacing)
    desk.queue(*(f"Story {n}" for n in range(20)), max_age=timedelta(days=90))
    end = desk.now + timedelta(hours=hours)
    while (at := desk.publishing.next_at(desk.now)) is not None and at <= end:
        desk.now = max(at, desk.now)
        desk.publishing.run(desk.now)
    assert desk.states().count("sent") == most
    assert desk.states().count("queued") == 20 - most
    while (at := desk.publishing.next_at(desk.now)) is not None:
        desk.now = max(at, desk.now)
        desk.publishing.run(desk.now)
    assert desk.states() == ["sent"] * 20
    assert len(set(desk.texts())) == 20


def test_pacing_keeps_its_limits_in_every_window():
    pacing = Pacing(min_gap=timedelta(minutes=2), per_hour=5, per_day=30)
    claims: list[datetime] = []
    now = START
    for _ in range(100):
        now = pacing.earliest([c for c in claims if c > now - timedelta(days=1)], now)
        claims.append(now)
    for i, claim in enumerate(claims):
        assert sum(claim - timedelta(hours=1) < c <= claim for c in claims) <= 5
        assert sum(claim - timedelta(days=1) < c <= claim for c in claims) <= 30
        assert i == 0 or claim - claims[i - 1] >= timedelta(minutes=2)


def test_a_pause_outlives_the_process_and_a_clock_set_back(desk, x, store):
    desk.queue("One", "Two")
    x.faults.next("402")
    desk.publishing.run(desk.now)
    again = Desk(x, store)
    again.now = desk.now + timedelta(minutes=5)
    again.publishing.drain()
    assert len([r for r in x.log if r.method == "POST"]) == 1
    again.now = desk.now - timedelta(days=400)
    assert again.publishing.next_at(again.now) <= again.now + LONGEST_PAUSE


def test_claims_made_before_the_clock_was_set_back_hold_nothing_up_for_long():
    claims = [START + timedelta(days=300)]
    assert Pacing(min_gap=timedelta(minutes=5), per_hour=10, per_day=10).earliest(
        claims, START
    ) == START + timedelta(minutes=5)


@pytest.mark.parametrize("back", [timedelta(hours=1), timedelta(days=1), timedelta(days=400)])
def test_a_clock_that_was_set_back_holds_no_post_up(x, store, back):
    desk = Desk(x, store, Pacing(min_gap=timedelta(minutes=5), per_hour=10, per_day=10))
    desk.queue("One", "Two", "Three", max_age=timedelta(days=900))
    desk.publishing.drain()
    assert desk.states() == ["sent", "queued", "queued"]
    set_back = desk.now = desk.now - back
    desk.go_on(5)
    assert desk.states() == ["sent"] * 3
    assert desk.now - set_back <= timedelta(minutes=10), "two gaps of five minutes"
    assert len(desk.texts()) == 3


@pytest.mark.parametrize("back", [timedelta(hours=1), timedelta(days=1), timedelta(days=400)])
def test_a_pause_is_as_long_as_it_was_when_the_clock_is_set_back(x, store, back):
    desk = Desk(x, store)
    desk.queue("One", "Two", max_age=timedelta(days=900))
    x.faults.next("402")
    desk.publishing.drain()
    again = Desk(x, store)
    set_back = again.now = desk.now + timedelta(minutes=10) - back
    again.publishing.drain()
    assert again.texts() == []
    again.go_on(2)
    assert again.states() == ["sent"] * 2
    assert again.now - set_back <= LOCKED_OUT


def test_rows_that_wait_for_their_words_ask_anew_when_the_clock_is_set_back(desk):
    desk.queue("Daily Briefing", "Daily Briefing", link=None, max_age=timedelta(days=900))
    desk.publishing.drain()
    assert desk.states() == ["sent", "queued"]
    set_back = desk.now = desk.now - timedelta(days=300)
    desk.publishing.drain()
    assert desk.states() == ["sent", "queued"], "it was said less than a day ago"
    desk.go_on()
    assert desk.now - set_back <= timedelta(hours=25)
    assert desk.states() == ["sent", "sent"]


class SwitchedMeanwhile(Preparing):
    """While a post is got ready, a poll makes its row that of a better copy."""

    def __init__(self, store, answer):
        super().__init__()
        self.store, self.answer, self.better = store, answer, None

    def prepare(self, row, entry):
        if self.better is not None:
            return super().prepare(row, entry)
        with self.store.transaction():
            told = Entry(feed="a", title="Better", link="https://example.com/better")
            self.better = self.store.entries.add(told, Fresh(), variant=99, now=START)
            self.store.better_copies.replace(
                row, self.better, priority=5, expires_at=row.expires_at, reason="better", now=START
            )
        return self.answer


@pytest.mark.parametrize(
    ("answer", "link"),
    [
        (NotYet(reason="no short link yet", until=START + timedelta(hours=1)), "https://example.com/1"),
        (Prepared(), "https://example.com/1"),
        (Prepared(), None),
    ],
    ids=["not ready", "ready", "no post can be made of the first"],
)
def test_a_row_that_a_better_copy_took_meanwhile_goes_out_at_once_as_that(x, store, answer, link):
    preparing = SwitchedMeanwhile(store, answer)
    desk = Desk(x, store, preparing=preparing, style=Style(template="{link}"))
    desk.queue("One", link=link)
    desk.publishing.drain()
    assert desk.states() == ["sent"]
    assert len(desk.texts()) == 1
    assert desk.texts()[0].endswith("https://example.com/better")
