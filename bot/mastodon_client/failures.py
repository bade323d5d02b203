"""What a failure at Mastodon means: told apart by what is known of the outcome, in words for a person."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from mastodon import MastodonError, MastodonNotFoundError

from bot.errors import (
    FetchError,
    FetchForbidden,
    NotSent,
    OutcomeUnknown,
    PublishError,
    RateLimited,
    Refused,
    Unauthorized,
)
from bot.mastodon_client.wire import Declined

if TYPE_CHECKING:
    from bot.http_client import Called

SOONEST: Final = timedelta(minutes=1)
LATEST: Final = timedelta(days=1)
"""The longest window of a server's limits is a day: what asks for more is a mistake."""

_SHUT_OUT: Final = {
    401: "the server does not accept the access token (any more)",
    403: "the account or its token may not do this",
}
_NEVER_TAKEN: Final = frozenset({400, 413, 415, 422})
_PROCESSING: Final = "not finished processing"
"""What a server says of a status that comes before its pictures are ready."""

_NO_SERVER: Final = frozenset({"endpoint not found", "not found", "none"})
"""What Mastodon.py makes of a 404 that is no JSON, and what others than Mastodon say; Mastodon itself says of what."""

_LONGEST_WORDS: Final = 200
_TAGS: Final = re.compile(r"<[^>]*>")

VENDORS: Final = (MastodonError, FetchError, Declined, OSError, ValueError, KeyError, TypeError)
"""Every family of errors that comes out of Mastodon.py; it reads answers with few checks of their shape."""


def error_for(error: BaseException, *, write: bool, now: datetime) -> PublishError:
    """Return the bot's error for one that came out of Mastodon.py.

    Args:
        error: as it came.
        write: whether the request was to change something.
        now: aware UTC.
    """
    match _innermost(error):
        case Declined(answer=answer):
            return _declined(answer, write=write, now=now)
        case FetchError(asked=True) as failure if write and not isinstance(failure, FetchForbidden):
            return OutcomeUnknown(f"the server was asked, and no whole answer came back: {failure}")
        case FetchError() as failure:
            return NotSent(f"the server could not be asked: {failure}")
        case MastodonNotFoundError():
            return NotSent("the server declined (HTTP 404): it has no such thing, or is no Mastodon server")
        case other:
            unread = f"the server's answer cannot be read ({type(other).__name__})"
            return OutcomeUnknown(unread) if write else NotSent(unread)


def is_missing(error: BaseException) -> bool:
    """Whether the server itself says that there is no such thing; a proxy before it, or another server, does not count."""
    found = _innermost(error)
    if isinstance(found, MastodonNotFoundError):
        said = str(found.args[-1]).rstrip(".").casefold() if found.args else ""
        return bool(said) and said not in _NO_SERVER
    return isinstance(found, Declined) and found.answer.status == HTTPStatus.GONE


def is_forbidden(error: BaseException) -> bool:
    """Whether the server knows the token, and says that this is no part of what it may do."""
    found = _innermost(error)
    return isinstance(found, Declined) and found.answer.status == HTTPStatus.FORBIDDEN


def _innermost(error: BaseException) -> BaseException:
    """Return the door's error that Mastodon.py made its own of, or `error` where there is none."""
    each: BaseException | None = error
    while each is not None:
        if isinstance(each, Declined | FetchError):
            return each
        each = each.__cause__ or each.__context__
    return error


def _declined(answer: Called, *, write: bool, now: datetime) -> PublishError:
    status, said = answer.status, words_of(answer)
    if status in _SHUT_OUT:
        return Unauthorized(f"{_SHUT_OUT[status]}: {said}")
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return RateLimited(f"the server is asked too often: {said}", retry_at=_retry_at(answer, now))
    if status >= 500:  # noqa: PLR2004 - HTTP's faults of servers
        fault = f"the server has a fault of its own (HTTP {status}): {said}"
        return OutcomeUnknown(fault) if write else NotSent(fault)
    if write and status in _NEVER_TAKEN and _PROCESSING not in said:
        return Refused(f"the server does not take it (HTTP {status}): {said}")
    elsewhere = "; it sends its visitors elsewhere: give the address of the server itself"
    return NotSent(f"the server declined (HTTP {status}): {said}{elsewhere if status < 400 else ''}")  # noqa: PLR2004


def words_of(answer: Called) -> str:
    """Return what a server said, in one line: its JSON's error, never a page."""
    try:
        told = json.loads(answer.body)
    except (ValueError, RecursionError):
        told = None
    error = told.get("error") if isinstance(told, dict) else None
    if not isinstance(error, str):
        return "it says nothing that this bot understands"
    words = " ".join(_TAGS.sub(" ", error).split())
    return words if len(words) <= _LONGEST_WORDS else f"{words[:_LONGEST_WORDS]}…"


def _retry_at(answer: Called, now: datetime) -> datetime:
    at = answer.retry_at or _reset(answer) or now + SOONEST
    return min(max(at, now + timedelta(seconds=1)), now + LATEST)


def _reset(answer: Called) -> datetime | None:
    """Return the end of the window: ISO 8601 from Mastodon, seconds since 1970 from some of its relatives."""
    said = answer.headers.get("x-ratelimit-reset", "").strip()
    try:
        if said.isdecimal():
            return datetime.fromtimestamp(int(said), UTC)
        moment = datetime.fromisoformat(said)
    except (ValueError, OverflowError, OSError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
