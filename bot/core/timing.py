"""Moments by a clock that nobody sets, and how long a pause may last."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

LONGEST_PAUSE: Final = timedelta(hours=25)
"""Nothing is put off for longer at a destination: X's longest window is a day. A later time in the store was
written before the clock was set back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A point in time by a clock that nobody sets.

    Attributes:
        era: names the stretch in which the clock ran without a break: a boot of the machine.
        seconds: since the era began.
    """

    era: str
    seconds: float

    def since(self, earlier: Moment) -> timedelta:
        """Return how long ago `earlier` was, at least: what went by of an era that is over is not known."""
        passed = self.seconds - earlier.seconds if earlier.era == self.era else self.seconds
        return timedelta(seconds=max(passed, 0.0))
