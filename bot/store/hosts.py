"""The hosts that want to be left alone for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.store.rows import rows, write
from bot.store.times import known

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database


class Hosts:
    """The table of hosts that are closed: none of their feeds is asked."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def closed(self) -> dict[str, datetime]:
        """Return until when each host is closed, past times included."""
        there = rows(self._db, "select host, closed_until from hosts")
        return {str(row["host"]): known(float(row["closed_until"])) for row in there}

    def close(self, host: str, until: datetime, now: datetime) -> None:
        """Leave `host` alone until `until`, and forget the times that have passed; call it in a transaction."""
        write(self._db, "delete from hosts where closed_until <= ?", [now.timestamp()])
        statement = "insert or replace into hosts (host, closed_until) values (?, ?)"
        write(self._db, statement, [host, until.timestamp()])
