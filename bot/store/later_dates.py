"""Dates in the outbox that lie ahead of the clock: they were written before it was set back.

Left as they are, they would hold a destination up for as long as the clock was wrong, or for ever: a post that "was made"
tomorrow keeps the least gap in front of it, and so does every later look at it. So they are taken as of now, and pauses end
by as much earlier as the latest of them lies ahead. What they mean for a post that may have gone out is counted by a
clock that nobody sets, and does not change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.core.timing import LONGEST_PAUSE

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database

_AHEAD: Final = """
    select max(
        coalesce((select max(claimed_at) from outbox where destination = :destination), 0),
        coalesce((select max(queued_at) from outbox where destination = :destination and state = 'queued'), 0),
        coalesce((select max(not_before) from outbox where destination = :destination and state = 'queued'), 0) - :longest,
        coalesce((select until from pauses where destination = :destination), 0) - :longest
    ) - :now as ahead
"""


class LaterDates:
    """The outbox and its pauses, seen by the dates that a clock wrote before it was set back."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def ahead(self, destination: str, now: datetime) -> float:
        """Return by how many seconds the clock was set back, at least, as its dates show; 0 where none lies ahead."""
        (row,) = list(
            self._db.query(
                _AHEAD,
                {
                    "destination": destination,
                    "now": now.timestamp(),
                    "longest": LONGEST_PAUSE.total_seconds(),
                },
            )
        )
        return max(float(row["ahead"]), 0.0)

    def take_as_of(self, destination: str, now: datetime) -> None:
        """Put `now` in their place. Called in a transaction; the rows that wait for something ask for it anew."""
        values = {
            "destination": destination,
            "now": now.timestamp(),
            "ahead": self.ahead(destination, now),
        }
        self._db.execute(
            "update outbox set claimed_at = :now where destination = :destination and claimed_at > :now",
            values,
        )
        self._db.execute(
            """
            update outbox set queued_at = min(queued_at, :now), not_before = min(not_before, :now)
            where destination = :destination and state = 'queued'
            """,
            values,
        )
        self._db.execute("update pauses set until = until - :ahead where destination = :destination", values)
