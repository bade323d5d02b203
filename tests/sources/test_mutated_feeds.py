"""Feeds that were damaged at random, with what parsers stumble over: nothing but `FeedUnreadable` comes out.

`make slow` damages 12,000, and as many real ones where it is given some; feedparser alone raises something else on one in ten of
them. What is read crosses the pipe of the child as it is.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from bot.errors import FeedUnreadable
from bot.parsing.frames import LENGTH, entry_of, feed_of, fields_of, from_json, head_of, in_json
from bot.sources.reading import parse_feed
from tests.sources.damaging import BODIES, LARGE, damaged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bot.sources.parsed import ParsedFeed


def damage(count: int, seed: int, bodies: Sequence[bytes] = BODIES) -> tuple[int, int]:
    draw = random.Random(seed)
    read = refused = 0
    for _ in range(count):
        body = damaged(draw.choice(bodies), draw)
        try:
            feed = parse_feed(body, feed="f", url="https://x.example/")
        except FeedUnreadable:
            refused += 1
        else:
            read += 1
            assert len(feed.entries) + len(feed.faults) == feed.seen
            assert crossed(feed) == feed
    return read, refused


def crossed(feed: ParsedFeed) -> ParsedFeed:
    entries = [entry_of(from_json(in_json(fields_of(entry))[LENGTH.size :]), "f") for entry in feed.entries]
    return feed_of(from_json(in_json(head_of(feed))[LENGTH.size :]), entries)


def test_a_damaged_feed_is_read_or_refused():
    read, refused = damage(500, 1)
    assert read > refused > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_many_damaged_feeds(seed):
    damage(1000, seed)


def real_feeds(data: Path) -> list[bytes]:
    files = sorted(path for path in (data / "feeds").rglob("*") if path.is_file())
    return [path.read_bytes() for path in files if 0 < path.stat().st_size < LARGE]


@pytest.mark.data
def test_damaged_real_feeds(data):
    read, refused = damage(500, 2, real_feeds(data))
    assert read > refused > 0


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("seed", range(12))
def test_many_damaged_real_feeds(data, seed):
    damage(1000, 100 + seed, real_feeds(data))
