"""A small HTTP server for monitors on this machine: in a thread of its own, one request after another, bound to loopback."""

from __future__ import annotations

import json
import logging
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, Final

from bot import logs
from bot.core.alerts import Trouble
from bot.errors import ShinglebotError
from bot.watching.facts import look
from bot.watching.health import PASSES, faults_of, silences, troubles_of
from bot.watching.metrics import MISSING, can_expose, exposition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from bot.heartbeats import Heartbeats
    from bot.watching.facts import Backups, Facts

log = logging.getLogger("bot")

HOST: Final = "127.0.0.1"

NAMES: Final = frozenset({HOST, "localhost"})
"""How it may be asked: a page in a browser that has another name lead here gets nothing."""

PATIENCE: Final = 5.0
"""Seconds for a request to come: a client that says nothing must not keep the next one out."""

TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The bot that is asked about.

    Attributes:
        secrets: which no answer may hold.
        backups: where backups are looked for; None where none are made.
    """

    state_dir: Path
    feeds: Sequence[str]
    destinations: Sequence[str]
    heartbeats: Heartbeats
    clock: Callable[[], datetime]
    secrets: Sequence[str] = ()
    backups: Backups | None = None

    def answer(self, path: str) -> tuple[HTTPStatus, str, bytes]:
        """Return status, content type and body for a path."""
        if path == "/healthz":
            faults = faults_of(self.troubles())
            status = HTTPStatus.SERVICE_UNAVAILABLE if faults else HTTPStatus.OK
            said = {"healthy": not faults, "reasons": faults}
            return status, "application/json", json.dumps(said, ensure_ascii=False).encode() + b"\n"
        if path == "/metrics":
            return self._metrics()
        return HTTPStatus.NOT_FOUND, TEXT, b"/healthz and /metrics are here\n"

    def troubles(self) -> list[Trouble]:
        """Return what a person should look at, the gravest first, without secrets."""
        silent = self.heartbeats.late()
        every = None if self.backups is None else self.backups.every
        try:
            found = troubles_of(self._look(), silent, every)
        except (ShinglebotError, OSError) as error:
            found = [*silences(silent), Trouble(key="store", text=str(error), is_fault=True, patience=PASSES)]
        return [replace(trouble, text=logs.masked(trouble.text, self.secrets)) for trouble in found]

    def _look(self) -> Facts:
        folder = None if self.backups is None else self.backups.folder
        return look(self.state_dir, self.feeds, self.destinations, self.clock(), folder)

    def _metrics(self) -> tuple[HTTPStatus, str, bytes]:
        if not can_expose():
            return HTTPStatus.NOT_IMPLEMENTED, TEXT, f"{MISSING}\n".encode()
        try:
            facts = self._look()
        except ShinglebotError as error:
            said = logs.masked(f"{error}\n", self.secrets)
            return HTTPStatus.SERVICE_UNAVAILABLE, TEXT, said.encode()
        said = exposition(facts, self.heartbeats.ages()).decode()
        return HTTPStatus.OK, TEXT, logs.masked(said, self.secrets).encode()


@contextmanager
def watched(bot: Watched, port: int) -> Iterator[int]:
    """Answer monitors at `port` of 127.0.0.1 (0: any that is free) for as long as the context lasts; yields the port.

    Raises OSError when it is taken.
    """

    class Handler(_Handler):
        watched = bot

    server = HTTPServer((HOST, port), Handler)
    thread = threading.Thread(target=server.serve_forever, name="watching", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    watched: ClassVar[Watched]
    timeout = PATIENCE
    server_version = "shinglebot"
    sys_version = ""

    def do_GET(self) -> None:
        name = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if name not in NAMES:
            self._send(HTTPStatus.FORBIDDEN, TEXT, b"ask by 127.0.0.1 or localhost\n")
            return
        try:
            status, kind, body = self.watched.answer(self.path.partition("?")[0])
        except Exception:  # a monitor's question must never end the bot, and the traceback tells of the bug
            log.exception("a monitor could not be answered")
            status, kind, body = HTTPStatus.INTERNAL_SERVER_ERROR, TEXT, b"see the log\n"
        self._send(status, kind, body)

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        log.debug("monitor: %s", format % args)
