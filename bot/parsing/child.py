"""The process that parses: started by `door`, it reads bodies from one pipe and answers into another until that ends.

It outlives the bot by nothing: a third pipe that the bot alone holds open sends SIGIO, which kills, at the bot's end, whatever
made it end and whatever is being parsed. (PR_SET_PDEATHSIG was not taken: it looks at the thread that started the child, and
those come and go.)
"""

from __future__ import annotations

import fcntl
import os
import resource
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bot import __version__
from bot.errors import FeedUnreadable
from bot.parsing.frames import LENGTH, fields_of, from_json, head_of, in_json
from bot.sources import rss as _rss  # noqa: F401 - now, and not when the first body waits
from bot.sources.reading import parse_feed

if TYPE_CHECKING:
    from typing import BinaryIO

    from bot.parsing.limits import Limits
    from bot.sources.parsed import ParsedFeed

_FILES: Final = 32
"""Open files: three pipes, and the codecs that are loaded when the first feed needs them."""

_ADDRESSES: Final = 4
"""Times as many bytes of addresses as of memory: allocators and libraries reserve more than they use."""

_KILLED_FIRST: Final = "1000"
"""Where a machine is out of memory, its kernel shall take this process and no other."""


def main(limits: Limits, lifeline: int) -> None:
    """Parse until the pipe to this process ends.

    Args:
        limits: what one body may cost.
        lifeline: the reading end of the pipe that ends with the bot.
    """
    _hang_on(lifeline)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # told to a whole group; the bot decides when this ends
    _bind(limits)
    bodies = os.fdopen(0, "rb", buffering=2**16)
    answers = os.fdopen(1, "wb", buffering=2**16)
    _say(answers, {"ready": __version__})
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)  # from here on what is written would be a stranger's words
    while (head := _frame(bodies)) is not None and (body := _frame(bodies)) is not None:
        signal.setitimer(
            signal.ITIMER_PROF, limits.cpu
        )  # SIGPROF kills, in the middle of a regular expression too
        tired = _answer(answers, from_json(head), body)
        signal.setitimer(signal.ITIMER_PROF, 0)
        del body, head
        if tired or _size() > limits.tired:
            break
    os._exit(0)  # without the ceremony, in which a pipe may end before the process


def _hang_on(lifeline: int) -> None:
    with suppress(OSError):  # a sandbox may not know it; then the timer alone ends a body without end
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    if select.select([lifeline], [], [], 0)[0]:
        sys.exit(1)  # it ended before this process was listening


def _bind(limits: Limits) -> None:
    bounds = {
        resource.RLIMIT_DATA: limits.memory,
        resource.RLIMIT_AS: limits.memory * _ADDRESSES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _FILES,
    }
    for what, bound in bounds.items():
        hard = resource.getrlimit(what)[1]
        most = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(what, (most, most))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_KILLED_FIRST, "ascii")


def _size() -> int:
    """Return how many bytes of memory this process holds; 0 where that cannot be told.

    (Not `ru_maxrss`, which begins with what the process held that started this one.)
    """
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * resource.getpagesize()
    except (OSError, IndexError, ValueError):
        return 0


def _frame(pipe: BinaryIO) -> bytes | None:
    length = pipe.read(LENGTH.size)
    if len(length) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(length)
    data = pipe.read(size)
    return data if len(data) == size else None


def _answer(answers: BinaryIO, asked: dict[str, Any], body: bytes) -> bool:
    """Parse and answer; return whether this process had better not go on."""
    tired = False
    try:
        parsed = parse_feed(body, feed="", url=asked["url"], content_type=asked["content_type"])
        _send(answers, parsed)
    except FeedUnreadable as error:
        _say(answers, {"unreadable": str(error)[:2000]})
    except MemoryError:
        tired = True
        _say(answers, {"unreadable": "reading it takes more memory than any usual feed does: it is not read"})
    except Exception as error:  # noqa: BLE001 - whatever a body brings about, the others are read
        name = type(error).__name__
        _say(answers, {"unreadable": f"the feed is broken in a way that cannot be read ({name})"})
    return tired


def _send(answers: BinaryIO, parsed: ParsedFeed) -> None:
    answers.write(in_json(head_of(parsed)))
    answers.writelines(in_json(fields_of(entry)) for entry in parsed.entries)
    answers.flush()


def _say(answers: BinaryIO, what: dict[str, str]) -> None:
    answers.write(in_json(what))
    answers.flush()
