"""Whether those who work still do: each loop beats, and one that has been silent for too long is named.

A hang looks like idleness from outside; only the loops themselves know better.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.core.timing import Moment

LONGEST_STEP: Final = timedelta(seconds=240)
"""The longest that one step of a loop may take.

The worst honest step is a post: its short link, its picture fetched and handed over, the post itself and a look at the account, each
of which ends within 20 to 60 s, some of them twice.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """The last sign of one worker.

    Attributes:
        at: when it was given.
        within: how long after it the next is due.
    """

    at: Moment
    within: timedelta


class Heartbeats:
    """The last signs of all workers; any thread may beat and ask.

    Args:
        steady: the clock that nobody sets.
    """

    def __init__(self, steady: Callable[[], Moment]) -> None:
        self._steady = steady
        self._lock = threading.Lock()
        self._beats: dict[str, Heartbeat] = {}

    def beat(self, worker: str, within: timedelta = LONGEST_STEP) -> None:
        """Note that `worker` is at work now, and will say so again `within`."""
        heartbeat = Heartbeat(at=self._steady(), within=within)
        with self._lock:
            self._beats[worker] = heartbeat

    def end(self, worker: str) -> None:
        """Expect no more of `worker`: it has ended as it should."""
        with self._lock:
            self._beats.pop(worker, None)

    def ages(self) -> Mapping[str, timedelta]:
        """Return how long ago each worker gave a sign."""
        now = self._steady()
        with self._lock:
            return {worker: now.since(beat.at) for worker, beat in sorted(self._beats.items())}

    def late(self) -> list[str]:
        """Return the workers whose next sign is overdue, by name."""
        now = self._steady()
        with self._lock:
            return sorted(worker for worker, beat in self._beats.items() if now.since(beat.at) > beat.within)
