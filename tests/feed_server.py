"""A web server on loopback that plays feeds' servers, good and bad, and writes down what it was asked.

    with FeedServer() as server:
        server.put("/feed.xml", body, etag='"1"')         # answers 304 by itself when the ETag comes back
        server.put("/busy", Answer(status=503), Answer(body=body))  # one after the other; the last one stays
        server.url("/feed.xml")                            # http://127.0.0.1:PORT/feed.xml
        server.log                                         # every request, oldest first
        server.asked("/feed.xml")                          # those for one path

It answers each connection in a thread of its own and closes it. Waits end when the server is closed.
"""

from __future__ import annotations

import gzip
import socketserver
import threading
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import responses
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping

PACE = 0.02
"""Seconds between two bytes of a dripping answer, where the test does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request: `headers` with names in lower case, `raw` as it came, `at` by the monotonic clock, in seconds, its `body`."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    at: float
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is sent back.

    Attributes:
        etag, last_modified: sent, and answered with 304 when the request brings them back.
        headers: more of them, in order; a name may stand twice. Those that frame the body may be overridden.
        gzipped: the body is sent compressed, if the request takes that.
        delay: seconds before the first byte.
        drip_headers, drip_body: sent a byte every so many seconds; 0 at once.
        cut: the body ends after so many bytes, whatever Content-Length said.
        hang: nothing is ever sent.
        raw: sent as it stands, in place of all else.
    """

    status: int = 200
    body: bytes = b""
    content_type: str | None = "application/rss+xml; charset=utf-8"
    etag: str | None = None
    last_modified: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    gzipped: bool = False
    chunked: bool = False
    delay: float = 0
    drip_headers: float = 0
    drip_body: float = 0
    cut: int | None = None
    hang: bool = False
    raw: bytes | None = None


def redirect(to: str, status: int = 302, body: bytes = b"") -> Answer:
    return Answer(status=status, headers=(("Location", to),), body=body, content_type="text/html")


def challenge(status: int = 403, body: bytes = b"<title>Just a moment...</title>", **headers: str) -> Answer:
    """Play a bot protection; the names of `headers` are given with `_` for `-`."""
    more = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Answer(status=status, headers=more, body=body, content_type="text/html; charset=UTF-8")


@dataclass
class _Route:
    replies: list[Answer | Callable[[Asked], Answer]] = field(default_factory=list)

    def take(self) -> Answer | Callable[[Asked], Answer]:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class FeedServer:
    """Serves what was `put`, at `host`; 404 for all else. `tls` makes it speak https."""

    def __init__(self, host: str = "127.0.0.1", *, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self.host = host
        self.log: list[Asked] = []
        self.closing = threading.Event()
        self.connections = 0
        self.most_connections = 0
        self._routes: dict[str, _Route] = {}
        self._lock = threading.Lock()
        self._tls = tls
        outer = self

        class Talk(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                outer._talk(self.request)

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True
            block_on_close = False
            request_queue_size = 256

            def handle_error(self, request, client_address):
                """Say nothing: a client that hangs up is what many tests are about."""

        self._server = Server((host, port), Talk)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop answering; what hangs or drips ends. Idempotent."""
        if not self.closing.is_set():
            self.closing.set()
            self._server.shutdown()
            self._server.server_close()
            self._thread.join(5)

    def put(self, path: str, *replies: Answer | Callable[[Asked], Answer] | bytes, **fields: object) -> str:
        """Serve `replies` at `path`, one a request, the last one for ever; return the address.

        Bytes are the body of an answer whose other fields are given by name.
        """
        ready = [Answer(body=r, **fields) if isinstance(r, bytes) else r for r in replies]  # type: ignore[arg-type]
        with self._lock:
            self._routes[path] = _Route(ready or [Answer(**fields)])  # type: ignore[arg-type]
        return self.url(path)

    def url(self, path: str = "/", host: str | None = None) -> str:
        """Return the address of `path`, by another name of this machine if `host` is given."""
        return f"{'https' if self._tls else 'http'}://{host or self.host}:{self.port}{path}"

    def asked(self, path: str) -> list[Asked]:
        with self._lock:
            return [request for request in self.log if request.path == path]

    # --- one connection -----------------------------------------------------------------------------------

    def _talk(self, sock) -> None:
        sock.settimeout(30)
        with self._lock:
            self.connections += 1
            self.most_connections = max(self.most_connections, self.connections)
        try:
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
            asked = _read_request(sock)
            if asked is not None:
                self._answer(sock, asked)
            sock.close()
        except OSError:
            pass  # the client has gone
        finally:
            with self._lock:
                self.connections -= 1

    def _answer(self, sock, asked: Asked) -> None:
        with self._lock:
            self.log.append(asked)
            route = self._routes.get(asked.path)
            reply = (
                route.take() if route else Answer(status=404, body=b"nothing here", content_type="text/plain")
            )
        answer = reply(asked) if callable(reply) else reply
        if answer.hang:
            self.closing.wait()
            return
        if answer.delay and self.closing.wait(answer.delay):
            return
        if answer.raw is not None:
            self._send(sock, answer.raw, answer.drip_headers)
            return
        head, body = _rendered(answer, asked)
        self._send(sock, head, answer.drip_headers)
        self._send(sock, body[: answer.cut], answer.drip_body)

    def _send(self, sock, data: bytes, pace: float) -> None:
        if not pace:
            sock.sendall(data)
            return
        for i in range(len(data)):
            if self.closing.wait(pace):
                return
            sock.sendall(data[i : i + 1])


def _read_request(sock) -> Asked | None:
    raw = b""
    while b"\r\n\r\n" not in raw:
        piece = sock.recv(65536)
        if not piece:
            return None
        if not raw and piece.startswith(
            b"\x16"
        ):  # a TLS greeting: say in plain HTTP that this is the wrong door
            sock.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            return None
        raw += piece
    first, *lines = raw.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    body = raw.partition(b"\r\n\r\n")[2]
    while len(body) < int(headers.get("content-length", 0)):
        piece = sock.recv(65536)
        if not piece:
            return None
        body += piece
    return Asked(method=method, path=path, headers=headers, raw=raw, at=time.monotonic(), body=body)


def _rendered(answer: Answer, asked: Asked) -> tuple[bytes, bytes]:
    known = (
        answer.etag is not None and asked.headers.get("if-none-match") == answer.etag,
        answer.last_modified is not None and asked.headers.get("if-modified-since") == answer.last_modified,
    )
    not_modified = answer.status == HTTPStatus.OK and any(known)
    status = 304 if not_modified else answer.status
    body = b"" if not_modified else answer.body
    headers: list[tuple[str, str]] = []
    if answer.etag is not None:
        headers.append(("ETag", answer.etag))
    if answer.last_modified is not None:
        headers.append(("Last-Modified", answer.last_modified))
    if answer.content_type and not not_modified:
        headers.append(("Content-Type", answer.content_type))
    if answer.gzipped and body and "gzip" in asked.headers.get("accept-encoding", ""):
        body = gzip.compress(body, mtime=0)
        headers.append(("Content-Encoding", "gzip"))
    if answer.chunked:
        headers.append(("Transfer-Encoding", "chunked"))
        body = b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in _pieces(body)) + b"0\r\n\r\n"
    elif not not_modified:
        headers.append(("Content-Length", str(len(body))))
    overridden = {name.lower() for name, _ in answer.headers}
    headers = [(n, v) for n, v in headers if n.lower() not in overridden] + list(answer.headers)
    phrase = responses.get(status, "Unknown")
    lines = [
        f"HTTP/1.1 {status} {phrase}",
        *(f"{n}: {v}" for n, v in headers if v != ""),
        "Connection: close",
        "",
        "",
    ]
    return "\r\n".join(lines).encode("latin-1"), body


def _pieces(body: bytes, size: int = 1000) -> list[bytes]:
    return [body[i : i + size] for i in range(0, len(body), size)]
