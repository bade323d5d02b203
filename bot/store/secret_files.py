"""Small files of secrets beside the database, which only their owner may read.

They are in no database, so that no copy, backup or rehearsal of it holds a secret. A file is replaced whole or not
at all.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from typing import TYPE_CHECKING, Any, Final

from bot.errors import StateError, StoreUnwritable
from bot.store.state_dir import NO_ROOM

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bot.store.state_dir import StateDir

LARGEST: Final = 16_384
"""Bytes: the tokens of X have 25 to 50 characters, those of a session at Bluesky a few hundred each."""


def read_secrets(path: Path, what: str) -> dict[str, Any] | None:
    """Return what a file holds, {} where it is damaged, None where there is none.

    Args:
        path: the file.
        what: it holds, in words: "the account's tokens".

    Raises:
        StateError: the file cannot be read, or others may open it.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            body = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StateError(f"{what} in {path} cannot be read: {error.strerror}") from error
    if mode & 0o077:
        raise StateError(
            f"others may open {path}, which holds {what} (mode {mode & 0o7777:04o}): chmod 600 it"
        )
    try:
        known = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}


def write_secrets(state: StateDir, name: str, secrets: Mapping[str, Any], what: str) -> None:
    """Keep `secrets` in the file of that name in place of what is there, durably.

    Raises:
        StoreUnwritable: the disk is full; what was there is there still.
        StateError: the file cannot be written.
    """
    state.prepare()
    path = state.path / name
    draft = ""
    try:
        # mkstemp makes a file that only its owner may open, under a name that nobody else has.
        fd, draft = tempfile.mkstemp(prefix=f".{name}.", dir=state.path)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            if os.geteuid() == 0:
                # Written by root for a service with a user of its own, whose directory this is.
                owner = state.path.stat()
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            json.dump(dict(secrets), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)  # noqa: PTH105 - a name that mkstemp gave
        directory = os.open(state.path, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as error:
        if draft:
            with contextlib.suppress(OSError):
                os.unlink(draft)  # noqa: PTH108 - a name that mkstemp gave
        kind = StoreUnwritable if error.errno in NO_ROOM else StateError
        raise kind(f"{what} cannot be kept in {path}: {error.strerror}") from error
