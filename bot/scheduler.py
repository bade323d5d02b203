"""The loop: run what is due, wait on the stop event. It knows no story.

A job says when it is next due and does one step when it is run; it may be run late, never twice at once.
The one wait of the program is here, on the stop event, so that SIGTERM is obeyed at once.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from types import FrameType

LONGEST_WAIT: Final = timedelta(seconds=5)
"""However far the next job is, the clock is looked at again: it may have been set."""

SHORTEST_WAIT: Final = timedelta(milliseconds=20)
"""A job that is always due does not spin."""


class Job(Protocol):
    """Something that is done again and again."""

    def next_at(self, now: datetime) -> datetime | None:
        """Return when it is next due (a past time: now), None when it waits for nothing."""
        ...

    def run(self, now: datetime) -> None:
        """Do one step."""
        ...


def loop(
    jobs: Sequence[Job],
    *,
    stop: threading.Event,
    clock: Callable[[], datetime],
    beat: Callable[[], None] = lambda: None,
) -> None:
    """Run `jobs` as they come due until `stop` is set; call `beat` before each look at a job, so that a hang is seen."""
    while not stop.is_set():
        for job in jobs:
            beat()
            now = clock()
            at = job.next_at(now)
            if at is not None and at <= now:
                job.run(now)
                if stop.is_set():
                    return
        now = clock()
        waits = [at - now for job in jobs if (at := job.next_at(now)) is not None]
        wait = min([LONGEST_WAIT, *waits])
        stop.wait(max(wait, SHORTEST_WAIT).total_seconds())


ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""What a service manager, a person at the keyboard and a terminal that is closed send."""


class Ended(SystemExit):
    """A signal ends the process: raised in the main thread, so that whatever is open is closed and tidied up first.

    Attributes:
        number: the signal's.
    """

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)  # what a shell calls it
        self.number = number


def end(number: int, _frame: FrameType | None = None) -> None:
    """Raise `Ended`, and leave the signal's next coming to the system: a handler for signals."""
    signal.signal(number, signal.SIG_DFL)
    raise Ended(number)


@contextmanager
def stopping_on_signals(stop: threading.Event, *, hangup: bool = True) -> Iterator[None]:
    """Set `stop` on SIGTERM, SIGINT and SIGHUP; a second one, of whatever kind, ends the process by way of `Ended`.

    A SIGHUP that the process was told to ignore (nohup) is ignored; without `hangup` it means something else, and is left alone.
    """
    before = {number: signal.getsignal(number) for number in ENDING if hangup or number != signal.SIGHUP}
    if hangup and before[signal.SIGHUP] is signal.SIG_IGN:
        del before[signal.SIGHUP]

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        for number in before:
            signal.signal(number, end)

    for number in before:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
