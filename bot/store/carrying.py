"""What is taken over from a database that is set aside: the money that was spent, so that no limit is spent twice.

Nothing else is. A damaged database is read as far as it can be: the ledger lies on pages of its own.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.store.connection import BUSY_SECONDS

if TYPE_CHECKING:
    from pathlib import Path

    from sqlite_utils import Database

_TABLES: Final = ("ledger_months", "resources_read", "credit_stops")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRead:
    """The rows of the ledger of another database, and of the tables that go with it, by the table's name."""

    ledger: list[dict[str, Any]]
    others: dict[str, list[dict[str, Any]]]


def read_ledger(path: Path) -> LedgerRead | None:
    """Return the ledger of the database at `path`, None where it cannot be read or never had one. Changes nothing."""
    if not path.is_file() or not path.stat().st_size:
        return None
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
        ) as db:
            db.row_factory = sqlite3.Row
            ledger = [dict(row) for row in db.execute("select * from ledger order by id")]
            others = {table: [dict(row) for row in db.execute(f"select * from {table}")] for table in _TABLES}  # noqa: S608 - our names
    except (sqlite3.Error, OSError, UnicodeDecodeError):
        return None
    return LedgerRead(ledger=ledger, others=others)


def put_ledger(db: Database, read: LedgerRead) -> int:
    """Add what `read` knows and `db` does not; return how many calls that were. Call it in a transaction.

    Calls that are newer than any in `db` belong to no row of its outbox. What became of those under way nobody will
    say any more: they count as spent.
    """
    (newest,) = list(db.query("select coalesce(max(id), 0) as id from ledger"))
    added = [row for row in read.ledger if row["id"] > newest["id"]]
    for row in added:
        lost = {"state": "lost", "settled_at": row["at"]} if row["state"] == "reserved" else {}
        _put(db, "ledger", {**row, "outbox_id": None, **lost})
    for table, rows in read.others.items():
        for row in rows:
            _put(db, table, row)
    return len(added)


def _put(db: Database, table: str, row: dict[str, Any]) -> None:
    names = ", ".join(row)
    marks = ", ".join("?" * len(row))
    db.execute(f"insert or ignore into {table} ({names}) values ({marks})", list(row.values()))  # noqa: S608 - our names
