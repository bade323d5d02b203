"""`run` outlasts a full disk: it waits, begins anew, and goes on where it was."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from bot.cli import exits
from bot.cli.enduring import enduring
from bot.errors import StateError, StoreUnwritable


def test_it_begins_anew_until_there_is_room(caplog):
    calls = []

    def work() -> int:
        calls.append(1)
        if len(calls) < 3:
            raise StoreUnwritable("make room on the disk")
        return 5

    assert enduring(work, again_after=0.01) == 5
    assert len(calls) == 3
    assert caplog.text.count("waiting for room") == 2


def test_what_time_does_not_mend_ends_it():
    def work() -> int:
        raise StateError("damaged")

    with pytest.raises(StateError, match="damaged"):
        enduring(work, again_after=0.01)


def test_it_obeys_a_signal_while_it_waits():
    def work() -> int:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
        raise StoreUnwritable("make room on the disk")

    assert enduring(work, again_after=60) == exits.OK
