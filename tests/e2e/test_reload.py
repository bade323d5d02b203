"""The running bot and SIGHUP: a changed configuration is taken up, a faulty one is not, and nothing goes out twice."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from bot.simulated_x import SimulatedX
from tests.terminal import ROOT, x_environment

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """
state_dir = "state"
[account]
api_key = "${CK}"
api_key_secret = "${CS}"
access_token = "${AT}"
access_token_secret = "${AS}"
[pacing]
min_gap = "0s"
"""
FEED = """
[[feed]]
name = "NAME"
file = "NAME.xml"
first_run = "all"
"""
BODY = """<rss version="2.0"><channel><title>NAME</title><link>https://NAME.example/</link><description/>
<item><guid>1</guid><link>https://NAME.example/1</link><title>TITLE</title></item></channel></rss>"""


class Service:
    """A bot that runs as under a manager: without a terminal, with a socket to tell."""

    def __init__(self, folder: Path, x: SimulatedX) -> None:
        self.folder, self.x = folder, x
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = f"@shinglebot-{os.getpid()}-{folder.name}"
        self.socket.bind("\0" + name[1:])
        self.socket.settimeout(0)
        self.said: list[str] = []
        self.log = folder / "log"
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT), "NOTIFY_SOCKET": name, **x_environment(x)}

    def feed(self, name: str, title: str) -> None:
        body = BODY.replace("NAME", name).replace("TITLE", title)
        (self.folder / f"{name}.xml").write_text(body)

    def configure(self, *names: str, more: str = "") -> None:
        text = CONFIG + "".join(FEED.replace("NAME", name) for name in names) + more
        (self.folder / "config.toml").write_text(text)

    def start(self) -> subprocess.Popen:
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "bot", "run"],
                cwd=self.folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # so no terminal controls it
            )
        return self.process

    def told(self) -> str:
        while True:
            try:
                self.said.append(self.socket.recv(4096).decode())
            except BlockingIOError:
                return "\n".join(self.said)

    def wait(self, until) -> None:
        ends = time.monotonic() + 60
        while not until():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < ends, (self.log.read_text(), self.told())
            threading.Event().wait(0.05)


@pytest.fixture
def service(tmp_path):
    with SimulatedX() as x:
        made = Service(tmp_path, x)
        yield made
        made.process.kill()
        made.process.wait()
        made.socket.close()


def test_a_changed_configuration_is_taken_up_and_a_faulty_one_is_not(service):
    service.feed("gazette", "The ferry is back")
    service.feed("herald", "An owl moved into the town hall")
    service.configure("gazette")
    process = service.start()
    service.wait(lambda: len(service.x.posts()) == 1 and service.told().count("READY=1") == 1)

    service.configure("gazette", "herald", more="[nonsense]\n")
    process.send_signal(signal.SIGHUP)
    service.wait(lambda: "the earlier one stays" in service.told())
    assert "nonsense" in service.log.read_text()
    assert len(service.x.posts()) == 1

    service.configure("gazette", "herald")
    process.send_signal(signal.SIGHUP)
    service.wait(lambda: len(service.x.posts()) == 2)
    assert "RELOADING=1\nMONOTONIC_USEC=" in service.told()
    service.wait(lambda: service.told().count("READY=1") == 3)

    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 0, service.log.read_text()
    assert service.told().endswith("STOPPING=1")
    assert [post.text.split(" https")[0] for post in service.x.posts()] == [
        "The ferry is back",
        "An owl moved into the town hall",
    ]


def test_what_cannot_be_wired_gives_way_to_what_was(service):
    service.feed("gazette", "The ferry is back")
    service.configure("gazette")
    process = service.start()
    service.wait(lambda: len(service.x.posts()) == 1)
    (service.folder / "elsewhere").write_text("a file where a directory should be")
    text = (service.folder / "config.toml").read_text()
    (service.folder / "config.toml").write_text(text.replace('"state"', '"elsewhere"'))
    process.send_signal(signal.SIGHUP)
    service.wait(lambda: "the earlier one stays" in service.told())
    service.feed("gazette", "The ferry is back</title></item><item><title>A second ferry is built")
    service.wait(lambda: service.told().count("READY=1") >= 2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=20) == 0, service.log.read_text()
