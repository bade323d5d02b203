"""How often the simulated X lets itself be asked: one window for each user and endpoint."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot.simulated_x.answers import WINDOW
from bot.simulated_x.faults import (
    CREATE,
    DELETE,
    FOLLOW,
    FOLLOWERS,
    FOLLOWING,
    ME,
    MENTIONS,
    METADATA,
    REPOST,
    SEARCH,
    TIMELINE,
    UNFOLLOW,
    UPLOAD,
    USER,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMITS: Final = {
    CREATE: 100,
    DELETE: 50,
    TIMELINE: 900,
    ME: 75,
    UPLOAD: 500,
    METADATA: 500,
    FOLLOWERS: 300,
    FOLLOWING: 300,
    FOLLOW: 50,
    UNFOLLOW: 50,
    USER: 900,
    MENTIONS: 300,
    SEARCH: 300,
    REPOST: 50,
}
"""Requests by a user in a window: docs.x.com, x-api/fundamentals/rate-limits, 2026-08-22."""


@dataclass(slots=True)
class _Window:
    ends: datetime
    used: int = 0


class Windows:
    """The windows under way. `limits` may be changed at any time."""

    def __init__(self, limits: Mapping[str, int] = LIMITS) -> None:
        self.limits = dict(limits)
        self._windows: dict[tuple[str, str], _Window] = {}

    def count(self, user: str, endpoint: str, now: datetime) -> tuple[bool, dict[str, str]]:
        """Count a request; return whether it is within the limit, and the headers that say where it stands."""
        limit = self.limits[endpoint]
        window = self._windows.get((user, endpoint))
        if window is None or not now < window.ends <= now + WINDOW + timedelta(seconds=1):
            # X's resets are whole seconds.
            window = _Window(datetime.fromtimestamp(int(now.timestamp()), UTC) + WINDOW)
            self._windows[user, endpoint] = window
        within = window.used < limit
        window.used += within
        return within, {
            "x-rate-limit-limit": str(limit),
            "x-rate-limit-remaining": str(limit - window.used),
            "x-rate-limit-reset": str(int(window.ends.timestamp())),
        }
