"""Standard input, output and error, whatever they were started with: closed, a pipe that nobody reads, a full disk.

The bot's output is not its work: where it goes nowhere, the work goes on. Only a command for looking ends there.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TextIO

import click

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


LOOKING: Final = frozenset(
    {
        *("budget", "check", "compare", "forecast", "replay", "status", "tune", "why"),
        *(
            "feeds",
            "feeds check",
            "feeds export",
            "feeds import",
            "held",
            "held show",
            "outbox",
            "mark labels",
        ),
    }
)
"""Commands whose output is all their work: they end where nobody reads it. Any other does its work to the end."""


class OutputLost(Exception):
    """Nobody reads the output of a command for looking any more.

    Attributes:
        was_closed: the reader has seen enough; else what it is written to is full or broken.
    """

    def __init__(self, *, was_closed: bool) -> None:
        super().__init__("the output goes nowhere")
        self.was_closed = was_closed


class Output(io.RawIOBase):
    """Bytes to a descriptor; once it takes no more, to nowhere.

    Args:
        descriptor: of the open file.
        says_so: whether the loss is told on standard error, once.
    """

    def __init__(self, descriptor: int, *, says_so: bool) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._says_so = says_so
        self._is_lost = False
        self._command = ""

    def writable(self) -> bool:
        """See `io.RawIOBase`."""
        return True

    def fileno(self) -> int:
        """See `io.RawIOBase`."""
        return self._descriptor

    def isatty(self) -> bool:
        """See `io.RawIOBase`."""
        return os.isatty(self._descriptor)

    def begin(self, command: str) -> None:
        """Let the output be that of `command`, as it is typed after `shinglebot`."""
        self._command = command

    def _is_for_looking(self) -> bool:
        context = click.get_current_context(silent=True)
        path = context.command_path.partition(" ")[2] if context else ""
        return (path or self._command) in LOOKING

    def write(self, data: ReadableBuffer, /) -> int | None:
        """Write what is taken of `data`, or call all of it written where nothing is taken any more.

        Raises OutputLost, once, when that comes to be known and the command is for looking.
        """
        size = memoryview(data).nbytes
        if self._is_lost:
            return size
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            return None
        except OSError as error:
            self._is_lost = True
            was_closed = error.errno == errno.EPIPE
            is_looked_at = self._is_for_looking()
            if self._says_so and not (is_looked_at and was_closed):
                _tell(error, goes_on=not is_looked_at)
            if is_looked_at and self._says_so:
                raise OutputLost(was_closed=was_closed) from None
        return size


def _tell(error: OSError, *, goes_on: bool) -> None:
    what = "was closed" if error.errno == errno.EPIPE else f"cannot be written ({error.strerror})"
    rest = "; the work goes on without it" if goes_on else ""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"shinglebot: the output {what}{rest}\n")
        sys.stderr.flush()


def open_streams() -> None:
    """Put streams in the place of standard input, output and error that work whatever these are.

    A closed one becomes /dev/null, before the next file that is opened (the store) gets its number.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
    sys.stderr = _writing(sys.stderr, 2, says_so=False)
    sys.stdout = _writing(sys.stdout, 1, says_so=True)


def begin(context: click.Context) -> None:
    """Say which command begins, as the group's context knows it: its last words come when it has ended."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(raw, Output):
        raw.begin(context.invoked_subcommand or "")


def _writing(stream: TextIO | None, descriptor: int, *, says_so: bool) -> TextIO:
    if stream is not None and not _is_of(stream, descriptor):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
        return stream  # somebody has put another in its place
    if stream is not None:
        stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(Output(descriptor, says_so=says_so)),
        encoding=stream.encoding if stream else "utf-8",
        errors="replace",  # a terminal that cannot show a letter shows "?" for it
        line_buffering=descriptor == 2 or getattr(stream, "line_buffering", False),  # noqa: PLR2004 - standard error
        write_through=False,
    )


def _is_of(stream: TextIO, descriptor: int) -> bool:
    try:
        return isinstance(stream, io.TextIOWrapper) and stream.fileno() == descriptor
    except (OSError, ValueError):
        return False
