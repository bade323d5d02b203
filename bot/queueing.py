"""Feeds that wait for their host: one visit to a host at a time, and a pause between two. It opens no connection.

A look costs the same however many hosts wait: those that are free stand in line, those in a pause are sorted by its end.
"""

from __future__ import annotations

import heapq
from collections import deque


class HostQueues:
    """The feeds that are to be asked, by the host that they wait for. Times are seconds of one monotonic clock."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[str]] = {}  # a host without any is not in it
        self._names: set[str] = set()
        self._busy: set[str] = set()
        self._free_at: dict[str, float] = {}
        # A host for which feeds wait, and that is not busy, stands in one of these two, once.
        self._free: deque[str] = deque()
        self._pausing: list[tuple[float, str]] = []

    def __len__(self) -> int:
        """Return how many feeds wait."""
        return len(self._names)

    def __contains__(self, name: str) -> bool:
        """Say whether the feed `name` waits."""
        return name in self._names

    def add(self, host: str, name: str) -> None:
        """Have the feed `name`, which does not wait yet, wait for `host`."""
        self._names.add(name)
        if host in self._waiting:
            self._waiting[host].append(name)
            return
        self._waiting[host] = deque([name])
        if host not in self._busy:
            self._line_up(host)

    def is_ready(self, seconds: float) -> bool:
        """Say whether `take` has something to give."""
        return bool(self._free) or bool(self._pausing and self._pausing[0][0] <= seconds)

    def take(self, seconds: float) -> tuple[str, str] | None:
        """Return a host that is free and the feed that has waited for it longest, None when there is none.

        The host is busy until `release`.
        """
        while self._pausing and self._pausing[0][0] <= seconds:
            self._free.append(heapq.heappop(self._pausing)[1])
        if not self._free:
            return None
        host = self._free.popleft()
        waiting = self._waiting[host]
        name = waiting.popleft()
        if not waiting:
            del self._waiting[host]
        self._names.remove(name)
        self._busy.add(host)
        return host, name

    def release(self, host: str, free_at: float | None = None) -> None:
        """Say that `host` is busy no more, and free from `free_at` on; None: it was not visited, and no pause is due."""
        self._busy.discard(host)
        if free_at is not None:
            self._free_at[host] = free_at
        if host in self._waiting:
            self._line_up(host)

    def _line_up(self, host: str) -> None:
        # A pause that is over is no pause: `take` lets such a host into the line at once.
        heapq.heappush(self._pausing, (self._free_at.get(host, 0.0), host))
