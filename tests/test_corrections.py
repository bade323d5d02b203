"""Headlines that a feed changes: before the post goes out, after it did, and what is answered under it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.composing import Style
from bot.core.dedupe import Level
from bot.core.model import Fresh, Reason
from bot.corrections import LOOK_EVERY, MOST_ANSWERS, SETTLE, Corrections
from bot.pipeline import Judge
from bot.simulated_x import Rules, SimulatedX
from bot.store import Store
from bot.store.outbox import State
from bot.undoing import of_row, of_story, undo
from bot.x_client import XClient
from tests.journey import Journey
from tests.publishing_desk import Desk

WRONG = "Three people killed in a fire at the Skerry Point mill"
RIGHT = "Five people killed in a fire at the Skerry Point mill"
REWORDED = "Three people killed in a blaze at the Skerry Point mill"
MARKED = "CORRECTED-Three people killed in a fire at the Skerry Point mine"
AGAIN = "Six people killed in a fire at the Skerry Point mill"
OTHER = "Seven people killed in a fire at the Skerry Point mill"


class Newsroom:
    """A feed whose one story changes, and an account that tells it."""

    def __init__(self, x: SimulatedX, *, answering: tuple[str, ...] = ("a",)) -> None:
        self.x = x
        self.store = Store.in_memory()
        self.desk = Desk(x, self.store, style=Style())
        self.feed = Journey(self.store, Judge(self.store, Level.BALANCED))
        self.corrections = Corrections(self.store, "x", answering=answering, clock=lambda: self.desk.now)
        self.desk.publishing._corrections = self.corrections
        self.feed.now = self.desk.now
        self.feed.poll("a", {"title": "Zinc up"}, hours=0)

    def tell(self, title: str, *, minutes: float = 5, **fields: str) -> None:
        """Let the feed have this headline, and the bot go on for some minutes without posting."""
        self.feed.now = self.desk.now = self.desk.now + timedelta(minutes=minutes)
        self.feed.poll(
            "a", {"title": title, "guid": "mill", "link": "https://a.example/mill", **fields}, hours=0
        )
        self.corrections.run(self.desk.now)

    def post(self, *, minutes: float = 0) -> list[str]:
        """Let the bot post what is due so many minutes later; return what stands on the account."""
        self.desk.now += timedelta(minutes=minutes)
        self.corrections.run(self.desk.now)
        self.desk.publishing.drain()
        return self.desk.texts()

    def records(self):
        return self.store.corrections.since(self.desk.now - timedelta(days=30), 100)


@pytest.fixture
def x():
    with SimulatedX(rules=Rules(duplicate_filter=False)) as made:
        yield made


@pytest.fixture
def newsroom(x):
    return Newsroom(x)


def test_what_waits_goes_out_in_its_newest_words(newsroom):
    newsroom.tell(WRONG)
    newsroom.tell(RIGHT)
    assert newsroom.post() == [f"{RIGHT} https://a.example/mill"]
    assert newsroom.post(minutes=60) == [f"{RIGHT} https://a.example/mill"]
    assert newsroom.records() == []


def test_what_waits_and_went_back_goes_out_as_it_is_now(newsroom):
    newsroom.tell(WRONG)
    newsroom.tell(RIGHT)
    newsroom.tell(WRONG)
    assert newsroom.post() == [f"{WRONG} https://a.example/mill"]


def test_what_waits_has_the_link_and_the_name_that_its_feed_shows_now(newsroom):
    newsroom.tell(WRONG)
    newsroom.tell(RIGHT, link="https://a.example/the-mill-2")
    assert newsroom.post() == [f"{RIGHT} https://a.example/the-mill-2"]


def test_a_posted_headline_that_changes_is_answered_under_its_post_once_it_has_settled(newsroom, x):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.tell(RIGHT)
    assert len(newsroom.post(minutes=9)) == 1
    assert newsroom.post(minutes=1)[1:] == [f"Correction: {RIGHT} https://a.example/mill"]
    first, answer = x.posts()
    assert answer.reply_to == first.id
    assert len(newsroom.post(minutes=600)) == 2
    record = newsroom.records()[0]
    assert (record.kind, record.edits, record.is_back) == ("substance", 1, False)
    assert newsroom.store.outbox.get(record.answer_id).state is State.SENT


def test_the_last_words_of_a_feed_that_goes_on_changing_are_told_and_once(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    for title in (RIGHT, AGAIN, OTHER):
        newsroom.tell(title, minutes=8)
        assert len(newsroom.post()) == 1
    assert newsroom.post(minutes=10)[1:] == [f"Correction: {OTHER} https://a.example/mill"]
    assert [record.edits for record in newsroom.records()] == [3]


def test_a_change_in_the_minute_before_the_answer_goes_out_has_it_wait_on(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.tell(RIGHT)
    newsroom.desk.now += SETTLE
    newsroom.feed.now = newsroom.desk.now
    newsroom.feed.poll("a", {"title": AGAIN, "guid": "mill", "link": "https://a.example/mill"}, hours=0)
    newsroom.desk.publishing.drain()
    assert len(newsroom.desk.texts()) == 1
    assert newsroom.post(minutes=10)[1:] == [f"Correction: {AGAIN} https://a.example/mill"]


def test_a_headline_that_goes_back_and_forth_is_one_record_and_no_answer(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    for title in (RIGHT, WRONG, RIGHT, WRONG, RIGHT):
        newsroom.tell(title, minutes=2)
    assert len(newsroom.post(minutes=60)) == 1
    record = newsroom.records()[0]
    assert len(newsroom.records()) == 1
    assert (record.edits, record.returns, record.is_back) == (3, 2, False)


def test_other_words_are_kept_and_not_answered(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.tell(REWORDED)
    assert len(newsroom.post(minutes=60)) == 1
    assert [record.kind for record in newsroom.records()] == ["wording"]


def test_typography_and_the_outlets_name_are_nothing(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.tell(f"{WRONG.upper()}!  - a")
    assert newsroom.records() == []


def test_the_feeds_own_word_is_answered_in_the_title_the_summary_and_under_a_new_name(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.tell(WRONG, summary="An earlier version of this article misstated where the mill is.")
    assert newsroom.post(minutes=11)[1:] == [f"Correction: {WRONG} https://a.example/mill"]
    newsroom.tell(MARKED, guid="mill-2", link="https://a.example/mill-2")
    assert newsroom.post(minutes=11)[2:] == [f"Correction: {MARKED} https://a.example/mill-2"]


def test_no_more_answers_than_two_to_a_post(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    for title in (RIGHT, AGAIN, OTHER):
        newsroom.tell(title)
        newsroom.post(minutes=11)
    assert len(newsroom.desk.texts()) == 1 + MOST_ANSWERS
    assert len(newsroom.records()) == 3


def test_a_feed_whose_owner_did_not_ask_is_only_recorded(x):
    newsroom = Newsroom(x, answering=())
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.tell(RIGHT)
    assert len(newsroom.post(minutes=60)) == 1
    assert [record.answer_id for record in newsroom.records()] == [None]


def test_an_answer_whose_post_was_taken_back_is_let_go(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.tell(RIGHT)
    post = newsroom.store.outbox.rows({State.SENT})[0]
    list(
        undo(
            of_row(newsroom.store, post.id),
            store=newsroom.store,
            delete=lambda _: True,
            clock=lambda: newsroom.desk.now,
        )
    )
    newsroom.post(minutes=11)
    answer = newsroom.store.corrections.answers(post.id)[0]
    assert (answer.state, "deleted" in (answer.reason or "")) == (State.DROPPED, True)


def test_an_answer_never_goes_out_after_the_posts_own_time(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.desk.now += timedelta(days=2, hours=23)
    newsroom.tell(RIGHT)
    newsroom.desk.now += timedelta(hours=2)
    newsroom.desk.publishing.drain()
    assert len(newsroom.desk.texts()) == 1
    post = newsroom.store.outbox.rows({State.SENT})[0]
    assert [row.state for row in newsroom.store.corrections.answers(post.id)] == [State.EXPIRED]


@pytest.mark.parametrize("fault", ["lost_response", "error_after", "reset_after", "lost_request", "half"])
def test_an_answer_whose_fate_is_unknown_goes_out_once(newsroom, fault):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.tell(RIGHT)
    newsroom.x.faults.next(fault)
    newsroom.post(minutes=11)
    newsroom.desk.go_on(8)
    assert newsroom.desk.texts()[1:] == [f"Correction: {RIGHT} https://a.example/mill"]
    assert newsroom.post(minutes=60)[2:] == []


def test_an_answer_that_a_lost_database_made_already_is_not_made_again(newsroom, x):
    newsroom.tell(WRONG)
    newsroom.post()
    x.put(f"Correction: {RIGHT} https://a.example/mill")
    newsroom.desk.now += timedelta(hours=2)
    newsroom.tell(RIGHT)
    newsroom.post(minutes=11)
    newsroom.desk.go_on(6)
    assert len(newsroom.desk.texts()) == 2


def test_what_a_person_posted_with_the_same_link_is_not_taken_for_the_answer(newsroom, x):
    newsroom.tell(WRONG)
    newsroom.post()
    x.put("Look at this https://a.example/mill")
    newsroom.desk.now += timedelta(hours=2)
    newsroom.tell(RIGHT)
    newsroom.post(minutes=11)
    newsroom.desk.go_on(6)
    assert f"Correction: {RIGHT} https://a.example/mill" in newsroom.desk.texts()


def test_a_post_that_is_gone_from_x_refuses_the_answer_and_others_go_on(newsroom, x):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.tell(RIGHT)
    XClient(x.credentials(), base_url=x.base_url).delete_post(x.posts()[0].id)
    newsroom.desk.queue("The ferry is back")
    newsroom.post(minutes=11)
    assert sorted(newsroom.desk.states()) == ["refused", "sent", "sent"]
    assert newsroom.desk.texts() == ["The ferry is back https://example.com/3"]


def test_undo_takes_back_a_story_with_its_answers(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.tell(RIGHT)
    newsroom.post(minutes=11)
    store = newsroom.store
    post = next(row for row in store.outbox.rows({State.SENT}) if row.reply_to is None)
    assert len(of_story(store, "x", WRONG)) == 2
    assert [sent.row.reply_to for sent in of_row(store, post.id)] == [post.id, None]


def test_nothing_is_looked_at_more_than_once_a_minute(newsroom):
    now = newsroom.desk.now
    newsroom.corrections.run(now)
    assert newsroom.corrections.next_at(now) == now + LOOK_EVERY
    assert newsroom.corrections.next_at(now - timedelta(hours=1)) == now - timedelta(hours=1)


def test_what_a_person_released_goes_out_as_it_was_shown(x):
    newsroom = Newsroom(x)
    newsroom.feed._rules["approval"] = True
    newsroom.tell(WRONG)
    [held] = newsroom.store.entries.in_hold(newsroom.store.holds.waiting()[0].id)
    with newsroom.store.transaction():  # what `held release` does
        newsroom.store.entries.settle(held.id, Fresh(reason=Reason.RELEASED))
        now = newsroom.desk.now
        newsroom.store.outbox.queue(held.id, "x", now=now, expires_at=now + timedelta(days=3))
    newsroom.tell(RIGHT)
    assert newsroom.post() == [f"{WRONG} https://a.example/mill"]
    newsroom.post(minutes=1)
    assert [record.kind for record in newsroom.records()] == ["substance"]


def test_an_edit_that_came_while_the_posts_fate_was_unknown_is_noticed_when_it_is_known(newsroom):
    newsroom.tell(WRONG)
    newsroom.x.faults.next("lost_response")
    newsroom.post()
    newsroom.tell(RIGHT, minutes=0.1)
    assert newsroom.records() == []
    newsroom.desk.go_on(4)
    assert newsroom.desk.states() == ["sent"]
    newsroom.post(minutes=1)
    assert [record.kind for record in newsroom.records()] == ["substance"]
    assert newsroom.post(minutes=11)[1:] == [f"Correction: {RIGHT} https://a.example/mill"]


def test_a_copy_of_another_feed_corrects_nothing(newsroom):
    newsroom.tell(WRONG)
    newsroom.post()
    newsroom.feed.poll("b", {"title": "Bees swarm"}, hours=0)
    newsroom.feed.poll("b", {"title": f"CORRECTED-{WRONG}"}, hours=0)
    assert len(newsroom.post(minutes=60)) == 1
    assert newsroom.records() == []


def test_what_stands_beside_the_first_in_one_body_is_no_later_version(newsroom):
    newsroom.tell(WRONG)
    newsroom.feed.poll(
        "a",
        {"title": WRONG, "guid": "mill", "link": "https://a.example/mill"},
        {"title": REWORDED, "guid": "other", "link": "https://a.example/mill"},
        hours=0,
    )
    assert newsroom.post() == [f"{WRONG} https://a.example/mill"]
    assert newsroom.post(minutes=60) == [f"{WRONG} https://a.example/mill"]
    assert newsroom.records() == []
