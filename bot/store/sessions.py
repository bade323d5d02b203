"""What opens the destinations beside X: a small file for each, as `shinglebot auth` and the bot itself leave it.

It says for which account at which server it was made. What was made for another counts as nothing: a destination
that is pointed elsewhere in the configuration sends its secrets to no server that they were not made for.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Self

from bot import logs
from bot.errors import StateError
from bot.store.secret_files import read_secrets, write_secrets

if TYPE_CHECKING:
    from pathlib import Path

    from bot.store.state_dir import StateDir

log = logging.getLogger(__name__)

_ENDING: Final = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBluesky:
    """What opens an account at Bluesky.

    Attributes:
        server, handle: as the configuration has them.
        app_password: as `shinglebot auth` was given it, None where the configuration names one.
        session: as the client keeps it, None where there is none.
    """

    server: str
    handle: str
    app_password: str | None = field(default=None, repr=False)
    session: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, known: dict[str, Any]) -> Self | None:
        """Return what a file says, None for what is no such thing."""
        texts = _texts(known, "server", "handle", "app_password", "session")
        return cls(**texts) if {"server", "handle"} <= texts.keys() else None

    def opens(self, server: str | None, handle: str | None) -> bool:
        """Whether it was made for this account."""
        return (self.server, self.handle) == (server, handle)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMastodon:
    """What opens an account at a Mastodon server.

    Attributes:
        server: as the configuration has it.
        client_id, client_secret: what the server knows the bot by.
        access_token: of the account, None until its owner has allowed the bot.
        user: the account as "name@server", as it was then.
    """

    server: str
    client_id: str = field(repr=False)
    client_secret: str = field(repr=False)
    access_token: str | None = field(default=None, repr=False)
    user: str = ""

    @classmethod
    def of(cls, known: dict[str, Any]) -> Self | None:
        """Return what a file says, None for what is no such thing."""
        texts = _texts(known, "server", "client_id", "client_secret", "access_token", "user")
        return cls(**texts) if {"server", "client_id", "client_secret"} <= texts.keys() else None

    def opens(self, server: str | None) -> bool:
        """Whether it was made for this server, and by an owner who allowed the bot."""
        return self.server == server and self.access_token is not None


def _texts(known: dict[str, Any], *names: str) -> dict[str, str]:
    return {name: value for name in names if isinstance(value := known.get(name), str) and value}


def session_file(state: StateDir, name: str) -> Path:
    """Return where what opens the destination of that name is, or would be."""
    return state.path / f"destination-{name}.{_ENDING}"


def read_stored(state: StateDir, name: str) -> dict[str, Any] | None:
    """Return what the file of the destination of that name holds, {} where it is damaged, None where there is none.

    Raises StateError when it cannot be read, or when others may open it.
    """
    return read_secrets(session_file(state, name), _what(name))


def write_stored(state: StateDir, name: str, stored: StoredBluesky | StoredMastodon) -> None:
    """Keep what opens the destination of that name, in place of what is there, durably.

    Raises:
        StoreUnwritable: the disk is full; what was there is there still.
        StateError: the file cannot be written.
    """
    given = {key: value for key, value in asdict(stored).items() if value is not None}
    write_secrets(state, session_file(state, name).name, given, _what(name))


def _what(name: str) -> str:
    return f"what opens the destination {name}"


class StoredSessions:
    """Keeps the session of one account at Bluesky in the destination's file, beside its app password.

    A session spares logins and is no more: where it cannot be read, the client logs in, and where it cannot be
    kept, the next start does. Fits `bluesky_client.Sessions`.

    Args:
        state: where the file is.
        name: the destination's.
        blank: whose account it is; what the file says of another is replaced.
    """

    def __init__(self, state: StateDir, name: str, blank: StoredBluesky) -> None:
        self._state = state
        self._name = name
        self._blank = blank

    def load(self) -> str | None:
        """Return the session that was kept last, None when there is none that can be used."""
        return self._stored().session

    def save(self, session: str | None) -> None:
        """Keep a session in place of the one before; None: forget it. What hinders that is logged."""
        stored = self._stored()
        if session is None and stored.session is None:
            return
        try:
            write_stored(self._state, self._name, replace(stored, session=session))
        except StateError as error:
            logs.event(log, logging.WARNING, "session not kept", destination=self._name, error=str(error))

    def _stored(self) -> StoredBluesky:
        try:
            stored = StoredBluesky.of(read_stored(self._state, self._name) or {})
        except StateError:
            return self._blank
        return (
            stored
            if stored is not None and stored.opens(self._blank.server, self._blank.handle)
            else self._blank
        )
