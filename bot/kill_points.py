"""Points of a post's journey at which tests kill the process, as `kill -9` does. Off unless a test arms one.

    if kill_points.hook is not None:
        kill_points.hook("after_claim")

`SHINGLEBOT_KILL_AT=after_claim:2` kills at the second time that the process comes by. `mid_request` is the simulated
X's to do: it kills when a request's body has arrived.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

POINTS: Final = (
    "before_shorten",
    "after_shorten",
    "in_shorten",
    "before_upload",
    "after_upload",
    "in_upload",
    "before_claim",
    "in_claim",
    "after_claim",
    "after_http",
    "before_record",
    "in_record",
    "after_record",
    "in_recover",
    "after_recover",
    "after_timeline",
    "in_reconcile",
    "after_reconcile",
    "after_hits",
    "in_hits",
    "after_hits_kept",
)

hook: Callable[[str], None] | None = None


def arm(where: str) -> None:
    """Kill this process at `NAME:N`, the N-th time that it comes to the point NAME.

    Raises ValueError when that names no point or no number.
    """
    global hook  # noqa: PLW0603 - the one switch
    point, _, number = where.partition(":")
    if point not in POINTS or not number.isdecimal() or int(number) < 1:
        raise ValueError(f"{where!r} names no kill point and number; there are: {', '.join(POINTS)}")
    left = int(number)

    def kill(name: str) -> None:
        nonlocal left
        if name == point:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    hook = kill


if _wanted := os.environ.get("SHINGLEBOT_KILL_AT"):
    arm(_wanted)
