"""Keep follows in step at a simulated network as the bot does, with waits that take no time, and be killed at the n-th step.

    python follow_until_killed.py N STATE_DIR ADDRESS KEYS HOURS

KEYS is JSON: the name of the network and what opens the account there.

A step is a call or a return in a room that writes or asks. With N = 0 nothing is
killed. It begins HOURS after a fixed time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.bluesky_client import BlueskyClient
from bot.core.budget import Limits
from bot.core.follows import Rules
from bot.core.prices import price_list
from bot.following import Applying, FollowMode, FollowsJob, Observing, Planning, Terms
from bot.http_client import HttpClient
from bot.mastodon_client import MastodonClient
from bot.networks.follow_graphs import BlueskyFollows, MastodonFollows, XFollows
from bot.spending import Spending
from bot.store import StateDir, Store
from bot.x_client import XClient, XCredentials

if TYPE_CHECKING:
    from bot.ports import FollowGraph

ROOMS = (
    "bot.following",
    "bot.store",
    "bot.spending",
    "bot.x_client",
    "bot.mastodon_client",
    "bot.bluesky_client",
    "bot.networks",
)


class Clock:
    """A clock that waits move."""

    def __init__(self, hours: float) -> None:
        self.now = datetime(2026, 12, 3, 12, tzinfo=UTC) + timedelta(hours=hours)

    def __call__(self) -> datetime:
        return self.now


def graph_of(keys: dict[str, str], address: str, spending: Spending, clock: Clock) -> FollowGraph:
    """Return the network as the bot sees it."""
    network = keys.pop("network")
    if network == "x":
        return XFollows(
            XClient(XCredentials(**keys), base_url=address, meter=spending, clock=clock), price_list()
        )
    http = HttpClient(user_agent="shinglebot/test", allow=[ip_network("127.0.0.0/8")])
    if network == "mastodon":
        return MastodonFollows(MastodonClient(server=address, http=http, clock=clock, **keys))
    return BlueskyFollows(BlueskyClient(service=address, http=http, clock=clock, **keys))


def keep_in_step(state: str, address: str, keys: str, hours: float, wanted: int | None = None) -> None:
    """Keep follows in step for 20 hours; killed at the step `wanted`."""
    clock = Clock(hours)
    rules = Rules(
        min_age=timedelta(days=2), gone_for=timedelta(days=2), spacing=timedelta(seconds=30), max_change=50
    )
    steps = 0

    def step(frame: Any, event: str, _: Any) -> None:
        nonlocal steps
        if event in {"call", "return"} and str(frame.f_globals.get("__name__", "")).startswith(ROOMS):
            steps += 1
            if steps == wanted:
                os.kill(os.getpid(), signal.SIGKILL)

    with Store.open(StateDir(Path(state)), clock()) as store:
        names: dict[str, Any] = {"store": store, "destination": "there", "rules": rules, "clock": clock}
        spending = Spending(
            store,
            destination="there",
            prices=price_list(),
            limits=Limits(daily=None, monthly=None),
            clock=clock,
        )
        if wanted is not None:
            sys.setprofile(step)
        spending.recover()
        graph = graph_of(json.loads(keys), address, spending, clock)
        job = FollowsJob(
            observing=Observing(graph, **names),
            planning=Planning(**names),
            applying=Applying(graph, **names, draw=lambda: 0.0),
            store=store,
            destination="there",
            terms=Terms(mode=FollowMode.APPLY, every=timedelta(days=1), max_price=None, per_run=20),
            price=graph.price,
        )
        until = clock.now + timedelta(hours=20)
        while (at := max(job.next_at(clock.now) or until, clock.now)) < until:
            clock.now = at
            job.run(clock.now)


if __name__ == "__main__":
    number, place, url, secrets, begin = sys.argv[1:]
    keep_in_step(place, url, secrets, float(begin), int(number))
