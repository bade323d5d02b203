"""How many posts were begun at a destination from this state directory, written beside the database: one that knows fewer is an old copy.

A copy that is put back looks whole, and right after its last posts the account may show none of them yet. This count
tells all the same, so that nothing is sent before they have had time to show.

It guards on top of what the database itself says, and so may fail: where it cannot be written, the post goes out.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from bot.core.timing import Moment

if TYPE_CHECKING:
    from pathlib import Path

    from sqlite_utils import Database

DIGITS: Final = 20
"""Always as many, so that a write needs no new room on the disk and half a write is no other number."""


class ClaimCount:
    """The number of claims ever made at one destination, in the database and beside it.

    Args:
        path: of the file; None for a database that belongs to no state directory, which is never behind.
        destination: whose claims are counted.
    """

    def __init__(self, db: Database, path: Path | None, destination: str) -> None:
        self._db = db
        self._path = path
        self._destination = destination
        self._known: int | None = None

    def is_behind(self) -> bool:
        """Say whether more was begun than the database knows of."""
        return self._read()[0] > self._in_database()

    def first_look(self) -> Moment | None:
        """Return when the account was first read since the database is behind, None when it was not yet."""
        return self._read()[1]

    def looked(self, at: Moment) -> None:
        """Note when the account was first read since the database is behind."""
        self._write(self._read()[0], at)

    def agree(self) -> None:
        """Take what the database knows for all there is: the account has been read for the rest."""
        self._write(self._in_database(), None)

    def note(self) -> None:
        """Count a claim that has been committed."""
        self._known = self._in_database() if self._known is None else self._known + 1
        self._write(self._known, None)

    def fall_behind(self) -> None:
        """Have the database count as behind, because it was put back: the account is read twice before anything is sent."""
        if not self.is_behind():
            self._write(self._in_database() + 1, None)

    def _in_database(self) -> int:
        query = "select coalesce(sum(attempt), 0) as n from outbox where destination = ?"
        (row,) = list(self._db.query(query, [self._destination]))
        return int(row["n"])

    def _read(self) -> tuple[int, Moment | None]:
        if self._path is None:
            return 0, None
        try:
            count, _, rest = self._path.read_text(encoding="utf-8").strip().partition(" ")
            era, _, seconds = rest.rpartition(" ")
            return int(count), Moment(era=era, seconds=float(seconds)) if rest else None
        except (OSError, ValueError):
            return 0, None

    def _write(self, count: int, look: Moment | None) -> None:
        if self._path is None:
            return
        text = f"{count:0{DIGITS}d}" + (f" {look.era} {look.seconds}" if look else "")
        with suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.pwrite(file, text.encode(), 0)
                os.ftruncate(file, len(text))
            finally:
                os.close(file)
