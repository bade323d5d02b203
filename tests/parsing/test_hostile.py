"""Hostile bodies through the child: each is read or refused in time, and costs the daemon next to nothing."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from bot.errors import FeedUnreadable
from bot.parsing import Limits, Parser
from tests.parsing.hostile import BODIES, ITEM, rss

WHERE = {"feed": "f", "url": "https://x.example/"}
HONEST = rss(ITEM.format(n=1))

SMALL = 400_000
"""Bytes: what is larger takes longer to make than to read, or shows the same as a smaller one; `make slow` has all."""

WITHIN = 5.0
"""Seconds."""

EXTRA = 25 * 1024
"""Kilobytes that the daemon may need for a body beside the body itself."""


def memory(what: str) -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{what}:")[2].split()[0])


def cost_of(parser: Parser, body: bytes) -> tuple[float, int]:
    """Give `body` to the parser; return the seconds it took, and how many kilobytes this process grew meanwhile."""
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before, began = memory("VmRSS"), time.monotonic()
    said = ""
    try:
        parser(body, **WHERE)
    except FeedUnreadable as error:
        said = str(error)
    assert len(said) < 300
    assert "signal" not in said
    return time.monotonic() - began, memory("VmHWM") - before


def test_there_are_as_many_as_were_measured():
    assert len(BODIES) > 64


def test_small_hostile_bodies():
    tried = 0
    with Parser(Limits(cpu=0.3)) as parser:
        for name, make in BODIES.items():
            body = make()
            if len(body) <= SMALL:
                seconds, extra = cost_of(parser, body)
                assert seconds < WITHIN, name
                assert extra < EXTRA, name
                assert parser(HONEST, **WHERE).entries[0].title == "Ship 1", name
                tried += 1
    assert tried > 25


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_hostile_body(name):
    body = BODIES[name]()
    with Parser() as parser:
        assert parser(HONEST, **WHERE).seen == 1
        seconds, extra = cost_of(parser, body)
        assert parser(HONEST, **WHERE).entries[0].title == "Ship 1"
    assert seconds < WITHIN
    assert extra < EXTRA


@pytest.mark.slow
def test_no_order_of_bodies_matters():
    """What one body leaves behind in the child does not reach the next."""
    small = [body for make in BODIES.values() if len(body := make()) < SMALL // 5]
    draw = random.Random(7)
    with Parser(Limits(cpu=0.5)) as parser:
        for _ in range(3):
            draw.shuffle(small)
            for body in small:
                cost_of(parser, body)
                assert parser(HONEST, **WHERE).entries[0].title == "Ship 1"
