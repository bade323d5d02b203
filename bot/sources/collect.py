"""One look at one feed: ask for it, and read what came, or say what went wrong.

It runs in a thread of its own, knows no story and touches no store: values in, a value out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import xxhash

from bot.errors import FeedUnreadable, FetchError, FetchRefused, ParserUnavailable
from bot.http_client import NotModified
from bot.sources.local import read_local
from bot.sources.reading import parse_feed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta
    from pathlib import Path

    from bot.http_client import HttpClient
    from bot.sources.parsed import Parse, ParsedFeed


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a feed is and how to ask for it.

    Attributes:
        feed: its configured name.
        url: http(s) address; for a local file its file: address, for messages and relative links only.
        path: the local file, None when it is fetched.
        headers: extra request headers, which may hold secrets.
        basic_auth: user and password, None without.
        is_new_place: `url` is where permanent redirects have led, not the configured address.
    """

    feed: str
    url: str
    path: Path | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    basic_auth: tuple[str, str] | None = field(default=None, repr=False)
    is_new_place: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What is known of the last body, to ask only for what has changed.

    Attributes:
        etag, last_modified: byte for byte as received, None when there were none.
        body_hash: None when no body was read yet.
    """

    etag: str | None = None
    last_modified: str | None = None
    body_hash: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a server said, beside its answer, of the next request.

    Attributes:
        retry_at: not before (aware UTC), None when it did not say.
        fresh_for: how long the answer holds, None when it did not say.
    """

    retry_at: datetime | None = None
    fresh_for: timedelta | None = None


NO_WISHES: Final = Wishes()


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """A body that is new, read.

    Attributes:
        parsed: what it says.
        validators: for the next request.
        moved_to: where permanent redirects led, None when there were none.
        wishes: of the server.
    """

    parsed: ParsedFeed
    validators: Validators
    moved_to: str | None = None
    wishes: Wishes = NO_WISHES


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """The feed is as it was.

    Attributes:
        validators: for the next request.
        whole: the same bytes came again; False when the server only said so (304).
        moved_to: where permanent redirects led, None when there were none.
        wishes: of the server.
    """

    validators: Validators
    whole: bool = True
    moved_to: str | None = None
    wishes: Wishes = NO_WISHES


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Nothing could be read.

    Attributes:
        fault: a sentence.
        retry_at: when the server asks to come back at the soonest, None when it does not say.
        gone: the configured address itself answered that the feed is gone for good.
        limiting_host: the host that said it is asked too often, None otherwise.
        near: the fault seems to lie on this machine's side.
    """

    fault: str
    retry_at: datetime | None = None
    gone: bool = False
    limiting_host: str | None = None
    near: bool = False


Collected = Body | Unchanged | Failed


def collect(
    address: Address, client: HttpClient, known: Validators, *, parse: Parse = parse_feed
) -> Collected:
    """Look at one feed. Never raises for what a feed or its server does.

    `parse` reads what is new: in this process, or where it can do no harm.
    """
    try:
        if address.path is not None:
            return read_body(address, read_local(address.path), known=known, parse=parse)
        answer = client.get(
            address.url,
            etag=known.etag,
            last_modified=known.last_modified,
            headers=address.headers,
            basic_auth=address.basic_auth,
        )
    except FetchError as error:
        return _failed(error, address)
    wishes = Wishes(retry_at=answer.retry_at, fresh_for=answer.fresh_for)
    moved_to = answer.permanent_url or (address.url if address.is_new_place else None)
    if isinstance(answer, NotModified):
        return Unchanged(validators=known, whole=False, moved_to=moved_to, wishes=wishes)
    return read_body(
        address,
        answer.body,
        known=known,
        base=answer.url,
        content_type=answer.content_type,
        etag=answer.etag,
        last_modified=answer.last_modified,
        moved_to=moved_to,
        wishes=wishes,
        parse=parse,
    )


def _failed(error: FetchError, address: Address) -> Failed:
    status = error.status if isinstance(error, FetchRefused) else None
    itself = not error.redirected and not address.is_new_place
    return Failed(
        fault=str(error),
        retry_at=error.retry_at,
        gone=status == HTTPStatus.GONE and itself,
        limiting_host=error.host if status == HTTPStatus.TOO_MANY_REQUESTS else None,
        near=error.near,
    )


def read_body(  # noqa: PLR0913 - what there is to know of a body, by name
    address: Address,
    body: bytes,
    *,
    known: Validators,
    base: str | None = None,
    content_type: str | None = None,
    etag: str | None = None,
    last_modified: str | None = None,
    moved_to: str | None = None,
    wishes: Wishes = NO_WISHES,
    parse: Parse = parse_feed,
) -> Collected:
    """Parse `body` unless it is the one that is known.

    An unreadable body leaves no validators behind, nor does one that ends in the middle of an item: what the server
    said of it would keep the whole one away.
    """
    digest = xxhash.xxh3_128_hexdigest(body)
    validators = Validators(etag=etag, last_modified=last_modified, body_hash=digest)
    if digest == known.body_hash:
        return Unchanged(validators=validators, moved_to=moved_to, wishes=wishes)
    try:
        parsed = parse(body, feed=address.feed, url=base or address.url, content_type=content_type)
    except FeedUnreadable as error:
        return Failed(fault=str(error), retry_at=wishes.retry_at)
    except ParserUnavailable as error:
        return Failed(fault=str(error), retry_at=wishes.retry_at, near=True)
    if parsed.cut_off:
        validators = Validators(body_hash=digest)
    return Body(parsed=parsed, validators=validators, moved_to=moved_to, wishes=wishes)
