"""What stands against sending: told in the same words wherever a person looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.cli.words import ago
from bot.core.budget import start_of_day

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.config import Config
    from bot.store import Store

REMEDY: Final = "once the cause is mended, `shinglebot outbox resume{}` tries at once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Nothing is sent before `until`.

    Attributes:
        until: the next try.
        reason: why, in words.
        destination: where.
        among: whether there are others, so that it has to be named.
    """

    until: datetime
    reason: str
    destination: str
    among: bool = False

    @property
    def is_own_limit(self) -> bool:
        """Whether the owner's own limit asks for it, which ends with a UTC day or month: that is no fault."""
        return self.until == start_of_day(self.until)

    @property
    def remedy(self) -> str:
        """What a person does about it."""
        return REMEDY.format(f" {self.destination}" if self.among else "")

    def in_words(self, now: datetime) -> str:
        """Say it on one line."""
        to = f" to {self.destination}" if self.among else ""
        return f"Posting{to} is paused, the next try is {ago(self.until, now)}: {self.reason}"


def pauses_at(store: Store, names: Sequence[str], now: datetime) -> list[Pause]:
    """Return what keeps waiting posts from being sent, for each destination at which something does and something waits."""
    from bot.store.outbox import State

    found = []
    for name in names:
        paused = store.outbox.paused(name)
        if paused is None or paused[0] <= now:
            continue
        counts = store.outbox.counts(name)
        if counts.get(State.QUEUED) or counts.get(State.UNKNOWN):
            found.append(Pause(until=paused[0], reason=paused[1], destination=name, among=len(names) > 1))
    return found


def destination_names(store: Store, config: Config | None) -> list[str]:
    """Return the destinations that a person may want to hear of: the configured ones, then those that have rows."""
    known = [destination.name for destination in config.destinations] if config else []
    return list(dict.fromkeys([*known, *store.outbox.destinations()]))
