"""What the bot remembers of each feed: validators, next poll, failures, habit, and which keys to trust."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from bot.core.flood import Habit
from bot.core.identity import Trust
from bot.core.politeness import ANY_PACE, DAYS, HOURS, Pace, Rhythm
from bot.store.rows import rows, write
from bot.store.times import from_seconds, known, to_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlite_utils import Database


WATCHED_FOR: Final = timedelta(days=1)
"""Before that, one item that came a minute after the seed would make thousands a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceState:
    """One feed's memory, as stored.

    Attributes:
        name: the configured name.
        url: what was last polled under that name.
        next_poll_at: not to be asked earlier.
        etag, last_modified: byte for byte as the server sent them, None when it sent none.
        body_hash: of the last readable body, None when there was none yet.
        last_attempt_at: None when it was never asked.
        last_good_at, first_good_at: last and first readable answer, None when there was none.
        last_body_at: when the last new body was read, None when there was none.
        seeded_at: when its first items became known, None when it has brought none yet.
        floor_at: the oldest date among those, None when they bore none.
        failures: in a row.
        fault: the last fault in words, None since the last good poll.
        habit: what it usually brings.
        trust: which keys tell its items apart.
        renumbered_at: when all its guids or links last changed, None when never.
        seed_silently: its first items are made known and not posted, whatever its owner wants of new feeds.
        whole_at: when the server last sent a whole body, known or new, None when never.
        moved_to: where permanent redirects lead, None when nowhere.
        moved_since: since when they have led there without a break, None when nowhere.
        rhythm: how the items of its last body came.
        pace: what its last body asks for.
        fresh_for: how long its server said last that an answer holds, None when it did not say.
        gone_at: when its server said that it is gone for good; it is then asked no more. None otherwise.
    """

    name: str
    url: str
    next_poll_at: datetime
    etag: str | None = None
    last_modified: str | None = None
    body_hash: str | None = None
    last_attempt_at: datetime | None = None
    last_good_at: datetime | None = None
    last_body_at: datetime | None = None
    first_good_at: datetime | None = None
    seeded_at: datetime | None = None
    floor_at: datetime | None = None
    failures: int = 0
    fault: str | None = None
    habit: Habit = field(default_factory=Habit)
    trust: Trust = field(default_factory=Trust)
    renumbered_at: datetime | None = None
    seed_silently: bool = False
    whole_at: datetime | None = None
    moved_to: str | None = None
    moved_since: datetime | None = None
    rhythm: Rhythm = field(default_factory=Rhythm)
    pace: Pace = ANY_PACE
    fresh_for: timedelta | None = None
    gone_at: datetime | None = None

    @property
    def new_per_day(self) -> float | None:
        """How many new items a day it brings, by its habit; None until it was watched for a day since it was seeded."""
        if self.seeded_at is None or self.last_good_at is None or not self.habit.hours:
            return None
        if self.last_good_at - self.seeded_at < WATCHED_FOR:
            return None
        return self.habit.new / self.habit.hours * HOURS


class Sources:
    """The table of sources, and the faults that were found in them."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, name: str) -> SourceState | None:
        """Return what is known of the feed `name`, None when it was never polled."""
        there = rows(self._db, "select * from sources where name = ?", [name])
        return _state(there[0]) if there else None

    def all(self) -> dict[str, SourceState]:
        """Return every source by name, those that left the configuration included."""
        return {row["name"]: _state(row) for row in rows(self._db, "select * from sources order by name")}

    def remember_items(self) -> bool:
        """Say whether any source has brought items before."""
        return bool(rows(self._db, "select 1 from sources where seeded_at is not null limit 1"))

    def save(self, state: SourceState) -> None:
        """Write `state`, new or changed; call it in a transaction."""
        row = {
            "name": state.name,
            "url": state.url,
            "etag": state.etag,
            "last_modified": state.last_modified,
            "body_hash": state.body_hash,
            "next_poll_at": state.next_poll_at.timestamp(),
            "last_attempt_at": to_seconds(state.last_attempt_at),
            "last_good_at": to_seconds(state.last_good_at),
            "last_body_at": to_seconds(state.last_body_at),
            "first_good_at": to_seconds(state.first_good_at),
            "seeded_at": to_seconds(state.seeded_at),
            "floor_at": to_seconds(state.floor_at),
            "failures": state.failures,
            "fault": state.fault,
            "largest_body": state.habit.largest_body,
            "largest_batch": state.habit.largest_batch,
            "habit_new": state.habit.new,
            "habit_hours": state.habit.hours,
            "guid_trusted": int(state.trust.guid),
            "link_trusted": int(state.trust.link),
            "anchored": int(state.trust.anchored),
            "seed_silently": int(state.seed_silently),
            "renumbered_at": to_seconds(state.renumbered_at),
            "whole_at": to_seconds(state.whole_at),
            "moved_to": state.moved_to,
            "moved_since": to_seconds(state.moved_since),
            "gap_seconds": _seconds(state.rhythm.gap),
            "newest_at": to_seconds(state.rhythm.newest),
            "wait_seconds": _seconds(state.pace.wait),
            "fresh_seconds": _seconds(state.fresh_for),
            "skip_hours": sum(1 << hour for hour in state.pace.skip_hours),
            "skip_days": sum(1 << day for day in state.pace.skip_days),
            "gone_at": to_seconds(state.gone_at),
        }
        names = ", ".join(row)
        marks = ", ".join(["?"] * len(row))
        statement = f"insert or replace into sources ({names}) values ({marks})"  # noqa: S608 - our names
        write(self._db, statement, tuple(row.values()))

    def seed_silently(self, feeds: Iterable[tuple[str, str]], now: datetime) -> None:
        """Have the first items of these feeds (name and url) made known and not posted. Call it in a transaction.

        Used for a store that begins afresh after a loss: what is there now may have been posted before.
        """
        for name, url in feeds:
            self.save(SourceState(name=name, url=url, next_poll_at=now, seed_silently=True))

    def allow_batch(self, name: str, size: int) -> None:
        """Take a batch of `size` for the feed's habit from now on: a person let it through. Call it in a transaction."""
        self._db.execute(
            "update sources set largest_batch = max(largest_batch, ?) where name = ?", [size, name]
        )

    def add_faults(self, name: str, faults: Iterable[str], now: datetime) -> None:
        """Keep what was wrong with single entries of the feed `name`; call it in a transaction."""
        for fault in faults:
            values = [name, now.timestamp(), fault]
            write(self._db, "insert into faults (feed, at, detail) values (?, ?, ?)", values)

    def faults(self, name: str, limit: int = 20) -> list[tuple[datetime, str]]:
        """Return the newest faults of the feed `name`, newest first."""
        query = "select at, detail from faults where feed = ? order by at desc, id desc limit ?"
        return [(known(row["at"]), row["detail"]) for row in rows(self._db, query, [name, limit])]

    def forget_faults_before(self, seconds: float) -> None:
        """Drop old faults; call it in a transaction."""
        self._db.execute("delete from faults where at < ?", [seconds])


def _state(r: dict[str, Any]) -> SourceState:
    return SourceState(
        name=str(r["name"]),
        url=str(r["url"]),
        next_poll_at=known(float(r["next_poll_at"])),
        etag=r["etag"],
        last_modified=r["last_modified"],
        body_hash=r["body_hash"],
        last_attempt_at=from_seconds(r["last_attempt_at"]),
        last_good_at=from_seconds(r["last_good_at"]),
        last_body_at=from_seconds(r["last_body_at"]),
        first_good_at=from_seconds(r["first_good_at"]),
        seeded_at=from_seconds(r["seeded_at"]),
        floor_at=from_seconds(r["floor_at"]),
        failures=int(r["failures"]),
        fault=r["fault"],
        habit=Habit(
            new=float(r["habit_new"]),
            hours=float(r["habit_hours"]),
            largest_body=int(r["largest_body"]),
            largest_batch=int(r["largest_batch"]),
        ),
        trust=Trust(guid=bool(r["guid_trusted"]), link=bool(r["link_trusted"]), anchored=bool(r["anchored"])),
        seed_silently=bool(r["seed_silently"]),
        renumbered_at=from_seconds(r["renumbered_at"]),
        whole_at=from_seconds(r["whole_at"]),
        moved_to=r["moved_to"],
        moved_since=from_seconds(r["moved_since"]),
        rhythm=Rhythm(gap=_span(r["gap_seconds"]), newest=from_seconds(r["newest_at"])),
        pace=Pace(
            wait=_span(r["wait_seconds"]),
            skip_hours=_bits(r["skip_hours"], HOURS),
            skip_days=_bits(r["skip_days"], DAYS),
        ),
        fresh_for=_span(r["fresh_seconds"]),
        gone_at=from_seconds(r["gone_at"]),
    )


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else span.total_seconds()


def _span(seconds: float | None) -> timedelta | None:
    return None if seconds is None else timedelta(seconds=seconds)


@lru_cache(maxsize=1000)
def _bits(number: int, most: int) -> frozenset[int]:
    return frozenset(bit for bit in range(most) if number >> bit & 1)
