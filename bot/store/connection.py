"""How the one file is opened, with which settings, and what SQLite's errors mean for a person."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlite_utils import Database

from bot.errors import StateError, StoreDamaged, StoreUnwritable
from bot.store.state_dir import NO_ROOM

if TYPE_CHECKING:
    from collections.abc import Iterator

BUSY_SECONDS = 30  # a backup or a person's command may hold the file for a moment

_STATEMENTS_KEPT = 256
"""Statements that are made once and used again: those of an entry's journey and their steps of eight values."""

_PRAGMAS = (
    "synchronous=FULL",  # with WAL: a claim survives a power cut; 0.2 ms a commit
    "foreign_keys=ON",
    "journal_size_limit=67108864",
    "temp_store=MEMORY",
)

START_AGAIN = (
    "Nothing is posted until a person decides: put the database back from a backup, or, if a fresh start is "
    "meant, run `shinglebot init --new-store` (every feed is then seeded silently, whatever its first_run says)."
)


MAKE_ROOM = "Nothing is lost: make room on the disk, or wait, and start again"

_PASSING = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
    }
)
"""On a full disk SQLite says "disk I/O error", too: it cannot make its -shm file."""

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

_NOT_ALLOWED = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_CANTOPEN}
)


class Connection(sqlite3.Connection):
    """A connection that says so, too, where SQLite's message quotes a damaged file and so is no text."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """See `sqlite3.Connection`."""
        try:
            return super().execute(sql, parameters)
        except UnicodeDecodeError as error:
            told = sqlite3.DatabaseError("its schema cannot be read")
            told.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise told from error


def connect(path: Path | str) -> Database:
    """Open a file, or ":memory:", for reading and writing."""
    connection = sqlite3.connect(
        path, timeout=BUSY_SECONDS, factory=Connection, cached_statements=_STATEMENTS_KEPT
    )
    db = Database(connection)
    with closed_on_error(db):
        if path != ":memory:":
            Path(path).chmod(0o600)
            db.enable_wal()
        for pragma in _PRAGMAS:
            db.execute(f"pragma {pragma}")
        return db


def shorten_log(db: Database) -> None:
    """Make the log small again that grew by a long read; where somebody reads just now, leave it, and wait for nobody."""
    db.execute("pragma busy_timeout = 0")
    try:
        with suppress(sqlite3.OperationalError):
            db.execute("pragma wal_checkpoint(truncate)").fetchall()
    finally:
        db.execute(f"pragma busy_timeout = {BUSY_SECONDS * 1000}")


@contextmanager
def closed_on_error(db: Database) -> Iterator[None]:
    """Close `db` where what is within fails."""
    try:
        yield
    except BaseException:
        db.close()
        raise


@contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Have what SQLite and the system say of `path` leave as the bot's own errors."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise told(error, f"the database {path}") from error
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StoreUnwritable(
                f"{path.parent} cannot be written: {error.strerror}. {MAKE_ROOM}"
            ) from error
        raise StateError(f"the database {path} cannot be opened: {error.strerror}") from error


def told(error: sqlite3.DatabaseError, what: str) -> StateError:
    """Say of `error` whether time and room mend it, or a person who may write there, or only a new database."""
    # The low byte is the kind, the others say which call of the system failed.
    kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if kind in _PASSING:
        return StoreUnwritable(f"{what} cannot be used just now: {error}. {MAKE_ROOM}")
    if kind in _DAMAGED:
        return StoreDamaged(f"{what} is damaged: {error}. {START_AGAIN}")
    if kind in _NOT_ALLOWED:
        return StateError(f"{what} cannot be used: {error}. Let this user write it and the folder around it")
    return StateError(f"{what} cannot be used: {error}. {START_AGAIN}")
