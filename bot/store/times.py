"""Times as the database keeps them: seconds since 1970, UTC."""

from __future__ import annotations

from datetime import UTC, datetime


def to_seconds(time: datetime | None) -> float | None:
    """Return `time` as seconds since 1970; None stays None."""
    return None if time is None else time.timestamp()


def from_seconds(seconds: float | None) -> datetime | None:
    """Return an aware UTC datetime; None stays None."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def known(seconds: float) -> datetime:
    """Return an aware UTC datetime of a column that is never null."""
    return datetime.fromtimestamp(seconds, UTC)
