"""Batches of entries that wait for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bot.core.model import Reason
from bot.store.times import from_seconds, known

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """One batch.

    Attributes:
        id: its row, > 0.
        feed: whose entries it holds.
        reason: why.
        detail: the same in words, with the numbers.
        created_at: when.
        resolved_at: when a person decided, None while it waits.
        resolution: what the person decided.
        waiting: entries that still wait in it.
    """

    id: int
    feed: str
    reason: Reason
    detail: str
    created_at: datetime
    resolved_at: datetime | None
    resolution: Literal["released", "discarded"] | None
    waiting: int


class Holds:
    """The table of holds."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, feed: str, reason: Reason, detail: str, now: datetime) -> int:
        """Open a hold; return its row. Call it in a transaction."""
        cursor = self._db.execute(
            "insert into holds (feed, reason, detail, created_at) values (?, ?, ?, ?)",
            [feed, reason, detail, now.timestamp()],
        )
        return int(cursor.lastrowid or 0)

    def get(self, hold_id: int) -> Hold | None:
        """Return one hold, None when there is none of that number."""
        rows = list(self._db.query(f"{_SELECT} where h.id = ?", [hold_id]))
        return _hold(rows[0]) if rows else None

    def waiting(self) -> list[Hold]:
        """Return the holds that wait for a person, oldest first."""
        return [
            _hold(row) for row in list(self._db.query(f"{_SELECT} where h.resolved_at is null order by h.id"))
        ]

    def resolve(self, hold_id: int, resolution: Literal["released", "discarded"], now: datetime) -> None:
        """Note what a person decided; call it in a transaction."""
        self._db.execute(
            "update holds set resolved_at = ?, resolution = ? where id = ?",
            [now.timestamp(), resolution, hold_id],
        )


_SELECT = """
    select h.*, (select count(*) from entries e where e.hold_id = h.id and e.verdict = 'held') as waiting
    from holds h
"""


def _hold(row: dict[str, Any]) -> Hold:
    return Hold(
        id=row["id"],
        feed=row["feed"],
        reason=Reason(row["reason"]),
        detail=row["detail"],
        created_at=known(row["created_at"]),
        resolved_at=from_seconds(row["resolved_at"]),
        resolution=row["resolution"],
        waiting=row["waiting"],
    )
