"""How the last process that had the database ended, so that a start reads the whole file only where there is a reason to.

At a clean end the file's size, time and place on the disk are noted beside it. A start that finds the very same file knows
that nobody has touched it since. Anything else (a kill, a power cut, a hand that put a copy there or wrote into it)
leaves another file or no note, and then every page is checked; so it is once a week, for disks that forget.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

NOTE: Final = "last-end.json"

WHOLE_CHECK_EVERY: Final = timedelta(days=7)
"""223 MB take a third of a second: nothing in a week, and something at every run of a timer."""


class LastEnd:
    """The note beside a database.

    Args:
        database: the file.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._note = database.with_name(NOTE)

    def is_untouched(self) -> bool:
        """Say whether the database is, byte for byte as far as the file system tells, what a clean end left."""
        try:
            return bool(json.loads(self._note.read_bytes()) == self._looks())
        except (OSError, ValueError, RecursionError):
            return False

    def forget(self) -> None:
        """Take the note away, because the database is about to be written."""
        with suppress(FileNotFoundError):
            self._note.unlink()

    def write(self) -> None:
        """Note how the file looks after it was closed. Where that fails, the next start checks the whole file."""
        with suppress(OSError):
            looks = self._looks()
            if looks is not None:
                self._note.write_text(json.dumps(looks), encoding="utf-8")

    def _looks(self) -> dict[str, int] | None:
        """Return what tells the file from another; None while its log holds what is not in it yet."""
        log = self._database.with_name(f"{self._database.name}-wal")
        if log.exists() and log.stat().st_size:
            return None
        found = self._database.stat()
        return {"size": found.st_size, "changed": found.st_mtime_ns, "file": found.st_ino}
