"""SIGHUP: the bot that runs takes up a changed configuration, or keeps the one it has when the new one has faults."""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot import logs
from bot.errors import ConfigError, StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from types import FrameType

    from bot.config import Config
    from bot.service.notify import Manager

log = logging.getLogger("bot")


def has_terminal() -> bool:
    """Say whether a terminal controls this process: then a SIGHUP says that it was closed, and nothing is to be renewed."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    os.close(terminal)
    return True


class Renewal:
    """The configuration in force, and a job that takes up another after a SIGHUP.

    What is taken up is wired from the ground, as at a start: the loop ends, every lane with it, and begins anew in the same process.

    Args:
        load: reads and checks the configuration's file; raises ConfigError with every fault.
        manager: is told.
    """

    def __init__(self, load: Callable[[], Config], manager: Manager) -> None:
        self._load = load
        self._manager = manager
        self._wanted = threading.Event()
        self._stop: threading.Event | None = None
        self._earlier: Config | None = None
        self._again = False
        self.config = load()

    @contextmanager
    def on_hangup(self) -> Iterator[None]:
        """Renew on SIGHUP for as long as the context lasts."""
        before = signal.getsignal(signal.SIGHUP)

        def on_signal(_number: int, _frame: FrameType | None) -> None:
            self._wanted.set()

        signal.signal(signal.SIGHUP, on_signal)
        try:
            yield
        finally:
            signal.signal(signal.SIGHUP, before)

    def stops(self, stop: threading.Event) -> None:
        """Say what ends the loop that this job is in."""
        self._stop = stop

    def next_at(self, now: datetime) -> datetime | None:
        """Return `now` when a SIGHUP has come."""
        return now if self._wanted.is_set() else None

    def run(self, now: datetime) -> None:  # noqa: ARG002 - the shape of a job
        """Read the configuration; end the loop when it can be used, and keep the one in force otherwise."""
        self._wanted.clear()
        self._manager.reloading()
        try:
            new = self._load()
        except ConfigError as error:
            self._keep(error)
            return
        self._earlier, self.config, self._again = self.config, new, True
        logs.event(log, logging.INFO, "configuration read anew")
        if self._stop is not None:
            self._stop.set()

    def working(self, work: Callable[[Config], int]) -> int:
        """Call `work` with the configuration in force until it ends for another reason than a new one; return its exit code.

        A configuration that turns out to be of no use when it is wired gives way to the earlier one. Raises what `work` raises.
        """
        while True:
            self._again = False
            try:
                code = work(self.config)
            except (ConfigError, StateError) as error:
                if self._earlier is None:
                    raise
                self.config, self._earlier = self._earlier, None
                self._keep(error)
                continue
            if not self._again:
                return code

    @property
    def begins_anew(self) -> bool:
        """Say whether the loop ends for a new configuration only."""
        return self._again

    def settled(self) -> None:
        """Forget the earlier configuration: the one in force has been wired."""
        self._earlier = None

    def _keep(self, error: Exception) -> None:
        logs.event(
            log,
            logging.ERROR,
            "the new configuration cannot be used, the earlier one stays",
            reason=str(error),
        )
        self._manager.ready("the new configuration has faults, the earlier one stays: see the log")
