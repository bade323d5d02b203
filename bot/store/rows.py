"""One row of a table, put in and looked up by its number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlite_utils import Database


def put_row(db: Database, table: str, row: Mapping[str, Any]) -> int:
    """Insert a row, its values by their columns; return its number. Call it in a transaction."""
    names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
    cursor = db.execute(f"insert into {table} ({names}) values ({marks})", dict(row))  # noqa: S608 - our names
    return int(cursor.lastrowid or 0)


def row_of(db: Database, table: str, number: int) -> dict[str, Any]:
    """Return the row with that number; raise KeyError when there is none."""
    rows = list(db.query(f"select * from {table} where id = ?", [number]))  # noqa: S608 - our names
    if not rows:
        raise KeyError(number)
    return rows[0]
