"""Asking many feeds at once: threads fetch and parse, one thread judges and keeps.

A host has one connection at a time, and a pause between two: its feeds wait in a queue, under the host that is really
asked. When a feed is next asked stands in the store, and so does a host's wish to be left alone, so a restart asks
nothing early. What was planned moves along when somebody sets the clock.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

from bot import logs
from bot.asking import Plan, how_to_ask
from bot.errors import Interrupted, StateError
from bot.queueing import HostQueues
from bot.sources.collect import Address, Collected, Failed, Validators, collect
from bot.sources.reading import parse_feed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from bot.core.timing import Moment
    from bot.http_client import HttpClient
    from bot.pipeline import FeedRules, Pipeline, PollReport
    from bot.sources.parsed import Parse
    from bot.store import Store

log = logging.getLogger(__name__)

THREADS: Final = 32
"""Measured with 1,000 feeds at 100 ms: 32 threads ask 300 feeds a second; more gains little on two cores."""

ASKED_A_THREAD: Final = 4
"""Feeds under way for each thread: what has come and waits to be judged takes memory, however many feeds there are."""

TOGETHER_FOR: Final = 0.25
"""Seconds: no new answer joins a commit after that, for another process may want to write. A commit waits for the disk,
4 ms on a slow one, and most polls have less to do than that."""

LOOK_AGAIN: Final = timedelta(milliseconds=100)
"""While answers are awaited, the loop looks for them so often."""

HOST_PAUSE: Final = 1.0
"""Seconds between two requests to one host: 1,000 feeds there are asked within 17 minutes."""

OTHERS_ANSWERED: Final = 60.0
"""Seconds: where another host has answered so lately, the network is there, and a fault is the feed's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed as the configuration has it: where it is, and what its owner wants of it."""

    address: Address
    rules: FeedRules


def pause_before(host: str) -> float:
    """Return how many seconds to leave between two requests to `host`: none to this machine and to files."""
    return 0.0 if not host or host in _THIS_MACHINE or host.startswith("127.") else HOST_PAUSE


_THIS_MACHINE: Final = frozenset({"localhost", "::1"})


class Poller:
    """A job of the scheduler: poll what is due, take in what has come."""

    def __init__(  # noqa: PLR0913 - the wiring hands every part over by name
        self,
        feeds: Sequence[Feed],
        *,
        client: HttpClient,
        store: Store,
        pipeline: Pipeline,
        clock: Callable[[], datetime],
        draw: Callable[[], float],
        report: Callable[[PollReport], None],
        stop: threading.Event,
        steady: Callable[[], Moment] | None = None,
        mask: Callable[[str], str] = str,
        pause: Callable[[str], float] = pause_before,
        threads: int = THREADS,
        parse: Parse = parse_feed,
    ) -> None:
        self._feeds = {feed.rules.name: feed for feed in feeds}
        self._client = client
        self._store = store
        self._pipeline = pipeline
        self._clock = clock
        self._draw = draw
        self._report = report
        self._stop = stop
        self._mask = mask  # a server may echo what it was told, and faults are stored
        self._pause = pause
        self._threads = threads
        self._parse = parse
        self._workers: list[threading.Thread] = []
        self._jobs: queue.SimpleQueue[tuple[Feed, Address, Validators] | None] = queue.SimpleQueue()
        self._came: queue.SimpleQueue[tuple[Feed, Collected | Exception]] = queue.SimpleQueue()
        self._queues = HostQueues()
        self._asked: dict[str, str] = {}  # the feeds that were asked and are not taken in yet, and whom
        self._most_asked = threads * ASKED_A_THREAD
        self._answered: tuple[str, float] = ("", float("-inf"))
        self._plan = Plan(
            {feed.rules.name: (feed.rules.url, feed.rules.interval) for feed in feeds},
            sources=store.sources.all(),
            closed=store.hosts.closed(),
            clock=clock,
            steady=steady,
        )
        self._hosts = {name: _host(feed.address) for name, feed in self._feeds.items()}

    @property
    def waiting(self) -> int:
        """How many feeds have been asked, or wait for their host, and have not answered yet."""
        return len(self._asked) + len(self._queues)

    def next_at(self, now: datetime) -> datetime | None:
        """Return when there is something to ask or to take in."""
        self._plan.follow()
        may_ask = len(self._asked) < self._most_asked
        if not self._came.empty() or (may_ask and self._queues.is_ready(time.monotonic())):
            return now
        at = self._plan.next_at(self._hosts, now)
        if self.waiting:
            return now + LOOK_AGAIN if at is None else min(at, now + LOOK_AGAIN)
        return at

    def run(self, now: datetime) -> None:
        """Ask what is due and take in what has come."""
        self._plan.follow()
        self.ask(self._plan.take_due(self._hosts, now))
        self.take_in()
        self._send(now)

    def poll_once(self, *, every: bool, advance: Callable[[int, int], None] | None = None) -> int:
        """Ask the feeds that are due (all when `every`), wait for all answers and take them in; return how many.

        Args:
            every: ask whether due or not; only a host that wants to be left alone is.
            advance: told, as answers are taken in, how many of how many are.
        """
        now = self._clock()
        self._plan.follow()
        names = [name for name in self._feeds if every or self._is_due(name, now)]
        self.ask(names)
        asked = self.waiting
        while not self._stop.is_set() and self.waiting:
            before = self.waiting
            with suppress(queue.Empty):
                self._take(self._came.get(timeout=LOOK_AGAIN.total_seconds()))
            self._send(self._clock())
            if advance and self.waiting < before:
                advance(asked - self.waiting, asked)
        return asked

    def ask(self, names: Sequence[str]) -> None:
        """Send for the feeds `names`, or have them wait for their host; those whose host wants no visit are left out."""
        now = self._clock()
        for name in names:
            host = self._hosts[name]
            if name in self._asked or name in self._queues:
                continue
            if until := self._plan.closed_until(host, now):
                logs.event(log, logging.INFO, "host wants to be left alone", feed=name, until=until)
                continue
            self._queues.add(host, name)
        self._send(now)

    def _send(self, now: datetime) -> None:
        """Send for feeds whose host is free, as many as may be under way."""
        seconds = time.monotonic()
        while len(self._asked) < self._most_asked and (turn := self._queues.take(seconds)):
            host, name = turn
            feed = self._feeds[name]
            if self._plan.closed_until(host, now):
                self._queues.release(host)
                self._plan.put_back(name)  # it is due when the host opens
                continue
            # One look each: with 10,000 feeds, a few are due at a time.
            address, known = how_to_ask(feed.address, feed.rules, self._store.sources.get(name), now)
            there = _host(address)
            if there != host:  # it has moved, or moved back: it waits its turn there
                self._hosts[name] = there
                self._queues.release(host)
                self._queues.add(there, name)
                continue
            self._asked[name] = host
            self._send_for((feed, address, known))

    def _send_for(self, job: tuple[Feed, Address, Validators]) -> None:
        self._jobs.put(job)
        if len(self._workers) < self._threads:
            # Daemons, unlike an executor's threads: a server that never answers does not keep the process from ending.
            worker = threading.Thread(target=self._work, name=f"poll-{len(self._workers)}", daemon=True)
            self._workers.append(worker)
            worker.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            feed, address, known = job
            if self._stop.is_set():
                return
            try:
                self._came.put((feed, collect(address, self._client, known, parse=self._parse)))
            except Exception as error:  # noqa: BLE001 - carried to the main thread, where it is told
                self._came.put((feed, error))

    def take_in(self) -> None:
        """Judge and keep every answer that has come."""
        while not self._stop.is_set():
            try:
                self._take(self._came.get_nowait())
            except queue.Empty:
                return

    def close(self) -> None:
        """Ask nothing more, and do not wait for what is on its way: it was not taken in, so nothing is lost."""
        for _ in self._workers:
            self._jobs.put(None)

    def _take(self, first: tuple[Feed, Collected | Exception]) -> None:
        """Take in an answer, and with it, for one commit, those that have come meanwhile; each is all or nothing."""
        done: list[PollReport] = []
        ends = time.monotonic() + TOGETHER_FOR
        with self._store.together():
            came = first
            while True:
                feed, collected = came
                host = self._asked.pop(feed.rules.name)
                self._queues.release(host, time.monotonic() + self._pause(host))
                # When interrupted the stop event is set; the feed is asked again at the next start.
                with suppress(Interrupted):
                    done.append(self._absorb(feed, self._judged_near(host, collected)))
                if isinstance(collected, Failed) and collected.limiting_host is not None:
                    self._plan.close(self._store.hosts.closed())
                if self._stop.is_set() or time.monotonic() >= ends:
                    break
                self._send(self._clock())  # no thread waits for others' answers to be judged
                try:
                    came = self._came.get_nowait()
                except queue.Empty:
                    break
        for report in done:
            if report.after is not None:
                self._plan.note(report.after)
            self._report(report)

    def _judged_near(self, host: str, collected: Collected | Exception) -> Collected | Exception:
        """Take a fault for this machine's own only where no other host has answered lately."""
        seconds = time.monotonic()
        if isinstance(collected, Failed):
            other, at = self._answered
            if collected.near and other != host and seconds - at < OTHERS_ANSWERED:
                return replace(collected, near=False)
        elif not isinstance(collected, Exception) and host:
            self._answered = host, seconds
        return collected

    def _absorb(self, feed: Feed, collected: Collected | Exception) -> PollReport:
        """Take in what came. A fault of the bot's own spoils this poll of this feed, is told, and ends nothing."""
        now, draw = self._clock(), self._draw()
        if isinstance(collected, Failed):
            collected = replace(collected, fault=self._mask(collected.fault))
        error: object = collected
        if not isinstance(collected, Exception):
            try:
                return self._pipeline.absorb(feed.rules, collected, now, draw)
            except (StateError, Interrupted):
                raise
            except Exception as found:  # noqa: BLE001 - told below, with its traceback
                error = found
        log.error("a fault of the bot itself in feed %s", feed.rules.name, exc_info=cast("Exception", error))
        fault = f"the bot itself failed on this feed ({type(error).__name__}); the log has the details, please report it"
        return self._pipeline.absorb(feed.rules, Failed(fault=fault), now, draw)

    def _is_due(self, name: str, now: datetime) -> bool:
        return (
            name not in self._asked
            and name not in self._queues
            and self._plan.is_due(name, self._hosts[name], now)
        )


def _host(address: Address) -> str:
    if address.path is not None:
        return ""
    try:
        return urlsplit(address.url).hostname or ""
    except ValueError:
        return address.url
