"""The one call that every shortener makes, and what all their answers have in common.

    request    what to send, as the service says
    send       once, through the guarded door: no redirect, 5 seconds, a capped body
    read       the service finds the short link in the answer, or the error in it
    judge      `core.short_links`: what came back has to be a short link, else it is nonsense

No message holds a key: they are built of the service's name, the status and the service's own words, which are cut.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Protocol

from bot.core.short_links import why_unfit
from bot.errors import (
    FetchError,
    KeyRefused,
    LinkRefused,
    NotShortened,
    ShortenerBusy,
    ShortenerDown,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta

    from bot.http_client import HttpClient

SECONDS: Final = 5.0
"""For the whole call: a post waits for it. The services answer within half a second."""

LARGEST: Final = 256 * 1024
"""Bytes of an answer; the longest, Shlink's with all its fields, has two thousand."""

WORDS: Final = 200
"""Characters of what a service says that are passed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent; a key may be in any part of it, so no part is shown."""

    method: str = "POST"
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back, with a success or without.

    Attributes:
        data: the JSON in it, None where there is none.
        retry_in: after how long the service asks to come back, None when it says nothing.
    """

    status: int
    data: Any
    retry_in: timedelta | None = None

    def text(self, *path: str | int) -> str:
        """Return the text at a path of keys and positions, "" where there is none."""
        found = self.data
        for part in path:
            if isinstance(part, int) and isinstance(found, list) and -len(found) <= part < len(found):
                found = found[part]
            elif isinstance(part, str) and isinstance(found, dict):
                found = found.get(part)
            else:
                return ""
        if isinstance(found, bool) or not isinstance(found, str | int):
            return ""
        return str(found)

    @property
    def is_success(self) -> bool:
        """Whether it is one of HTTP's."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the class of statuses


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a service says that it made.

    Attributes:
        link: the short link.
        host: where it leads by the same answer or by what was asked for, None where neither says.
    """

    link: str
    host: str | None = None


class Service(Protocol):
    """A shortener. Those of this package fit it.

    Attributes:
        identity: names the service and whose links it makes; without any secret. Links are kept by it.
    """

    @property
    def identity(self) -> str: ...  # noqa: D102 - above

    def request(self, link: str) -> Request:
        """Return what to send to have `link` shortened."""
        ...

    def read(self, answer: Answer) -> Made:
        """Return what an answer says was made; raise NotShortened for one that is no success."""
        ...

    def trial(self) -> Request | None:
        """Return what shows whether the key is good and makes no link, None where the service has no such call."""
        ...


class Trial(Enum):
    """What came of trying a key."""

    TAKEN = "the key is taken"
    UNTESTED = "the service has no call that tries a key without making a link: untested"


def shorten(client: HttpClient, service: Service, link: str) -> str:
    """Have `link` shortened, once. Raises NotShortened: always one of the four that say what to do."""
    made = service.read(_send(client, service, service.request(link)))
    if len(made.link) > len(link):
        raise LinkRefused(f"{service.identity} gave nothing shorter")
    if why := why_unfit(made.link, host=made.host):
        raise ShortenerDown(f"{service.identity} gave what is no short link: {why}")
    return made.link


def try_key(client: HttpClient, service: Service) -> Trial:
    """Ask whether the service takes the key, making no link. Raises NotShortened when it does not, or does not answer."""
    request = service.trial()
    if request is None:
        return Trial.UNTESTED
    answer = _send(client, service, request)
    if not answer.is_success:
        service.read(answer)  # raises, in the service's own words
        raise refusal(service.identity, answer, "")
    return Trial.TAKEN


def refusal(name: str, answer: Answer, said: str, *, status: int | None = None) -> NotShortened:
    """Return what to raise for an answer that is no success, by its status.

    Args:
        name: of the service.
        answer: what came.
        said: what the service says of it, in its own words; "" for nothing.
        status: what counts in place of the answer's own.
    """
    status = answer.status if status is None else status
    words = " ".join(said.split())[:WORDS]
    told = f"{name} answered {answer.status}" + (f": {words}" if words else "")
    match status:
        case 401 | 402 | 403:
            return KeyRefused(f"{told}; look at its key, its plan and its domain")
        case 429:
            return ShortenerBusy(f"{told}; it is asked too often", retry_in=answer.retry_in)
        case 404 | 405:
            return ShortenerDown(f"{told}; look at its address in the configuration")
        case _ if 400 <= status < 500:  # noqa: PLR2004 - the class of statuses
            return LinkRefused(told)
        case _ if 300 <= status < 400:  # noqa: PLR2004
            return ShortenerDown(f"{told}, a redirect, which is not followed; look at its address")
        case _:
            return ShortenerDown(told)


def json_body(**fields: object) -> bytes:
    """Return the JSON of the fields that are not None."""
    return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()


JSON: Final = {"Content-Type": "application/json", "Accept": "application/json"}


def _send(client: HttpClient, service: Service, request: Request) -> Answer:
    try:
        called = client.call(request.method, request.url, headers=request.headers, body=request.body)
    except FetchError as error:
        raise ShortenerDown(f"{service.identity}: {error}") from None  # the cause may hold the address whole
    try:
        data = json.loads(called.body.decode())
    except (ValueError, RecursionError):
        data = None
    retry_in = called.retry_at - datetime.now(UTC) if called.retry_at else None
    return Answer(status=called.status, data=data, retry_in=retry_in)
