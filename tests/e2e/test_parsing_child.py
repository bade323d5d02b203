"""The bot and its child as a person sees them in `ps`: one at work, and none when the bot has ended, however it has."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import pytest

from tests.parsing.hostile import BODIES

CONFIG = """
[[feed]]
name = "Gazette"
url = "{url}"
"""


def children(pid: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def computed(pid: int) -> int:
    """Return how long a process has computed, in ticks of 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(what, seconds: float = 15) -> None:
    ends = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < ends
        threading.Event().wait(0.02)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "kill -9"])
def test_a_bot_that_ends_over_a_trap_leaves_no_child(bot, how):
    # The element that only feedparser reads keeps the quick reader from it: seconds of work.
    bot.feeds.put("/rss", BODIES["100,000 attributes"]().replace(b"</channel>", b"<links/></channel>"))
    bot.configure(CONFIG.format(url=bot.feeds.url("/rss")))
    process = bot.start("run")
    wait_until(lambda: children(process.pid))
    (child,) = children(process.pid)
    wait_until(lambda: bot.feeds.asked("/rss"))
    started = computed(child)
    wait_until(lambda: computed(child) > started + 20)  # it is at work on the trap
    began = time.monotonic()
    process.send_signal(how)
    process.communicate(timeout=10)
    assert time.monotonic() - began < 2
    wait_until(lambda: not is_there(child), 1)
