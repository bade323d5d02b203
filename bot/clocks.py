"""The clock that nobody sets: how long ago something was, whatever happened to the date since.

The waits that keep a post from going out twice must not shrink when somebody sets the clock. Linux counts from the
boot of the machine, sleep included, and names each boot; elsewhere the process counts from its own start, and what
an earlier process did counts as done at that start.
"""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path
from typing import Final

from bot.core.timing import Moment

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def _boot() -> str | None:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        return None


_BOOT: Final = _boot() if hasattr(time, "CLOCK_BOOTTIME") else None
_PROCESS: Final = f"process {os.getpid()} {uuid.uuid4()}"
_STARTED: Final = time.monotonic()


def steady() -> Moment:
    """Return the time by the clock that nobody sets."""
    if _BOOT is not None:
        return Moment(era=_BOOT, seconds=time.clock_gettime(time.CLOCK_BOOTTIME))
    return Moment(era=_PROCESS, seconds=time.monotonic() - _STARTED)
