"""The simulated X's own log: what it was asked, what it did and what it said. Never a secret.

Tests that kill the bot judge it by this log, so a line is on disk before an answer leaves.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """One request.

    Attributes:
        number: 1 for the first.
        time: when it had arrived, by the server's clock.
        method, path: as sent, with the query; nothing of OAuth is in either.
        status: what was answered, None when no answer left.
        user: who signed it, None when nobody known did.
        fault: what was made to go wrong, None when nothing was.
        post_id: the post that it made or deleted, None when there was none.
        text: of the post that it made, as sent.
        media: ids of the pictures that it uploaded, described or showed.
        price: dollars charged for it, as text.
    """

    number: int
    time: datetime
    method: str
    path: str
    status: int | None
    user: str | None = None
    fault: str | None = None
    post_id: str | None = None
    text: str | None = None
    media: tuple[str, ...] = ()
    price: str = "0"


class RequestLog:
    """Keeps what was asked, in memory and, where a path is given, as JSON lines, each flushed at once."""

    def __init__(self, path: Path | None = None) -> None:
        self.requests: list[LoggedRequest] = []
        self._file = path.open("a", encoding="utf-8") if path else None

    def add(self, request: LoggedRequest) -> None:
        """Write one request down."""
        self.requests.append(request)
        if self._file:
            line = asdict(request) | {"time": request.time.isoformat()}
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()
