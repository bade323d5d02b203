"""What polls the farm, each in a process of its own, so that computing and memory are its own: the bot, and feedparser."""

from __future__ import annotations

import logging
import resource
import threading
import time
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPException
from os import getpid, sysconf
from pathlib import Path
from typing import TYPE_CHECKING, Final

import feedparser

from bench.farm_server import address_of
from bot import clocks
from bot.app import Mode, open_app, utc_now
from bot.config import load
from bot.core.timing import Moment
from bot.listening import Listeners
from bot.polling import THREADS
from bot.scheduler import loop

if TYPE_CHECKING:
    from datetime import datetime
    from multiprocessing.connection import Connection

    from bot.pipeline import PollReport

TICKS: Final = sysconf("SC_CLK_TCK")
ON_SCHEDULE: Final = 20.0
"""Seconds for which the loop of the bot runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a stretch of work took.

    Attributes:
        feeds: that were polled.
        seconds: by the clock on the wall.
        here: seconds of computing of the process that asks.
        child: the same of its children.
        memory: MB, the most there was so far, of both together.
        children: MB of it, the most there was so far of the children alone.
        counts: what came, by kind.
    """

    feeds: int
    seconds: float
    here: float
    child: float
    memory: float
    children: float
    counts: dict[str, int]


def _children() -> list[Path]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[1]) == getpid():
                found.append(stat.parent)
        except (OSError, ValueError):
            continue  # it has ended meanwhile
    return found


def _most_memory(process: Path) -> float:
    lines = (process / "status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


class _Meter:
    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._here, self._child = self._computed()

    @staticmethod
    def _computed() -> tuple[float, float]:
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        child = ended.ru_utime + ended.ru_stime
        for process in _children():
            user, system = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
            child += (int(user) + int(system)) / TICKS
        return time.process_time(), child

    def spent(self, feeds: int, counts: dict[str, int]) -> Spent:
        here, child = self._computed()
        children = sum(map(_most_memory, _children()))
        return Spent(
            feeds=feeds,
            seconds=time.perf_counter() - self._began,
            here=here - self._here,
            child=child - self._child,
            memory=_most_memory(Path("/proc/self")) + children,
            children=children,
            counts=counts,
        )


class _Clock:
    """The time, moved along for the bot as if it had waited."""

    def __init__(self) -> None:
        self._ahead = timedelta(0)

    def now(self) -> datetime:
        return utc_now() + self._ahead

    def steady(self) -> Moment:
        real = clocks.steady()
        return Moment(era=real.era, seconds=real.seconds + self._ahead.total_seconds())

    def wait_until(self, at: datetime) -> None:
        self._ahead += max(at - self.now(), timedelta(0))


def by_the_bot(orders: Connection, config_path: str) -> None:
    """Open the bot, poll all feeds at each order "poll", and its schedule's at "schedule"; say what each took."""
    logging.getLogger().addHandler(logging.NullHandler())  # what failed is counted here
    meter, clock, stop = _Meter(), _Clock(), threading.Event()
    config = load(config_path, need_account=True)
    counts: Counter[str] = Counter()

    def count(report: PollReport) -> None:
        kind = "failed" if report.fault else "read" if report.changed else "unchanged"
        counts[kind] += 1
        counts["entries"] += len(report.decisions)

    with open_app(
        config,
        Mode.REAL,
        listeners=Listeners(poll=count),
        stop=stop,
        clock=clock.now,
        steady=clock.steady,
    ) as app:
        orders.send(meter.spent(0, {}))
        while (order := orders.recv()) != "end":
            counts.clear()
            if order == "schedule" and (first := app.poller.next_at(clock.now())):
                clock.wait_until(first)
            meter = _Meter()
            if order == "schedule":
                threading.Timer(ON_SCHEDULE, stop.set).start()
                loop([app.poller], stop=stop, clock=clock.now)
            else:
                app.poller.poll_once(every=True)
            orders.send(meter.spent(counts["failed"] + counts["read"] + counts["unchanged"], dict(counts)))


def by_feedparser(orders: Connection, feeds: int, port: int) -> None:
    """Call `feedparser.parse` for all feeds, in as many threads as the bot has, at each order; say what it took."""
    known: dict[int, str | None] = {}
    direct = [urllib.request.ProxyHandler({})]

    def look(number: int) -> str:
        try:
            found = feedparser.parse(address_of(number, port), etag=known.get(number), handlers=direct)
        except (OSError, HTTPException):
            return "failed"
        if found.get("status") == 304:
            return "unchanged"
        known[number] = found.get("etag")
        return "read" if found.entries else "failed"

    orders.send(None)
    with ThreadPoolExecutor(THREADS) as pool:
        while orders.recv() != "end":
            meter = _Meter()
            counts = Counter(pool.map(look, range(feeds)))
            orders.send(meter.spent(feeds, dict(counts)))
