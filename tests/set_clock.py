"""A clock that tests set."""

from __future__ import annotations

from datetime import UTC, datetime

NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)


class SetClock:
    """Says `now`, which is `NOW` until a test sets it."""

    now = NOW

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now
