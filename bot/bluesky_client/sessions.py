"""Where a session is kept between two starts: logging in is allowed 30 times in five minutes and 300 times a day."""

from __future__ import annotations

from typing import Protocol


class Sessions(Protocol):
    """Keeps the session of one account: its tokens in one text, which is a secret."""

    def load(self) -> str | None:
        """Return the session that was kept last, None when there is none that can be used."""
        ...

    def save(self, session: str | None) -> None:
        """Keep a session in place of the one before; None: forget it."""
        ...


class InMemory:
    """Keeps a session as long as the process lives."""

    def __init__(self) -> None:
        self._session: str | None = None

    def load(self) -> str | None:
        """See `Sessions`."""
        return self._session

    def save(self, session: str | None) -> None:
        """See `Sessions`."""
        self._session = session
