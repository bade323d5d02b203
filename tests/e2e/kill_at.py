"""Run `shinglebot` and kill it, as kill -9 does, at the n-th step inside the rooms that write or send.

    python kill_at.py N FILE ARGUMENT...

A step is a call or a return in a module of ROOMS. With N = 0 nothing is killed and the number of steps is
written to FILE.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

ROOMS = (
    "bot.store",
    "bot.pipeline",
    "bot.publishing",
    "bot.reconciling",
    "bot.settling",
    "bot.spending",
    "bot.publishers",
    "bot.x_client",
    "bot.polling",
)


def main() -> None:
    wanted, report = int(sys.argv[1]), Path(sys.argv[2])
    steps = 0

    def step(frame: Any, event: str, _: Any) -> None:
        nonlocal steps
        if event in {"call", "return"} and str(frame.f_globals.get("__name__", "")).startswith(ROOMS):
            steps += 1
            if steps == wanted:
                os.kill(os.getpid(), signal.SIGKILL)

    from bot.cli import main as command

    sys.setprofile(step)
    try:
        command(sys.argv[3:])
    finally:
        sys.setprofile(None)
        if wanted == 0:
            report.write_text(str(steps))


if __name__ == "__main__":
    main()
