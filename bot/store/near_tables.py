"""Tables of near-duplicates that were fitted to the owner's labels: kept for ever, the newest of a level in use."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.core.dedupe import Level, Table
from bot.store.rows import put_row, row_of, rows
from bot.store.times import from_seconds, known

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTable:
    """A fitted table and where it comes from.

    Attributes:
        id: its number, > 0.
        level: that it was fitted for.
        table: what was fitted.
        made_at: when.
        labels: how many it was fitted to.
        wrong_before, wrong_unseen: of them, wrong by the packaged table, and by fits that had not seen them.
        engine: the version of the bot that fitted it.
        terms: fingerprint of what the weights multiply.
        shipped: fingerprint of the packaged table that it was held near.
        retired_at: None while it is in use, if it is the newest of its level.
    """

    id: int
    level: Level
    table: Table
    made_at: datetime
    labels: int
    wrong_before: int
    wrong_unseen: int
    engine: str
    terms: str
    shipped: str
    retired_at: datetime | None


class NearTables:
    """The table of fitted tables; empty for reading where the database is older than it."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._exists = False

    def put(
        self,
        level: Level,
        table: Table,
        *,
        labels: int,
        wrong: tuple[int, int],
        engine: str,
        prints: tuple[str, str],
        now: datetime,
    ) -> int:
        """Keep a table, which is the one in use at its level from now on; return its number.

        `wrong` and `prints` are what `StoredTable` calls wrong_before and wrong_unseen, terms and shipped. Call it in
        a transaction.
        """
        self.retire(now, level)
        row = {
            "level": level,
            "made_at": now.timestamp(),
            "labels": labels,
            "wrong_before": wrong[0],
            "wrong_unseen": wrong[1],
            "engine": engine,
            "terms": prints[0],
            "shipped": prints[1],
            "base": table.base,
            "threshold": table.threshold,
            "same_feed": table.same_feed,
            "weights": json.dumps(dict(table.weights)),
        }
        return put_row(self._db, "near_tables", row)

    def retire(self, now: datetime, level: Level | None = None) -> int:
        """Return to the packaged table at `level`, None for all; return how many were in use.

        Call it in a transaction.
        """
        cursor = self._db.execute(
            "update near_tables set retired_at = ? where retired_at is null and level = coalesce(?, level)",
            [now.timestamp(), level],
        )
        return int(cursor.rowcount)

    def current_id(self, level: Level) -> int | None:
        """Return the number of the table in use at `level`, None for the packaged one."""
        # Asked at every judgement: a table that was there once stays.
        self._exists = self._exists or self._db["near_tables"].exists()
        if not self._exists:
            return None
        query = "select max(id) as id from near_tables where level = ? and retired_at is null"
        return next((row["id"] for row in rows(self._db, query, [level])), None)

    def get(self, table_id: int) -> StoredTable:
        """Return one table; raise KeyError when there is none."""
        return _stored(row_of(self._db, "near_tables", table_id))

    def in_use(self) -> list[StoredTable]:
        """Return those that are not retired, the oldest first."""
        if not self._db["near_tables"].exists():
            return []
        return [
            _stored(row)
            for row in list(self._db.query("select * from near_tables where retired_at is null order by id"))
        ]


def _stored(row: dict[str, Any]) -> StoredTable:
    return StoredTable(
        id=row["id"],
        level=Level(row["level"]),
        table=Table(
            weights=tuple(json.loads(row["weights"]).items()),
            base=row["base"],
            threshold=row["threshold"],
            same_feed=row["same_feed"],
        ),
        made_at=known(row["made_at"]),
        labels=row["labels"],
        wrong_before=row["wrong_before"],
        wrong_unseen=row["wrong_unseen"],
        engine=row["engine"],
        terms=row["terms"],
        shipped=row["shipped"],
        retired_at=from_seconds(row["retired_at"]),
    )
