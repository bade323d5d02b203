"""Time that runs faster, alike for the bot and the simulated X, so that real delays can be tested in a second.

Nothing is skipped: a lag of 60 seconds and a look after 90 keep their order and their proportion; at a scale of 60
they take one second and one and a half.
"""

from __future__ import annotations

import threading
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.core.timing import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledTime:
    """A clock for several processes of one machine.

    Attributes:
        scale: how much faster it runs, >= 1.
        began: seconds since boot when it showed `origin`.
        origin: Unix seconds.
        dial: a file that holds the seconds by which the date was set, forward or back, "" for none; it is read at every
            look at the clock, so that the date is set under a running bot. The steady clock knows nothing of it.
        boots: how often the machine was started anew since.
    """

    scale: float
    began: float
    origin: float
    dial: str = ""
    boots: int = 0

    @classmethod
    def starting(cls, scale: float) -> ScaledTime:
        return cls(scale=scale, began=time.clock_gettime(time.CLOCK_BOOTTIME), origin=time.time())

    @property
    def passed(self) -> float:
        return (time.clock_gettime(time.CLOCK_BOOTTIME) - self.began) * self.scale

    def now(self) -> datetime:
        step = float(Path(self.dial).read_text()) if self.dial else 0
        return datetime.fromtimestamp(self.origin + step, UTC) + timedelta(seconds=self.passed)

    def steady(self) -> Moment:
        return Moment(era=f"boot {self.boots}", seconds=self.passed)

    def as_json(self) -> dict[str, float]:
        return asdict(self)


class ScaledEvent(threading.Event):
    """A stop event on which so many seconds of the scaled time are waited."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self._scale = scale

    def wait(self, timeout: float | None = None) -> bool:
        return super().wait(None if timeout is None else timeout / self._scale)
