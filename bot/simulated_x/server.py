"""`SimulatedX`: the server itself, on 127.0.0.1, a thread for each connection.

read the request -> draw its fault -> let X act, or not -> write the log -> answer, or not
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

from bot.simulated_x.answers import Answer, echoing, problem
from bot.simulated_x.api import Api, Asked, Done, endpoint_of
from bot.simulated_x.authorizing import PinDesk
from bot.simulated_x.faults import Fault, FaultPlan, Way
from bot.simulated_x.limits import Windows
from bot.simulated_x.log import LoggedRequest, RequestLog
from bot.simulated_x.oauth import Gate, SimulatedCredentials, without_oauth
from bot.simulated_x.prices import Account
from bot.simulated_x.world import Rules, SimulatedUser, StoredPost, World

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from decimal import Decimal
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from bot.simulated_x.follows import Follows
    from bot.simulated_x.media import StoredMedia

USUAL_USER: Final = "newsbot"

LARGEST_REQUEST: Final = 8 * 1024 * 1024
"""Bytes of a body: a picture as large as X takes has seven million in base64; X's own limit is not documented."""

POLL: Final = 0.01
"""Seconds between two looks at whether the server is to close: tests open and close it hundreds of times."""

PATIENCE: Final = 30.0
"""Seconds that a connection may stay silent."""


class SimulatedX:
    """A local X; a context manager. Requests are taken one at a time, whatever the number of connections.

        with SimulatedX(users=["newsbot"]) as x:
            client = XClient(x.credentials(), base_url=x.base_url)

    Args:
        users: accounts, or just their names.
        rules: how strict X is, see `Rules`; `x.rules` may be replaced at any time.
        seed: of credentials, lags and draws of faults.
        credit: dollars of the account, None for no limit.
        clock: X's own; None for the machine's.
        log_file: JSON lines, appended to and flushed with every request.
        port: 0 for any that is free.

    Attributes:
        faults: what goes wrong; see `FaultPlan`.
        account: what was charged.
        windows: the rate limits.
    """

    def __init__(
        self,
        users: Sequence[SimulatedUser | str] = (USUAL_USER,),
        *,
        rules: Rules | None = None,
        seed: int = 0,
        credit: Decimal | None = None,
        clock: Callable[[], datetime] | None = None,
        log_file: Path | None = None,
        port: int = 0,
    ) -> None:
        known = [user if isinstance(user, SimulatedUser) else SimulatedUser(username=user) for user in users]
        self.faults = FaultPlan(seed)
        self.account = Account(credit)
        self.windows = Windows()
        self._world = World(known, rules or Rules(), seed)
        self._gate = Gate(self._world.users, seed)
        self._desk = PinDesk(self._world.users, self._gate, lambda: self.rules, seed)
        self._api = Api(self._world, self._gate, self.windows, self.account, self._desk)
        self._clock = clock or _utc_now
        self._log = RequestLog(log_file)
        self._lock = threading.RLock()
        self._released = threading.Event()
        self._server = _Server(port, self._serve)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(POLL,), name="simulated-x")

    @property
    def base_url(self) -> str:
        """Where it listens, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def rules(self) -> Rules:
        """How strict X is now."""
        return self._world.rules

    @rules.setter
    def rules(self, rules: Rules) -> None:
        with self._lock:
            self._world.rules = rules

    @property
    def log(self) -> list[LoggedRequest]:
        """Every request so far, oldest first."""
        with self._lock:
            return list(self._log.requests)

    def user(self, username: str | None = None) -> SimulatedUser:
        """Return an account by its name; the first one for None."""
        return self._world.users[username] if username else next(iter(self._world.users.values()))

    def credentials(self, username: str | None = None) -> SimulatedCredentials:
        """Return what an account signs with; the first one's for None."""
        return self._gate.credentials(self.user(username))

    def posts(self, username: str | None = None) -> list[StoredPost]:
        """Return what is posted and not deleted, oldest first, by anybody or by one account."""
        with self._lock:
            return [
                post
                for post in self._world.posts.values()
                if username is None or post.author.username == username
            ]

    def put(
        self,
        text: str,
        username: str | None = None,
        *,
        quote_of: str | None = None,
        reply_to: str | None = None,
        repost_of: str | None = None,
        reply_settings: str = "everyone",
        language: str = "en",
    ) -> StoredPost:
        """Post as a person would in X's own app: no request, no rules, no price."""
        with self._lock:
            return self._world.put(
                self.user(username),
                text,
                self._clock(),
                quote_of=quote_of,
                reply_to=reply_to,
                repost_of=repost_of,
                reply_settings=reply_settings,
                language=language,
            )

    def withdraw(self, post_id: str) -> None:
        """Delete a post as its author would in the app."""
        with self._lock:
            del self._world.posts[post_id]

    def protect(self, username: str) -> None:
        """Have an account show its posts to its followers alone from now on."""
        with self._lock:
            user = replace(self.user(username), protected=True)
            self._world.users[username] = user
            for number, post in list(self._world.posts.items()):
                if post.author.username == username:
                    self._world.posts[number] = replace(post, author=user)

    def reposts(self, username: str | None = None) -> list[str]:
        """Return the ids of the posts that an account has passed on."""
        with self._lock:
            return list(self._world.reposts.get(self.user(username).username, {}))

    @property
    def follows(self) -> Follows:
        """Who follows whom."""
        return self._world.follows

    def media(self) -> list[StoredMedia]:
        """Return every picture that was uploaded, oldest first."""
        with self._lock:
            return list(self._world.media.stored.values())

    def allow(self, request_token: str, username: str | None = None) -> str | None:
        """Let an app act for an account, as its owner does on X's page; return the PIN, None for an unknown token."""
        with self._lock:
            return self._desk.allow(request_token, self.user(username).username, self._clock())

    def release(self) -> None:
        """End every hang, now and later."""
        self._released.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join()
        self._log.close()

    def _serve(self, connection: _Connection) -> None:
        with self._lock:
            now = self._clock()
            asked = Asked(
                method=connection.command,
                target=connection.path,
                headers={name.lower(): value for name, value in connection.headers.items()},
                body=connection.body,
                now=now,
            )
            route = endpoint_of(asked)
            fault = self.faults.draw(route[0]) if route else None
            done = self._api.answer(asked) if fault is None or fault.acted else None
            answer = fault.answer if fault and fault.answer else done.answer if done else None
            if fault and fault.echoes and answer:
                answer = echoing(answer, asked.headers.get("authorization", ""))
            heard = answer if fault is None or fault.way in {Way.WHOLE, Way.HALF, Way.CUT} else None
            self._note(asked, done, heard, fault)
        if fault and fault.then:
            fault.then()
        if fault and fault.delay:
            self._released.wait(fault.delay)
        connection.leave(answer, fault.way if fault else Way.WHOLE, now, self._released)

    def _note(self, asked: Asked, done: Done | None, heard: Answer | None, fault: Fault | None) -> None:
        post = done.post if done else None
        self._log.add(
            LoggedRequest(
                number=len(self._log.requests) + 1,
                time=asked.now,
                method=asked.method,
                path=without_oauth(asked.target),
                status=heard.status if heard else None,
                user=done.user if done else None,
                fault=fault.name if fault else None,
                post_id=done.post_id if done else None,
                text=post.text if post else None,
                media=done.media if done else (),
                price=str(done.price if done else 0),
            )
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing the server waits for every one of them
    request_queue_size = 64

    def __init__(self, port: int, serve: Callable[[_Connection], None]) -> None:
        self.serve = serve
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Connection)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close every connection, so that no thread waits for a silent client."""
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that goes away is daily business here; anything else is a bug and is shown.
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    timeout = PATIENCE
    body: bytes

    def log_message(self, *_: object) -> None:
        pass

    def _handle(self) -> None:
        self.close_connection = True
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > LARGEST_REQUEST:
            self._send(problem(413, "Payload Too Large", "The body is too large."), _utc_now())
            return
        self.body = self.rfile.read(int(length))
        if len(self.body) == int(length):  # a client that was killed half-way has asked for nothing
            self.server.serve(self)

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = do_HEAD = _handle  # noqa: N815 - http.server's names

    def leave(self, answer: Answer | None, way: Way, now: datetime, released: threading.Event) -> None:
        """Send `answer`, or do not, as `way` says."""
        if way is Way.HANG:
            released.wait()
            way = Way.NEVER
        if way is Way.RESET:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.rfile.close()  # it holds the connection open, too
            self.connection.close()
        elif way is not Way.NEVER and answer is not None:
            self._send(answer, now, way)

    def _send(self, answer: Answer, now: datetime, way: Way = Way.WHOLE) -> None:
        content = answer.content()
        half = content[: len(content) // 2]
        sent = content if way is Way.WHOLE else half
        self.send_response_only(answer.status, _phrase(answer.status))
        self.send_header("Date", format_datetime(now.astimezone(UTC), usegmt=True))
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(half if way is Way.HALF else content)))
        self.send_header("Connection", "close")
        for name, value in answer.headers.items():
            said = str(int((now + value).timestamp())) if isinstance(value, timedelta) else value
            self.send_header(name, said)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(sent)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def _utc_now() -> datetime:
    return datetime.now(UTC)
