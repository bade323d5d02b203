from __future__ import annotations

import os
import socket
from datetime import timedelta

import pytest

from bot.clocks import steady
from bot.core.timing import Moment
from bot.heartbeats import Heartbeats
from bot.service.notify import LONGEST_STATUS, Manager
from bot.service.pulse import Pulse


class Listener:
    """A manager's socket; what was told is read from it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + address[1:] if address.startswith("@") else address)
        self.socket.settimeout(0)

    def told(self) -> list[str]:
        found = []
        while True:
            try:
                found.append(self.socket.recv(4096).decode())
            except BlockingIOError:
                return found


@pytest.fixture(params=["path", "abstract"])
def listener(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path may be 107 bytes long
    address = "notify" if request.param == "path" else f"@shinglebot-{os.getpid()}-{tmp_path.name}"
    made = Listener(address)
    yield made
    made.socket.close()


def test_a_manager_is_told_in_its_own_words(listener):
    manager = Manager.of({"NOTIFY_SOCKET": listener.address})
    manager.ready("at work")
    manager.status("two\nlines " + "x" * 500)
    manager.reloading()
    manager.stopping()
    manager.alive()  # nobody waits for a sign
    ready, status, reloading, stopping = listener.told()
    assert ready == "READY=1\nSTATUS=at work"
    assert status.startswith("STATUS=two lines x")
    assert len(status) == len("STATUS=") + LONGEST_STATUS
    assert reloading.startswith("RELOADING=1\nMONOTONIC_USEC=")
    assert stopping == "STOPPING=1"


def test_signs_of_life_are_given_no_oftener_than_needed(listener):
    manager = Manager(listener.address, watchdog=timedelta(hours=1))
    for _ in range(50):
        manager.alive()
    assert listener.told() == ["WATCHDOG=1"]


@pytest.mark.parametrize(
    ("environment", "signs"),
    [
        ({"WATCHDOG_USEC": "4000000"}, 1),
        ({"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": str(os.getpid())}, 1),
        ({"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "1"}, 0),
        ({"WATCHDOG_USEC": "soon"}, 0),
        ({"WATCHDOG_USEC": "0"}, 0),
        ({}, 0),
    ],
)
def test_a_sign_is_given_where_this_process_is_waited_for(listener, environment, signs):
    Manager.of({"NOTIFY_SOCKET": listener.address, **environment}).alive()
    assert len(listener.told()) == signs


def test_a_manager_that_is_away_harms_nothing(tmp_path):
    for address in ("", str(tmp_path / "gone"), "@nobody-listens"):
        manager = Manager(address, watchdog=timedelta(seconds=1))
        manager.ready("x")
        manager.alive()
        manager.stopping()


def test_the_watchdog_is_fed_while_every_worker_beats_and_no_longer(listener, caplog):
    now = [100.0]
    heartbeats = Heartbeats(lambda: Moment(era="boot", seconds=now[0]))
    manager = Manager(listener.address, watchdog=timedelta(microseconds=4))
    pulse = Pulse(heartbeats, manager)
    heartbeats.beat("lane mastodon", timedelta(seconds=10))
    pulse()
    assert listener.told() == ["WATCHDOG=1"]

    now[0] += 11
    pulse()
    pulse()
    assert listener.told() == ["STATUS=no sign from lane mastodon"], "once, and no sign of life"
    assert heartbeats.late() == ["lane mastodon"]
    assert heartbeats.ages() == {"lane mastodon": timedelta(seconds=11), "loop": timedelta(0)}

    heartbeats.beat("lane mastodon", timedelta(seconds=10))
    pulse()
    assert listener.told() == ["WATCHDOG=1"]

    now[0] += 1000
    heartbeats.end("lane mastodon")
    pulse()
    assert heartbeats.late() == [], "the loop's own sign is given at its turn"
    assert listener.told() == ["WATCHDOG=1"]


def test_the_real_clock_makes_no_worker_late_at_once():
    heartbeats = Heartbeats(steady)
    heartbeats.beat("loop")
    assert heartbeats.late() == []
