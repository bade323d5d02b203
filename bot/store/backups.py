"""Backups of the database: whole copies in files of their own, each checked before it has its name, the oldest dropped.

free room?     the copy would fit
VACUUM INTO    beside a bot at work: readers and its writer go on; the copy has no gaps
check          every page and index of the copy (`integrity_check`), and whose it is
fsync, rename  a file with a backup's name is a whole backup
rotate         the newest are kept; only files with such names are ever removed
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from bot.errors import Interrupted, StateError, StoreDamaged, StoreUnwritable
from bot.store.connection import BUSY_SECONDS, MAKE_ROOM, START_AGAIN, clear_errors
from bot.store.reserve import SIZE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bot.store.state_dir import StateDir

FOLDER: Final = "backups"
_NAME: Final = re.compile(r"shinglebot-(\d{8}T\d{6}Z)\.db")
_STEPS: Final = 20_000
"""Steps of SQLite's machine between two looks at whether to stop: some milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """One file: where it is, when it was begun (aware UTC) and its size in bytes."""

    path: Path
    at: datetime
    size: int


def backups_in(folder: Path) -> list[Backup]:
    """Return the backups in a folder, newest first; none where there is no such folder."""
    found = []
    with suppress(FileNotFoundError, NotADirectoryError):
        for path in folder.iterdir():
            name = _NAME.fullmatch(path.name)
            if name is None or not path.is_file():
                continue
            with suppress(ValueError, FileNotFoundError):  # no date, or removed just now
                at = datetime.strptime(name[1], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
                found.append(Backup(path=path, at=at, size=path.stat().st_size))
    return sorted(found, key=lambda backup: backup.at, reverse=True)


def back_up(
    state: StateDir, folder: Path, *, keep: int, now: datetime, stopping: Callable[[], bool] = lambda: False
) -> Backup:
    """Make a checked backup in `folder`, and remove all but the newest `keep`; also while the bot is at work.

    Raises:
        StateError: there is no database, it is damaged, or the folder cannot be used.
        StoreUnwritable: there is no room for the copy.
        Interrupted: `stopping` said so; nothing is left.
    """
    path = folder / f"shinglebot-{now:%Y%m%dT%H%M%SZ}.db"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for stale in folder.glob("*.db.new"):  # of a process that was killed
            stale.unlink(missing_ok=True)
    except OSError as error:
        raise StateError(
            f"backups cannot be kept in {folder}: {error.strerror}; name another place with folder in [backup]"
        ) from error
    copy_database(state, path, stopping=stopping)
    for old in backups_in(folder)[keep:]:
        old.path.unlink(missing_ok=True)
    return Backup(path=path, at=now.replace(microsecond=0), size=path.stat().st_size)


def copy_database(state: StateDir, path: Path, *, stopping: Callable[[], bool] = lambda: False) -> None:
    """Write a checked copy of the database of `state` to `path`, which gets its name when it is whole; as `back_up`."""
    if not state.has_database() or not state.database.stat().st_size:
        raise StateError(f"there is no database in {state.path} to be backed up")
    with ExitStack() as stack:
        state.at_rest(stack)  # nobody may begin to write where nobody was at work: no log would tell
        checked_copy(state.database, path, stopping=stopping)


def checked_copy(source: Path, path: Path, *, stopping: Callable[[], bool] = lambda: False) -> None:
    """Write a copy of the database `source` to `path`, readable by its owner alone, which gets its name when it is checked.

    Raises StateError, StoreUnwritable and Interrupted as `back_up` does; then nothing is left of it.
    """
    _require_room(source, path.parent)
    draft = path.with_name(f"{path.name}.new")
    try:
        with clear_errors(source):
            draft.unlink(missing_ok=True)
            os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            with closing(_connect_to_read(source)) as db:
                db.set_progress_handler(lambda: int(stopping()), _STEPS)
                _require_whole(db, source)
                db.execute("vacuum into ?", [str(draft)])
            with closing(sqlite3.connect(f"{draft.absolute().as_uri()}?mode=ro", uri=True)) as copy:
                copy.set_progress_handler(lambda: int(stopping()), _STEPS)
                _require_whole(copy, draft)
            _sync(draft)
            draft.replace(path)
            _sync(path.parent)
    except StateError as error:
        if "interrupted" in str(error.__cause__):
            raise Interrupted("the backup was broken off, because the bot is to stop") from error
        raise
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _require_whole(db: sqlite3.Connection, path: Path) -> None:
    """Read every page and index; raise StoreDamaged where one is not as it should be: a copy alone may hide that."""
    (found,) = db.execute("pragma integrity_check(1)").fetchone()
    if found != "ok":
        raise StoreDamaged(f"{path} is damaged ({' '.join(found.split())}). {START_AGAIN}")


def _connect_to_read(source: Path) -> sqlite3.Connection:
    """Open a database to read it; where nobody has it open, without leaving a log behind."""
    how = "mode=ro" if source.with_name(f"{source.name}-wal").exists() else "mode=ro&immutable=1"
    return sqlite3.connect(f"{source.absolute().as_uri()}?{how}", uri=True, timeout=BUSY_SECONDS)


def _require_room(source: Path, folder: Path) -> None:
    with clear_errors(source):
        log = source.with_name(f"{source.name}-wal")
        size = source.stat().st_size + (log.stat().st_size if log.exists() else 0)
        free = shutil.disk_usage(folder).free
    if free < size + SIZE:
        raise StoreUnwritable(
            f"a copy of {source} takes {size / 1e6:.1f} MB, and {free / 1e6:.1f} MB are free in {folder}. {MAKE_ROOM}"
        )


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
