"""The bot beside streams that are closed, unread or full, and ended by signals: its work is done, and nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from bot.simulated_x import SimulatedX
from tests.feed_server import FeedServer
from tests.terminal import x_environment

_PAUSE = threading.Event()
ROOT = Path(__file__).parents[2]
ITEM = """<item><guid>g{0}</guid><link>https://news.example/{0}</link><title>{1}</title></item>"""
TITLES = (
    "Ferries stay in the harbour",
    "Plums are late",
    "An owl moves into the town hall",
    "Rails for the new bridge",
)
FEED = (
    '<rss version="2.0"><channel><title>News</title>'
    + "".join(ITEM.format(number, title) for number, title in enumerate(TITLES))
    + "</channel></rss>"
)


class Desk:
    """A bot in a folder of its own, with a feed of four items and a simulated X."""

    def __init__(self, folder: Path, x: SimulatedX, feed: str) -> None:
        self.folder, self.x = folder, x
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.env = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(self.temporary),
            "BOT": f"{sys.executable} -m bot",
            **x_environment(x),
        }
        (folder / "config.toml").write_text(
            'state_dir = "state"\n[account]\napi_key = "${CK}"\napi_key_secret = "${CS}"\n'
            'access_token = "${AT}"\naccess_token_secret = "${AS}"\n[pacing]\nmin_gap = "0s"\n'
            f'[network]\nallow = ["127.0.0.0/8"]\n[[feed]]\nname = "News"\nurl = "{feed}"\nfirst_run = "all"\n'
        )

    def shell(self, line: str) -> tuple[int, str, str]:
        """Run a line of bash, `$BOT` in it; return the exit code of the bot in its pipe, and what was said."""
        done = subprocess.run(
            ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout, done.stderr

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "bot", *arguments],
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def copies(self) -> list[str]:
        return sorted(path.name for path in self.temporary.glob("shinglebot-*"))


@pytest.fixture
def desk(tmp_path):
    with FeedServer() as server, SimulatedX() as x:
        server.put("/rss", FEED.encode())
        yield Desk(tmp_path, x, server.url("/rss"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("$BOT once | true", "the output was closed; the work goes on"),
        ("$BOT once --json | true", "the output was closed; the work goes on"),
        ("$BOT once > /dev/full", "the output cannot be written"),
        ("$BOT once >&-", ""),
        ("$BOT once <&- >&- 2>&-", ""),
    ],
)
def test_posting_goes_on_where_nobody_reads(desk, line, says):
    code, _, errors = desk.shell(line)
    assert code == 0
    assert len(desk.x.posts()) == len(TITLES)
    assert errors.count("the output") == (1 if says else 0)
    assert says in errors


def test_a_look_ends_quietly_where_nobody_reads(desk):
    desk.shell("$BOT once > /dev/null")
    assert desk.shell("$BOT status | true")[::2] == (0, "")
    assert desk.shell("$BOT feeds | true")[::2] == (0, "")
    assert desk.shell("$BOT outbox --limit 3 | true")[::2] == (0, "")
    assert desk.shell("$BOT why https://news.example/1 | true")[::2] == (0, "")
    code, _, errors = desk.shell("$BOT status > /dev/full")
    assert code == 1
    assert errors == "shinglebot: the output cannot be written (No space left on device)\n"


def test_auth_without_an_input_says_so(desk):
    config = desk.folder / "config.toml"
    config.write_text(
        "".join(
            line
            for line in config.read_text().splitlines(keepends=True)
            if not line.startswith("access_token")
        )
    )
    code, _, errors = desk.shell("$BOT auth <&-")
    assert code == 1
    assert "no PIN was typed" in errors


@pytest.fixture
def hangup_heard():
    """Let processes started here hear SIGHUP, also where these tests run under nohup, which hands its deafness down."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hangup_heard")
@pytest.mark.parametrize("mode", ["--simulate", "--dry-run"])
@pytest.mark.parametrize(
    "signals",
    [
        [signal.SIGHUP],
        [signal.SIGTERM],
        [signal.SIGINT, signal.SIGINT],
        [signal.SIGTERM, signal.SIGHUP],
    ],
    ids=lambda signals: "+".join(signal.Signals(each).name for each in signals),
)
def test_no_copy_of_the_store_is_left(desk, mode, signals):
    with desk.start("run", mode) as process:
        deadline = time.monotonic() + 30
        while not desk.copies() and time.monotonic() < deadline:
            assert process.poll() is None, process.stderr.read()
            _PAUSE.wait(0.005)
        assert desk.copies()[0].startswith(f"shinglebot-{process.pid}-")
        for each in signals:
            process.send_signal(each)
            _PAUSE.wait(0.01)
        try:
            process.communicate(timeout=30)
        finally:
            process.kill()
    assert desk.copies() == []
    assert process.returncode in {0, *(-each for each in signals)}


def test_a_start_removes_the_copies_of_the_dead_alone(desk):
    with subprocess.Popen(["true"]) as dead:
        pass
    for name in (f"shinglebot-{dead.pid}-abc", f"shinglebot-{os.getpid()}-abc", "shinglebot-replay-abc"):
        (desk.temporary / name).mkdir()
        (desk.temporary / name / "copy.db").touch()
    assert desk.shell("$BOT once --dry-run > /dev/null")[0] == 0
    assert desk.copies() == [f"shinglebot-{os.getpid()}-abc", "shinglebot-replay-abc"]
