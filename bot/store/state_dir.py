"""The state directory: one bot, one process, one database, and a mark that says that a bot was installed here.

The mark (`installed.json`) holds the identity of the database. A bot whose database is gone, empty or
another's would take every entry for news; the mark is how that is noticed before anything is posted.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import AlreadyRunning, StateError, StoreLost, StoreUnwritable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import ExitStack
    from pathlib import Path

DATABASE = "shinglebot.db"
MARK = "installed.json"
LOCK = "lock"
CLAIMS = "claims"
RESERVE = "reserve"
FIRST = "x"

_IN_THE_WAY = {
    DATABASE: "move it away, and put the database back from a backup",
    MARK: "move it away, and put the file back from a backup; without one, run `shinglebot init --adopt-store`",
    LOCK: "remove it; the bot makes the file itself",
    CLAIMS: "remove it; the bot makes the file itself, and reads the account's own posts first",
    RESERVE: "remove it; the bot makes the file itself",
}

_ASIDE = re.compile(r"\.\d{8}T\d{6}Z$")
"""What the name of a file ends with that was set aside."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the system says when a file finds no place on the disk or within a limit; time or more room mends it."""


@dataclass(frozen=True, slots=True)
class StateDir:
    """A directory that belongs to one bot.

    Attributes:
        path: the directory; made on demand, readable by its owner only.
    """

    path: Path

    @property
    def database(self) -> Path:
        """Where the database is, or will be."""
        return self.path / DATABASE

    def claims(self, destination: str) -> Path:
        """Where is noted how many posts were begun at a destination; X was the first, and has the plain name."""
        return self.path / (CLAIMS if destination == FIRST else f"{CLAIMS}-{destination}")

    def prepare(self) -> None:
        """Make the directory; raise StateError when it cannot be made, entered or written."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except FileExistsError:
            self._require_place()
            raise StateError(f"{self.path} is a file; set state_dir to a directory") from None
        except OSError as error:
            if error.errno in NO_ROOM:
                raise StoreUnwritable(
                    f"cannot make the state directory {self.path}: {error.strerror}; make room on the disk"
                ) from error
            raise StateError(
                f"cannot make the state directory {self.path}: {error.strerror}; "
                "make it, or set state_dir to a place that this user may write"
            ) from error
        if not os.access(self.path, os.R_OK | os.W_OK | os.X_OK):
            raise StateError(self._closed())
        self.require_files()

    def _closed(self) -> str:
        return (
            f"the state directory {self.path} cannot be read and written by this user; "
            "mend its owner or mode, or set state_dir to another place"
        )

    def _require_place(self) -> None:
        if self.path.is_symlink() and not self.path.exists():
            raise StateError(
                f"{self.path} is a link to {self.path.readlink()}, which is not there; make that directory or mend "
                "the link, or set state_dir to a directory"
            )

    def require_files(self) -> None:
        """Raise StateError when a directory lies in the place of a file of the bot, or this user may not look."""
        try:
            self._require_place()
            for name, remedy in self._in_the_way():
                if (self.path / name).is_dir():
                    raise StateError(f"{self.path / name} is a directory, and has to be a file: {remedy}")
        except OSError as error:
            raise StateError(self._refused(error)) from error

    def _in_the_way(self) -> Iterator[tuple[str, str]]:
        """Yield what has to be a file, with what is to be done where it is none."""
        yield from _IN_THE_WAY.items()
        if self.path.is_dir():
            for path in self.path.glob(f"{CLAIMS}-*"):
                yield path.name, _IN_THE_WAY[CLAIMS]

    def _refused(self, error: OSError) -> str:
        if isinstance(error, PermissionError):
            return self._closed()
        return f"the state directory {self.path} cannot be looked at: {error.strerror}; set state_dir to another place"

    def has_database(self) -> bool:
        """Say whether there is a file of the database, an empty one too; raise StateError when nobody can tell."""
        self.require_files()
        try:
            return self.database.exists()
        except OSError as error:
            raise StateError(self._refused(error)) from error

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the directory for this process; raise AlreadyRunning when another one does.

        The lock belongs to the open file and ends with the process, however it ends.
        """
        self.prepare()
        try:
            file = (self.path / LOCK).open("a+")
        except OSError as error:
            if error.errno in NO_ROOM:
                raise StoreUnwritable(
                    f"cannot make {self.path / LOCK}: {error.strerror}; make room on the disk"
                ) from error
            raise StateError(f"cannot open {self.path / LOCK}: {error.strerror}") from error
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise AlreadyRunning(
                    f"another shinglebot (process {file.read().strip() or 'unknown'}) works in {self.path}; "
                    "stop it first, or give this bot a state_dir of its own"
                ) from None
            self._sign(file.fileno())
            yield

    def _sign(self, lock: int) -> None:
        """Write into the open lock which process holds it: past the buffer of the file, which would fail again when closed."""
        try:
            os.ftruncate(lock, 0)
            os.write(lock, str(os.getpid()).encode())
        except OSError as error:
            kind = StoreUnwritable if error.errno in NO_ROOM else StateError
            raise kind(f"cannot write {self.path / LOCK}: {error.strerror}; make room on the disk") from error

    def at_rest(self, stack: ExitStack) -> bool:
        """Say whether no process works here, and keep it so until `stack` ends. Leaves no trace."""
        try:
            file = stack.enter_context((self.path / LOCK).open())
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return True
        except BlockingIOError:
            return False
        except OSError as error:
            raise StateError(f"cannot open {self.path / LOCK}: {error.strerror}") from error
        return True

    def mark(self) -> str | None:
        """Return the identity of the database that belongs here, None when no bot was installed yet."""
        try:
            store_id = json.loads((self.path / MARK).read_bytes())["store_id"]
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise StateError(f"cannot read {self.path / MARK}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, RecursionError):
            store_id = None
        if not isinstance(store_id, str):
            raise StoreLost(
                f"{self.path / MARK} is damaged, so it is not certain whose database this is; "
                "restore the state directory from a backup, or run `shinglebot init --new-store`"
            )
        return store_id

    def write_mark(self, store_id: str) -> None:
        """Say, durably, that the database with the identity `store_id` belongs here."""
        draft = self.path / f"{MARK}.new"
        with draft.open("w", encoding="utf-8") as file:
            json.dump({"store_id": store_id}, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path / MARK)
        self.sync()

    def set_aside(self, suffix: str) -> list[Path]:
        """Rename the mark and the database's files, so that the next start is a first one; return the new names.

        Nothing is deleted: a person may still want to look. The log of the database stays the log of its new name.
        """
        counts = sorted(path.name for path in self.path.glob(f"{CLAIMS}-*") if not _ASIDE.search(path.name))
        return [*self.set_database_aside(suffix), *self._rename((MARK, CLAIMS, *counts), suffix)]

    def set_database_aside(self, suffix: str) -> list[Path]:
        """Rename the database's files alone: its mark and its counts hold for what takes its place."""
        moved = self._rename((DATABASE,), suffix)
        for part in ("-wal", "-shm"):
            old = self.path / f"{DATABASE}{part}"
            if old.exists():
                new = self.path / f"{DATABASE}.{suffix}{part}"
                old.rename(new)
                moved.append(new)
        return moved

    def _rename(self, names: Iterable[str], suffix: str) -> list[Path]:
        moved = []
        for name in names:
            old = self.path / name
            if old.exists():
                new = old.with_name(f"{name}.{suffix}")
                old.rename(new)
                moved.append(new)
        return moved

    def sync(self) -> None:
        """Have the names in the directory be what they are also after a power cut."""
        directory = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
