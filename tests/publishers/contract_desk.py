"""A queue before Mastodon or Bluesky: a clock that is set by hand, a wire that fails on demand, and the server as judge."""

from __future__ import annotations

import http.client
import json
import threading
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from bot import kill_points
from bot.core.model import Entry, Fresh
from bot.core.timing import Moment
from bot.publishing import Publishing, Style
from bot.spending import Free
from tests.publishers.contract import at_bluesky, at_mastodon
from tests.publishing_desk import AT_ONCE
from tests.simulated_mastodon import SimulatedMastodon

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.publishing import PostReport
    from bot.store import Store

POSTING = {"mastodon": "/api/v1/statuses", "bluesky": "/xrpc/com.atproto.repo.putRecord"}
DONE = {"lost", "500_after", "hang", "nonsense"}
"""Faults at which the server has the post."""


@dataclass(kw_only=True)
class Fault:
    """What goes wrong with one of the next requests to a path.

    `kind`: "lost" (done, no answer), "500" (not done), "500_after" (done), "reset" (not done), "nonsense" (done, answered
    with no JSON), "hang" (done, answered too late), or any other status, with which it is answered undone.
    """

    path: str
    kind: str
    after: int = 0


class Wire:
    """Stands between the bot and a server on loopback: passes on what comes, and fails as it is told.

    Attributes:
        asked: the path of each request that came, with the body that it bore.
    """

    def __init__(self, server: str) -> None:
        self.faults: list[Fault] = []
        self.asked: list[tuple[str, bytes, dict[str, str]]] = []
        self.released = threading.Event()
        outer, (host, port) = self, server.removeprefix("http://").split(":")

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = self.path.partition("?")[0]
                outer.asked.append((path, body, {n.lower(): v for n, v in self.headers.items()}))
                kind = outer.fault(path) if self.command == "POST" else ""
                self.close_connection = True
                if kind == "reset":
                    return
                if kind.isdecimal():
                    self.answer(int(kind), b'{"error": "Simulated"}')
                    return
                passed = {n: v for n, v in self.headers.items() if n.lower() not in {"host", "connection"}}
                connection = http.client.HTTPConnection(host, int(port), timeout=20)
                connection.request(self.command, self.path, body or None, passed | {"Connection": "close"})
                answered = connection.getresponse()
                # A session says where its account is kept: here.
                said, status = answered.read().replace(server.encode(), outer.url.encode()), answered.status
                connection.close()
                if kind == "hang":
                    outer.released.wait(5)
                if kind in {"lost", "hang"}:
                    return
                self.answer(
                    500 if kind == "500_after" else status, b"nonsense" if kind == "nonsense" else said
                )

            def answer(self, status: int, said: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            do_GET = do_POST = do_PUT = do_DELETE = serve  # noqa: N815 - the library's names

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def fault(self, path: str) -> str:
        """Take the fault that is set for such a request, "" for none."""
        for fault in self.faults:
            if fault.path == path:
                if fault.after:
                    fault.after -= 1
                    continue
                self.faults.remove(fault)
                return fault.kind
        return ""

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


class Killed(BaseException):
    """The process is gone: nothing after this point was done."""


class Desk:
    """A queue, a publisher before a server behind a `Wire`, and what the server has in the end.

    Args:
        kind: "mastodon" or "bluesky".
        pds: gives the PDS, where that is asked for.
    """

    def __init__(self, kind: str, store: Store, pds: Callable[[], Any]) -> None:
        self.kind, self.store, self.now = kind, store, datetime.now(UTC).replace(microsecond=0)
        self._pds = pds
        self.reports: list[PostReport] = []
        self._count = 0

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        quick: dict[str, Any] = {"read_timeout": 0.5, "total_timeout": 1}
        if self.kind == "mastodon":
            server = self._stack.enter_context(SimulatedMastodon())
            self.wire = self._stack.enter_context(Wire(server.url))
            self.publisher: Any = at_mastodon(self.wire.url, server.account(), lambda: self.now, **quick)
            self.made = lambda: Counter(server.posts())
        else:
            pds = self._pds()
            self.wire = self._stack.enter_context(Wire(pds.url))
            # The PDS computes signatures of its own: it is given more time than the simulated server.
            quick = {"read_timeout": 2, "total_timeout": 4}
            self.publisher = at_bluesky(pds, lambda: self.now, service=self.wire.url, **quick)
            self.made = lambda: Counter(post.text for post in self.publisher._client.posts(None, 100))
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self) -> None:
        """Begin as a process does, over what the one before has left."""
        self.publishing = Publishing(
            self.publisher,
            store=self.store,
            pacing=AT_ONCE,
            styles={"a": Style(template="{title} {link}")},
            budget=Free(),
            clock=lambda: self.now,
            steady=lambda: Moment(era="one", seconds=self.now.timestamp()),
            report=self.reports.append,
            stop=threading.Event(),
        )
        self.publishing.recover()

    def queue(self, *titles: str) -> None:
        with self.store.transaction():
            for title in titles:
                self._count += 1
                entry = Entry(feed="a", title=title, link=f"https://example.com/{self._count}")
                entry_id = self.store.entries.add(entry, Fresh(), variant=self._count, now=self.now)
                self.store.outbox.queue(
                    entry_id, self.kind, now=self.now, expires_at=self.now + timedelta(days=3)
                )

    def fail(self, kind: str, after: int = 0) -> None:
        self.wire.faults.append(Fault(path=POSTING[self.kind], kind=kind, after=after))

    def run(self, point: str = "", occurrence: int = 1) -> bool:
        """Work until nothing is left to do, or until the process dies at a point; return whether it did."""
        left = occurrence

        def hook(name: str) -> None:
            nonlocal left
            left -= name == point
            if name == point and left == 0:
                raise Killed

        kill_points.hook = hook if point else None
        try:
            for _ in range(60):
                at = self.publishing.next_at(self.now)
                if at is None:
                    return False
                self.now = max(at, self.now)
                self.publishing.drain()
        except Killed:
            return True
        finally:
            kill_points.hook = None
        raise AssertionError("it does not come to its end")

    def states(self) -> Counter[str]:
        return Counter(str(row.state) for row in self.store.outbox.rows(limit=100))

    def keys(self) -> list[str]:
        """Return the key that each request to post bore, in order."""
        if self.kind == "mastodon":
            return [
                headers["idempotency-key"]
                for path, _, headers in self.wire.asked
                if path == POSTING["mastodon"]
            ]
        return [json.loads(body)["rkey"] for path, body, _ in self.wire.asked if path == POSTING["bluesky"]]
