"""What is done to the store now and then, and when it was done last: for work that is due by the day, not by the start."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.store.times import known

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database


class Chore(StrEnum):
    """What is done now and then."""

    WHOLE_CHECK = "whole check"
    TIDY = "tidy"


class Upkeep:
    """The table of chores. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def done_at(self, chore: Chore) -> datetime | None:
        """Return when a chore was done last, None when it never was, or this database is of a version before."""
        if not self._db["upkeep"].exists():
            return None
        rows = list(self._db.query("select at from upkeep where what = ?", [str(chore)]))
        return known(rows[0]["at"]) if rows else None

    def is_due(self, chore: Chore, every: timedelta, now: datetime) -> bool:
        """Say whether a chore is due; one that was done in the future was noted by a clock that was set back since."""
        at = self.done_at(chore)
        return at is None or not timedelta(0) <= now - at < every

    def done(self, chore: Chore, now: datetime) -> None:
        """Note that a chore was done."""
        self._db.execute("insert or replace into upkeep values (?, ?)", [str(chore), now.timestamp()])

    def installed_at(self) -> datetime | None:
        """Return when this database was made, None when it was never installed."""
        rows = list(self._db.query("select created_at from install"))
        return known(rows[0]["created_at"]) if rows else None
