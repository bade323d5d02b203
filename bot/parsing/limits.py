"""What one body may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on the parsing child.

    Attributes:
        cpu: seconds of computing that one body may take. A real one of 0.9 MB takes 0.2, one of 4 MB takes 0.6; what takes more
            than a second without an end in sight takes minutes.
        wall: seconds that it may take by the clock, however busy the machine is: the others wait meanwhile, and none shall wait
            longer than five. An honest feed that a busy machine spoils is read at a later poll.
        start: seconds in which a new child has to be ready.
        memory: bytes that the child may allocate. Real bodies make it 81 MB large.
        tired: bytes; a child that has grown larger over a body is replaced after it, to give the memory back.
    """

    cpu: float = 3.0
    wall: float = 4.5
    start: float = 60.0
    memory: int = 512 * 2**20
    tired: int = 160 * 2**20
