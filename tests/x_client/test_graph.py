"""What X says of followers is read whole or not at all, and each refusal of a follow has its own meaning."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.core.prices import Item, price_list
from bot.errors import NotOnThisPlan, NotSent, OutcomeUnknown, OutOfCredit, PublishError, RateLimited, Refused
from bot.networks.follow_graphs import XFollows
from bot.simulated_x import FOLLOW, FOLLOWERS, ME, UNFOLLOW, USER, SimulatedX, answering
from bot.x_client import XClient

PERSON = {"id": "2000000000", "username": "ann", "name": "Ann"}


@pytest.fixture
def x():
    with SimulatedX() as made:
        made.follows.open = True
        made.follows.come(made.user().id, made.follows.add(3))
        yield made


@pytest.fixture
def graph(x):
    return XFollows(XClient(x.credentials(), base_url=x.base_url), price_list())


@pytest.mark.parametrize(
    "page",
    [
        None,
        [],
        {},
        {"data": [PERSON]},
        {"data": [PERSON], "meta": {"result_count": 2}},
        {"data": [PERSON], "meta": {}},
        {"data": {"0": PERSON}, "meta": {"result_count": 1}},
        {"data": ["ann"], "meta": {"result_count": 1}},
        {"data": [{"username": "ann"}], "meta": {"result_count": 1}},
        {"data": [PERSON | {"id": "ann"}], "meta": {"result_count": 1}},
        {"data": [PERSON], "meta": {"result_count": 1, "next_token": 7}},
        {"data": [PERSON], "meta": {"result_count": 1}, "errors": [{"detail": "half of it is missing"}]},
    ],
)
def test_a_page_that_is_not_as_it_should_be_is_an_error(x, graph, page):
    x.faults.next(answering(200, page), on=FOLLOWERS)
    with pytest.raises(NotSent):
        graph.followers(None)


@pytest.mark.parametrize(
    "said",
    [
        None,
        {"data": PERSON},
        {"data": PERSON | {"public_metrics": {"followers_count": "7", "following_count": 1}}},
        {"data": PERSON | {"public_metrics": {"followers_count": 7}}},
        {"data": PERSON | {"public_metrics": {"followers_count": -1, "following_count": 1}}},
    ],
)
def test_counts_that_cannot_be_read_are_an_error(x, graph, said):
    x.faults.next(answering(200, said), on=ME)
    with pytest.raises(NotSent):
        graph.profile()


@pytest.mark.parametrize("said", [None, {}, {"data": []}, {"data": PERSON | {"connection_status": "none"}}])
def test_a_relation_that_cannot_be_read_is_an_error(x, graph, said):
    x.faults.next(answering(200, said), on=USER)
    with pytest.raises(NotSent):
        graph.relation("2000000000")


def test_a_stranger_may_have_no_status_and_a_closed_account_no_data(x, graph):
    x.faults.next(answering(200, {"data": PERSON}), on=USER)
    relation = graph.relation("2000000000")
    assert (relation.exists, relation.following, relation.followed_by) == (True, False, False)
    x.faults.next(answering(404, {"title": "Not Found Error"}), on=USER)
    assert not graph.relation("2000000000").exists


def forbidden(detail, code=None):
    body = {"title": "Forbidden", "detail": detail, "status": 403}
    return answering(403, body if code is None else {"errors": [{"code": code, "message": detail}]})


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (
            forbidden("You have been blocked from following this account at the request of the user.", 162),
            Refused,
        ),
        (forbidden("Cannot find specified user.", 108), Refused),
        (forbidden("You are unable to follow more people at this time.", 161), RateLimited),
        (forbidden("Your account is not permitted to access this feature."), NotOnThisPlan),
        (
            forbidden("You currently have access to a subset of X API V2 endpoints and limited v1.1", 453),
            NotOnThisPlan,
        ),
        (forbidden("Something new"), NotOnThisPlan),
        (forbidden("Monthly spend cap reached for this billing cycle"), OutOfCredit),
        (answering(200, {"errors": [{"detail": "Cannot find specified user."}]}), Refused),
        (answering(200, {"data": {}}), OutcomeUnknown),
        (answering(200, None), OutcomeUnknown),
        (answering(503, {"title": "Service Unavailable"}, acted=True), OutcomeUnknown),
    ],
)
def test_what_became_of_a_follow(x, graph, answer, error):
    x.faults.next(answer, on=FOLLOW)
    with pytest.raises(PublishError) as raised:
        graph.follow("2000000000", None)
    assert type(raised.value) is error


def test_too_many_follows_wait_for_a_day(x, graph):
    x.faults.next(forbidden("You are unable to follow more people at this time.", 161), on=FOLLOW)
    with pytest.raises(RateLimited) as raised:
        graph.follow("2000000000", None)
    assert raised.value.retry_at - x.log[-1].time > timedelta(hours=23)


def test_each_call_is_charged_as_the_ledger_thinks(x, graph):
    graph.profile()
    graph.followers(None)
    graph.relation("2000000001")
    graph.follow("2000000001", None)
    graph.unfollow("2000000001")
    charged = [(charge.item, charge.count) for charge in x.account.charges]
    assert charged == [
        (Item.READ_USER, 1),
        (Item.READ_OWN_FOLLOW, 3),
        (Item.READ_USER, 1),
        (Item.FOLLOW, 1),
        (Item.UNFOLLOW, 1),
    ]
    assert graph.price(3) == 3_000 + 10_000


def test_an_unfollow_of_nobody_is_no_fault(x, graph):
    graph.unfollow("2000000002")
    x.faults.next("error_before", on=UNFOLLOW)
    with pytest.raises(OutcomeUnknown):
        graph.unfollow("2000000002")
