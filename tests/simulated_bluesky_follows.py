"""A Bluesky server on loopback with what an AppView adds for follows: profiles, followers, follows, relationships.

Follows are records in the account's own repository, as strict as the PDS is about keys; the AppView learns of them when `index` is called, or
at once. Sources: lexicons app.bsky.graph and com.atproto.repo.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from tests.bluesky_logins import BlueskyLogins
from tests.bluesky_logins import _Handler as Logins

if TYPE_CHECKING:
    from collections.abc import Callable

FOLLOW = "app.bsky.graph.follow"
KEY = re.compile(r"[2-7a-j][2-7a-z]{12}")
DID = re.compile(r"did:plc:[a-z2-7]{24}")
CREATED = "2026-01-01T00:00:00.000Z"


@dataclass(kw_only=True)
class Fault:
    """What goes wrong at the next request of a method: "lost" (done, no answer), "500", "401", "429"."""

    method: str
    kind: str


class SimulatedBluesky(BlueskyLogins):
    """One account, the people around it, and its repository.

    Attributes:
        records: the account's follows: key -> subject.
        indexed: what the AppView knows of them.
        lagging: whether it learns of them only by `index`.
        followers: DIDs, newest first.
        calls: what is called at the next follow or unfollow, and whether it is carried out before.
        gone: DIDs that are deactivated: in no list, and unknown.
    """

    handler: type[Logins]

    def __init__(self) -> None:
        super().__init__()
        self.people: dict[str, str] = {}
        self.followers: list[str] = []
        self.records: dict[str, str] = {}
        self.indexed: dict[str, str] = {}
        self.lagging = False
        self.gone: set[str] = set()
        self.blocked: set[str] = set()
        self.made: Counter[tuple[str, str]] = Counter()
        self.faults: list[Fault] = []
        self.calls: list[tuple[str, Callable[[], None], bool]] = []
        outer = self

        class Handler(_Handler):
            world = outer

        self._server.RequestHandlerClass = Handler

    def add(self, count: int = 1) -> list[str]:
        """Make so many people; return their DIDs."""
        letters = "abcdefghijklmnopqrstuvwxyz234567"
        dids = []
        for _ in range(count):
            number, name = len(self.people), ""
            for _ in range(24):
                number, rest = divmod(number, 32)
                name += letters[rest]
            did = f"did:plc:{name}"
            self.people[did] = f"person{len(self.people)}.test"
            dids.append(did)
        return dids

    def come(self, people: list[str]) -> None:
        """Let people follow the account."""
        self.followers = [*reversed(people), *self.followers]

    def follow(self, people: list[str]) -> None:
        """Let the account follow people, as by hand."""
        for person in people:
            self.records[
                f"3kaaaaaaaa{len(self.records):03d}".replace("0", "a")
                .replace("1", "b")
                .replace("8", "c")
                .replace("9", "d")
            ] = person
        self.index()

    def index(self) -> None:
        """Let the AppView learn of all records."""
        self.indexed = dict(self.records)


class _Handler(Logins):
    world: SimulatedBluesky

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
        owner = self.world.owner(token, "access")
        if fault is not None and fault.kind == "500":
            status, answer = 500, {"error": "InternalServerError", "message": "Internal Server Error"}
        elif fault is not None and fault.kind == "429":
            status, answer = 429, {"error": "RateLimitExceeded", "message": "Rate Limit Exceeded"}
        elif fault is not None and fault.kind == "403":
            status, answer = 403, {"error": "AccountTakedown", "message": "Account has been taken down"}
        elif owner is None:
            status, answer = 401, {"error": "AuthMissing", "message": "Authentication Required"}
        else:
            status, answer = self._answer(verb, method, body, self.world.accounts[owner][0], owner)
        self.world.answers.append((method, status))
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
        self, verb: str, method: str, body: bytes, did: str, handle: str
    ) -> tuple[int, dict[str, Any]]:
        world = self.world
        query = dict(parse_qs(urlsplit(self.path).query).items())
        one = {name: values[0] for name, values in query.items()}
        match verb, method:
            case "GET", "app.bsky.actor.getProfile":
                counts = {"followersCount": len(world.followers), "followsCount": len(world.indexed)}
                return 200, {"did": did, "handle": handle, **counts}
            case "GET", "app.bsky.graph.getFollowers":
                return self._page("followers", world.followers, one, did, handle)
            case "GET", "app.bsky.graph.getFollows":
                return self._page("follows", list(reversed(world.indexed.values())), one, did, handle)
            case "GET", "app.bsky.graph.getRelationships":
                return 200, {"actor": did, "relationships": [self._related(p, did) for p in query["others"]]}
            case "GET", "com.atproto.repo.getRecord":
                subject = world.records.get(one["rkey"]) if one["collection"] == FOLLOW else None
                if subject is None:
                    return 400, {"error": "RecordNotFound", "message": "Could not locate record"}
                return 200, self._record(one["rkey"], subject, did)
            case "POST", "com.atproto.repo.putRecord":
                return self._called("follow", lambda: self._put(json.loads(body), did))
            case "POST", "com.atproto.repo.deleteRecord":
                return self._called("unfollow", lambda: self._delete(json.loads(body)))
        return 501, {"error": "MethodNotImplemented", "message": "Method Not Implemented"}

    def _called(self, kind: str, act: Callable[[], tuple[int, dict[str, Any]]]) -> tuple[int, dict[str, Any]]:
        due = next((one for one in self.world.calls if one[0] == kind), None)
        if due is None:
            return act()
        self.world.calls.remove(due)
        said = (
            act() if due[2] else (500, {"error": "InternalServerError", "message": "Internal Server Error"})
        )
        due[1]()
        return said

    def _delete(self, said: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        gone = self.world.records.pop(said["rkey"], None)
        if gone is not None:
            self.world.made["unfollow", gone] += 1
        self._learn()
        return 200, {}

    def _learn(self) -> None:
        if not self.world.lagging:
            self.world.index()

    def _page(
        self, name: str, dids: list[str], one: dict[str, str], did: str, handle: str
    ) -> tuple[int, dict[str, Any]]:
        limit = int(one.get("limit", "50"))
        if not 1 <= limit <= 100:
            return 400, {"error": "InvalidRequest", "message": "limit must be from 1 to 100"}
        shown = [each for each in dids if each not in self.world.gone]
        first = int(one.get("cursor", "c0").removeprefix("c"))
        page = shown[first : first + limit]
        answer: dict[str, Any] = {
            "subject": {"did": did, "handle": handle},
            name: [{"did": each, "handle": self.world.people[each], "createdAt": CREATED} for each in page],
        }
        if first + limit < len(shown):
            answer["cursor"] = f"c{first + limit}"
        return 200, answer

    def _related(self, person: str, did: str) -> dict[str, Any]:
        world = self.world
        if person not in world.people or person in world.gone:
            return {"$type": "app.bsky.graph.defs#notFoundActor", "actor": person, "notFound": True}
        related = {"$type": "app.bsky.graph.defs#relationship", "did": person}
        key = next((key for key, subject in world.indexed.items() if subject == person), None)
        if key is not None:
            related["following"] = f"at://{did}/{FOLLOW}/{key}"
        if person in world.followers:
            related["followedBy"] = f"at://{person}/{FOLLOW}/3kaaaaaaaaaaa"
        if person in world.blocked:
            related["blockedBy"] = f"at://{person}/app.bsky.graph.block/3kaaaaaaaaaaa"
        return related

    def _record(self, key: str, subject: str, did: str) -> dict[str, Any]:
        value = {"$type": FOLLOW, "subject": subject, "createdAt": CREATED}
        cid = "bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a"
        return {"uri": f"at://{did}/{FOLLOW}/{key}", "cid": cid, "value": value}

    def _put(self, said: dict[str, Any], did: str) -> tuple[int, dict[str, Any]]:
        record, key = said["record"], said["rkey"]
        if said["repo"] != did or said["collection"] != FOLLOW or not KEY.fullmatch(key):
            return 400, {"error": "InvalidRequest", "message": "Invalid record key"}
        if set(record) != {"$type", "subject", "createdAt"} or not DID.fullmatch(record["subject"]):
            return 400, {"error": "InvalidRequest", "message": "Invalid app.bsky.graph.follow record"}
        if key not in self.world.records:
            self.world.made["follow", record["subject"]] += 1
        self.world.records[key] = record["subject"]
        self._learn()
        made = self._record(key, record["subject"], did)
        return 200, {"uri": made["uri"], "cid": made["cid"]}
