"""A Bluesky server on loopback with what an AppView adds for talking: notifications, the search, and posts as others see them.

Posts and reposts are records in the account's own repository, as strict as the PDS is about keys, lengths and references. Sources:
lexicons app.bsky.notification.listNotifications, app.bsky.feed.searchPosts, getPosts, post and repost, com.atproto.repo.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from tests.bluesky_logins import BlueskyLogins
from tests.bluesky_logins import _Handler as Logins

if TYPE_CHECKING:
    from collections.abc import Callable

POST, REPOST = "app.bsky.feed.post", "app.bsky.feed.repost"
KEY = re.compile(r"[2-7a-j][2-7a-z]{12}")
WORDS = re.compile(r"[^\W_]+")
MOST_URIS = 25


@dataclass(kw_only=True)
class Said:
    """Somebody's post, as the AppView has it."""

    uri: str
    cid: str
    author: str
    handle: str
    record: dict[str, Any]
    at: str
    reason: str
    labels: tuple[str, ...] = ()
    closed: bool = False


@dataclass(kw_only=True)
class Fault:
    """What goes wrong at the next request of a method: "lost" (done, no answer), "500" (not done)."""

    method: str
    kind: str


class BlueskyTalkServer(BlueskyLogins):
    """One account, its repository, and what others say.

    Attributes:
        said: by uri, in the order of time.
        records: the account's own, by collection and key.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        super().__init__()
        self.clock = clock
        self.said: dict[str, Said] = {}
        self.records: dict[tuple[str, str], dict[str, Any]] = {}
        self.written = 0
        self.faults: list[Fault] = []
        outer = self

        class Handler(_Handler):
            world = outer

        self._server.RequestHandlerClass = Handler

    @property
    def me(self) -> str:
        """The DID of the first account."""
        return next(iter(self.accounts.values()))[0]

    def say(
        self,
        who: str,
        text: str,
        *,
        above: str | None = None,
        mentions: bool = True,
        labels: tuple[str, ...] = (),
        closed: bool = False,
    ) -> str:
        """Have somebody say something; return the post's address. `above` is the address of the post that it answers."""
        did = f"did:plc:{who:a<24}"
        uri = (
            f"at://{did}/{POST}/3k{len(self.said):011d}".replace("0", "a")
            .replace("1", "b")
            .replace("8", "c")
            .replace("9", "d")
        )
        record: dict[str, Any] = {
            "$type": POST,
            "text": text,
            "createdAt": spelled(self.clock()),
            "langs": ["en"],
        }
        if mentions:
            feature = {"$type": "app.bsky.richtext.facet#mention", "did": self.me}
            record["facets"] = [{"index": {"byteStart": 0, "byteEnd": 4}, "features": [feature]}]
        if above is not None:
            parent = {"uri": above, "cid": cid_of(above)}
            other = self.said.get(above)
            root = other.record["reply"]["root"] if other is not None and "reply" in other.record else parent
            if above.startswith(f"at://{self.me}/"):
                own = self.records[POST, above.rpartition("/")[2]]
                root = own["reply"]["root"] if "reply" in own else parent
            record["reply"] = {"parent": parent, "root": root}
        reason = (
            "reply"
            if above is not None and above.startswith(f"at://{self.me}/")
            else "mention"
            if mentions
            else "like"
        )
        self.said[uri] = Said(
            uri=uri,
            cid=cid_of(uri),
            author=did,
            handle=f"{who}.test",
            record=record,
            at=spelled(self.clock()),
            reason=reason,
            labels=labels,
            closed=closed,
        )
        return uri

    def replies(self) -> list[tuple[str, str]]:
        """Return what the account has answered, as (address, text)."""
        found = [record for (collection, _), record in self.records.items() if collection == POST]
        return [(record["reply"]["parent"]["uri"], record["text"]) for record in found if "reply" in record]


class _Handler(Logins):
    world: BlueskyTalkServer

    def _serve(self, verb: str) -> None:
        method = urlsplit(self.path).path.removeprefix("/xrpc/")
        if method.startswith("com.atproto.server."):
            super()._serve(verb)
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = next((one for one in self.world.faults if one.method == method), None)
        if fault is not None:
            self.world.faults.remove(fault)
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        if fault is not None and fault.kind == "500":
            status, answer = 500, {"error": "InternalServerError", "message": "Internal Server Error"}
        elif self.world.owner(token, "access") is None:
            status, answer = 401, {"error": "AuthMissing", "message": "Authentication Required"}
        else:
            status, answer = self._answer(method, body)
        if fault is not None and fault.kind == "lost":
            self.close_connection = True
            return
        said = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def _answer(  # noqa: PLR0911 - a table of routes
        self, method: str, body: bytes
    ) -> tuple[int, dict[str, Any]]:
        query = parse_qs(urlsplit(self.path).query)
        one = {name: values[0] for name, values in query.items()}
        match method:
            case "app.bsky.notification.listNotifications":
                return self._page("notifications", self._notified(), one)
            case "app.bsky.feed.searchPosts":
                return self._search(one)
            case "app.bsky.feed.getPosts":
                if not 1 <= len(query.get("uris", [])) <= MOST_URIS:
                    return 400, {"error": "InvalidRequest", "message": "uris must have from 1 to 25"}
                known = [self.world.said[uri] for uri in query["uris"] if uri in self.world.said]
                return 200, {"posts": [self._view(said) for said in known]}
            case "com.atproto.repo.putRecord":
                return self._put(json.loads(body))
            case "com.atproto.repo.listRecords":
                return self._list(one)
            case "com.atproto.repo.getRecord":
                record = self.world.records.get((one["collection"], one["rkey"]))
                if record is None:
                    return 400, {"error": "RecordNotFound", "message": "Could not locate record"}
                return 200, self._stored(one["collection"], one["rkey"], record)
        return 501, {"error": "MethodNotImplemented", "message": "Method Not Implemented"}

    def _notified(self) -> list[dict[str, Any]]:
        return [
            self._view(said) | {"reason": said.reason, "isRead": False, "reasonSubject": None}
            for said in reversed(self.world.said.values())
        ]

    def _view(self, said: Said) -> dict[str, Any]:
        author = {
            "did": said.author,
            "handle": said.handle,
            "labels": [{"val": label, "src": said.author} for label in said.labels],
        }
        viewer = {"replyDisabled": True} if said.closed else {}
        return {
            "uri": said.uri,
            "cid": said.cid,
            "author": author,
            "record": said.record,
            "indexedAt": said.at,
            "viewer": viewer,
        }

    def _search(self, one: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if not one.get("q") or one.get("sort") != "latest":
            return 400, {"error": "InvalidRequest", "message": "q is required"}
        asked = {word.lower() for word in WORDS.findall(one["q"])}
        since = datetime.fromisoformat(one.get("since", "2020-01-01T00:00:00Z"))
        found = [
            self._view(said)
            for said in reversed(self.world.said.values())
            if datetime.fromisoformat(said.at) >= since
            and asked <= {word.lower() for word in WORDS.findall(said.record["text"])}
        ]
        return self._page("posts", found, one)

    def _page(
        self, name: str, found: list[dict[str, Any]], one: dict[str, str]
    ) -> tuple[int, dict[str, Any]]:
        limit, first = int(one.get("limit", "50")), int(one.get("cursor", "c0").removeprefix("c"))
        if not 1 <= limit <= 100:
            return 400, {"error": "InvalidRequest", "message": "limit must be from 1 to 100"}
        answer: dict[str, Any] = {name: found[first : first + limit]}
        if first + limit < len(found):
            answer["cursor"] = f"c{first + limit}"
        return 200, answer

    def _put(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        collection, key, record = asked["collection"], asked["rkey"], asked["record"]
        refused = {"error": "InvalidRequest", "message": f"Invalid {collection} record"}
        if asked["repo"] != self.world.me or collection not in {POST, REPOST} or not KEY.fullmatch(key):
            return 400, refused
        references = (
            [record["subject"]]
            if collection == REPOST
            else [ref for ref in record.get("reply", {}).values() if isinstance(ref, dict)]
        )
        if any(
            set(reference) - {"$type"} != {"uri", "cid"} or reference["cid"] != cid_of(reference["uri"])
            for reference in references
        ):
            return 400, refused
        if "createdAt" not in record or (collection == POST and not 0 < len(record["text"]) <= 300):
            return 400, refused
        self.world.written += (collection, key) not in self.world.records
        self.world.records[collection, key] = record
        uri = f"at://{self.world.me}/{collection}/{key}"
        return 200, {"uri": uri, "cid": cid_of(uri)}

    def _list(self, one: dict[str, str]) -> tuple[int, dict[str, Any]]:
        keys = sorted(
            (key for collection, key in self.world.records if collection == one["collection"]), reverse=True
        )
        shown = [key for key in keys if key < one.get("cursor", "~")][: int(one.get("limit", "50"))]
        records = [
            self._stored(one["collection"], key, self.world.records[one["collection"], key]) for key in shown
        ]
        answer: dict[str, Any] = {"records": records}
        if shown and shown[-1] != keys[-1]:
            answer["cursor"] = shown[-1]
        return 200, answer

    def _stored(self, collection: str, key: str, record: dict[str, Any]) -> dict[str, Any]:
        uri = f"at://{self.world.me}/{collection}/{key}"
        return {"uri": uri, "cid": cid_of(uri), "value": record}


def cid_of(uri: str) -> str:
    """Return the name of the one version that a record here has."""
    letters = "".join(f"{ord(letter) % 26:02d}" for letter in uri[-20:])
    return "bafyrei" + "".join(chr(97 + int(pair) % 26) for pair in re.findall("..", letters)).ljust(52, "a")


def spelled(moment: datetime) -> str:
    """Return a moment as the network writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
