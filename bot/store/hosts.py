"""The hosts that want to be left alone for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        rows = list(self._db.query("select host, closed_until from hosts"))
        return {str(row["host"]): known(float(row["closed_until"])) for row in rows}

    def close(self, host: str, until: datetime, now: datetime) -> None:
        """Leave `host` alone until `until`, and forget the times that have passed; call it in a transaction."""
        self._db.execute("delete from hosts where closed_until <= ?", [now.timestamp()])
        self._db.execute(
            "insert or replace into hosts (host, closed_until) values (?, ?)", [host, until.timestamp()]
        )
