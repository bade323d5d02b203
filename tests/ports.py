"""Ports of loopback for servers that must be told their port before they start.

A port that was bound to 0 and closed again is soon given to another program, and here many test processes ask for such
ports all the time. These are taken from below the range that systems give out of themselves (from 32768 on Linux, from
49152 elsewhere), so that only a program that asks for this very port can take it.
"""

from __future__ import annotations

import random
import socket

LOWEST, HIGHEST = 20_000, 32_000

_given: set[int] = set()


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on, another one at each call.

    No program is given it without asking for it.
    """
    chance = random.SystemRandom()
    while True:
        port = chance.randrange(LOWEST, HIGHEST)
        if port in _given:
            continue
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        _given.add(port)
        return port
