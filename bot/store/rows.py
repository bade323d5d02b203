"""Rows of a table: asked for, written, put in and looked up by their number.

sqlite_utils opens a savepoint around each query and takes each statement apart, for databases that it knows nothing of:
three quarters of what a small query costs. These go straight to the connection, for the statements that are
asked for with every entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from sqlite_utils import Database

_ROUND: Final = 8
"""Lists of values come in steps of so many, so that SQLite meets a few statements again and again, ready made: to make a
query for 44 keys anew takes 0.5 ms, to run it 0.1 ms."""


def rows(db: Database, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[dict[str, Any]]:
    """Return all rows of a `select`, each by its columns; of two columns of one name the last counts."""
    cursor = db.conn.execute(query, values)
    found = cursor.fetchall()
    if not found:
        return []
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in found]


def write(db: Database, statement: str, values: Sequence[Any] | dict[str, Any] = ()) -> sqlite3.Cursor:
    """Run an `insert`, `update` or `delete`; within a transaction it becomes part of it, else it is kept at once."""
    if db.conn.in_transaction:
        return db.conn.execute(statement, values)
    return db.execute(statement, values)


def padded(values: Sequence[Any]) -> list[Any]:
    """Return `values` and as many NULLs, which equal nothing, as make their number a multiple of eight."""
    return [*values, *[None] * (-len(values) % _ROUND)]


def put_row(db: Database, table: str, row: Mapping[str, Any]) -> int:
    """Insert a row, its values by their columns; return its number. Call it in a transaction."""
    names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
    cursor = write(db, f"insert into {table} ({names}) values ({marks})", dict(row))  # noqa: S608 - our names
    return int(cursor.lastrowid or 0)


def row_of(db: Database, table: str, number: int) -> dict[str, Any]:
    """Return the row with that number; raise KeyError when there is none."""
    found = rows(db, f"select * from {table} where id = ?", [number])  # noqa: S608 - our names
    if not found:
        raise KeyError(number)
    return found[0]
