"""How often X lets itself be asked, as its headers say, and when to come back after a 429.

X sends `x-rate-limit-limit`, `-remaining` and `-reset` (Unix seconds) and no Retry-After; some endpoints have
sent `x-app-limit-24hour-*` and `x-user-limit-24hour-*`, too. A reset is read against the answer's own Date, so
that a wrong clock here does no harm. Headers are not believed beyond a day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

WINDOW: Final = timedelta(minutes=15)
"""X's window (docs.x.com, rate limits, 2026-08-22): how long to wait when a 429 does not say."""

LONGEST: Final = timedelta(hours=24, minutes=15)
"""The longest limit that X has counts in 24 hours; a reset further off is a mistake."""

FAMILIES: Final = {
    "x-rate-limit": "",
    "x-app-limit-24hour": " (app, 24 h)",
    "x-user-limit-24hour": " (user, 24 h)",
}
"""Beginning of a header's name -> what is added to the endpoint's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """Where one limit stands.

    Attributes:
        limit: requests in a window, >= 0.
        remaining: requests left in this window, >= 0.
        reset_at: when the next window begins, by the clock here.
    """

    limit: int
    remaining: int
    reset_at: datetime


def limits_of(headers: Mapping[str, str], now: datetime) -> dict[str, RateLimit]:
    """Return the limits that an answer's headers tell, by the ending of `FAMILIES`; none that makes no sense."""
    found = {}
    for family, ending in FAMILIES.items():
        limit = _number(headers.get(f"{family}-limit"))
        remaining = _number(headers.get(f"{family}-remaining"))
        reset_at = _moment(headers.get(f"{family}-reset"), headers, now)
        if limit is not None and remaining is not None and reset_at is not None:
            found[ending] = RateLimit(limit=limit, remaining=remaining, reset_at=reset_at)
    return found


def used_up_until(headers: Mapping[str, str], now: datetime) -> datetime | None:
    """Return when the last of the limits that an answer says to be used up ends, None when none is.

    A limit that does not say when, or says nonsense, is given a window.
    """
    ends = [
        _moment(headers.get(f"{family}-reset"), headers, now) or now + WINDOW
        for family in FAMILIES
        if _number(headers.get(f"{family}-remaining")) == 0
    ]
    return max(ends, default=None)


def retry_at(headers: Mapping[str, str], now: datetime) -> datetime:
    """Return when to come back after a 429: later than `now`, at most `LONGEST` later.

    The latest reset of the limits that are used up; failing that X's usual reset, Retry-After, a window.
    """
    used_up = [limit.reset_at for limit in limits_of(headers, now).values() if limit.remaining == 0]
    if used_up:
        return max(used_up)
    usual = _moment(headers.get("x-rate-limit-reset"), headers, now)
    return usual or _retry_after(headers, now) or now + WINDOW


def _moment(text: str | None, headers: Mapping[str, str], now: datetime) -> datetime | None:
    seconds = _number(text)
    if seconds is None:
        return None
    then = _date(headers.get("date")) or now
    wait = timedelta(seconds=seconds - then.timestamp())
    return now + wait if timedelta(0) < wait <= LONGEST else None


def _retry_after(headers: Mapping[str, str], now: datetime) -> datetime | None:
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is None:
        at = _date(text)
        seconds = int(at.timestamp() - (_date(headers.get("date")) or now).timestamp()) if at else 0
    wait = timedelta(seconds=seconds)
    return now + wait if timedelta(0) < wait <= LONGEST else None


def _number(text: str | None) -> int | None:
    digits = (text or "").strip()
    return int(digits) if re.fullmatch("[0-9]{1,12}", digits) else None


def _date(text: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(text or "")
    except (ValueError, OverflowError):  # the year 99999999999999
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
