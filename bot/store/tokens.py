"""The account's tokens, as `shinglebot auth` got them: one small file that only its owner may read.

They are in no database, so that no copy, backup or rehearsal of it holds a secret. The file is replaced whole or
not at all.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from bot.errors import StateError, StoreUnwritable
from bot.store.state_dir import NO_ROOM

if TYPE_CHECKING:
    from pathlib import Path

    from bot.store.state_dir import StateDir

TOKENS: Final = "x-tokens.json"

LARGEST: Final = 16_384
"""Bytes: the tokens of X have 25 to 50 characters."""

AUTH_AGAIN: Final = "delete it and run `shinglebot auth`"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTokens:
    """What signs for an account, beside the app's own keys. The tokens are shown to nobody.

    Attributes:
        access_token, access_token_secret: never empty.
        user_id: of the account, digits.
        username: of the account, without `@`, as it was when the tokens were made.
    """

    access_token: str = field(repr=False)
    access_token_secret: str = field(repr=False)
    user_id: str
    username: str


def tokens_file(state: StateDir) -> Path:
    """Return where the tokens are, or would be."""
    return state.path / TOKENS


def read_tokens(state: StateDir) -> StoredTokens | None:
    """Return the stored tokens, None when there are none.

    Raises:
        StateError: the file cannot be read, is damaged, or others may open it.
    """
    path = tokens_file(state)
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            body = file.read(LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StateError(f"the account's tokens in {path} cannot be read: {error.strerror}") from error
    if mode & 0o077:
        raise StateError(
            f"others may open {path}, which holds the account's tokens (mode {mode & 0o7777:04o}): chmod 600 it"
        )
    try:
        known = json.loads(body)
        tokens = StoredTokens(**{name: known[name] for name in StoredTokens.__dataclass_fields__})
        whole = all(isinstance(value, str) and value for value in asdict(tokens).values())
    except (ValueError, KeyError, TypeError, RecursionError):
        whole = False
    if not whole:
        # Outside of the handler: the error of a JSON that is broken holds the text.
        raise StateError(f"{path} is damaged: {AUTH_AGAIN}")
    return tokens


def write_tokens(state: StateDir, tokens: StoredTokens) -> None:
    """Keep `tokens` in place of those that are there, durably.

    Raises:
        StoreUnwritable: the disk is full; what was there is there still.
        StateError: the file cannot be written.
    """
    state.prepare()
    path = tokens_file(state)
    draft = ""
    try:
        # mkstemp makes a file that only its owner may open, under a name that nobody else has.
        fd, draft = tempfile.mkstemp(prefix=f".{TOKENS}.", dir=state.path)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            if os.geteuid() == 0:
                # Written by root for a service with a user of its own, whose directory this is.
                owner = state.path.stat()
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            json.dump(asdict(tokens), file)
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
        raise kind(f"the account's tokens cannot be kept in {path}: {error.strerror}") from error
