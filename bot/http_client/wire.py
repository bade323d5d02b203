"""A connection that cannot outlast its deadline, to an address that was judged.

Every read of the socket is given the smaller of the read timeout and what is left of the whole time, headers
and TLS included. A server that sends a byte now and then is cut off like one that sends nothing. (A thread that
shuts late sockets down would do too, and was not taken: it costs a thread, and a socket that it shut down looks
like a clean end of the body.)
"""

from __future__ import annotations

import errno
import http.client
import socket
import ssl
import time
from typing import TYPE_CHECKING, Any, Final

import certifi

from bot.errors import FetchUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from _typeshed import WriteableBuffer

    from bot.http_client.addresses import Endpoint

NO_NETWORK: Final = frozenset({errno.ENETUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL})
"""What a connection fails with when this machine has no way out."""

BUSY: Final = "the server may be busy; it will be asked again"


class OutOfTime(TimeoutError):
    """The whole time is over."""


class Deadline:
    """The whole time of one call: `left` seconds of `total`, counted by a clock that never jumps."""

    def __init__(self, total: float, read: float) -> None:
        self.total = total
        self._read = read
        self._ends = time.monotonic() + total

    def left(self, at_most: float) -> float:
        """Return the seconds that a step may take, > 0 and <= `at_most`; raise OutOfTime when none are left."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise OutOfTime
        return min(left, at_most)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left, within the coarseness of a timeout."""
        return time.monotonic() >= self._ends - 0.01

    def for_a_read(self) -> float:
        """Return the seconds that the next read may take."""
        return self.left(self._read)


class _Timed(socket.socket):
    deadline: Deadline | None = None

    def recv_into(self, buffer: WriteableBuffer, nbytes: int = 0, flags: int = 0) -> int:
        if self.deadline is not None:
            self.settimeout(self.deadline.for_a_read())
        return super().recv_into(buffer, nbytes, flags)


class _TimedTLS(ssl.SSLSocket):
    deadline: Deadline | None = None

    def recv_into(self, buffer: WriteableBuffer, nbytes: int | None = None, flags: int = 0) -> int:
        if self.deadline is not None:
            self.settimeout(self.deadline.for_a_read())
        return super().recv_into(buffer, nbytes, flags)


def tls_context() -> ssl.SSLContext:
    """Trust the authorities of the system and those of certifi, for machines that have none installed."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return timed(context)


def timed(context: ssl.SSLContext) -> ssl.SSLContext:
    """Make the sockets of `context` obey deadlines."""
    context.sslsocket_class = _TimedTLS
    context.set_alpn_protocols(["http/1.1"])
    return context


class Connection(http.client.HTTPConnection):
    """One request to one server, over TLS when `tls` is given."""

    def __init__(
        self,
        host: str,
        port: int,
        *,
        to: Sequence[Endpoint],
        deadline: Deadline,
        connect_timeout: float,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        super().__init__(host, port)
        self.default_port = 443 if tls else 80  # http.client leaves it out of the Host header
        self._to = to
        self._deadline = deadline
        self._connect_timeout = connect_timeout
        self._tls = tls

    def connect(self) -> None:
        """Reach the first endpoint that answers; raises OSError of the last when none does."""
        late: OSError | None = None
        for endpoint in self._to:
            try:
                self.sock = self._reach(endpoint)
            except OutOfTime:
                raise
            except OSError as error:
                late = error
            else:
                return
        raise late or FetchUnavailable(f"{self.host} has no address: check the address")

    def _reach(self, endpoint: Endpoint) -> Any:
        plain = _Timed(endpoint.family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            plain.settimeout(self._deadline.left(self._connect_timeout))
            plain.connect(endpoint.sockaddr)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls is None:
                plain.deadline = self._deadline
                return plain
            plain.settimeout(self._deadline.left(self._connect_timeout))  # the handshake as a whole
            secure = self._tls.wrap_socket(plain, server_hostname=self.host.strip("[]").rstrip("."))
        except BaseException:
            plain.close()
            raise
        if isinstance(secure, _TimedTLS):
            secure.deadline = self._deadline
        return secure


_WORDS: Final = (
    # The first that fits; subclasses stand before their parents.
    (OutOfTime, "{where} took longer than {total:g} s in all: {busy}"),
    (TimeoutError, "{where} did not answer in time: {busy}"),
    (ssl.SSLCertVerificationError, "the certificate of {where} is not accepted, for {detail}"),
    (ssl.SSLError, "{where} cannot be reached over TLS ({detail}): the site's owner has to mend it"),
    (ConnectionRefusedError, "{where} refuses connections: the server is down, or the port is wrong"),
    (http.client.IncompleteRead, "{where} was cut short: {busy}"),
    (ConnectionError, "{where} closed the connection without an answer: {busy}"),
    (http.client.HTTPException, "{where} does not speak HTTP as it should ({detail}): check the address"),
    (OSError, "{where} cannot be reached ({detail}): check the network and the address"),
)

_CERTIFICATE: Final = {
    # OpenSSL's X509_V_ERR numbers, in x509_vfy.h
    9: "it is not valid yet: check this machine's clock",
    10: "it has expired: the site's owner has to renew it, and this machine's clock has to be right",
    18: "it is self-signed: the site's owner has to get one from a known authority",
    19: "it is signed by an unknown authority: if that is yours, add it to this machine's store",
    20: "its authority is unknown: the site's owner has to send the whole chain",
    21: "its authority is unknown: the site's owner has to send the whole chain",
    62: "it is for another name: check the address",
    64: "it is for another address: check the address",
}


def in_words(error: OSError | http.client.HTTPException, where: str, deadline: Deadline) -> str:
    """Say in a sentence what went wrong on the way to `where`, and what to do."""
    if isinstance(error, TimeoutError) and deadline.is_over:
        error = OutOfTime()  # the last read was given all that was left
    words = next(words for kind, words in _WORDS if isinstance(error, kind))
    return words.format(where=where, total=deadline.total, busy=BUSY, detail=_detail(error))


def _detail(error: OSError | http.client.HTTPException) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return _CERTIFICATE.get(getattr(error, "verify_code", 0)) or str(error)
        case ssl.SSLError():  # the reason is set by OpenSSL only
            return (getattr(error, "reason", "") or "no common language").replace("_", " ").lower()
        case OSError():
            return error.strerror or type(error).__name__
        case _:
            return type(error).__name__
