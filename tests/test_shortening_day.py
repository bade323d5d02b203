"""A day and a half of a bot's life with a shortener that is away for most of it: no post waits long, none is made twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from typing import TYPE_CHECKING

import pytest

from bot import kill_points
from bot.core.budget import DAY, Limits
from bot.http_client import HttpClient
from bot.preparing import Preparing
from bot.shorteners import SERVICES, service_of, shorten
from bot.shortening import PATIENCE, Shortening
from bot.simulated_x import Rules, SimulatedX
from bot.store import Store
from bot.store.outbox import State
from tests import spending_day
from tests.feed_server import redirect
from tests.shortener_server import HOSTS, ShortenerServer, told
from tests.spending_day import FEEDS, KILLS, Life

if TYPE_CHECKING:
    from collections.abc import Iterator

MORNING = datetime(2026, 11, 30, 6, tzinfo=UTC)
AWAY = (MORNING + timedelta(hours=4), MORNING + timedelta(hours=28))
HOURS = 34
STORIES = 60
NO_LIMITS = Limits(daily=None, monthly=None)

WAYS = {
    "silent": told(200, "", delay=60),
    "failing": told(503, "<h1>503 Service Unavailable</h1>"),
    "parked": told(200, "<h1>This domain is for sale</h1>"),
    "led away": redirect("https://elsewhere.example/"),
    "busy": told(429, "<h1>Too many</h1>"),
    "locked": told(403, "<h1>Forbidden</h1>"),
}


@dataclass
class ShortenedLife(Life):
    """A life with a shortener, which is away between two times."""

    server: ShortenerServer = field(kw_only=True)
    way: str = field(kw_only=True)
    calls_away: int = 0

    def preparing(self) -> Preparing:
        service = service_of(self.server.wanted)
        client = HttpClient(
            user_agent="test", allow=[ip_network("127.0.0.0/8")], read_timeout=0.1, total_timeout=0.1
        )

        def ask(link: str) -> str:
            away = AWAY[0] <= self.now < AWAY[1]
            self.server.always = WAYS[self.way] if away else None
            self.calls_away += away
            return shorten(client, service, link)

        shortening = Shortening(self.store, service=service.identity, shorten=ask, clock=lambda: self.now)
        return Preparing(FEEDS, shortening=shortening)


def life(
    service: str, way: str, *, seed: int = 0, kills: float = 0, calm: bool = True
) -> Iterator[ShortenedLife]:
    made: list[ShortenedLife] = []
    rules = Rules(timeline_lag=(0, 0) if calm else (0, 60), duplicate_filter=False)
    with (
        Store.in_memory() as store,
        SimulatedX(rules=rules, seed=seed, clock=lambda: made[0].now) as x,
        ShortenerServer(service) as server,
    ):
        one = ShortenedLife(
            x=x, store=store, now=MORNING, limits=NO_LIMITS, seed=seed, server=server, way=way
        )
        made.append(one)
        one.start()
        one.plan(HOURS, STORIES)
        if calm:
            x.faults.clear()
        kill_points.hook = one.killed_at_times(kills) if kills else None
        try:
            one.live(MORNING + timedelta(hours=HOURS))
        finally:
            kill_points.hook = None
        one.settle()
        one.live(one.now + DAY / 4)
        yield one


def nothing_twice_nothing_lost(one: ShortenedLife) -> None:
    """Every story is on X once, or was until it was taken back; or X took none of three attempts, and a person is told."""
    stored = Counter(
        request.text.partition(" http")[0]
        for request in one.x.log
        if request.method == "POST" and request.post_id and request.text
    )
    assert not {title: times for title, times in stored.items() if times > 1}
    states = one.store.outbox.counts()
    assert set(states) <= {State.SENT, State.UNCONFIRMED}
    left = one.store.outbox.rows({State.UNCONFIRMED})
    assert len(left) <= 3
    assert not {row.text.partition(" http")[0] for row in left} & set(stored)
    assert len(stored) + len(left) == STORIES


# Each service in the ways that can happen to it, a way each; all ways for one.
CALM = [(name, list(WAYS)[number % len(WAYS)]) for number, name in enumerate(SERVICES)]
MORE = [("bitly", way) for way in WAYS if ("bitly", way) not in CALM]


@pytest.mark.parametrize(
    ("service", "way"), [*CALM, *(pytest.param(*case, marks=pytest.mark.slow) for case in MORE)]
)
def test_a_day_without_the_shortener_keeps_no_post_waiting(service, way):
    for one in life(service, way):
        nothing_twice_nothing_lost(one)
        assert one.calls_away <= 36, "31 a day, and one for each start and each hour where its key is refused"
        for row in one.store.outbox.rows(limit=1000):
            assert row.claimed_at - row.queued_at <= PATIENCE + timedelta(minutes=2), row.text
            if one.store.entries.get(row.entry_id).entry.feed == "plain":
                assert "http" not in row.text
                continue
            away = AWAY[0] <= row.claimed_at < AWAY[1]
            if away or not AWAY[1] <= row.claimed_at < AWAY[1] + timedelta(hours=1):
                assert (f"https://{HOSTS[service]}/x" in row.text) is not away, row.text


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_days_with_faults_and_deaths_on_both_sides_make_nothing_twice(seed, monkeypatch):
    monkeypatch.setattr(spending_day, "KILLS", (*KILLS, "before_shorten", "after_shorten", "in_shorten"))
    service, way = list(SERVICES)[seed], list(WAYS)[seed]
    for one in life(service, way, seed=seed, kills=0.03, calm=False):
        nothing_twice_nothing_lost(one)
        assert one.begun > 5, "it was killed"
        assert len({request.fault for request in one.x.log}) > 6
        assert one.calls_away <= 60
