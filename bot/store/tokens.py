"""The tokens of the account at X, as `shinglebot auth` got them: one small file that only its owner may read."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from bot.errors import StateError
from bot.store.secret_files import read_secrets, write_secrets

if TYPE_CHECKING:
    from pathlib import Path

    from bot.store.state_dir import StateDir

TOKENS: Final = "x-tokens.json"

AUTH_AGAIN: Final = "delete it and run `shinglebot auth`"

_WHAT: Final = "the account's tokens"


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
    known = read_secrets(path, _WHAT)
    if known is None:
        return None
    values = {name: known.get(name) for name in StoredTokens.__dataclass_fields__}
    texts = {name: value for name, value in values.items() if isinstance(value, str) and value}
    if len(texts) < len(values):
        raise StateError(f"{path} is damaged: {AUTH_AGAIN}")
    return StoredTokens(**texts)


def write_tokens(state: StateDir, tokens: StoredTokens) -> None:
    """Keep `tokens` in place of those that are there, durably.

    Raises:
        StoreUnwritable: the disk is full; what was there is there still.
        StateError: the file cannot be written.
    """
    write_secrets(state, TOKENS, asdict(tokens), _WHAT)
