"""A copy of the store, to try something on: it leaves no trace where the bot's own lies, and is thrown away."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.errors import StateError, StoreLost
from bot.store.connection import START_AGAIN
from bot.store.database import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.store.state_dir import StateDir


_NAME: Final = re.compile(r"shinglebot-([1-9][0-9]{0,8})-\w+")
"""A copy's folder: it bears the number of the process that works on it."""


@contextmanager
def copied(state: StateDir) -> Iterator[Store]:
    """Give a copy of the store of `state`, or an empty one where none was ever made; also while the bot is at work.

    Raises StoreLost and StateError when there should be a store and it cannot be copied.
    """
    with tempfile.TemporaryDirectory(prefix=f"shinglebot-{os.getpid()}-") as folder:
        try:
            copy = Path(folder) / "copy.db"
            _copy(state, copy)
            with Store.of_copy(copy, state.database) as store:
                yield store
        finally:
            # A signal may break off one removal; then the other is done.
            shutil.rmtree(folder, ignore_errors=True)


def remove_stale_copies() -> None:
    """Remove the copies of this user's processes that were killed before they could do so themselves."""
    with suppress(OSError):
        for path in Path(tempfile.gettempdir()).iterdir():
            name = _NAME.fullmatch(path.name)
            if name is None or _is_alive(int(name[1])):
                continue
            with suppress(OSError):
                found = path.lstat()
                if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
                    shutil.rmtree(path, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's, which has the number now
        pass
    return True


def _copy(state: StateDir, copy: Path) -> None:
    """Copy the store of `state` without leaving a trace there; copy nothing when none was ever made."""
    there = state.has_database() and state.database.stat().st_size > 0
    if not there and state.mark() is not None:
        raise StoreLost(f"the database {state.database} of this bot is missing or empty. {START_AGAIN}")
    if not there:
        return
    if not state.database.is_file():
        raise StateError(f"{state.database} is no file; move it away")
    with ExitStack() as stack:
        if state.at_rest(stack):
            for suffix in ("", "-wal"):
                part = state.database.with_name(state.database.name + suffix)
                if part.exists():
                    shutil.copyfile(part, copy.with_name(copy.name + suffix))
        else:
            with Store.read_only(state) as store:
                store.copy_to(copy)
