from __future__ import annotations

import os
import signal
import threading
from datetime import UTC, datetime, timedelta

from bot.scheduler import loop, stopping_on_signals

START = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Ticking:
    """A job that is due every `every` of a clock that it moves itself, and stops the loop after `runs`."""

    def __init__(self, stop: threading.Event, every: timedelta, runs: int, now: list[datetime]) -> None:
        self.stop, self.every, self.left, self.clock = stop, every, runs, now
        self.at = now[0]
        self.ran: list[datetime] = []

    def next_at(self, now: datetime) -> datetime:
        return self.at

    def run(self, now: datetime) -> None:
        self.ran.append(now)
        self.at = now + self.every
        self.clock[0] = self.at
        self.left -= 1
        if not self.left:
            self.stop.set()


class Waiting:
    def next_at(self, now: datetime) -> None:
        return None

    def run(self, now: datetime) -> None:
        raise AssertionError("a job that waits for nothing was run")


def test_jobs_run_when_they_are_due():
    stop = threading.Event()
    now = [START]
    job = Ticking(stop, timedelta(minutes=5), 3, now)
    loop([Waiting(), job], stop=stop, clock=lambda: now[0])
    assert job.ran == [START, START + timedelta(minutes=5), START + timedelta(minutes=10)]


def test_a_set_stop_runs_nothing():
    stop = threading.Event()
    stop.set()
    now = [START]
    job = Ticking(stop, timedelta(0), 1, now)
    loop([job], stop=stop, clock=lambda: now[0])
    assert job.ran == []


def test_sigterm_sets_stop_and_what_was_there_comes_back():
    before = signal.getsignal(signal.SIGTERM)
    stop = threading.Event()
    with stopping_on_signals(stop):
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(5)
    assert signal.getsignal(signal.SIGTERM) is before
