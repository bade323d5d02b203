"""The adapter under tweepy: time and size limits, one connection for each request, and the truth about sending.

tweepy sets no timeout, knows one host and hides the headers; requests folds "never connected" and "cut off
after sending" into one error. So this adapter counts for itself whether a byte of the request was handed to
the network, reads the whole answer within its limits, and hands on nothing but successes: an answer that is
none leaves as `Declined`, before tweepy's own reading of errors, which some bodies break.
"""

from __future__ import annotations

import io
import logging
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ProtocolError

from bot.x_client.outcomes import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from requests import PreparedRequest, Response

X: Final = "https://api.twitter.com"
"""Where tweepy sends everything. X's documents say api.x.com; both answer (2026-09), and the name is signed."""

LARGEST_ANSWER: Final = 8 * 1024 * 1024
"""Bytes of a decoded body. A page of 100 posts with every field stays below one megabyte."""

PIECE: Final = 64 * 1024

TALKATIVE: Final = ("tweepy", "oauthlib", "requests_oauthlib", "urllib3")
"""Loggers that print tokens, signed parameters or signatures at DEBUG."""


class Declined(Exception):
    """X answered, and not with a success."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"status {answer.status}")
        self.answer = answer


@dataclass(slots=True)
class Attempt:
    """A request under way: whether any byte of it was handed to the network."""

    sent: bool = False


_under_way: ContextVar[Attempt | None] = ContextVar("_under_way", default=None)


@contextmanager
def attempt() -> Iterator[Attempt]:
    """Watch the one request that is made inside; every byte counts, whatever becomes of it."""
    watched = Attempt()
    token = _under_way.set(watched)
    try:
        yield watched
    finally:
        _under_way.reset(token)


class _Watched(HTTPConnection):
    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        if under_way := _under_way.get():
            under_way.sent = True
        super().send(data)


class _WatchedSecure(_Watched, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Watched


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _WatchedSecure


class Wire(HTTPAdapter):
    """Carries one request at a time to X, or to a simulated X.

    Args:
        base_url: the simulated X's address, None for X itself. A request is led there after it was signed,
            with the path and the signature that it has.
        connect_timeout: seconds for the connection, and again for its TLS handshake.
        read_timeout: seconds between two pieces of the answer, and for its whole body.
        heard: called with method, path and headers of every answer.
    """

    def __init__(
        self,
        *,
        base_url: str | None,
        connect_timeout: float,
        read_timeout: float,
        heard: Callable[[str, str, Answer], None],
    ) -> None:
        self._base_url = base_url
        self._connect_timeout = connect_timeout
        self._read_timeout = read_timeout
        self._heard = heard
        super().__init__(pool_connections=1, pool_maxsize=1, max_retries=0)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make the pools of connections that know what they have sent."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}

    def send(self, request: PreparedRequest, *_: Any, verify: Any = True, **__: Any) -> Response:
        """Send `request` on a connection of its own and read the whole answer.

        Raises:
            Declined: the answer is no success.
            Exception: requests' and urllib3's own, as they come.
        """
        request = request.copy()
        request.url = self._led(str(request.url))
        # An idle connection may be closed by X at the moment of the next request, and nobody could tell
        # whether that went out: every request has a fresh one.
        request.headers["Connection"] = "close"
        try:
            response = super().send(
                request, stream=True, timeout=(self._connect_timeout, self._read_timeout), verify=verify
            )
            body = self._read(response)
        finally:
            self.close()
        answer = Answer(status=response.status_code, headers=response.headers, body=body)
        self._heard(str(request.method), urlsplit(request.url).path, answer)
        if not 200 <= response.status_code < 300:  # noqa: PLR2004 - HTTP's successes
            raise Declined(answer)
        response.raw = io.BytesIO(body)  # which keeps cookies out of the session, too
        return response

    def _led(self, url: str) -> str:
        return url if self._base_url is None else self._base_url.rstrip("/") + url.removeprefix(X)

    def _read(self, response: Response) -> bytes:
        """Return the decoded body. A body that drips is given as long as a silent one."""
        ends = time.monotonic() + self._read_timeout
        body = bytearray()
        try:
            while piece := response.raw.read1(PIECE, decode_content=True):
                body += piece
                if len(body) > LARGEST_ANSWER:
                    raise ProtocolError(f"an answer of more than {LARGEST_ANSWER} bytes")
                if time.monotonic() > ends:
                    raise TimeoutError("the answer did not end in time")
        finally:
            response.raw.close()
        return bytes(body)


def cap_loggers() -> None:
    """Keep the vendors' loggers at INFO or above, and every logger below them, whatever the root says."""
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if name.partition(".")[0] in TALKATIVE and isinstance(logger, logging.Logger) and logger.level:
            logger.setLevel(max(logger.level, logging.INFO))
    for name in TALKATIVE:
        logger = logging.getLogger(name)
        logger.setLevel(max(logger.level, logging.INFO))
