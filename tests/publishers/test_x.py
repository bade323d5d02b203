"""Posts reach X through the real client, and what is known of them is what was said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.model import Post
from bot.core.recognition import words_hash
from bot.errors import OutcomeUnknown, Refused, Unauthorized
from bot.publishers.x import XPublisher
from bot.simulated_x import ME, SimulatedUser, SimulatedX
from bot.x_client import XClient

POST = Post(text="One https://example.com/1", weight=27, limit=280, has_link=True)


@pytest.fixture
def x():
    with SimulatedX(["gazette"]) as server:
        yield server


@pytest.fixture
def publisher(x):
    return XPublisher(XClient(x.credentials(), base_url=x.base_url, read_timeout=2))


def test_a_post_goes_out_once_and_its_link_names_the_account(x, publisher):
    receipt = publisher.publish(POST)
    (stored,) = x.posts()
    assert stored.text == POST.text
    assert receipt.remote_id == stored.id
    assert receipt.url == f"https://x.com/gazette/status/{stored.id}"
    assert (publisher.name, publisher.ruler.limit) == ("x", 280)


def test_the_account_is_asked_for_its_name_once_and_before_the_post(x, publisher):
    x.rules = type(x.rules)(duplicate_filter=False)
    publisher.publish(POST)
    publisher.publish(POST)
    assert [request.method for request in x.log] == ["GET", "POST", "POST"]


def test_a_name_that_is_known_is_not_asked_for(x):
    publisher = XPublisher(XClient(x.credentials(), base_url=x.base_url), username="other")
    receipt = publisher.publish(POST)
    assert receipt.url == f"https://x.com/other/status/{receipt.remote_id}"
    assert [request.method for request in x.log] == ["POST"]


@pytest.mark.parametrize("fault", ["401", "402", "429", "error_before", "lost_response", "half"])
def test_a_name_that_cannot_be_had_does_no_harm(x, publisher, fault):
    x.faults.next(fault, on=ME)
    receipt = publisher.publish(POST)
    assert receipt.url == f"https://x.com/i/web/status/{receipt.remote_id}"
    assert len(x.posts()) == 1
    x.faults.next("lost_response")
    with pytest.raises(OutcomeUnknown):
        publisher.publish(Post(text="Two", weight=3, limit=280, has_link=False))
    assert [request.path for request in x.log].count("/2/users/me") == 1


def test_what_the_client_raises_is_passed_on(x, publisher):
    x.faults.next("401")
    with pytest.raises(Unauthorized):
        publisher.publish(POST)
    assert x.posts() == []


def test_an_answer_stands_under_its_post_and_is_read_back_with_the_others(x, publisher):
    first = publisher.publish(POST)
    second = publisher.publish(replace(POST, text="Correction: two", reply_to=first.remote_id))
    assert [post.reply_to for post in x.posts()] == [None, first.remote_id]
    assert [post.id for post in publisher.own_posts(None, 100)] == [second.remote_id, first.remote_id]


def test_what_was_deleted_cannot_be_answered(x, publisher):
    with pytest.raises(Refused, match="not on X any more"):
        publisher.publish(replace(POST, reply_to="1234567890"))
    assert x.posts() == []


def test_a_long_post_goes_out_where_the_account_may_and_is_read_back_whole():
    text = f"{'word ' * 200}https://example.com/1 & more"
    post = Post(text=text, weight=1030, limit=2000, has_link=True)
    accounts = [SimulatedUser(username="paying", premium=True), SimulatedUser(username="other")]
    with SimulatedX(accounts) as x:
        paying, other = (
            XPublisher(XClient(x.credentials(name), base_url=x.base_url), limit=2000)
            for name in ("paying", "other")
        )
        assert paying.ruler.limit == 2000
        paying.publish(post)
        with pytest.raises(Refused, match="too long"):
            other.publish(post)
        (own,) = paying.own_posts(None, 10)
    assert own.words == words_hash(text)
    assert own.links == ("https://example.com/1",)


def test_there_is_an_end_to_long_posts():
    post = Post(text="w" * 25_001, weight=25_001, limit=25_001, has_link=False)
    with SimulatedX([SimulatedUser(username="paying", premium=True)]) as x:
        publisher = XPublisher(XClient(x.credentials(), base_url=x.base_url))
        with pytest.raises(Refused):
            publisher.publish(post)
        publisher.publish(replace(post, text="w" * 25_000))
