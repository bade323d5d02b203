"""Replay: recorded snapshots through the very same pipeline, with the clock at each snapshot's time."""

from __future__ import annotations

import os
from collections import Counter, deque
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, Final

from bot.core.classic_verdict import Method
from bot.core.model import Duplicate, Fresh, Held, Reason
from bot.core.routes import Routes
from bot.held import release
from bot.pipeline import Judge, Pipeline
from bot.sources.collect import Address, Body, Collected, Unchanged, Validators, read_body
from bot.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from concurrent.futures import Future
    from datetime import datetime
    from pathlib import Path

    from bot.core.dedupe import Level
    from bot.core.model import Entry, Match, Step, Verdict
    from bot.pipeline import Decision, FeedRules, PollReport
    from bot.snapshots import Snapshot, Snapshots

DESTINATION = "replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A distinct (feed, guid, link, title), the first time it was seen.

    Attributes:
        at: the snapshot's time.
        entry: as the feed gave it.
        verdict: what was decided, after the release where holds are released at once.
        trace: the steps of the decision.
    """

    at: datetime
    entry: Entry
    verdict: Verdict
    trace: tuple[Step, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the object that `replay --json` prints."""
        of: Match | None = self.verdict.of if isinstance(self.verdict, Duplicate) else None
        published = self.entry.published
        return {
            "time": _iso(self.at),
            "feed": self.entry.feed,
            "guid": self.entry.guid,
            "link": self.entry.link,
            "title": self.entry.title,
            "published": _iso(published) if published else None,
            "verdict": self.verdict.kind,
            "reason": str(self.verdict.reason),
            "of": {"link": of.link, "title": of.title, "feed": of.feed, "time": _iso(of.seen_at)}
            if of
            else None,
            "resemblance": round(of.resemblance, 4) if of and of.resemblance is not None else None,
        }


@dataclass(slots=True)
class Tally:
    """What a replay came to: how many of each verdict and reason, feed by feed, and what could not be read."""

    by_reason: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_feed: Counter[tuple[str, str]] = field(default_factory=Counter)
    snapshots: int = 0
    unreadable: Counter[tuple[str, str]] = field(default_factory=Counter)
    notices: list[tuple[datetime, str, str]] = field(default_factory=list)
    faults: int = 0


def replay(
    snapshots: Snapshots,
    *,
    rules: Callable[[str], FeedRules],
    level: Level,
    release_held: bool,
    tally: Tally,
    method: Method = Method.TABLE,
    asks: bool = False,
) -> Iterator[Judged]:
    """Run `snapshots`, in order of time, through the pipeline; yield each distinct entry the first time it is seen.

    Args:
        snapshots: in order of time.
        rules: what is wanted of the feed of that name.
        level: of near-duplicate judgement.
        release_held: release every hold at once, as a person would who finds nothing wrong with it.
        tally: filled while the replay runs.
        method: what judges likeness.
        asks: whether what may be a repeat is held.
    """
    with Store.in_memory() as store:
        run = Run(store, Judge(store, level, method=method, asks=asks), release_held=release_held)
        for snapshot, collected, feeds in read_ahead(snapshots, rules):
            report, judged = run.take(snapshot, collected, feeds)
            tally.snapshots += 1
            tally.faults += len(report.faults)
            tally.notices.extend((snapshot.at, snapshot.feed, notice) for notice in report.notices)
            if report.fault:
                tally.unreadable[snapshot.feed, report.fault] += 1
            for one in judged:
                tally.by_reason[one.verdict.kind, str(one.verdict.reason)] += 1
                tally.by_feed[one.entry.feed, one.verdict.kind] += 1
                yield one


class Run:
    """One replay under way: a store in memory and the pipeline over it."""

    def __init__(self, store: Store, judge: Judge, *, release_held: bool) -> None:
        self._store = store
        self._pipeline = Pipeline(store, judge, [DESTINATION])
        self._release_held = release_held
        self._told: set[tuple[str, str | None, str | None, str]] = set()

    def take(
        self, snapshot: Snapshot, collected: Collected, feeds: Mapping[str, FeedRules]
    ) -> tuple[PollReport, list[Judged]]:
        """Judge one body; return the report of its poll, and each distinct entry that is seen for the first time."""
        as_known = _as_known(self._store, snapshot.feed, collected)
        report = self._pipeline.absorb(feeds[snapshot.feed], as_known, snapshot.at)
        released = _release(self._store, report, feeds, snapshot.at) if self._release_held else set()
        judged = []
        for decision in report.decisions:
            entry = decision.entry
            name = (entry.feed, entry.guid, entry.link, entry.title)
            if name not in self._told:
                self._told.add(name)
                judged.append(_judged(snapshot.at, decision, released))
        return report, judged


def read_ahead(
    snapshots: Snapshots, rules: Callable[[str], FeedRules]
) -> Iterator[tuple[Snapshot, Collected, Mapping[str, FeedRules]]]:
    """Parse snapshots a little ahead of the judgement; yield them in order, with the rules of the feeds met so far."""
    by_name: dict[str, FeedRules] = {}
    for snapshot, collected in _read_ahead(snapshots, rules, by_name):
        yield snapshot, collected, by_name


def _read_ahead(
    snapshots: Snapshots, rules: Callable[[str], FeedRules], by_name: dict[str, FeedRules]
) -> Iterator[tuple[Snapshot, Collected]]:
    """Parse snapshots in processes of their own, a little ahead of the judgement; yield them in order."""
    if len(snapshots) < _POOL_PAYS:
        for snapshot in snapshots:
            feed = by_name.setdefault(snapshot.feed, rules(snapshot.feed))
            yield snapshot, _read(snapshot.path, snapshot.feed, feed.url)
        return
    waiting: deque[tuple[Snapshot, Future[Collected]]] = deque()
    with ProcessPoolExecutor(max_workers=_WORKERS, mp_context=get_context("spawn")) as pool:
        for snapshot in snapshots:
            feed = by_name.setdefault(snapshot.feed, rules(snapshot.feed))
            waiting.append((snapshot, pool.submit(_read, snapshot.path, snapshot.feed, feed.url)))
            if len(waiting) >= _AHEAD:
                first, future = waiting.popleft()
                yield first, future.result()
        for first, future in waiting:
            yield first, future.result()


_POOL_PAYS: Final = 64
"""Fewer snapshots are parsed sooner than processes start."""

_WORKERS: Final = max(1, os.cpu_count() or 1)
_AHEAD: Final = 16 * _WORKERS
"""Snapshots parsed ahead: enough to keep every core busy, few enough to stay small in memory."""


def _read(path: Path, feed: str, url: str) -> Collected:
    return read_body(Address(feed=feed, url=url), path.read_bytes(), known=Validators())


def _as_known(store: Store, feed: str, collected: Collected) -> Collected:
    """Return Unchanged for a body that the feed brought last time, as a poll would have found without parsing it."""
    known = store.sources.get(feed)
    if isinstance(collected, Body) and known and collected.validators.body_hash == known.body_hash:
        return Unchanged(validators=collected.validators)
    return collected


def _release(store: Store, report: PollReport, rules: Mapping[str, FeedRules], now: datetime) -> set[int]:
    holds = {d.verdict.hold_id for d in report.decisions if isinstance(d.verdict, Held)}
    ages = {name: feed.max_age for name, feed in rules.items()}
    released: set[int] = set()
    for hold_id in holds:
        default = rules[report.feed].max_age
        done = release(
            store,
            hold_id,
            routes=Routes(every=(DESTINATION,)),
            max_ages=ages,
            default_max_age=default,
            now=now,
        )
        released.update(stored.id for stored in done)
    return released


def _judged(at: datetime, decision: Decision, released: set[int]) -> Judged:
    verdict = decision.verdict
    if decision.entry_id in released:
        verdict = Fresh(reason=Reason.RELEASED)
    return Judged(at=at, entry=decision.entry, verdict=verdict, trace=decision.trace)


def _iso(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")
