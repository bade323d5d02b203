"""The part of a Bluesky server that lets people in: sessions made, looked at and renewed, as strictly as the PDS does.

Nothing can be posted there; where posts matter, tests meet the real server (`tests.pds_server`).
"""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

LONGEST = 7_200
"""Seconds that an access token is good for."""


class BlueskyLogins:
    """A server with accounts; a context that starts and ends it.

    Attributes:
        logins: how often a session was asked for with a password.
        answers: the status of every answer given, the method's last word before it.
        down: whether every request is answered with a fault of the server.
    """

    def __init__(self) -> None:
        self.accounts: dict[str, tuple[str, str]] = {}
        self.logins = 0
        self.answers: list[tuple[str, int]] = []
        self.down = False
        self._tokens: dict[str, tuple[str, str]] = {}
        outer = self

        class Handler(_Handler):
            world = outer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def account(self, handle: str) -> str:
        """Make an account; return an app password of it."""
        password = "-".join(secrets.token_hex(2) for _ in range(4))
        self.accounts[handle] = (f"did:plc:{secrets.token_hex(12)}", password)
        return password

    def forget(self) -> None:
        """Let no token be good any more, as after a while."""
        self._tokens.clear()

    def session(self, handle: str) -> dict[str, Any]:
        """Make a session of an account."""
        did = self.accounts[handle][0]
        made = {"handle": handle, "did": did}
        for kind, key in (("access", "accessJwt"), ("refresh", "refreshJwt")):
            claims = {
                "sub": did,
                "iat": int(time.time()),
                "exp": int(time.time()) + LONGEST,
                "jti": secrets.token_hex(4),
            }
            parts = [
                base64.urlsafe_b64encode(json.dumps(each).encode()).decode().rstrip("=")
                for each in ({"typ": "at+jwt", "alg": "HS256"}, claims)
            ]
            made[key] = ".".join([*parts, secrets.token_urlsafe(24)])
            self._tokens[made[key]] = (kind, handle)
        return made

    def owner(self, token: str, kind: str) -> str | None:
        """Return whose token of a kind this is, None for nobody's."""
        known = self._tokens.get(token)
        return known[1] if known is not None and known[0] == kind else None


class _Handler(BaseHTTPRequestHandler):
    world: BlueskyLogins

    def log_message(self, *_: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def _serve(self, verb: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        method = self.path.partition("?")[0].removeprefix("/xrpc/com.atproto.server.")
        status, answer = (
            (503, {"error": "UpstreamFailure"}) if self.world.down else self._do(verb, method, body)
        )
        self.world.answers.append((method, status))
        said = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def _do(self, verb: str, method: str, body: bytes) -> tuple[int, dict[str, Any]]:  # noqa: PLR0911 - a table of routes
        world = self.world
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        match verb, method:
            case "POST", "createSession":
                world.logins += 1
                said = json.loads(body)
                known = world.accounts.get(said["identifier"])
                if known is None or known[1] != said["password"]:
                    return 401, {
                        "error": "AuthenticationRequired",
                        "message": "Invalid identifier or password",
                    }
                return 200, world.session(said["identifier"])
            case "GET", "getSession":
                owner = world.owner(token, "access")
                if owner is None:
                    return 400, {"error": "ExpiredToken", "message": "Token has expired"}
                return 200, {"handle": owner, "did": world.accounts[owner][0]}
            case "POST", "refreshSession":
                owner = world.owner(token, "refresh")
                if owner is None:
                    return 400, {"error": "ExpiredToken", "message": "Token has been revoked"}
                return 200, world.session(owner)
            case _:
                return 404, {"error": "XRPCNotSupported", "message": "Method Not Implemented"}
