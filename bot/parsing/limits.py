"""What one body may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on the parsing child.

    Attributes:
        cpu: seconds of computing that one body may take. Of 549 real bodies (up to 0.9 MB) none took 0.7 s, 4 MB take 0.6 s without
            the sanitizer; what is slower is ten times slower. It is computing that counts, so that a busy machine spoils no feed.
        wall: seconds that it may take by the clock, however busy the machine is.
        start: seconds in which a new child has to be ready.
        memory: bytes that the child may allocate. Real bodies make it 81 MB large.
        tired: bytes; a child that has grown larger over a body is replaced after it, to give the memory back.
    """

    cpu: float = 4.0
    wall: float = 10.0
    start: float = 60.0
    memory: int = 512 * 2**20
    tired: int = 160 * 2**20
