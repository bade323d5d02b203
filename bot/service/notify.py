"""What a service tells systemd: that it is ready, alive, reading its configuration anew, or ending (sd_notify(3)).

The protocol is a datagram to the socket that NOTIFY_SOCKET names: a few lines, where a library would bring C code to build.
Without a manager nothing is said, and nothing fails: a bot must not die of a manager that does not listen.
"""

from __future__ import annotations

import os
import socket
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHARE: Final = 4
"""Signs of life in one watchdog interval; systemd's documentation asks for at least two."""

LONGEST_STATUS: Final = 200
"""Characters of a status line, which `systemctl status` shows."""


class Manager:
    """The way to the service manager.

    Args:
        address: of its socket, a path or, in the abstract namespace, "@name"; "" without a manager.
        watchdog: how long it waits for a sign of life before it ends the process; None when it does not wait.
    """

    def __init__(self, address: str = "", *, watchdog: timedelta | None = None) -> None:
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self._every = watchdog.total_seconds() / _SHARE if watchdog else None
        self._last_sign: float | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Manager:
        """Return the manager that the environment of this process names."""
        microseconds = environment.get("WATCHDOG_USEC", "")
        meant = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        waits = meant and microseconds.isdigit() and int(microseconds) > 0
        return cls(
            environment.get("NOTIFY_SOCKET", ""),
            watchdog=timedelta(microseconds=int(microseconds)) if waits else None,
        )

    @property
    def is_there(self) -> bool:
        """Say whether anybody listens."""
        return bool(self._address)

    def ready(self, status: str = "") -> None:
        """Tell that the service is at work, at its start and after a reload."""
        self._tell("READY=1", status)

    def reloading(self) -> None:
        """Tell that the configuration is read anew; `ready` tells its end."""
        self._tell(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self, status: str = "") -> None:
        """Tell that the service ends."""
        self._tell("STOPPING=1", status)

    def status(self, status: str) -> None:
        """Tell what the service does, one line for a person."""
        self._tell("", status)

    def alive(self) -> None:
        """Give a sign of life, where the manager waits for one, and no oftener than it takes."""
        now = time.monotonic()
        if self._every is None or (self._last_sign is not None and now - self._last_sign < self._every):
            return
        self._last_sign = now
        self._tell("WATCHDOG=1")

    def _tell(self, state: str, status: str = "") -> None:
        if not self._address:
            return
        line = " ".join(status.split())[:LONGEST_STATUS]
        said = "\n".join(part for part in (state, f"STATUS={line}" if line else "") if part)
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as way:
                way.settimeout(1)
                way.connect(self._address)
                way.sendall(said.encode())
        except OSError:
            return  # a manager that is away cannot be told, and the bot has stories to post
