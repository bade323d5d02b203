"""What the owner was told of the bot's troubles; a restart tells none of them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.core.alerts import Known
from bot.store.times import from_seconds, known, to_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlite_utils import Database


class Alerts:
    """The table of alerts. `keep` is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def all(self) -> tuple[Known, ...]:
        """Return all that is remembered, by when it was first seen; nothing where the database is of a version before."""
        if not self._db["alerts"].exists():
            return ()
        return tuple(
            Known(
                key=row["key"],
                text=row["text"],
                ends_unsaid=bool(row["ends_unsaid"]),
                since=known(row["since"]),
                told_at=from_seconds(row["told_at"]),
                times=row["times"],
                over=bool(row["over"]),
            )
            for row in self._db.query("select * from alerts order by since, key")
        )

    def keep(self, alerts: Iterable[Known]) -> None:
        """Remember these, and no others."""
        self._db.execute("delete from alerts")
        for one in alerts:
            told_at = to_seconds(one.told_at)
            self._db.execute(
                "insert into alerts values (?, ?, ?, ?, ?, ?, ?)",
                [one.key, one.text, one.ends_unsaid, one.since.timestamp(), told_at, one.times, one.over],
            )
