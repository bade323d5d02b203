"""The follow half of each network, before a server of each: one suite for X, Mastodon and Bluesky."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.bluesky_client import BlueskyClient
from bot.core.follows import Kind, Rules
from bot.core.prices import price_list
from bot.errors import NotOnThisPlan, NotSent, OutcomeUnknown, RateLimited, Refused, Unauthorized
from bot.following import Applying, FollowMode, FollowsJob, Observing, Planning, Terms
from bot.http_client import HttpClient
from bot.mastodon_client import MastodonClient
from bot.networks.follow_graphs import BlueskyFollows, MastodonFollows, XFollows
from bot.simulated_x import FOLLOW, FOLLOWERS, SimulatedX
from bot.x_client import XClient
from tests.simulated_bluesky_follows import Fault as BlueskyFault
from tests.simulated_bluesky_follows import SimulatedBluesky
from tests.simulated_mastodon import Fault, SimulatedMastodon

SCOPES = "read:accounts read:statuses write:statuses write:media read:follows write:follows"
BEGIN = datetime(2026, 12, 3, 12, tzinfo=UTC)


def door() -> HttpClient:
    return HttpClient(user_agent="shinglebot/test", allow=[ipaddress.ip_network("127.0.0.0/8")])


class AtX:
    def __init__(self, x: SimulatedX) -> None:
        x.follows.open = True
        self.x, self.me = x, x.user().id
        self.graph: Any = XFollows(XClient(x.credentials(), base_url=x.base_url), price_list())

    def add(self, count=1):
        return self.x.follows.add(count)

    def come(self, people):
        self.x.follows.come(self.me, people)

    def follow(self, people):
        self.x.follows.follow(self.me, people)

    def leave(self, person):
        self.x.follows.leave(self.me, person)

    def close(self, person):
        self.x.follows.change(person, suspended=True)

    def made(self, kind):
        return {p: n for (_, what, p), n in self.x.follows.made.items() if what == kind and n}

    def fault(self, kind):
        self.x.faults.next({"lost": "lost_response", "403": "403_feature"}.get(kind, kind), on=FOLLOW)

    def page_fault(self):
        self.x.faults.next("error_before", on=FOLLOWERS)


class AtMastodon:
    def __init__(self, server: SimulatedMastodon) -> None:
        self.server = server
        token = server.account("gazette", SCOPES)
        self.account = next(iter(server.accounts.values()))
        self.world = self.account.follows
        self.graph: Any = MastodonFollows(MastodonClient(server=server.url, access_token=token, http=door()))

    def add(self, count=1):
        return self.world.add(count)

    def come(self, people):
        self.world.come(people)

    def follow(self, people):
        self.world.follow(people)

    def leave(self, person):
        self.world.leave(person)

    def close(self, person):
        self.world.people[person].suspended = True

    def made(self, kind):
        return {p: n for (what, p), n in self.world.made.items() if what == kind and n}

    def fault(self, kind):
        one = f"/api/v1/accounts/{next(reversed(self.world.people))}/follow"
        self.server.faults.append(Fault(method="POST", path=one, kind=kind))

    def page_fault(self):
        path = f"/api/v1/accounts/{self.account.id}/followers"
        self.server.faults.append(Fault(method="GET", path=path, kind="500"))


class AtBluesky:
    def __init__(self, server: SimulatedBluesky) -> None:
        self.server = server
        password = server.account("gazette.test")
        self.graph: Any = BlueskyFollows(
            BlueskyClient(service=server.url, handle="gazette.test", app_password=password, http=door())
        )

    def add(self, count=1):
        return self.server.add(count)

    def come(self, people):
        self.server.come(people)

    def follow(self, people):
        self.server.follow(people)

    def leave(self, person):
        self.server.followers.remove(person)

    def close(self, person):
        self.server.gone.add(person)

    def made(self, kind):
        return {p: n for (what, p), n in self.server.made.items() if what == kind and n}

    def fault(self, kind):
        self.server.faults.append(BlueskyFault(method="com.atproto.repo.putRecord", kind=kind))

    def page_fault(self):
        self.server.faults.append(BlueskyFault(method="app.bsky.graph.getFollowers", kind="500"))


@pytest.fixture(
    params=[(SimulatedX, AtX), (SimulatedMastodon, AtMastodon), (SimulatedBluesky, AtBluesky)],
    ids=["x", "mastodon", "bluesky"],
)
def at(request):
    make, wrap = request.param
    with make() as server:
        yield wrap(server)


def all_of(ask):
    people, cursor, pages = [], None, 0
    while True:
        page = ask(cursor)
        people += page.people
        pages += 1
        if page.cursor is None:
            return people, pages
        cursor = page.cursor


def test_pages_are_read_to_their_end(at):
    people = at.add(2 * at.graph.page + 3)
    at.come(people)
    at.follow(people[:2])
    followers, pages = all_of(at.graph.followers)
    assert (pages, [one.id for one in followers]) == (3, people[::-1])
    assert all(one.name.startswith("person") for one in followers)
    assert {one.id for one in all_of(at.graph.following)[0]} == set(people[:2])
    profile = at.graph.profile()
    assert (profile.followers, profile.following) == (len(people), 2)


def test_no_followers_are_a_page_without_people(at):
    assert all_of(at.graph.followers) == ([], 1)
    assert all_of(at.graph.following) == ([], 1)


def test_one_person_is_asked_about(at):
    both, follower, followed, stranger, closed = at.add(5)
    at.come([both, follower, closed])
    at.follow([both, followed])
    at.close(closed)
    said = {p: at.graph.relation(p) for p in (both, follower, followed, stranger, closed)}
    assert [(said[p].following, said[p].followed_by) for p in (both, follower, followed, stranger)] == [
        (True, True),
        (False, True),
        (True, False),
        (False, False),
    ]
    assert [said[p].exists for p in (both, follower, followed, stranger, closed)] == [True] * 4 + [False]


def test_to_follow_and_to_unfollow_twice_is_once(at):
    (person,) = at.add()
    at.come([person])
    key = at.graph.key(person, BEGIN)
    for _ in range(2):
        at.graph.follow(person, key)
    assert at.graph.relation(person, key).following
    assert at.made("follow") == {person: 1}
    at.graph.unfollow(person)
    assert not at.graph.relation(person, key).following
    assert at.made("unfollow") == {person: 1}


@pytest.mark.parametrize(
    ("kind", "error"),
    [("lost", OutcomeUnknown), ("429", RateLimited), ("403", (NotOnThisPlan, Unauthorized))],
)
def test_what_a_refusal_means(at, kind, error):
    (person,) = at.add()
    at.come([person])
    key = at.graph.key(person, BEGIN)
    at.fault(kind)
    with pytest.raises(error):
        at.graph.follow(person, key)
    assert at.graph.relation(person, key).following is (kind == "lost")


def test_a_page_that_fails_is_an_error_and_no_page(at):
    at.come(at.add(5))
    at.page_fault()
    with pytest.raises(NotSent):
        at.graph.followers(None)
    assert len(at.graph.followers(None).people) == 5


def test_the_whole_way_from_lists_to_steps_and_twice_is_a_no_op(at, store):
    people = at.add(150)
    at.come(people)
    at.follow(people[5:])
    now = BEGIN
    rules = Rules(
        min_age=timedelta(days=2), gone_for=timedelta(days=2), spacing=timedelta(seconds=30), max_change=50
    )
    names = {"store": store, "destination": "d", "rules": rules, "clock": lambda: now}
    job = FollowsJob(
        observing=Observing(at.graph, **names),
        planning=Planning(**names),
        applying=Applying(at.graph, **names, draw=lambda: 0.0),
        store=store,
        destination="d",
        terms=Terms(mode=FollowMode.APPLY, every=timedelta(days=1), max_price=None, per_run=20),
        price=at.graph.price,
    )
    left = people[10:13]
    for day in range(7):
        until = BEGIN + timedelta(days=day + 1)
        if day == 1:
            for person in left:
                at.leave(person)
        while (due := max(job.next_at(now), now)) < until:
            now = due
            job.run(now)
        now = until
    assert at.made(Kind.FOLLOW) == dict.fromkeys(people[:5], 1)
    assert at.made(Kind.UNFOLLOW) == dict.fromkeys(left, 1)


def test_a_token_without_the_scope_is_told_apart_from_a_person_who_blocks():
    with SimulatedMastodon() as server:
        here = AtMastodon(server)
        (person,) = here.add()
        here.world.people[person].blocks = True
        with pytest.raises(Refused):
            here.graph.follow(person, None)
        poor = server.account("poor", "read:accounts")
        graph = MastodonFollows(MastodonClient(server=server.url, access_token=poor, http=door()))
        with pytest.raises(NotOnThisPlan, match="write:follows"):
            graph.follow(person, None)


def test_an_appview_that_lags_does_not_hide_a_follow_of_our_own():
    with SimulatedBluesky() as server:
        here = AtBluesky(server)
        (person,) = here.add()
        here.come([person])
        server.lagging = True
        key = here.graph.key(person, BEGIN)
        server.faults.append(BlueskyFault(method="com.atproto.repo.putRecord", kind="lost"))
        with pytest.raises(OutcomeUnknown):
            here.graph.follow(person, key)
        assert here.graph.relation(person, key).following
        server.index()
        server.records.clear()
        assert not here.graph.relation(person).following, "the AppView's word on our own follows is old"
