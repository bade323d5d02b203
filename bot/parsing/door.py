"""The bot's end of the pipe: starts the child, hands it one body at a time, and replaces it when a body was too much for it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from bot import __version__
from bot.errors import FeedUnreadable, Interrupted, ParserUnavailable
from bot.parsing.frames import (
    LENGTH,
    MOST_ANSWER,
    MOST_FRAME,
    Nonsense,
    entry_of,
    feed_of,
    from_json,
    in_json,
    number_of_entries,
    words_of,
)
from bot.parsing.limits import Limits
from bot.sources.reading import CAP

if TYPE_CHECKING:
    from types import TracebackType

    from bot.sources.parsed import ParsedFeed

_BOOT: Final = (
    "import json, sys; path, limits, lifeline = json.loads(sys.argv[1]); sys.path[:] = path; "
    "from bot.parsing.child import main; from bot.parsing.limits import Limits; main(Limits(**limits), lifeline)"
)
"""The child imports what this process would: it is given its path, and nothing else of its surroundings."""

_AT_ONCE: Final = 2**16
"""Bytes: what a pipe holds."""

_TRIES: Final = 3
"""A child that has grown large leaves after its answer, and the next body may meet it at the door."""


class _Gone(Exception):
    """The child has ended."""


class _TooLate(Exception):
    """The child did not answer in time."""


class Parser:
    """Reads bodies as `sources.reading.parse_feed` does, in a child process; for many threads, which wait for each other.

    The child is started when the context is entered, or at the first body, and ends with `close`, or with this process however
    that ends.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._turn = threading.Lock()
        self._starting = threading.Lock()
        self._child: _Child | None = None
        self._closed = False

    def __enter__(self) -> Self:
        with suppress(ParserUnavailable):  # told where a feed needs it
            self._there()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The number of the child process, None when there is none."""
        child = self._child
        return child.pid if child else None

    def close(self) -> None:
        """End the child at once, whatever it does; who waits for it gets Interrupted."""
        with self._starting:
            self._closed = True
            child = self._child
        if child:
            child.end()
            with self._turn:  # nobody reads from it any more
                child.shut()

    def __call__(self, body: bytes, *, feed: str, url: str, content_type: str | None = None) -> ParsedFeed:
        """As `sources.reading.parse_feed`.

        Raises:
            FeedUnreadable: also when it takes too long or too much memory, or makes the child end.
            ParserUnavailable: no child can be started.
            Interrupted: the parser was closed.
        """
        if len(body) > CAP:
            raise FeedUnreadable(f"the body is larger than {CAP / 1_000_000:g} MB: this is no usual feed")
        asked = in_json({"url": url, "content_type": content_type})
        with self._turn:
            for _ in range(_TRIES):
                child = self._ready_child()
                try:
                    return child.parse(asked, body, feed)
                except _TooLate:
                    self._drop(child)
                    raise FeedUnreadable(
                        f"reading it took more than {self._limits.wall:g} seconds: it is a trap, or this machine is busy"
                    ) from None
                except _Gone:
                    ended = self._drop(child)
                except Nonsense as error:
                    self._drop(child)
                    raise FeedUnreadable(f"the parser answered nonsense ({error}): it is not read") from error
                except FeedUnreadable:
                    raise  # an answer like any other
                except BaseException:
                    self._drop(child)  # in the middle of an answer
                    raise
                if ended:
                    break  # else it had left by itself before it saw the body
        if ended == -signal.SIGPROF:
            raise FeedUnreadable(
                f"reading it takes more than {self._limits.cpu:g} seconds, as only traps do: it is not read"
            )
        raise FeedUnreadable(f"reading it made the parser end ({_how(ended)}): it is not read")

    def _ready_child(self) -> _Child:
        child = self._there()
        try:
            child.wait_until_ready()
        except (_Gone, _TooLate, Nonsense) as error:
            ended = self._drop(child)  # the next body meets another
            how = _how(ended) if isinstance(error, _Gone) else str(error)
            raise ParserUnavailable(
                f"the parser does not start ({how}): the log may say more; if the bot was updated, restart it"
            ) from error
        return child

    def _there(self) -> _Child:
        with self._starting:
            if self._closed:
                raise Interrupted("the bot is stopping")
            if self._child is not None and self._child.has_ended:
                self._child.end()
                self._child.shut()
                self._child = None
            if self._child is None:
                self._child = _Child(self._limits)
            return self._child

    def _drop(self, child: _Child) -> int:
        """End and forget `child`; return how it ended."""
        ended = child.end()
        with self._starting:
            if self._closed:
                raise Interrupted("the bot is stopping")
            self._child = None
        child.shut()
        return ended


def _how(ended: int) -> str:
    return f"signal {-ended}" if ended < 0 else f"exit code {ended}"


def _libraries() -> dict[str, str]:
    """Return what this interpreter may need of the environment to find its own libraries."""
    return {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}


class _Child:
    """One child process, from its start to its end."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._is_ready = False
        self._ends = time.monotonic() + limits.start
        theirs, self._lifeline = os.pipe()
        path = [str(Path(part).absolute()) for part in sys.path]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this program itself
                [sys.executable, "-I", "-B", "-c", _BOOT, json.dumps([path, asdict(limits), theirs])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                pass_fds=[theirs],
                cwd="/",
                env={"LC_ALL": "C.UTF-8", "TZ": "UTC"} | _libraries(),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            os.close(self._lifeline)
            raise ParserUnavailable(
                f"the parser cannot be started ({error}): see that there is memory, and that {sys.executable!r} is there"
            ) from error
        finally:
            os.close(theirs)
        assert self._process.stdin is not None  # noqa: S101 - asked for above
        assert self._process.stdout is not None  # noqa: S101
        self._to = self._process.stdin.fileno()
        self._from = self._process.stdout.fileno()
        os.set_blocking(self._to, False)
        os.set_blocking(self._from, False)
        self._came = bytearray()
        self._ending = threading.Lock()
        self._ended = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        return self._ended or self._process.poll() is not None

    def end(self) -> int:
        """Kill the process if it still runs; return how it ended, as `subprocess` counts."""
        with self._ending:
            if not self._ended:
                self._ended = True
                self._process.kill()
                self._process.wait()
                os.close(self._lifeline)
        return self._process.returncode

    def shut(self) -> None:
        """Close the pipes, after the end."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def wait_until_ready(self) -> None:
        """Take the child's first word, which may lie there for long; a child that is waited for has as long as a body at least."""
        if self._is_ready:
            return
        self._ends = max(self._ends, time.monotonic() + self._limits.wall)
        said = from_json(self._frame(MOST_FRAME))
        version = said.get("ready") if isinstance(said, dict) else None
        if version != __version__:
            raise Nonsense(f"it is version {version}, and the bot that runs is {__version__}")
        self._is_ready = True

    def parse(self, asked: bytes, body: bytes, feed: str) -> ParsedFeed:
        """Hand over a body and take what comes of it."""
        self._ends = time.monotonic() + self._limits.wall
        for part in (asked, LENGTH.pack(len(body)), body):
            self._send(part)
        head = from_json(self._frame(MOST_FRAME))
        if isinstance(head, dict) and "unreadable" in head:
            raise FeedUnreadable(words_of(head["unreadable"]))
        left = MOST_ANSWER
        entries = []
        for _ in range(number_of_entries(head)):
            fields = self._frame(min(MOST_FRAME, left))
            left -= len(fields)
            entries.append(entry_of(from_json(fields), feed))
        return feed_of(head, entries)

    def _send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._wait(self._to, select.POLLOUT)
            try:
                rest = rest[os.write(self._to, rest[:_AT_ONCE]) :]
            except BrokenPipeError:
                raise _Gone from None

    def _frame(self, most: int) -> bytes:
        self._fill(LENGTH.size)
        (size,) = LENGTH.unpack_from(self._came)
        if size > most:
            raise Nonsense("too much at once")
        end = LENGTH.size + size
        self._fill(end)
        data = bytes(self._came[LENGTH.size : end])
        del self._came[:end]
        return data

    def _fill(self, size: int) -> None:
        while len(self._came) < size:
            self._wait(self._from, select.POLLIN)
            data = os.read(self._from, _AT_ONCE)
            if not data:
                raise _Gone
            self._came += data

    def _wait(self, pipe: int, what: int) -> None:
        left = self._ends - time.monotonic()
        poll = select.poll()
        poll.register(pipe, what)
        if left <= 0 or not poll.poll(left * 1000):
            raise _TooLate("it took too long")
