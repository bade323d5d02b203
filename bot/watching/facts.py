"""What a monitor is told of, read from the store at one moment."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.core.budget import start_of_day
from bot.store import StateDir, Store
from bot.store.outbox import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

LAST_DAY: Final = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFacts:
    """One feed.

    Attributes:
        last_good_at: when it was last read; None where it never was.
        next_poll_at: None where it was never asked.
        failures: in a row.
    """

    last_good_at: datetime | None
    next_poll_at: datetime | None
    failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the store says.

    Attributes:
        at: when.
        feeds: the configured ones, by name.
        entries: of the last 24 hours, by verdict.
        posts: rows of the outbox, by destination and state.
        oldest: since when the oldest queued row of a destination waits; without those that have none.
        pauses: why nothing is sent to a destination now, by name; the owner's own limits are none.
        held: entries that wait for a person.
        spent_day, spent_month: micro-dollars of this UTC day and month.
        database_bytes, wal_bytes: on disk.
    """

    at: datetime
    feeds: Mapping[str, FeedFacts]
    entries: Mapping[str, int]
    posts: Mapping[tuple[str, str], int]
    oldest: Mapping[str, datetime]
    pauses: Mapping[str, str]
    held: int
    spent_day: int
    spent_month: int
    database_bytes: int
    wal_bytes: int


def look(state_dir: Path, feeds: Sequence[str], destinations: Sequence[str], now: datetime) -> Facts:
    """Return what the store in `state_dir` says of `feeds` and `destinations`. Raises StateError where there is none to read."""
    state = StateDir(state_dir)
    with Store.read_only(state) as store:
        known = store.sources.all()
        names = list(dict.fromkeys([*destinations, *store.outbox.destinations()]))
        entries: Counter[str] = Counter()
        for _, verdict, _, count in store.entries.count_since(now - LAST_DAY):
            entries[verdict] += count
        spent = store.ledger.spent(now)
        queued = {name: store.outbox.queued(name) for name in names}
        return Facts(
            at=now,
            feeds={
                name: FeedFacts(
                    last_good_at=known[name].last_good_at,
                    next_poll_at=known[name].next_poll_at,
                    failures=known[name].failures,
                )
                if name in known
                else FeedFacts(last_good_at=None, next_poll_at=None, failures=0)
                for name in feeds
            },
            entries=entries,
            posts={
                (name, str(each)): store.outbox.counts(name).get(each, 0) for name in names for each in State
            },
            oldest={name: min(row.queued_at for row in rows) for name, rows in queued.items() if rows},
            pauses={name: reason for name in names if (reason := _pause(store, name, now)) is not None},
            held=sum(hold.waiting for hold in store.holds.waiting()),
            spent_day=spent.day,
            spent_month=spent.month,
            database_bytes=_size(state.database),
            wal_bytes=_size(state.database.with_name(f"{state.database.name}-wal")),
        )


def _pause(store: Store, destination: str, now: datetime) -> str | None:
    paused = store.outbox.paused(destination)
    if paused is None or paused[0] <= now or paused[0] == start_of_day(paused[0]):
        return None  # a limit of the owner's ends with a UTC day
    return paused[1]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
