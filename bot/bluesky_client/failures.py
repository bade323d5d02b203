"""What a failure at Bluesky means: atproto's errors and the door's, told apart by what is known of the outcome."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from atproto_client.exceptions import LoginRequiredError, RateLimitExceededError, RequestErrorBase
from atproto_client.models.common import XrpcError

from bot.errors import (
    FetchError,
    FetchForbidden,
    NotSent,
    OutcomeUnknown,
    PictureRefused,
    PublishError,
    RateLimited,
    Refused,
    Unauthorized,
)

if TYPE_CHECKING:
    from atproto_client.request import Response

SOONEST: Final = timedelta(minutes=1)
"""A server that counts requests and does not say how long is asked again after that."""

LATEST: Final = timedelta(days=1)
"""The longest window of the server's limits is a day: what asks for more is a mistake."""

_LOGGED_OUT: Final = frozenset({"ExpiredToken", "InvalidToken", "AuthMissing", "AuthenticationRequired"})
_SHUT_OUT: Final = {
    "AccountTakedown": "the account has been taken down",
    "AccountDeactivated": "the account is deactivated",
    "AccountSuspended": "the account is suspended",
    "RepoTakendown": "the account has been taken down",
    "RepoDeactivated": "the account is deactivated",
    "RepoSuspended": "the account is suspended",
    "AuthFactorTokenRequired": "the account asks for a code by mail: use an app password",
}
_NEVER_TAKEN: Final = frozenset({400, 413, 422})
_NO_PICTURE: Final = frozenset({"BlobNotFound", "InvalidBlob", "InvalidMimeType"})
_NO_BLOB: Final = "Could not find blob"
_LONGEST_WORDS: Final = 200


def error_for(error: Exception, *, write: bool, now: datetime) -> PublishError:
    """Return the bot's error for one that came out of atproto or the door.

    Args:
        error: as it came.
        write: whether the request was to change something.
        now: aware UTC.
    """
    match error:
        case FetchError(asked=True) if write and not isinstance(error, FetchForbidden):
            return OutcomeUnknown(f"the server was asked, and no whole answer came back: {error}")
        case FetchError():
            return NotSent(f"the server could not be asked: {error}")
        case LoginRequiredError():
            return Unauthorized("the bot is not logged in")
        case RequestErrorBase(response=response) if response is not None:
            return _declined(error, response, write=write, now=now)
        case _:
            unread = f"the server's answer cannot be read ({type(error).__name__})"
            return OutcomeUnknown(unread) if write else NotSent(unread)


def is_logged_out(error: Exception) -> bool:
    """Whether the server does not know the session (any more): a fresh one may do."""
    if isinstance(error, LoginRequiredError):
        return True
    if not isinstance(error, RequestErrorBase) or error.response is None:
        return False
    return _name(error.response) in _LOGGED_OUT


def is_missing(error: Exception) -> bool:
    """Whether the server says that there is no such record."""
    return (
        isinstance(error, RequestErrorBase)
        and error.response is not None
        and _name(error.response) == "RecordNotFound"
    )


def _declined(error: RequestErrorBase, response: Response, *, write: bool, now: datetime) -> PublishError:
    status, name = response.status_code, _name(response)
    said = _words(response)
    if isinstance(error, RateLimitExceededError):
        return RateLimited(f"the server is asked too often: {said}", retry_at=_retry_at(error, now))
    if name in _SHUT_OUT or name in _LOGGED_OUT or status in {401, 403}:
        why = _SHUT_OUT.get(name, "the server does not accept the handle or the app password")
        return Unauthorized(f"{why}: {said}")
    if status >= 500:  # noqa: PLR2004 - HTTP's faults of servers
        fault = f"the server has a fault of its own (HTTP {status}): {said}"
        return OutcomeUnknown(fault) if write else NotSent(fault)
    if write and status in _NEVER_TAKEN:
        if name in _NO_PICTURE or _NO_BLOB in said:
            return PictureRefused(f"the server does not know its picture (any more): {said}")
        return Refused(f"the server does not take it (HTTP {status}): {said}")
    return NotSent(f"the server declined (HTTP {status}): {said}")


def _retry_at(error: RateLimitExceededError, now: datetime) -> datetime:
    wait = error.retry_after
    if wait is not None:
        at = now + min(timedelta(seconds=min(wait, LATEST.total_seconds())), LATEST)
    else:
        at = _reset(error) or now + SOONEST
    return min(max(at, now + timedelta(seconds=1)), now + LATEST)


def _reset(error: RateLimitExceededError) -> datetime | None:
    try:
        reset = error.reset_at
    except (OverflowError, OSError, ValueError):
        return None
    return reset.astimezone(UTC) if reset is not None else None


def _name(response: Response) -> str:
    return response.content.error if isinstance(response.content, XrpcError) else ""


def _words(response: Response) -> str:
    content = response.content
    if not isinstance(content, XrpcError):
        return "it says nothing that this bot understands"
    words = f"{content.error}: {content.message}" if content.message else content.error
    return words if len(words) <= _LONGEST_WORDS else f"{words[:_LONGEST_WORDS]}…"
