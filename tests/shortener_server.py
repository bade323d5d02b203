"""A server on loopback that plays each shortener, with what it makes and what it refuses, in the very forms that its
documents or its source give.

    with ShortenerServer("shlink") as server:
        service_of(server.wanted)      # the service, led here
        server.answers.append(...)     # these come first, one a call
        server.made                    # long link -> short link
        server.asked                   # every call, oldest first
"""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs

from bot.shorteners import Wanted
from tests.feed_server import Answer, FeedServer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.feed_server import Asked

TOKEN = "sekrit-key-of-tests"
HOSTS = {
    "bitly": "bit.ly",
    "tinyurl": "tinyurl.com",
    "isgd": "is.gd",
    "vgd": "v.gd",
    "shlink": "s.gazette.com",
    "yourls": "sho.rt.com",
    "dub": "dub.sh",
    "json": "go.gazette.com",
}
PATHS = {
    "bitly": "/v4/shorten",
    "tinyurl": "/create",
    "isgd": "/create.php",
    "vgd": "/create.php",
    "shlink": "/rest/v3/short-urls",
    "yourls": "/yourls-api.php",
    "dub": "/links/upsert",
    "json": "/make",
}


def told(status: int, body: Any, **fields: Any) -> Answer:
    """Return an answer with JSON, or with a page where `body` is a text."""
    as_page = isinstance(body, str)
    return Answer(
        status=status,
        body=(body if as_page else json.dumps(body)).encode(),
        content_type="text/html; charset=UTF-8" if as_page else "application/json",
        **fields,
    )


class ShortenerServer:
    """One shortener. A call with another key than `TOKEN` is refused as the service does it."""

    def __init__(self, service: str) -> None:
        self.service = service
        self.made: dict[str, str] = {}
        self.answers: list[Answer] = []
        self.asked: list[Asked] = []
        self.always: Answer | None = None
        self._numbers = itertools.count(1)
        self._server = FeedServer()

    def __enter__(self) -> Self:
        self._server.__enter__()
        self._server.put(PATHS[self.service], self._reply)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    @property
    def wanted(self) -> Wanted:
        """Return the configuration that leads here."""
        at = self._server.url("")
        if self.service == "json":
            return Wanted(
                service="json",
                token=TOKEN,
                url=f"{at}/make",
                headers={"Authorization": "Bearer {token}"},
                body='{"originalURL": "{url}", "allowDuplicates": false}',
                path="link.short",
            )
        return Wanted(service=self.service, token=TOKEN, url=at)

    def put(self, path: str, answer: Answer) -> None:
        """Serve something else at another path."""
        self._server.put(path, answer)

    def close(self) -> None:
        """Be gone: nothing listens any more."""
        self._server.close()

    def links(self) -> list[str]:
        """Return the long links that were asked for, oldest first."""
        return [self._link(asked) for asked in self.asked]

    def _reply(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        if self.answers:
            return self.answers.pop(0)
        if self.always is not None:
            return self.always
        if (refused := self._unauthorized(asked)) is not None:
            return refused
        link = self._link(asked)
        known = link in self.made
        if not known or self.service == "tinyurl":
            self.made[link] = f"https://{HOSTS[self.service]}/x{next(self._numbers)}"
        return MADE[self.service](link, self.made[link], known)

    def _unauthorized(self, asked: Asked) -> Answer | None:
        keys = (
            asked.headers.get("authorization", "").removeprefix("Bearer "),
            asked.headers.get("x-api-key", ""),
            *parse_qs(asked.body.decode()).get("signature", ()),
        )
        return None if self.service in {"isgd", "vgd"} or TOKEN in keys else UNAUTHORIZED[self.service]

    def _link(self, asked: Asked) -> str:
        if asked.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return parse_qs(asked.body.decode())["url"][0]
        said = json.loads(asked.body)
        return next(said[key] for key in ("long_url", "longUrl", "url", "originalURL") if key in said)


def _bitly(link: str, short: str, known: bool) -> Answer:
    body = {
        "created_at": "2026-12-03T08:00:00+0000",
        "id": short.removeprefix("https://"),
        "link": short,
        "custom_bitlinks": [],
        "long_url": link,
        "archived": False,
        "tags": [],
        "deeplinks": [],
        "references": {"group": "https://api-ssl.bitly.com/v4/groups/Bm1"},
    }
    return told(200 if known else 201, body)


def _tinyurl(link: str, short: str, _: bool) -> Answer:
    data = {
        "domain": "tinyurl.com",
        "alias": short.rpartition("/")[2],
        "deleted": False,
        "archived": False,
        "analytics": {"enabled": True, "public": False},
        "tags": [],
        "created_at": "2026-12-03T08:00:00+00:00",
        "expires_at": None,
        "tiny_url": short,
        "url": link,
    }
    return told(200, {"data": data, "code": 0, "errors": []})


def _isgd(_: str, short: str, __: bool) -> Answer:
    return told(200, {"shorturl": short})


def _shlink(link: str, short: str, _: bool) -> Answer:
    body = {
        "shortCode": short.rpartition("/")[2],
        "shortUrl": short,
        "longUrl": link,
        "dateCreated": "2026-12-03T08:00:00+00:00",
        "tags": [],
        "meta": {"validSince": None, "validUntil": None, "maxVisits": None},
        "domain": None,
        "title": None,
        "crawlable": False,
        "forwardQuery": True,
        "visitsSummary": {"total": 0, "nonBots": 0, "bots": 0},
    }
    return told(200, body)


def _yourls(link: str, short: str, known: bool) -> Answer:
    url = {
        "keyword": short.rpartition("/")[2],
        "url": link,
        "title": "A story",
        "date": "2026-12-03 08:00:00",
    }
    if known:
        body = {
            "status": "fail",
            "code": "error:url",
            "url": {**url, "clicks": "0"},
            "message": f"{link} already exists in database",
            "title": "A story",
            "shorturl": short,
            "errorCode": "400",
            "statusCode": "400",
        }
        return told(400, body)
    body = {
        "url": {**url, "ip": "127.0.0.1"},
        "status": "success",
        "message": f"{link} added to database",
        "title": "A story",
        "shorturl": short,
        "statusCode": "200",
    }
    return told(200, body)


def _dub(link: str, short: str, _: bool) -> Answer:
    body = {
        "id": "link_1K",
        "domain": "dub.sh",
        "key": short.rpartition("/")[2],
        "url": link,
        "shortLink": short,
        "qrCode": f"https://api.dub.co/qr?url={short}?qr=1",
        "clicks": 0,
        "workspaceId": "ws_1K",
    }
    return told(200, body)


def _json(_: str, short: str, __: bool) -> Answer:
    return told(200, {"link": {"short": short.removeprefix("https://")}, "ok": True})


MADE: dict[str, Callable[[str, str, bool], Answer]] = {
    "bitly": _bitly,
    "tinyurl": _tinyurl,
    "isgd": _isgd,
    "vgd": _isgd,
    "shlink": _shlink,
    "yourls": _yourls,
    "dub": _dub,
    "json": _json,
}


def problem(kind: str, title: str, detail: str, status: int, **more: Any) -> Answer:
    """Return one of Shlink's problem details."""
    at = f"https://shlink.io/api/error/{kind}"
    return told(status, {"title": title, "type": at, "detail": detail, "status": status, **more})


def dub_error(status: int, code: str, message: str, **fields: Any) -> Answer:
    """Return one of Dub's errors."""
    at = f"https://dub.co/docs/api-reference/errors#{code.replace('_', '-')}"
    return told(status, {"error": {"code": code, "message": message, "doc_url": at}}, **fields)


UNAUTHORIZED = {
    "bitly": told(
        403,
        {
            "message": "FORBIDDEN",
            "resource": "bitlinks",
            "description": "You are currently forbidden to access this resource.",
        },
    ),
    "tinyurl": told(401, {"data": [], "code": 1, "errors": ["Unauthenticated."]}),
    "shlink": problem(
        "invalid-api-key", "Invalid API key", "Provided API key does not exist or is invalid.", 401
    ),
    "yourls": told(403, {"message": "Invalid signature", "errorCode": "403", "callback": ""}),
    "dub": dub_error(401, "unauthorized", "Unauthorized: Invalid API key."),
    "json": told(401, {"message": "Invalid API key"}),
}
