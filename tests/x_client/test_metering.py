"""Every read and every deletion is metered, whichever way it ends, and no call is made without room for its price."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.prices import Item
from bot.errors import OutOfBudget, OutOfCredit, PublishError, RateLimited
from bot.simulated_x import DELETE, ME, TIMELINE, Rules, SimulatedX, answering
from bot.x_client import XClient


class Book:
    """A meter that writes down what it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple] = []
        self.questions: list[str] = []
        self.room = True
        self.refusals: list[str] = []

    def before(self, item, most, question=""):
        if not self.room:
            raise OutOfBudget("no room", retry_at=datetime.now(UTC) + timedelta(hours=1))
        self.questions.append(question)
        self.lines.append(("before", item, most))
        return len(self.questions)

    def after(self, ticket, resources):
        self.lines.append(("after", ticket, tuple(resources)))

    def declined(self, ticket):
        self.lines.append(("declined", ticket))

    def lost(self, ticket):
        self.lines.append(("lost", ticket))

    def out_of_credit(self, reason):
        self.refusals.append(reason)


@pytest.fixture
def x():
    with SimulatedX() as made:
        yield made


@pytest.fixture
def book():
    return Book()


@pytest.fixture
def client(x, book):
    return XClient(x.credentials(), base_url=x.base_url, read_timeout=0.5, meter=book)


def test_who_am_i_is_one_user(x, client, book):
    client.me()
    assert book.lines == [("before", Item.READ_USER, 1), ("after", 1, (x.user().id,))]


def test_each_page_of_own_posts_is_a_call_of_its_own(x, client, book):
    mark = x.put("The one before").id
    ids = [x.put(f"Post {number}").id for number in range(115)][::-1]
    client.own_posts(since_id=mark, limit=200)
    assert book.lines == [
        ("before", Item.READ_OWN_POST, 10),
        ("after", 1, tuple(ids[:10])),
        ("before", Item.READ_OWN_POST, 100),
        ("after", 2, tuple(ids[10:110])),
        ("before", Item.READ_OWN_POST, 90),
        ("after", 3, tuple(ids[110:])),
    ]
    assert len(set(book.questions)) == 3


def test_the_same_question_has_the_same_words(client, book):
    client.own_posts()
    client.own_posts()
    client.me()
    assert book.questions[0] == book.questions[1] != book.questions[2]


def test_a_deletion_is_one_post(x, client, book):
    post = x.put("One")
    assert client.delete_post(post.id)
    assert not client.delete_post(post.id)
    assert book.lines == [
        ("before", Item.DELETE, 1),
        ("after", 1, (post.id,)),
        ("before", Item.DELETE, 1),
        ("declined", 2),
    ]


def test_a_post_is_not_metered_here(x, client, book):
    client.create_post("One")
    x.faults.next("lost_response")
    with pytest.raises(PublishError):
        client.create_post("Two")
    assert book.lines == []


ENDS = {
    "401": "declined",
    "402": "declined",
    "429": "declined",
    "429_bare": "declined",
    "error_before": "lost",
    "error_after": "lost",
    "lost_request": "lost",
    "lost_response": "lost",
    "reset_after": "lost",
    "hang_after": "lost",
    "half": "lost",
    "cut": "lost",
}


@pytest.mark.parametrize("endpoint", [ME, TIMELINE, DELETE])
@pytest.mark.parametrize("fault", ENDS)
def test_a_call_that_fails_is_free_or_lost(x, client, book, endpoint, fault):
    post = x.put("One")
    x.faults.next(fault, on=endpoint)
    call = {ME: client.me, TIMELINE: client.own_posts, DELETE: lambda: client.delete_post(post.id)}[endpoint]
    with pytest.raises(PublishError):
        call()
    assert next(line for line in book.lines if line[0] != "before") == (ENDS[fault], 1)
    assert len([line for line in book.lines if line[0] == "before"]) == len(book.lines) / 2


def test_what_is_never_sent_is_free(x, book):
    address = x.base_url
    keys = x.credentials()
    with SimulatedX() as gone:
        address = gone.base_url
    with pytest.raises(PublishError):
        XClient(keys, base_url=address, meter=book).me()
    assert book.lines == [("before", Item.READ_USER, 1), ("declined", 1)]


def test_without_room_nothing_is_asked(x, client, book):
    book.room = False
    for call in (client.me, client.own_posts, lambda: client.delete_post("1")):
        with pytest.raises(OutOfBudget):
            call()
    assert x.log == []


def test_a_window_that_is_used_up_sets_no_money_aside(x, client, book):
    x.faults.next("429", on=ME)
    for _ in range(3):
        with pytest.raises(RateLimited):
            client.me()
    assert book.lines == [("before", Item.READ_USER, 1), ("declined", 1)]


def test_a_question_asked_again_in_other_words_is_metered_twice(book):
    with SimulatedX(rules=Rules(field_parameters=("post.fields",), answers_in="post")) as x:
        post = x.put("One")
        XClient(x.credentials(), base_url=x.base_url, meter=book).own_posts()
    assert [line[0] for line in book.lines] == ["before", "declined", "before", "after"]
    assert book.lines[-1][2] == (post.id,)


def test_a_success_that_cannot_be_read_is_lost(x, client, book):
    x.faults.next(answering(200, {"data": {}}), on=ME)
    with pytest.raises(PublishError):
        client.me()
    assert book.lines[-1] == ("lost", 1)


def test_a_refusal_for_want_of_credit_is_told_whoever_was_refused(x, client, book):
    x.faults.next("402")
    x.faults.next("402", on=ME)
    with pytest.raises(OutOfCredit):
        client.create_post("One")
    with pytest.raises(OutOfCredit):
        client.me()
    assert len(book.refusals) == 2
    assert "buy credits" in book.refusals[0]


def test_what_is_charged_is_what_x_charges(x, client, book):
    """The sums of the book and of the simulated X's own account agree, cheap resources and dear ones."""
    posts = [x.put(f"Post {number}") for number in range(12)]
    client.me()
    client.own_posts()
    client.own_posts()  # the same resources on the same day
    client.delete_post(posts[0].id)
    client.own_posts(limit=5)
    counted: dict[Item, set[str]] = {}
    items = {}
    for line in book.lines:
        if line[0] == "before":
            items[len(items) + 1] = line[1]
        else:
            counted.setdefault(items[line[1]], set()).update(line[2])
    charged = {item: sum(c.count for c in x.account.charges if c.item is item) for item in Item}
    assert {item: len(ids) for item, ids in counted.items()} == {k: v for k, v in charged.items() if v}
