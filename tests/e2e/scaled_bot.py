"""Runs the bot as `shinglebot run` does, in scaled time, as often as it is asked to: a child process for each line of
standard input, forked from this one, which has everything imported already.

A line is a JSON object, see `Run` in `journeys.py`; the answers are `{"pid": ...}` at once and `{"status": ...}` when
the child has ended, as `os.waitpid` gives it.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

from bot import kill_points
from bot.app import Mode, open_app
from bot.cli import exit_code
from bot.config import load
from bot.errors import ShinglebotError
from bot.listening import Listeners
from bot.scheduler import loop, stopping_on_signals
from tests.e2e.scaled_time import ScaledEvent, ScaledTime

X_PATIENCE = 20.0


class Finish:
    """A job: end when nothing is to be sent or looked for any more, or when the time is up."""

    def __init__(self, app: Any, time: ScaledTime, seconds: float) -> None:
        self._app, self._time = app, time
        self._ends = time.passed + seconds

    def next_at(self, now: Any) -> Any:
        counts = self._app.store.outbox.counts()
        asleep = self._app.poller.next_at(now)
        asked = not self._app.poller.waiting and asleep is not None and asleep > now
        rests = all(lane.publishing.next_at(now) is None for lane in self._app.lanes)
        done = counts and asked and rests
        return now if done or self._time.passed > self._ends else None

    def run(self, _: Any) -> None:
        self._app.stop.set()


def limit_files(size: int) -> None:
    """Let no file of this process grow beyond `size` bytes; the system says so as it says that a disk is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def fill_the_disk(app: Any, order: dict[str, Any]) -> None:
    """Let the disk be full from a transaction on, or the database at its largest."""
    connection = app.store._db.conn
    if order.get("pages"):
        (now,) = connection.execute("pragma page_count").fetchone()
        connection.execute(f"pragma max_page_count = {now + order['pages']}")
    if order.get("full_from"):
        left = order["full_from"]

        def count(statement: str) -> None:
            nonlocal left
            if statement.lower().startswith("begin immediate"):
                left -= 1
                if left == 0:
                    limit_files(1)

        connection.set_trace_callback(count)


def work(order: dict[str, Any]) -> int:
    time = ScaledTime(**order["time"])
    if order.get("kill_at"):
        kill_points.arm(order["kill_at"])
    if order.get("file_size"):
        limit_files(order["file_size"])
    stop = ScaledEvent(time.scale)
    try:
        config = load(Path(order["config"]), need_account=True)
        with (
            stopping_on_signals(stop),
            open_app(
                config,
                Mode.REAL,
                listeners=Listeners(),
                stop=stop,
                clock=time.now,
                steady=time.steady,
                patience=X_PATIENCE / time.scale,
            ) as app,
        ):
            fill_the_disk(app, order)
            loop([*app.jobs, Finish(app, time, order["seconds"])], stop=stop, clock=time.now)
    except ShinglebotError as error:
        limit_files(resource.RLIM_INFINITY)  # what is written now is told to a person, not to the disk
        sys.stderr.write(f"{error}\n")
        return exit_code(error)
    return 0


def main() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.dup2(log, 1)
                os.dup2(log, 2)
                os.environ.update(order["env"])
                code = work(order)
            except BaseException:  # noqa: BLE001 - shown, and the child ends
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stderr.flush()
                os._exit(code)
        sys.stdout.write(json.dumps({"pid": pid}) + "\n")
        sys.stdout.flush()
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(json.dumps({"status": status}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
