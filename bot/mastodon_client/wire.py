"""The adapter under Mastodon.py: every request goes through the bot's own door to HTTP.

Mastodon.py wraps whatever goes wrong below it into one error, counts requests by clocks of its own and sleeps. So
an answer that is no success leaves here as `Declined`, before it sees it; what it made of that or of the door's
errors is unwrapped again by `failures`.
"""

from __future__ import annotations

import io
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import requests
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.http_client import Called, HttpClient

_OURS: Final = frozenset({"host", "connection", "content-length", "accept-encoding"})
"""Headers that the door writes itself."""

_OF_THE_WIRE: Final = frozenset({"content-encoding", "content-length", "transfer-encoding", "connection"})
"""Headers that say how a body came; it comes decoded and whole."""

_COUNTERS: Final = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
"""Kept from Mastodon.py, which fails on a moment that it cannot read."""


class Declined(Exception):
    """The server answered, and not with a success."""

    def __init__(self, answer: Called) -> None:
        super().__init__(f"status {answer.status}")
        self.answer = answer


class Wire(BaseAdapter):
    """Carries requests through an `HttpClient`.

    Args:
        http: the door.
        heard: called with method, path and answer of each request.
    """

    def __init__(self, http: HttpClient, heard: Callable[[str, str, Called], None]) -> None:
        super().__init__()
        self._http = http
        self._heard = heard

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        """Send `request` and return the whole answer.

        Raises:
            Declined: the answer is no success and no 404; a redirect, which is not followed, is none.
            FetchError: the door's, when there is none.
        """
        body = request.body
        called = self._http.call(
            str(request.method),
            str(request.url),
            headers={n: str(v) for n, v in request.headers.items() if n.lower() not in _OURS},
            body=body.encode() if isinstance(body, str) else body or None,
        )
        self._heard(str(request.method), request.path_url.partition("?")[0], called)
        # What is not there is a question that Mastodon.py asks itself: it knows servers older than their manual.
        if not 200 <= called.status < 300 and called.status != HTTPStatus.NOT_FOUND:  # noqa: PLR2004 - successes
            raise Declined(called)
        response = requests.Response()
        response.status_code = called.status
        response.headers = CaseInsensitiveDict(
            {n: v for n, v in called.headers.items() if n not in _OF_THE_WIRE and n not in _COUNTERS}
        )
        response.raw = io.BytesIO(called.body)
        response.url = str(request.url)
        response.request = request
        return response

    def close(self) -> None:
        """Do nothing: each request has a connection of its own."""


def session_for(http: HttpClient, heard: Callable[[str, str, Called], None]) -> requests.Session:
    """Return a session whose every request goes through `http`; it knows no cookies, proxies or .netrc."""
    session = requests.Session()
    session.trust_env = False
    session.adapters.clear()
    wire = Wire(http, heard)
    session.mount("http://", wire)
    session.mount("https://", wire)
    return session
