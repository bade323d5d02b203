"""The endpoints that are left alone for now, because X has said that their window is used up.

It refuses and never waits: whoever wanted to ask learns when to come back, and waits on the stop event.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.errors import RateLimited
from bot.x_client.limits import LONGEST, RateLimit, limits_of, used_up_until

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime


def endpoint_of(method: str, path: str) -> str:
    """Return the name of an endpoint, as `DELETE /2/tweets/:id`; ids in `path` do not count."""
    return f"{method} {re.sub('(?<=[a-z])/[0-9]+', '/:id', path)}"


class Limiter:
    """What the last answers said of each endpoint's window.

    Args:
        clock: aware UTC now.

    Attributes:
        limits: by endpoint, as `POST /2/tweets`; those of 24 hours have a name of their own beside it.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.limits: dict[str, RateLimit] = {}
        self._clock = clock
        self._closed: dict[str, datetime] = {}

    def check(self, endpoint: str) -> None:
        """Return when `endpoint` may be asked; raise RateLimited while its window is used up."""
        until, now = self._closed.get(endpoint), self._clock()
        if until is None:
            return
        # A window that ends later than any does was noted before the clock was set back.
        if not now < until <= now + LONGEST:
            del self._closed[endpoint]
            return
        raise RateLimited(
            f"X's window for {endpoint} is used up; it is not asked before {until:%Y-%m-%d %H:%M:%S} UTC",
            retry_at=until,
        )

    def heard(self, endpoint: str, headers: Mapping[str, str]) -> None:
        """Take note of the headers of an answer, whatever its status."""
        now = self._clock()
        for ending, limit in limits_of(headers, now).items():
            self.limits[f"{endpoint}{ending}"] = limit
        until = used_up_until(headers, now)
        if until is None:
            self._closed.pop(endpoint, None)
        else:
            self._closed[endpoint] = until

    def close(self, endpoint: str, until: datetime) -> None:
        """Leave `endpoint` alone until then: X has turned a request away."""
        self._closed[endpoint] = until
