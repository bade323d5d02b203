"""People at the program: what a terminal types, and the environment that leads to a simulated X."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.simulated_x import SimulatedX

ROOT = Path(__file__).parents[1]


def at_a_terminal(typed: str, *arguments: str) -> tuple[int, str]:
    """Run the program with a terminal on which `typed` was typed; return its exit code and what it said."""
    mine, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "bot", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        os.write(mine, typed.encode())
        try:
            said, _ = process.communicate(timeout=20)
        finally:
            process.kill()  # one that asks more than was typed would be waited for without end
    os.close(mine)
    os.close(theirs)
    return process.returncode, said


def at_a_terminal_when_asked(question: str, typed: str, *arguments: str) -> tuple[int, str, str]:
    """Run the program with a terminal on which `typed` is typed once it has asked `question`, as for what is not shown.

    Return its exit code, what it said and what the terminal showed of the keys.
    """
    mine, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "bot", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # else the terminal of whoever runs the tests would be asked
    ) as process:
        guard = threading.Timer(20, process.kill)
        guard.start()
        assert process.stdout is not None
        said = b""
        while question.encode() not in said and (more := process.stdout.read1()):
            said += more
        os.write(mine, typed.encode())
        said += process.stdout.read()
        process.wait()
        guard.cancel()
    os.set_blocking(mine, False)
    try:
        shown = os.read(mine, 4096)
    except OSError:  # nothing
        shown = b""
    os.close(mine)
    os.close(theirs)
    return process.returncode, said.decode(), shown.decode()


def x_environment(x: SimulatedX, *user: str) -> dict[str, str]:
    """Return the variables by which the program finds this X, with an account's keys as `${CK}` and the like."""
    keys = x.credentials(*user)
    return {
        "SHINGLEBOT_X_BASE_URL": x.base_url,
        "CK": keys.consumer_key,
        "CS": keys.consumer_secret,
        "AT": keys.access_token,
        "AS": keys.access_token_secret,
    }
