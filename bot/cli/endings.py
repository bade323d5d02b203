"""How a command ends that is told to: tidied up, and then by that very signal."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.scheduler import ENDING, Ended, end

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """Let a signal that would kill the process unwind it first, so that no temporary folder is left; then it kills it.

    A shell or a service manager sees that it was the signal. What was set to be ignored is ignored; ^C is Python's own.
    """
    mine = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        mine = []
    for number in mine:
        signal.signal(number, end)
    try:
        yield
    except Ended as ended:
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
        raise
    finally:
        for number in mine:
            signal.signal(number, signal.SIG_DFL)
