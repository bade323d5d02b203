"""A Mastodon server on loopback, as strict as the real one where the bot meets it.

Sources: Mastodon's API documentation (statuses, media, accounts, instance, apps, oauth, rate limits). What it counts
and refuses: characters with links at 23 and remote mentions without their host, keys of idempotency for an hour,
uploads that are processed before they can be shown, requests in windows.
"""

from __future__ import annotations

import html
import json
import re
import secrets
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, urlsplit

from tests import simulated_mastodon_follows, simulated_mastodon_talk
from tests.simulated_mastodon_follows import Follows
from tests.simulated_mastodon_talk import Talk

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 500
URL = re.compile(r"https?://[^\s<>\"]+")
MENTION = re.compile(r"(?<![\w/])@([A-Za-z0-9_]+)@[A-Za-z0-9.-]+")
TAG = re.compile(r"(?<![\w/&])#(\w*[^\W\d_]\w*)")
VISIBILITIES = {"public", "unlisted", "private", "direct"}
TYPES = {"image/png": b"\x89PNG", "image/jpeg": b"\xff\xd8", "image/gif": b"GIF8", "image/webp": b"RIFF"}
SCOPES = {
    ("GET", "verify_credentials"): "read:accounts",
    ("GET", "statuses"): "read:statuses",
    ("POST", "statuses"): "write:statuses",
    ("DELETE", "statuses"): "write:statuses",
    ("POST", "media"): "write:media",
    ("GET", "media"): "write:media",
    ("PUT", "media"): "write:media",
    **simulated_mastodon_talk.SCOPES,
    **{("GET", word): scope for word, scope in simulated_mastodon_follows.SCOPES.items()},
    **{("POST", word): scope for word, scope in simulated_mastodon_follows.SCOPES.items()},
}


@dataclass(kw_only=True)
class Account:
    """An account and what it has."""

    id: str
    name: str
    bot: bool = True
    statuses: dict[str, dict[str, Any]] = field(default_factory=dict)
    media: dict[str, dict[str, Any]] = field(default_factory=dict)
    keys: dict[str, tuple[float, str]] = field(default_factory=dict)
    follows: Follows = field(default_factory=Follows)


@dataclass(kw_only=True)
class Seen:
    """One request as it came, in the server's own log."""

    method: str
    path: str
    status: int
    key: str | None = None


@dataclass(kw_only=True)
class Fault:
    """What goes wrong at the next request of a kind.

    `kind`: "lost" (done, no answer), "500" (not done), "500_after" (done), "reset" (nothing done), "nonsense" (done,
    answered with no JSON), "429", "401", "403", "page" (a 404 with a page, as of a proxy), "hang" (done, answered after
    `seconds`).
    """

    method: str
    path: str
    kind: str
    times: int = 1
    seconds: float = 0


class SimulatedMastodon:
    """A server with accounts; a context that starts and ends it.

    Args:
        clock: seconds, for windows and keys.
        processing: how often an upload is asked for before it is ready.
        requests_allowed: in five minutes by one token.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        processing: int = 0,
        requests_allowed: int = 300,
        limit: int = LIMIT,
    ) -> None:
        self.clock = clock
        self.processing = processing
        self.requests_allowed = requests_allowed
        self.limit = limit
        self.accounts: dict[str, Account] = {}
        self.tokens: dict[str, tuple[str, frozenset[str]]] = {}
        self.apps: dict[str, tuple[str, frozenset[str]]] = {}
        self.codes: dict[str, tuple[str, str]] = {}
        self.log: list[Seen] = []
        self.talk = Talk()
        self.faults: list[Fault] = []
        self.lock = threading.RLock()
        self._number = 110_000_000_000_000_000
        self._windows: dict[str, list[float]] = {}
        outer = self

        class Handler(_Handler):
            world = outer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def account(
        self,
        name: str = "gazette",
        scopes: str = "read:accounts read:statuses write:statuses write:media",
    ) -> str:
        """Make an account; return a token for it."""
        account = Account(id=self.number(), name=name)
        token = secrets.token_urlsafe(24)
        self.accounts[account.id] = account
        self.tokens[token] = (account.id, frozenset(scopes.split()))
        return token

    def allow(self, address: str, name: str = "gazette") -> str:
        """Be the owner who opens `address` and allows the app; return the code that is shown."""
        said = parse_qs(urlsplit(address).query)
        client, scopes = said["client_id"][0], frozenset(said["scope"][0].split())
        if client not in self.apps or not scopes <= self.apps[client][1]:
            raise ValueError("an app that is not registered, or asks for more than it said")
        account = next((one for one in self.accounts.values() if one.name == name), None)
        if account is None:
            self.account(name)
            account = next(one for one in self.accounts.values() if one.name == name)
        code = secrets.token_urlsafe(12)
        self.codes[code] = (client, account.id)
        return code

    def posts(self, name: str = "gazette") -> list[str]:
        """Return the texts of an account's statuses, the oldest first."""
        account = next(one for one in self.accounts.values() if one.name == name)
        return [status["source"] for status in account.statuses.values()]

    def number(self) -> str:
        """Return an id later than all before."""
        with self.lock:
            self._number += 7
            return str(self._number)

    def fault(self, method: str, path: str) -> Fault | None:
        """Take the fault that is set for such a request."""
        for fault in self.faults:
            if fault.method == method and path.startswith(fault.path) and fault.times > 0:
                fault.times -= 1
                return fault
        return None

    def counted(self, token: str) -> tuple[int, float]:
        """Count a request of a token; return how many are left, -1 for none, and when the window ends."""
        now = self.clock()
        kept = [at for at in self._windows.get(token, []) if at > now - 300]
        self._windows[token] = [*kept, now]
        return self.requests_allowed - len(kept) - 1, (kept[0] if kept else now) + 300


def weight(text: str) -> int:
    """Return what a text counts: links 23 each, remote mentions without their host."""
    return len(MENTION.sub(r"@\1", URL.sub("x" * 23, text)))


def rendered(text: str, url: str) -> str:
    """Return a text as HTML, as the server shows it."""

    def link(match: re.Match[str]) -> str:
        address = match[0]
        protocol = address.partition("://")[0] + "://"
        rest = address.removeprefix(protocol)
        shown, hidden = rest[:30], rest[30:]
        return (
            f'<a href="{html.escape(address)}" rel="nofollow noopener" target="_blank">'
            f'<span class="invisible">{protocol}</span><span class="{"ellipsis" if hidden else ""}">'
            f'{html.escape(shown)}</span><span class="invisible">{html.escape(hidden)}</span></a>'
        )

    parts = []
    at = 0
    for match in sorted([*URL.finditer(text), *TAG.finditer(text)], key=lambda found: found.start()):
        if match.start() < at:
            continue
        parts.append(html.escape(text[at : match.start()]))
        parts.append(
            link(match)
            if match.re is URL
            else f'<a href="{url}/tags/{html.escape(match[1])}" class="mention hashtag" rel="tag">#<span>'
            f"{html.escape(match[1])}</span></a>"
        )
        at = match.end()
    parts.append(html.escape(text[at:]))
    paragraphs = "".join(parts).split("\n\n")
    return "".join(f"<p>{paragraph.replace(chr(10), '<br />')}</p>" for paragraph in paragraphs)


class _Refused(Exception):
    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words


class _Handler(BaseHTTPRequestHandler):
    world: SimulatedMastodon
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_PUT(self) -> None:
        self._serve("PUT")

    def do_DELETE(self) -> None:
        self._serve("DELETE")

    def _serve(self, method: str) -> None:
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._extra: dict[str, str] = {}
        fault = self.world.fault(method, parts.path)
        if fault and fault.kind in {"500", "429", "401", "403"}:
            self._answer(method, int(fault.kind), {"error": f"Simulated {fault.kind}"})
            return
        if fault and fault.kind == "page":
            self._answer(method, 404, "<html>Nothing here</html>")
            return
        if fault and fault.kind == "reset":
            self.close_connection = True
            return
        try:
            with self.world.lock:
                status, answer = self._do(method, parts.path, parse_qs(parts.query), body)
        except _Refused as refused:
            status, answer = refused.status, {"error": refused.words}
        if fault and fault.kind == "hang":
            threading.Event().wait(fault.seconds)
        if fault and fault.kind == "lost":
            self.world.log.append(Seen(method=method, path=parts.path, status=0, key=self._key()))
            self.close_connection = True
            return
        if fault and fault.kind == "500_after":
            status, answer = 500, {"error": "Simulated 500"}
        self._answer(method, status, "nonsense" if fault and fault.kind == "nonsense" else answer)

    def _answer(self, method: str, status: int, answer: Any) -> None:
        self.world.log.append(
            Seen(method=method, path=urlsplit(self.path).path, status=status, key=self._key())
        )
        data = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        for name, value in self._extra.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _key(self) -> str | None:
        return self.headers.get("Idempotency-Key")

    def _do(  # noqa: C901, PLR0911, PLR0912 - a table of routes
        self, method: str, path: str, query: dict[str, list[str]], body: bytes
    ) -> tuple[int, Any]:
        path = path.rstrip("/")
        if (method, path) == ("POST", "/api/v1/apps"):
            return self._register(parse_qs(body.decode()))
        if (method, path) == ("POST", "/oauth/token"):
            return self._token(parse_qs(body.decode()))
        if (method, path) == ("GET", "/api/v2/instance"):
            return 200, self._instance()
        if not path.startswith("/api/"):
            raise _Refused(404, "Record not found")
        account = self._account(method, path)
        match method, path.removeprefix("/api/").split("/"):
            case "GET", ["v1", "accounts", "verify_credentials"]:
                return 200, {
                    "id": account.id,
                    "username": account.name,
                    "acct": account.name,
                    "bot": account.bot,
                    "followers_count": len(account.follows.followers),
                    "following_count": len(account.follows.following),
                }
            case "GET", ["v1", "accounts", number, "statuses"]:
                return 200, self._statuses(number, query)
            case "POST", ["v1", "statuses"]:
                return 200, self._post(account, parse_qs(body.decode(), keep_blank_values=True))
            case "DELETE", ["v1", "statuses", number]:
                if number not in account.statuses:
                    raise _Refused(404, "Record not found")
                return 200, account.statuses.pop(number)
            case "POST", ["v2", "media"]:
                return self._upload(account, body)
            case "PUT", ["v1", "media", number] if number in account.media:
                said = parse_qs(body.decode())
                account.media[number]["description"] = said["description"][0]
                return 200, self._media(account, number)[1]
            case "GET", ["v1", "media", number]:
                return self._media(account, number)
        parts = path.removeprefix("/api/").split("/")
        if (said := simulated_mastodon_talk.answer(self.world, account, method, parts, query)) is not None:
            return said
        found = simulated_mastodon_follows.answer(
            account.follows, account.id, method, parts, query, self.world.url
        )
        if found is None:
            raise _Refused(404, "Record not found")
        self._extra |= found[2]
        return found[0], found[1]

    def _account(self, method: str, path: str) -> Account:
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        known = self.world.tokens.get(token)
        if known is None:
            raise _Refused(401, "The access token is invalid")
        left, ends = self.world.counted(token)
        self._extra = {
            "X-RateLimit-Limit": str(self.world.requests_allowed),
            "X-RateLimit-Remaining": str(max(left, 0)),
            "X-RateLimit-Reset": datetime.fromtimestamp(ends, UTC).isoformat().replace("+00:00", "Z"),
        }
        if left < 0:
            raise _Refused(429, "Too many requests")
        word = next((part for part in reversed(path.split("/")) if not part.isdecimal()), "")
        scope = SCOPES.get((method, word))
        if scope and scope not in known[1] and scope.partition(":")[0] not in known[1]:
            raise _Refused(403, "This action is outside the authorized scopes")
        return self.world.accounts[known[0]]

    def _register(self, form: dict[str, list[str]]) -> tuple[int, Any]:
        if "client_name" not in form or form.get("redirect_uris") != ["urn:ietf:wg:oauth:2.0:oob"]:
            raise _Refused(422, "Validation failed: Redirect URI must be an absolute URI.")
        client, secret = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        self.world.apps[client] = (secret, frozenset(form["scopes"][0].split()))
        return 200, {"id": "1", "name": form["client_name"][0], "client_id": client, "client_secret": secret}

    def _token(self, form: dict[str, list[str]]) -> tuple[int, Any]:
        client = form["client_id"][0]
        if client not in self.world.apps or self.world.apps[client][0] != form["client_secret"][0]:
            raise _Refused(401, "invalid_client")
        made = self.world.codes.pop(form.get("code", [""])[0], None)
        if made is None or made[0] != client or form["grant_type"] != ["authorization_code"]:
            raise _Refused(400, "invalid_grant")
        token = secrets.token_urlsafe(24)
        self.world.tokens[token] = (made[1], frozenset(form["scope"][0].split()))
        return 200, {
            "access_token": token,
            "token_type": "Bearer",
            "scope": form["scope"][0],
            "created_at": 0,
        }

    def _instance(self) -> dict[str, Any]:
        return {
            "domain": "127.0.0.1",
            "version": "4.5.0",
            "configuration": {
                "statuses": {
                    "max_characters": self.world.limit,
                    "characters_reserved_per_url": 23,
                    "max_media_attachments": 4,
                },
                "media_attachments": {
                    "supported_mime_types": list(TYPES),
                    "image_size_limit": 1_000_000,
                    "description_limit": 1500,
                },
            },
        }

    def _post(self, account: Account, form: dict[str, list[str]]) -> dict[str, Any]:  # noqa: C901 - a list of refusals
        now, key = self.world.clock(), self._key()
        if key in account.keys and account.keys[key][0] > now - 3600:
            number = account.keys[key][1]
            if number not in account.statuses:
                raise _Refused(404, "Record not found")
            return account.statuses[number]
        text = form.get("status", [""])[0]
        warning = form.get("spoiler_text", [""])[0]
        media = form.get("media_ids[]", [])
        if form.get("visibility", ["public"])[0] not in VISIBILITIES:
            raise _Refused(422, "Validation failed: Visibility is not included in the list")
        if not text.strip() and not media:
            raise _Refused(422, "Validation failed: Text can't be blank")
        if weight(text) + weight(warning) > self.world.limit:
            raise _Refused(422, f"Validation failed: Text character limit of {self.world.limit} exceeded")
        for number in media:
            if number not in account.media:
                raise _Refused(404, "Record not found")
            if account.media[number]["waits"] > 0:
                raise _Refused(
                    422, "Cannot attach files that have not finished processing. Try again in a moment!"
                )
        if len(media) > 4:
            raise _Refused(422, "Cannot attach more than 4 files")
        above = form.get("in_reply_to_id", [None])[0]
        if above and not any(above in one.statuses for one in self.world.accounts.values()):
            raise _Refused(404, "The post you are trying to reply to does not appear to exist.")
        number = self.world.number()
        account.statuses[number] = {
            "id": number,
            "created_at": datetime.fromtimestamp(now, UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            "in_reply_to_id": form.get("in_reply_to_id", [None])[0],
            "sensitive": form.get("sensitive", ["false"])[0].lower() in {"true", "1"},
            "spoiler_text": warning,
            "visibility": form.get("visibility", ["public"])[0],
            "language": form.get("language", [None])[0],
            "url": f"{self.world.url}/@{account.name}/{number}",
            "content": rendered(text, self.world.url),
            "source": text,
            "media_attachments": [
                {"id": one, "description": account.media[one]["description"]} for one in media
            ],
            "account": {"id": account.id, "username": account.name},
            "card": None,
        }
        if key:
            account.keys[key] = (now, number)
        return account.statuses[number]

    def _statuses(self, number: str, query: dict[str, list[str]]) -> list[dict[str, Any]]:
        account = self.world.accounts.get(number)
        if account is None:
            raise _Refused(404, "Record not found")
        below = int(query.get("max_id", ["9" * 19])[0])
        above = int(query.get("since_id", ["0"])[0])
        limit = min(int(query.get("limit", ["20"])[0]), 40)
        chosen = [
            status for status in reversed(account.statuses.values()) if above < int(status["id"]) < below
        ]
        return [{n: v for n, v in status.items() if n != "source"} for status in chosen[:limit]]

    def _upload(self, account: Account, body: bytes) -> tuple[int, Any]:
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        parts = {
            str(part.get_param("name", header="content-disposition")): part
            for part in BytesParser().parsebytes(head + body).get_payload()
        }
        file = parts.get("file")
        data = file.get_payload(decode=True) if file is not None else b""
        kind = file.get_content_type() if file is not None else ""
        if not data or kind not in TYPES or not data.startswith(TYPES[kind]):
            raise _Refused(422, "Validation failed: File content type is invalid, File is invalid")
        if len(data) > 1_000_000:
            raise _Refused(422, "Validation failed: File file size must be less than 1 MB")
        described = parts.get("description")
        number = self.world.number()
        account.media[number] = {
            "waits": self.world.processing,
            "description": described.get_payload(decode=True).decode() if described is not None else None,
        }
        status, answer = self._media(account, number)
        return (202 if status == 206 else 200), answer

    def _media(self, account: Account, number: str) -> tuple[int, Any]:
        media = account.media.get(number)
        if media is None:
            raise _Refused(404, "Record not found")
        waits = media["waits"]
        media["waits"] = max(waits - 1, 0)
        answer = {"id": number, "type": "image", "description": media["description"]}
        return (206 if waits else 200), answer | {"url": None if waits else f"{self.world.url}/{number}.png"}
