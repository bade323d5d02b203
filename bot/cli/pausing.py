"""What stands against sending: told in the same words wherever a person looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.cli.words import ago
from bot.core.budget import start_of_day

if TYPE_CHECKING:
    from datetime import datetime

    from bot.store import Store

REMEDY: Final = "once the cause is mended, `shinglebot outbox resume` tries at once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Nothing is sent before `until`.

    Attributes:
        until: the next try.
        reason: why, in words.
    """

    until: datetime
    reason: str

    @property
    def is_own_limit(self) -> bool:
        """Whether the owner's own limit asks for it, which ends with a UTC day or month: that is no fault."""
        return self.until == start_of_day(self.until)

    def in_words(self, now: datetime) -> str:
        """Say it on one line."""
        return f"Posting is paused, the next try is {ago(self.until, now)}: {self.reason}"


def pause_at(store: Store, now: datetime) -> Pause | None:
    """Return what keeps waiting posts from being sent, None when nothing does or nothing waits."""
    from bot.publishers import DESTINATION
    from bot.store.outbox import State

    paused = store.outbox.paused(DESTINATION)
    if paused is None or paused[0] <= now:
        return None
    counts = store.outbox.counts()
    if not counts.get(State.QUEUED) and not counts.get(State.UNKNOWN):
        return None
    return Pause(until=paused[0], reason=paused[1])
