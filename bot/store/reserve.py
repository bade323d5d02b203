"""A file that does nothing but take up room, to be let go when the disk is full.

A disk that fills up between a claim and its settling would leave a post that went out unsettled. The reserve is given
up then, and what is known is written into its place. After that nothing new is begun before there is room for it again.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from bot.errors import StoreUnwritable
from bot.store.state_dir import RESERVE

if TYPE_CHECKING:
    from pathlib import Path

SIZE: Final = 4 * 1024 * 1024
"""Bytes: SQLite's log of a settling is some dozens of KB, that of a poll rarely one MB."""

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class Reserve:
    """The reserve of one state directory.

    Args:
        folder: the state directory.
        size: in bytes.

    Attributes:
        is_gone: whether it was let go, and is to be made again before anything else is written.
    """

    def __init__(self, folder: Path, size: int = SIZE) -> None:
        self._path = folder / RESERVE
        self._size = size
        self.is_gone = False

    def keep(self) -> None:
        """See that the reserve is there.

        Where the system cannot set room aside for a file, or does not let a file grow so far, there is none, and a full
        disk is met as without it: nothing is lost, but a post that went out is looked for on the account later.

        Raises:
            StoreUnwritable: the disk has no room for it.
        """
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError:
            return
        try:
            if os.fstat(file).st_size < self._size:
                os.posix_fallocate(file, 0, self._size)
            self.is_gone = False
        except OSError as error:
            self.let_go()
            self.is_gone = error.errno in _FULL
            if error.errno in _FULL:
                raise StoreUnwritable(
                    f"less than {self._size // 1_000_000} MB are free where {self._path.parent} is, and nothing is begun with "
                    "less. Nothing is lost: make room on the disk; the bot goes on by itself when it runs"
                ) from error
        finally:
            os.close(file)

    def let_go(self) -> bool:
        """Give the room up; return whether there was any."""
        with suppress(OSError):
            self._path.unlink()
            self.is_gone = True
            return True
        return False
