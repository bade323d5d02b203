"""The transport under atproto: every request goes through the bot's own door to HTTP.

atproto brings httpx, which has no total deadline, follows redirects with whatever they lead to and reads proxies
from the environment. Behind this transport it asks `http_client`, which has its limits, its address guard and its
words for what went wrong; those errors pass through atproto as they are.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import httpx

from bot.errors import FetchForbidden

if TYPE_CHECKING:
    from bot.http_client import HttpClient

TALKATIVE: Final = ("httpx", "httpcore")
"""Loggers that would print headers with tokens."""

_OURS: Final = frozenset({"host", "connection", "content-length", "accept-encoding", "user-agent"})
"""Headers that the door writes itself."""

_OF_THE_WIRE: Final = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})
"""Headers that say how a body came; it comes decoded and whole."""


class Wire(httpx.BaseTransport):
    """Carries requests of httpx through an `HttpClient`. Raises its `FetchError`s."""

    def __init__(self, http: HttpClient) -> None:
        self._http = http

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request and return the whole answer, whatever its status; a redirect is not followed."""
        called = self._http.call(
            request.method,
            str(request.url),
            headers={n: v for n, v in request.headers.items() if n.lower() not in _OURS},
            body=request.read() or None,
        )
        if 300 <= called.status < 400:  # noqa: PLR2004 - HTTP's redirects
            raise FetchForbidden(
                f"{request.url.host} sends its visitors elsewhere: give the address of the server itself"
            )
        headers = {n: v for n, v in called.headers.items() if n.lower() not in _OF_THE_WIRE}
        return httpx.Response(called.status, headers=headers, content=called.body)


def cap_loggers() -> None:
    """Keep the vendors' loggers at WARNING or above, whatever the root says."""
    for name in TALKATIVE:
        logger = logging.getLogger(name)
        logger.setLevel(max(logger.level, logging.WARNING))
