"""What a monitor is told of, read from the store at one moment."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.core.budget import start_of_day
from bot.store import StateDir, Store
from bot.store.backups import backups_in
from bot.store.outbox import State
from bot.store.outbox_rows import WaitsFor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from bot.store.outbox_rows import OutboxRow
    from bot.store.sources import SourceState

LAST_DAY: Final = timedelta(hours=24)
LAST_WEEK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFacts:
    """One feed.

    Attributes:
        last_good_at: when it was last read; None where it never was.
        next_poll_at: None where it was never asked.
        failures: in a row.
        fault: the last one in words, None since the last good poll.
        last_body_at: when it last brought something new to read; None where it never did.
        new_per_day: how many new items it brings by its habit; None where that is not known yet.
        gone_at: when its server said that it is gone for good; None otherwise.
    """

    last_good_at: datetime | None = None
    next_poll_at: datetime | None = None
    failures: int = 0
    fault: str | None = None
    last_body_at: datetime | None = None
    new_per_day: float | None = None
    gone_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backups:
    """Where backups are looked for.

    Attributes:
        every: from one to the next.
    """

    folder: Path
    every: timedelta


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
        limits: until when posts wait because the owner's limit of a day or month is used up, by destination.
        held: entries that wait for a person, by feed; without feeds that have none.
        unsure: since when the oldest post waits of which nobody knows whether it went out, by destination.
        undecided: posts of the last week that were looked for in vain and are left to a person, by destination.
        backed_up_at: when the newest backup was made; None where there is none.
        installed_at: when the database was made; None where that is not known.
        spent_day, spent_month: micro-dollars of this UTC day and month.
        database_bytes, wal_bytes: on disk.
        free_bytes: that the disk has left for the bot.
    """

    at: datetime
    feeds: Mapping[str, FeedFacts]
    entries: Mapping[str, int]
    posts: Mapping[tuple[str, str], int]
    oldest: Mapping[str, datetime]
    pauses: Mapping[str, str]
    limits: Mapping[str, datetime]
    held: Mapping[str, int]
    unsure: Mapping[str, datetime]
    undecided: Mapping[str, int]
    backed_up_at: datetime | None
    installed_at: datetime | None
    spent_day: int
    spent_month: int
    database_bytes: int
    wal_bytes: int
    free_bytes: int


def look(
    state_dir: Path,
    feeds: Sequence[str],
    destinations: Sequence[str],
    now: datetime,
    backups: Path | None = None,
) -> Facts:
    """Return what the store in `state_dir` says of `feeds` and `destinations`, and the disk of the folder of `backups`.

    Raises StateError where there is no store to read.
    """
    state = StateDir(state_dir)
    with Store.read_only(state) as store:
        known = store.sources.all()
        names = list(dict.fromkeys([*destinations, *store.outbox.destinations()]))
        entries: Counter[str] = Counter()
        for _, verdict, _, count in store.entries.count_since(now - LAST_DAY):
            entries[verdict] += count
        spent = store.ledger.spent(now)
        queued = {name: store.outbox.queued(name) for name in names}
        counts = {name: store.outbox.counts(name) for name in names}
        paused = {
            name: pause
            for name in names
            if (pause := store.outbox.paused(name)) is not None and pause[0] > now
        }
        limits = {
            name: end for name in names if (end := _limit(paused.get(name), queued[name], now)) is not None
        }
        unsure = {name: store.unknowns.waiting(name) for name in names}
        made = backups_in(backups)[:1] if backups is not None else []
        return Facts(
            at=now,
            feeds={name: _feed(known[name]) if name in known else FeedFacts() for name in feeds},
            entries=entries,
            posts={(name, str(each)): counts[name].get(each, 0) for name in names for each in State},
            oldest={name: min(row.queued_at for row in rows) for name, rows in queued.items() if rows},
            pauses={name: pause[1] for name, pause in paused.items() if not _is_own(pause[0])},
            limits=limits,
            held={hold.feed: hold.waiting for hold in store.holds.waiting() if hold.waiting},
            unsure={
                name: min(row.claimed_at or row.queued_at for row in rows)
                for name, rows in unsure.items()
                if rows
            },
            undecided=Counter(
                row.destination
                for row in store.outbox.settled_since(now - LAST_WEEK)
                if row.state is State.UNCONFIRMED
            ),
            backed_up_at=made[0].at if made else None,
            installed_at=store.upkeep.installed_at(),
            spent_day=spent.day,
            spent_month=spent.month,
            database_bytes=_size(state.database),
            wal_bytes=_size(state.database.with_name(f"{state.database.name}-wal")),
            free_bytes=shutil.disk_usage(state_dir).free,
        )


def _is_own(until: datetime) -> bool:
    """Return whether a pause ends with a UTC day, as the owner's own limits do."""
    return until == start_of_day(until)


def _limit(
    paused: tuple[datetime, str] | None, queued: Sequence[OutboxRow], now: datetime
) -> datetime | None:
    """Return until when the owner's limit keeps posts waiting, None where none does."""
    ends = [row.not_before for row in queued if row.waits_for is WaitsFor.BUDGET and row.not_before > now]
    if paused is not None and _is_own(paused[0]):
        ends.append(paused[0])
    return min(ends, default=None)


def _feed(source: SourceState) -> FeedFacts:
    return FeedFacts(
        last_good_at=source.last_good_at,
        next_poll_at=source.next_poll_at,
        failures=source.failures,
        fault=source.fault,
        last_body_at=source.last_body_at,
        new_per_day=source.new_per_day,
        gone_at=source.gone_at,
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
