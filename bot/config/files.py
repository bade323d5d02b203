"""Reads small files whole: the configuration itself and the files that hold secrets. Writes nothing."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRead:
    """What one opening of a file gave: its bytes and its permission bits belong together.

    Attributes:
        body: the whole file.
        mode: the permission bits, as in `0o600`.
    """

    body: bytes
    mode: int

    @property
    def exposed(self) -> bool:
        """Whether group or others may do anything with the file."""
        return bool(self.mode & (stat.S_IRWXG | stat.S_IRWXO))


class NotThere(ConfigError):
    """The file does not exist."""


def read_small(path: Path, *, cap: int) -> FileRead:
    """Read `path`, which has to be a regular file of at most `cap` bytes.

    The file is opened once, and what is said of it is asked of the open file, so that nobody can swap it in
    between; without blocking, so that a pipe in its place stops nothing.

    Raises:
        NotThere: it does not exist.
        ConfigError: it cannot be read, is no regular file or is too large; the message says what to do.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise NotThere(f"there is no file {path}") from None
    except PermissionError:
        raise ConfigError(
            f"{path} may not be read by {_whoami()}: give that user the right to read it"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise ConfigError(f"{path} cannot be opened: {_reason(error)}") from None
    try:
        about = os.fstat(fd)
        if stat.S_ISDIR(about.st_mode):
            raise ConfigError(f"{path} is a directory: name the file in it")
        if not stat.S_ISREG(about.st_mode):
            raise ConfigError(f"{path} is no regular file: give the path of one")
        with open(fd, "rb", closefd=False) as file:
            body = file.read(cap + 1)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {_reason(error)}") from None
    finally:
        os.close(fd)
    if len(body) > cap:
        raise ConfigError(
            f"{path} is larger than {cap:,} bytes: it is not what it should be; name the right file"
        )
    return FileRead(body=body, mode=stat.S_IMODE(about.st_mode))


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _whoami() -> str:
    uid = os.geteuid()
    with suppress(ImportError, KeyError):
        import pwd

        return f"user {pwd.getpwuid(uid).pw_name}"
    return f"user number {uid}"
