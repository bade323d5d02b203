"""A bot that waits for room: when the disk is full or the file is locked, `run` begins anew by itself, as often as it takes."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Final

from bot import logs
from bot.cli import exits
from bot.errors import StoreUnwritable
from bot.scheduler import stopping_on_signals

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger("bot")

AGAIN_AFTER: Final = 60.0
"""Seconds. Each time everything is opened anew, as after a crash: nothing that was begun is taken for done."""

LONGEST_SILENCE: Final = 1.0
"""Seconds between two signs of life of a bot that waits."""


def enduring(
    work: Callable[[], int],
    *,
    again_after: float = AGAIN_AFTER,
    hangup: bool = True,
    alive: Callable[[], None] = lambda: None,
) -> int:
    """Call `work` until it ends otherwise than for want of room; return its exit code, or 0 when told to stop in between.

    A service manager gives up after some starts in a row, and would leave a bot dead whose disk was full for an hour. Without `hangup` a
    SIGHUP ends nothing; `alive` is called while it waits.
    """
    while True:
        try:
            return work()
        except StoreUnwritable as error:
            logs.event(
                log,
                logging.ERROR,
                "waiting for room",
                reason=str(error),
                again_in=f"{again_after:.0f}s",
            )
        stop = threading.Event()
        ends = time.monotonic() + again_after
        with stopping_on_signals(stop, hangup=hangup):
            while not stop.is_set() and (left := ends - time.monotonic()) > 0:
                alive()
                stop.wait(min(left, LONGEST_SILENCE))
        if stop.is_set():
            return exits.OK
