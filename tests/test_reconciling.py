"""Looking back: what the account shows settles what the store does not know, and nothing goes out twice."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.composing import LinkUse, Style
from bot.publishers.stdout import StdoutPublisher
from bot.reconciling import GAP, LOCKED_OUT
from bot.simulated_x import TIMELINE, Rules, SimulatedUser, SimulatedX, answering
from bot.store import Store
from bot.store.outbox import State
from tests.publishing_desk import AT_ONCE, START, Desk

MINUTE = timedelta(minutes=1)


@pytest.fixture
def x():
    with SimulatedX(["newsbot", "other"], rules=Rules(duplicate_filter=False)) as made:
        yield made


@pytest.fixture
def store():
    with Store.in_memory() as made:
        yield made


@pytest.fixture
def desk(x, store):
    return Desk(x, store)


class Money:
    """A budget that writes down what it is told, and has room when it is told so."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int]] = []
        self.room_from: dict[bool, object] = {}

    def allowed_at(self, post, now):
        return max(self.room_from.get(post.has_link, now), now)

    def reserve(self, outbox_id, feed, post, now):
        self.told.append(("reserve", outbox_id))

    def charge(self, outbox_id, now):
        self.told.append(("charge", outbox_id))

    def release(self, outbox_id, now):
        self.told.append(("release", outbox_id))


def reads(x: SimulatedX) -> int:
    return sum(request.method == "GET" and "/tweets" in request.path for request in x.log)


def again(desk: Desk, **how: object) -> Desk:
    """Start the bot anew on the same store."""
    made = Desk(desk.x, desk.store, **how)
    made.now = desk.now
    made.publishing.recover()
    return made


# The start


def test_the_account_is_read_before_the_first_post_and_not_without_need(desk):
    assert desk.publishing.next_at(desk.now) is None
    desk.publishing.drain()
    assert reads(desk.x) == 0, "nothing is queued"
    desk.queue("One", "Two")
    desk.publishing.drain()
    assert reads(desk.x) == 1
    assert [r.method for r in desk.x.log if "tweets" in r.path] == ["GET", "POST", "POST"]


def test_what_a_person_posted_before_is_not_posted_by_the_bot(desk):
    desk.x.put("My own words on it https://www.example.com/0?utm_source=feed")
    desk.x.put("A holiday picture")
    desk.queue("One", "Two")
    desk.publishing.drain()
    assert desk.states() == ["sent", "sent"]
    one = desk.store.outbox.rows()[1]
    assert one.reconciled
    assert one.remote_id == desk.x.posts()[0].id
    assert "found on the account by its link" in one.reason
    assert desk.texts()[2:] == ["Two https://example.com/1 #news"]


def test_a_long_post_whose_answer_was_lost_is_known_again_by_all_its_words(store):
    style = Style(template="{title}: {summary}", link=LinkUse.NEVER, max_length=2000)
    with SimulatedX([SimulatedUser(username="paying", premium=True)]) as x:
        desk = Desk(x, store, style=style)
        desk.queue("The whole story", summary="told in many words and to its end, " * 20)
        x.faults.next("lost_response")
        desk.publishing.drain()
        assert desk.states() == ["unknown"]
        desk.go_on(2)
        assert desk.states() == ["sent"]
        assert store.outbox.rows()[0].reconciled
        assert [len(text) > 600 for text in desk.texts()] == [True]


def test_a_post_that_matches_no_row_blocks_nothing_and_is_kept_for_rows_to_come(desk):
    desk.queue("Zero")
    desk.publishing.drain()
    desk.x.put("Two, by hand https://example.com/2")
    second = again(desk)
    second.queue("One")
    second.publishing.drain()
    assert second.states() == ["sent", "queued"], "known history and an unknown post: it is read twice"
    second.go_on()
    assert second.now == desk.now + timedelta(seconds=90)
    assert second.states() == ["sent", "sent"]
    second.queue("Two")
    second.publishing.drain()
    assert second.store.outbox.rows()[0].reconciled
    assert len(second.texts()) == 3


def test_one_post_settles_one_row(desk):
    desk.x.put("Same link https://example.com/same")
    desk.queue("One", "Two", link="https://example.com/same")
    desk.publishing.drain()
    assert sorted(row.reconciled for row in desk.store.outbox.rows()) == [False, True]
    assert len(desk.texts()) == 2


def test_rows_with_one_link_are_told_apart_by_their_words(desk):
    desk.x.put("Two https://example.com/same #news")
    desk.queue("One", "Two", link="https://example.com/same")
    desk.publishing.drain()
    one, two = desk.store.outbox.rows()[::-1]
    # The row that came first takes the post only where no row says its words.
    assert (one.reconciled, two.reconciled) == (False, True)
    assert desk.texts() == ["Two https://example.com/same #news", "One https://example.com/same #news"]


def test_the_same_words_of_an_older_story_are_no_reason_to_leave_a_newer_one_out(desk):
    desk.x.put("Daily Briefing #news")
    desk.queue("Daily Briefing", link=None, published=START + timedelta(days=1))
    desk.now += timedelta(days=1, hours=1)
    desk.publishing.drain()
    assert desk.texts() == ["Daily Briefing #news"] * 2


def test_a_timeline_that_cannot_be_read_lets_nothing_out(desk):
    desk.x.faults.next("error_before", "429", "402", on=TIMELINE)
    desk.queue("One")
    desk.publishing.drain()
    assert desk.texts() == []
    at, why = desk.store.outbox.paused("x")
    assert at == desk.now + MINUTE
    assert "nothing is sent before" in why
    desk.go_on()
    assert desk.publishing.next_at(desk.now) > desk.now + 10 * MINUTE, "X said when"
    desk.go_on()
    assert desk.publishing.next_at(desk.now) == desk.now + LOCKED_OUT
    assert desk.texts() == []
    desk.go_on()
    assert desk.states() == ["sent"]


def test_after_an_hour_without_a_turn_the_account_is_read_again(desk):
    desk.queue("One")
    desk.publishing.drain()
    desk.now += GAP / 2
    desk.queue("Two")
    desk.publishing.drain()
    assert reads(desk.x) == 1
    desk.x.put("By hand https://example.com/2")
    desk.now += GAP + MINUTE
    desk.queue("Three")
    desk.publishing.drain()
    assert reads(desk.x) == 2
    assert desk.store.outbox.rows()[0].reconciled


def test_a_clock_that_was_set_back_is_such_a_pause_too(desk):
    desk.queue("One")
    desk.publishing.drain()
    desk.now -= timedelta(hours=2)
    desk.queue("Two")
    desk.publishing.drain()
    assert reads(desk.x) == 2
    assert len(desk.texts()) == 2


def test_more_posts_than_one_reading_takes_do_not_stop_the_bot(desk):
    desk.queue("One")
    desk.publishing.drain()
    for number in range(600):
        desk.x.put(f"By hand, number {number}")
    second = again(desk)
    second.queue("Two")
    second.publishing.drain()
    second.go_on()
    assert second.states() == ["sent", "sent"]


# Unknown


def lost(desk: Desk, *faults: str) -> None:
    desk.x.faults.next(*faults)
    desk.queue("One")
    desk.publishing.drain()


def test_readings_before_30_and_90_seconds_do_not_count_and_the_second_queues_it_again(desk):
    lost(desk, "lost_request")
    claimed = desk.now
    desk.go_on()
    assert desk.now == claimed + timedelta(seconds=30)
    assert desk.states() == ["unknown"]
    desk.go_on()
    assert desk.now == claimed + timedelta(seconds=90)
    assert desk.states() == ["sent"]
    assert len(desk.texts()) == 1
    assert [r.method for r in desk.x.log if "/tweets" in r.path] == ["GET", "POST", "GET", "GET", "POST"]


def test_a_post_that_shows_a_minute_late_is_found(x, store):
    x.rules = Rules(duplicate_filter=False, timeline_lag=(0, 0))
    desk = Desk(x, store)
    lost(desk, "lost_response")
    desk.x.faults.next(answering(200, {"meta": {"result_count": 0}}), on=TIMELINE)
    desk.go_on(2)
    assert desk.states() == ["sent"]
    assert desk.store.outbox.rows()[0].misses == 1
    assert len(desk.texts()) == 1


def test_a_post_that_shows_after_it_was_sent_again_is_found_by_the_first_since_id(desk):
    """Longer than any known lag: X's filter says duplicate, and the look goes back to before the first attempt."""
    lost(desk, "lost_response")
    nothing = answering(200, {"meta": {"result_count": 0}})
    desk.x.faults.next(nothing, nothing, on=TIMELINE)
    desk.x.rules = Rules(duplicate_filter=True)
    desk.go_on(2)
    assert desk.states() == ["unknown"]
    row = desk.store.outbox.rows()[0]
    assert (row.cause, row.unknown_times) == ("duplicate", 2)
    desk.go_on()
    assert desk.states() == ["sent"]
    assert desk.store.outbox.rows()[0].remote_id == desk.x.posts()[0].id
    assert len(desk.texts()) == 1


def test_after_three_times_a_person_decides_and_the_others_go_on(desk):
    desk.queue("One", "Two")
    desk.x.faults.next("lost_request", "lost_request", "lost_request")
    desk.publishing.drain()
    desk.go_on(6)
    assert desk.states() == ["unconfirmed", "sent"]
    assert "look there" in desk.store.outbox.rows()[1].reason
    assert len(desk.texts()) == 1


def test_an_unconfirmed_post_that_shows_later_is_sent(desk):
    lost(desk, "lost_request", "lost_request", "lost_request")
    desk.go_on(6)
    assert desk.states() == ["unconfirmed"]
    desk.x.put(desk.store.outbox.rows()[0].text)
    second = again(desk)
    second.queue("Two")
    second.publishing.drain()
    assert second.states()[0] == "sent"


def test_unreadable_until_it_is_stale_it_is_left_to_a_person(desk):
    desk.x.faults.next("lost_response")
    desk.queue("One", max_age=timedelta(hours=3))
    desk.publishing.drain()
    desk.x.faults.chance("error_before", 1, on=TIMELINE)
    while desk.now < START + timedelta(hours=3):
        assert desk.states() == ["unknown"]
        desk.go_on()
    assert desk.states() == ["unconfirmed"]
    assert "could not be read" in desk.store.outbox.rows()[0].reason
    assert len(desk.texts()) == 1


def test_a_requeued_row_of_a_person_begins_anew(desk):
    lost(desk, "lost_request", "lost_request", "lost_request")
    desk.go_on(6)
    with desk.store.transaction():
        desk.store.outbox.requeue(1, "by hand", now=desk.now, max_age=None)
    desk.publishing.drain()
    row = desk.store.outbox.rows()[0]
    assert (row.state, row.unknown_times) == (State.SENT, 0)


def test_while_one_destination_looks_another_sends(desk, x, store):
    lost(desk, "lost_request")
    with store.transaction():
        store.outbox.queue(1, "elsewhere", now=desk.now, expires_at=desk.now + timedelta(days=1))
    shown = []
    elsewhere = Desk(x, store)
    elsewhere.publishing = type(elsewhere.publishing)(
        StdoutPublisher(shown.append, name="elsewhere"),
        store=store,
        pacing=AT_ONCE,
        styles={},
        budget=Money(),
        clock=lambda: desk.now,
        steady=desk.publishing._steady,
        report=lambda _: None,
        stop=elsewhere.stop,
    )
    assert elsewhere.publishing.drain() == 1
    assert [post.text for post in shown] == ["One https://example.com/0"]
    assert store.unknowns.waiting("x")


def test_a_person_may_decide_while_the_bot_looks(desk):
    lost(desk, "lost_request")
    read = desk.publishing._publisher.own_posts

    def meanwhile(since_id, limit):
        with desk.store.transaction():
            desk.store.outbox.settle(1, State.DROPPED, "decided by hand", desk.now)
        return read(since_id, limit)

    desk.publishing._publisher.own_posts = meanwhile
    desk.go_on(2)
    assert desk.states() == ["dropped"]


# Another account


def test_other_credentials_are_another_history(desk):
    lost(desk, "lost_response")
    desk.queue("Two")
    desk.x.put("Two by hand https://example.com/1", "other")
    second = again(desk, user="other")
    second.go_on(2)
    one, two = second.store.outbox.rows()[::-1]
    assert one.state is State.UNCONFIRMED
    assert "credentials now act for" in one.reason
    assert (two.state, two.reconciled) == (State.SENT, True)
    assert second.store.own_posts.account("x").id == second.x.user("other").id


# Money


def test_what_was_set_aside_stays_so_until_it_is_known(x, store):
    money = Money()
    desk = Desk(x, store, budget=money)
    desk.x.faults.next("lost_request", "lost_response")
    desk.queue("One")
    desk.publishing.drain()
    assert money.told == [("reserve", 1)]
    desk.go_on(2)
    assert money.told == [("reserve", 1), ("release", 1), ("reserve", 1)]
    desk.go_on(2)
    assert money.told[-1] == ("charge", 1)
    assert desk.states() == ["sent"]


def test_without_room_a_row_waits_says_why_and_is_not_lost(x, store):
    money = Money()
    desk = Desk(x, store, budget=money)
    money.room_from[True] = desk.now + timedelta(hours=5)
    desk.queue("One")
    desk.queue("Two", link=None)
    desk.publishing.drain()
    assert desk.states() == ["queued", "sent"]
    row = desk.store.outbox.rows()[1]
    assert (row.waits_for, row.not_before) == ("budget", desk.now + timedelta(hours=5))
    assert "no room" in row.reason
    desk.go_on()
    assert desk.states() == ["sent", "sent"]


def test_a_new_start_asks_the_budget_again(x, store):
    money = Money()
    desk = Desk(x, store, budget=money)
    money.room_from[True] = desk.now + timedelta(hours=5)
    desk.queue("One")
    desk.publishing.drain()
    richer = again(desk, budget=Money())
    richer.publishing.drain()
    assert richer.states() == ["sent"]


@pytest.mark.parametrize(
    ("link", "room", "text"),
    [
        (LinkUse.ALWAYS, True, "One https://example.com/0"),
        (LinkUse.NEVER, True, "One"),
        (LinkUse.BUDGET, True, "One https://example.com/0"),
        (LinkUse.BUDGET, False, "One"),
    ],
)
def test_a_link_is_left_out_where_its_owner_says_so(x, store, link, room, text):
    money = Money()
    if not room:
        money.room_from[True] = START + timedelta(days=1)
    desk = Desk(x, store, budget=money, style=Style(link=link))
    desk.queue("One")
    desk.publishing.drain()
    assert desk.texts() == [text]


def test_a_story_without_its_link_is_found_by_its_words(x, store):
    desk = Desk(x, store, style=Style(link=LinkUse.NEVER))
    lost(desk, "lost_response")
    desk.go_on()
    row = desk.store.outbox.rows()[0]
    assert row.reconciled
    assert "by its words" in row.reason
