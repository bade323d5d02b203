"""Asking many feeds at once: threads fetch and parse, one thread judges and keeps.

A host has one connection at a time: its feeds are asked in turn, by one thread. When a feed is next asked
stands in the store, so a restart asks nothing early.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

from bot.core.timing import asks_for_all, asks_new_place, is_due
from bot.errors import Interrupted, StateError
from bot.sources.collect import Address, Collected, Failed, Validators, collect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from bot.http_client import HttpClient
    from bot.pipeline import FeedRules, Pipeline, PollReport
    from bot.store import Store
    from bot.store.sources import SourceState

log = logging.getLogger(__name__)

THREADS: Final = 32
"""Measured with 1,000 feeds at 100 ms: 32 threads ask 300 feeds a second; more gains little on two cores."""

LOOK_AGAIN: Final = timedelta(milliseconds=100)
"""While answers are awaited, the loop looks for them so often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed as the configuration has it: where it is, and what its owner wants of it."""

    address: Address
    rules: FeedRules


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
        mask: Callable[[str], str] = str,
        threads: int = THREADS,
    ) -> None:
        self._feeds = {feed.rules.name: feed for feed in feeds}
        self._hosts = {name: _host(feed.address) for name, feed in self._feeds.items()}
        self._client = client
        self._store = store
        self._pipeline = pipeline
        self._clock = clock
        self._draw = draw
        self._report = report
        self._stop = stop
        self._mask = mask  # a server may echo what it was told, and faults are stored
        self._threads = threads
        self._workers: list[threading.Thread] = []
        self._jobs: queue.SimpleQueue[Sequence[tuple[Feed, Address, Validators]] | None] = queue.SimpleQueue()
        self._came: queue.SimpleQueue[tuple[Feed, Collected | Exception]] = queue.SimpleQueue()
        self._asked: set[str] = set()
        self._awaited_of: Counter[str] = Counter()  # by host; a host without answers to come is not in it
        self._next_poll_at = {
            name: state.next_poll_at
            for name, state in store.sources.all().items()
            # A feed that its owner moved is asked at its new place now.
            if name in self._feeds and state.url == self._feeds[name].rules.url
        }

    @property
    def waiting(self) -> int:
        """How many feeds have been asked and not answered yet."""
        return len(self._asked)

    def next_at(self, now: datetime) -> datetime | None:
        """Return when there is something to ask or to take in."""
        if not self._came.empty():
            return now
        if self._asked:
            return now + LOOK_AGAIN if not self._can_ask(now) else now
        if any(self._is_due(name, now) for name in self._feeds):
            return now
        return min(self._next_poll_at.values(), default=None)  # of all feeds: one without a time is due

    def run(self, now: datetime) -> None:
        """Ask what is due and take in what has come."""
        self.ask([name for name in self._feeds if self._is_due(name, now)])
        self.take_in()

    def poll_once(self, *, every: bool, advance: Callable[[int, int], None] | None = None) -> int:
        """Ask the feeds that are due (all when `every`), wait for all answers and take them in; return how many.

        Args:
            every: ask whether due or not.
            advance: told after each answer how many of how many are in.
        """
        now = self._clock()
        names = [name for name in self._feeds if every or self._is_due(name, now)]
        remaining = list(names)
        while not self._stop.is_set():
            remaining = self.ask(remaining)
            if not remaining and not self._asked:
                break
            try:
                self._take(*self._came.get(timeout=LOOK_AGAIN.total_seconds()))
            except queue.Empty:
                continue
            if advance:
                advance(len(names) - len(remaining) - len(self._asked), len(names))
        return len(names)

    def ask(self, names: Sequence[str]) -> list[str]:
        """Send for the feeds `names`, a thread a host; return those whose host is busy and that must wait."""
        by_host: dict[str, list[Feed]] = defaultdict(list)
        waiting = []
        now = self._clock()
        for name in names:
            if name in self._asked:
                continue
            host = self._hosts[name]
            if host in self._awaited_of:
                waiting.append(name)
            else:
                by_host[host].append(self._feeds[name])
        for host, feeds in by_host.items():
            self._awaited_of[host] = len(feeds)
            self._asked.update(feed.rules.name for feed in feeds)
            # One look each: with 10,000 feeds, a few are due at a time.
            jobs = [(feed, *_how(feed, self._store.sources.get(feed.rules.name), now)) for feed in feeds]
            self._send_for(jobs)
        return waiting

    def _send_for(self, jobs: Sequence[tuple[Feed, Address, Validators]]) -> None:
        self._jobs.put(jobs)
        if len(self._workers) < self._threads:
            # Daemons, unlike an executor's threads: a server that never answers does not keep the process from ending.
            worker = threading.Thread(target=self._work, name=f"poll-{len(self._workers)}", daemon=True)
            self._workers.append(worker)
            worker.start()

    def _work(self) -> None:
        while (jobs := self._jobs.get()) is not None:
            self._ask_host(jobs)

    def take_in(self) -> None:
        """Judge and keep every answer that has come."""
        while not self._stop.is_set():
            try:
                self._take(*self._came.get_nowait())
            except queue.Empty:
                return

    def close(self) -> None:
        """Ask nothing more, and do not wait for what is on its way: it was not taken in, so nothing is lost."""
        for _ in self._workers:
            self._jobs.put(None)

    def _ask_host(self, jobs: Sequence[tuple[Feed, Address, Validators]]) -> None:
        for feed, address, known in jobs:
            if self._stop.is_set():
                return
            try:
                self._came.put((feed, collect(address, self._client, known)))
            except Exception as error:  # noqa: BLE001 - carried to the main thread, where it is told
                self._came.put((feed, error))

    def _take(self, feed: Feed, collected: Collected | Exception) -> None:
        name = feed.rules.name
        self._asked.discard(name)
        host = self._hosts[name]
        self._awaited_of[host] -= 1
        if not self._awaited_of[host]:
            del self._awaited_of[host]
        try:
            report = self._absorb(feed, collected)
        except Interrupted:
            return  # the stop event is set; the feed is asked again at the next start
        state = self._store.sources.get(name)
        if state is not None:
            self._next_poll_at[name] = state.next_poll_at
        self._report(report)

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
        if name in self._asked:
            return False
        at = self._next_poll_at.get(name)
        return at is None or is_due(at, now, self._feeds[name].rules.interval)

    def _can_ask(self, now: datetime) -> bool:
        return any(
            host not in self._awaited_of and self._is_due(name, now) for name, host in self._hosts.items()
        )


def _how(feed: Feed, state: SourceState | None, now: datetime) -> tuple[Address, Validators]:
    """Return where to ask for `feed`, and what of it is known."""
    address = feed.address
    if state is None or state.url != feed.rules.url:
        return address, Validators()
    # Headers and passwords are for the configured server: with them, only its own redirect leads elsewhere.
    is_open = address.path is None and not address.headers and address.basic_auth is None
    if is_open and state.moved_to and asks_new_place(state.moved_since, now, failures=state.failures):
        address = replace(address, url=state.moved_to, is_new_place=True)
    if asks_for_all(state.whole_at, now, feed.rules.interval):
        return address, Validators(body_hash=state.body_hash)
    return address, Validators(etag=state.etag, last_modified=state.last_modified, body_hash=state.body_hash)


def _host(address: Address) -> str:
    if address.path is not None:
        return ""
    try:
        return urlsplit(address.url).hostname or ""
    except ValueError:
        return address.url
