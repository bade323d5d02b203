"""Keep follows in step against a simulated X as the bot does, with waits that take no time, and be killed at the n-th step.

    python follow_until_killed.py N STATE_DIR X_ADDRESS KEYS HOURS

A step is a call or a return in a room that writes or asks. With N = 0 nothing is
killed. It begins HOURS after a fixed time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bot.core.budget import Limits
from bot.core.follows import Rules
from bot.core.prices import price_list
from bot.following import Applying, FollowMode, FollowsJob, Observing, Planning, Terms
from bot.networks.follow_graphs import XFollows
from bot.spending import Spending
from bot.store import StateDir, Store
from bot.x_client import XClient, XCredentials

ROOMS = ("bot.following", "bot.store", "bot.spending", "bot.x_client", "bot.networks")


class Clock:
    """A clock that waits move."""

    def __init__(self, hours: float) -> None:
        self.now = datetime(2026, 12, 3, 12, tzinfo=UTC) + timedelta(hours=hours)

    def __call__(self) -> datetime:
        return self.now


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
        names: dict[str, Any] = {"store": store, "destination": "x", "rules": rules, "clock": clock}
        spending = Spending(
            store,
            destination="x",
            prices=price_list(),
            limits=Limits(daily=None, monthly=None),
            clock=clock,
        )
        if wanted is not None:
            sys.setprofile(step)
        spending.recover()
        client = XClient(XCredentials(**json.loads(keys)), base_url=address, meter=spending, clock=clock)
        graph = XFollows(client, price_list())
        job = FollowsJob(
            observing=Observing(graph, **names),
            planning=Planning(**names),
            applying=Applying(graph, **names, draw=lambda: 0.0),
            store=store,
            destination="x",
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
