"""What a server said, as values: a body, "not modified", or an error that says what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from bot.errors import FetchError, FetchRefused, FetchUnavailable
from bot.http_client.challenges import challenger

if TYPE_CHECKING:
    from collections.abc import Mapping
    from http.client import HTTPMessage

LONGEST_WAIT: Final = timedelta(days=7)
"""A server may ask for no more: beyond that it is a mistake, or an attempt to be rid of the bot for ever."""

LONGEST_VALIDATOR: Final = 2048
"""Characters of an ETag or a date that are kept; servers cap request headers at 8 KB and less."""

_REMEDIES: Final = {
    401: "it wants a password: set basic_auth or a header for this feed",
    402: "it wants to be paid: use another feed",
    403: "it does not let this bot in: ask the site's owner, or use another feed",
    404: "there is no feed at this address (any more): check the address",
    406: "it has no feed of a kind that this bot reads: check the address",
    410: "the feed is gone for good: remove it",
    429: "it is asked too often: raise this feed's interval",
    451: "it may not be shown here for legal reasons: use another feed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A body.

    Attributes:
        status: 200-299.
        url: where the body came from in the end, without credentials and fragment.
        permanent_url: that same address when every redirect on the way was a permanent one (301, 308), None
            when there was none or one was temporary.
        body: decoded, perhaps empty.
        etag, last_modified: byte for byte as received, to be given to the next `get`; None when absent.
        content_type: as received, None when absent.
        retry_at: when the server asks to come back at the soonest (aware UTC, at most `LONGEST_WAIT` ahead).
        fresh_for: how long it says that the answer holds (Cache-Control or Expires; at most `LONGEST_WAIT`), None
            when it does not say.
    """

    status: int
    url: str
    permanent_url: str | None = None
    body: bytes
    etag: str | None = None
    last_modified: str | None = None
    content_type: str | None = None
    retry_at: datetime | None = None
    fresh_for: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """What a service answered, be it a refusal.

    Attributes:
        status: as it came.
        headers: as they came, by their names in lower case; of several with one name, the last.
        body: decoded, perhaps empty.
        retry_at: as in `Response`.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    retry_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotModified:
    """Nothing new since the validators that were sent. Attributes as in `Response`."""

    url: str
    permanent_url: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    retry_at: datetime | None = None
    fresh_for: timedelta | None = None


def validator(headers: HTTPMessage, name: str) -> str | None:
    """Return the header `name` as it came, None when absent or unfit to be sent back."""
    value = headers.get(name)
    if (
        value is None
        or not value.strip()
        or len(value) > LONGEST_VALIDATOR
        or re.search(r"[\x00-\x08\x0a-\x1f]", value)
    ):
        return None
    return str(value)


def retry_at(headers: HTTPMessage, now: datetime) -> datetime | None:
    """Read Retry-After (seconds or a date): between `now` and `LONGEST_WAIT` later, None when absent or unreadable."""
    value = (headers.get("Retry-After") or "").strip()
    if not value:
        return None
    if re.fullmatch(r"[0-9]{1,12}", value):
        at = now + min(timedelta(seconds=int(value)), LONGEST_WAIT)
    else:
        date = _date(value)
        if date is None:
            return None
        at = date
    return max(now, min(at, now + LONGEST_WAIT))


def fresh_for(headers: HTTPMessage, now: datetime) -> timedelta | None:
    """Read how long an answer holds: max-age less Age, else Expires less Date (RFC 9111, 4.2.1).

    Returns more than nothing and at most `LONGEST_WAIT`; None when the server says nothing of it, says that the answer
    is stale at once, or says what cannot be read.
    """
    said = ",".join(headers.get_all("Cache-Control", ())).lower()
    if re.search(r"(?:^|,)\s*no-(?:cache|store)\s*(?:,|$)", said):
        return None
    found = re.search(r'(?:^|,)\s*max-age\s*=\s*"?([0-9]{1,12})', said)
    if found:
        age = re.fullmatch(r"[0-9]{1,12}", (headers.get("Age") or "").strip())
        seconds = float(int(found[1]) - (int(age[0]) if age else 0))
    else:
        expires = _date(headers.get("Expires") or "")
        if expires is None:
            return None
        seconds = (expires - (_date(headers.get("Date") or "") or now)).total_seconds()
    return timedelta(seconds=min(seconds, LONGEST_WAIT.total_seconds())) if seconds > 0 else None


def _date(value: str) -> datetime | None:
    try:
        at = parsedate_to_datetime(value)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def refusal(status: int, headers: HTTPMessage, body: bytes, *, where: str, now: datetime) -> FetchError:
    """Turn an answer that is no body into the error that names its remedy.

    Args:
        status: anything but 2xx and what `get` deals with itself.
        headers: of the answer.
        body: its first bytes, decoded.
        where: the address, for the message.
        now: aware UTC.
    """
    at = retry_at(headers, now)
    product = challenger(status, headers, body)
    if product:
        return FetchRefused(
            f"{where} is blocked by bot protection ({product}, HTTP {status}): "
            "ask the site's owner to let feed readers through, or use another feed",
            status=status,
            blocked=True,
            retry_at=at,
        )
    try:
        phrase = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        phrase = str(status)
    if status // 100 == 4:  # noqa: PLR2004 - the class of statuses, here and below
        remedy = _REMEDIES.get(status, "it does not take the request: check the address")
        return FetchRefused(f"{where} answered {phrase}: {remedy}", status=status, retry_at=at)
    its_fault = status // 100 == 5  # noqa: PLR2004
    remedy = (
        "the server has a fault; it will be asked again"
        if its_fault
        else "that is no feed: check the address"
    )
    return FetchUnavailable(f"{where} answered {phrase}: {remedy}", retry_at=at)
