"""A simulated week with 2,000 feeds, on a clock that is moved along, with restarts and faults: what grows, and what X got.

    python -m bench.soak [--feeds N] [--days N]

The real bot (loop, polling, parsing child, store, posting) polls a farm of feeds on loopback, each on a host of its own, and posts to
a simulated X. Of twenty feeds eleven say 304, four send the same body, three have a new item every day, one is slow and one
fails. A tenth of X's answers is lost or an error. Three times a day the bot is begun anew, each second time after it died at a
random point of a post. Memory, descriptors and the log of the database are read at the end of each day, in the one process that
lives through all of it. X and the farm have processes of their own. Ends with 1 where something grows, a post went out twice, or a
story was lost.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench import farm_server
from bench.farm import process
from bench.farm_server import address_of
from bot import kill_points
from bot.app import Mode, open_app
from bot.config import load
from bot.core.timing import Moment
from bot.listening import Listeners
from bot.simulated_x import CREATE, TIMELINE, Rules, SimulatedX
from bot.store import StateDir, Store
from bot.store.outbox import State

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.sharedctypes import Synchronized

    from bot.app import App

HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
ROUND: Final = DAY
"""So often the feeds of the farm that change have a new item."""

LONGEST_STEP: Final = timedelta(minutes=10)
POINTS: Final = ("before_claim", "after_claim", "after_http", "in_record", "after_record")
RSS_GROWTH: Final = 1.10
"""From the second day to the last: allocators keep some of what they once had, but not more each day."""

LOG_LIMIT_MB: Final = 64.0

CONFIG: Final = """
state_dir = "state"
[account]
api_key = "${CK}"
api_key_secret = "${CS}"
access_token = "${AT}"
access_token_secret = "${AS}"
[network]
allow = ["127.0.0.0/8"]
[budget]
daily = "none"
[pacing]
min_gap = "10s"
posts_per_hour = 200
posts_per_day = 2400
[defaults]
interval = "6h"
max_age = "30d"
"""


class Killed(BaseException):
    """The bot died: nothing after this point was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the bot takes at the end of a day: MB of memory (with its child), descriptors, MB of log (the most) and of database."""

    day: int
    memory: float
    descriptors: int
    log: float
    database: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    """What the bot's process tells in the end."""

    readings: list[Reading]
    starts: int
    deaths: int
    backups: int


class Clock:
    """The time, which others see by a shared number: seconds ahead of the clock on the wall when it all began."""

    def __init__(self, began: float, ahead: Synchronized[float]) -> None:
        self._began, self._ahead = began, ahead

    def now(self) -> datetime:
        """Return the time, aware UTC."""
        return datetime.fromtimestamp(self._began + self._ahead.value, UTC)

    def steady(self) -> Moment:
        """Return the same as a clock that nobody sets."""
        return Moment(era="soak", seconds=self._ahead.value)

    def move(self, by: timedelta) -> None:
        """Let so much time pass."""
        self._ahead.value += by.total_seconds()


def serve_farm(orders: Connection, items: int) -> None:
    """Serve a farm whose slow feeds are slow by the simulated clock's measure."""
    farm_server.SLOW = 0.05  # type: ignore[misc]
    farm_server.serve(orders, items)


def live(
    orders: Connection, folder: str, env: dict[str, str], began: float, ahead: Synchronized[float], days: int
) -> None:
    """Live the days in this process; say at each round's end how far it is, and what was read in the end."""
    logging.getLogger().addHandler(logging.NullHandler())
    os.environ.update(env)
    clock, draw = Clock(began, ahead), random.Random(9)
    config = load(Path(folder) / "config.toml", need_account=True)
    log = Path(folder) / "state" / "shinglebot.db-wal"
    first = clock.now()
    readings: list[Reading] = []
    until, starts, deaths, most_log = first + days * DAY, 0, 0, 0
    next_reading, next_round = first + DAY, first + ROUND
    orders.send("began")
    while clock.now() < until:
        starts += 1
        restart = min(clock.now() + 8 * HOUR, until)
        stop = threading.Event()
        kill_points.hook = _death(draw.choice(POINTS), draw.randint(1, 8)) if starts % 2 == 0 else None
        with (
            suppress(Killed),
            open_app(
                config,
                Mode.REAL,
                listeners=Listeners(),
                stop=stop,
                clock=clock.now,
                steady=clock.steady,
                patience=2,
            ) as app,
        ):
            while clock.now() < restart:
                step(app, clock, stop)
                most_log = max(most_log, log.stat().st_size if log.exists() else 0)
                if clock.now() >= next_round:
                    orders.send("round")
                    orders.recv()
                    next_round += ROUND
                if clock.now() >= next_reading:
                    readings.append(reading(len(readings) + 1, most_log, log.with_name("shinglebot.db")))
                    orders.send(readings[-1])
                    next_reading += DAY
                    most_log = 0
        if kill_points.hook is not None and clock.now() < restart:
            deaths += 1
    kill_points.hook = None
    # What is still on its way comes to its end.
    with open_app(
        config,
        Mode.REAL,
        listeners=Listeners(),
        stop=threading.Event(),
        clock=clock.now,
        steady=clock.steady,
        patience=2,
    ) as app:
        calm = clock.now() + 3 * DAY
        while clock.now() < calm and app.store.outbox.counts().keys() & {
            State.QUEUED,
            State.UNKNOWN,
            State.SENDING,
        }:
            step(app, clock, app.stop, sends_alone=True)
    if len(readings) < days:  # the last day ended with the last process
        readings.append(reading(len(readings) + 1, most_log, log.with_name("shinglebot.db")))
        orders.send(readings[-1])
    backups = len(list((Path(folder) / "state" / "backups").glob("*.db")))
    orders.send(Lived(readings=readings, starts=starts, deaths=deaths, backups=backups))
    orders.recv()


def step(app: App, clock: Clock, stop: threading.Event, *, sends_alone: bool = False) -> None:
    """Do what is due, and let the clock come to what is due next, once no feed is being asked."""
    jobs = [job for job in app.jobs if not (sends_alone and job is app.poller)]
    for job in jobs:
        now = clock.now()
        at = job.next_at(now)
        if at is not None and at <= now:
            job.run(now)
    if not sends_alone and app.poller.waiting:
        stop.wait(0.002)
        return
    now = clock.now()
    waits = [at - now for job in jobs if (at := job.next_at(now)) is not None]
    clock.move(max(min([LONGEST_STEP, *waits]), timedelta(milliseconds=1)))


def _death(point: str, occurrence: int) -> Callable[[str], None]:
    """Return a hook that lets the bot die when it comes to a point for the so manieth time."""
    left = occurrence

    def hook(name: str) -> None:
        nonlocal left
        left -= name == point
        if name == point and left == 0:
            raise Killed

    return hook


def reading(day: int, most_log: int, database: Path) -> Reading:
    """Read what this process and its child take."""
    memory = 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):
            told = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
            if os.getpid() in {int(told["Pid"]), int(told["PPid"])} and "VmRSS" in told:
                memory += int(told["VmRSS"].split()[0]) / 1024
    return Reading(
        day=day,
        memory=memory,
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        log=most_log / 1e6,
        database=database.stat().st_size / 1e6,
    )


def judged(x: SimulatedX, folder: Path, feeds: int) -> tuple[list[str], str]:
    """Return what went wrong by X's own record, and a sentence about what came out."""
    texts = Counter(post.text for post in x.posts())
    twice = [text for text, count in texts.items() if count > 1]
    with Store.read_only(StateDir(folder / "state")) as store:
        rows = store.outbox.rows(limit=1_000_000)
        titles = {text.split(" http")[0] for text in texts}
        told = {row.id: store.entries.get(row.entry_id).entry.title for row in rows}
        lost = [row for row in rows if told[row.id] not in titles and row.state is not State.UNCONFIRMED]
        left = sum(row.state is State.UNCONFIRMED for row in rows)
    changing = sum(farm_server.kind_of(number) == "changed" for number in range(feeds))
    wrong = [f"{len(twice)} posted twice"] if twice else []
    wrong += (
        [f"{len(lost)} lost, such as row {lost[0].id}, {lost[0].state}: {lost[0].reason}"] if lost else []
    )
    wrong += ["nothing came out at all"] if not rows else []
    return wrong, (
        f"{len(rows)} stories of {changing} feeds that change, {sum(texts.values())} posts, {len(twice)} twice, {len(lost)} lost, "
        f"{left} left to a person; {sum(bool(request.fault) for request in x.log)} faults of X"
    )


def grown(readings: list[Reading]) -> list[str]:
    """Return what grew from the second day to the last."""
    wrong = [f"the log came to {r.log:.0f} MB on day {r.day}" for r in readings if r.log > LOG_LIMIT_MB]
    if len(readings) > 2:
        first, last = readings[1], readings[-1]
        if last.memory > first.memory * RSS_GROWTH:
            wrong.append(f"memory grew from {first.memory:.0f} to {last.memory:.0f} MB")
        if last.descriptors > first.descriptors + 2:
            wrong.append(f"descriptors grew from {first.descriptors} to {last.descriptors}")
    return wrong


def main() -> int:
    """Live the week and print what came of it; return 1 where a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--feeds", type=int, default=2000)
    parser.add_argument("--days", type=int, default=7)
    options = parser.parse_args()
    started = time.monotonic()
    ahead, began = multiprocessing.get_context("spawn").Value("d", 0.0), time.time()
    clock = Clock(began, ahead)
    with (
        tempfile.TemporaryDirectory() as name,
        SimulatedX(rules=Rules(duplicate_filter=False), seed=9, clock=clock.now) as x,
        process(serve_farm, 3) as farm,
    ):
        folder, port = Path(name), farm.recv()
        feeds = [
            f'[[feed]]\nname = "feed {number}"\nurl = "{address_of(number, port)}"\n'
            for number in range(options.feeds)
        ]
        (folder / "config.toml").write_text(CONFIG + "".join(feeds), encoding="utf-8")
        x.faults.chance("lost_response", 0.05, on=CREATE)
        x.faults.chance("error_after", 0.05, on=CREATE)
        x.faults.chance("error_before", 0.1, on=TIMELINE)
        keys = x.credentials()
        env = {
            "SHINGLEBOT_X_BASE_URL": x.base_url,
            "CK": keys.consumer_key,
            "CS": keys.consumer_secret,
            "AT": keys.access_token,
            "AS": keys.access_token_secret,
        }
        with process(live, name, env, began, ahead, options.days) as bot:
            version = 1
            print(
                "| day | memory, MB | descriptors | largest log, MB | database, MB |\n|---|---|---|---|---|",
                flush=True,
            )
            while not isinstance(said := bot.recv(), Lived):
                if isinstance(said, Reading):
                    print(
                        f"| {said.day} | {said.memory:.0f} | {said.descriptors} | {said.log:.1f} | {said.database:.1f} |",
                        flush=True,
                    )
                elif said == "round":
                    version += 1
                    farm.send(version)
                    farm.recv()
                    bot.send("on")
        print(
            f"{options.feeds} feeds, {options.days} days, {time.monotonic() - started:.0f} s; {said.starts} starts, "
            f"{said.deaths} deaths, {said.backups} backups kept"
        )
        wrong, sentence = judged(x, folder, options.feeds)
    wrong += grown(said.readings)
    print(sentence)
    print("goal missed: " + "; ".join(wrong) if wrong else "flat; nothing twice, nothing lost")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
