"""The watchdog's food: a sign of life at each turn of the loop, but only while every worker gives signs of its own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from bot import logs

if TYPE_CHECKING:
    from bot.heartbeats import Heartbeats
    from bot.service.notify import Manager

log = logging.getLogger("bot")

LOOP: Final = "loop"
"""The name of the main loop among the workers."""


class Pulse:
    """Called at each turn of the main loop.

    Args:
        heartbeats: of all workers; the loop's own is given here.
        manager: whose watchdog is fed.
    """

    def __init__(self, heartbeats: Heartbeats, manager: Manager) -> None:
        self._heartbeats = heartbeats
        self._manager = manager
        self._silent: list[str] = []

    def __call__(self) -> None:
        """Give the loop's sign, and the watchdog's where nobody is overdue; tell of whoever is, once."""
        self._heartbeats.beat(LOOP)
        silent = self._heartbeats.late()
        if silent != self._silent:
            self._silent = silent
            if silent:
                logs.event(log, logging.ERROR, "a worker gives no sign", workers=", ".join(silent))
                self._manager.status(f"no sign from {', '.join(silent)}")
        if not silent:
            self._manager.alive()
