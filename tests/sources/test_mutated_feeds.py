"""Feeds that were damaged at random, with what parsers stumble over: nothing but `FeedUnreadable` comes out.

`make slow` damages 12,000; feedparser alone raises something else on one in ten of them.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bot.errors import FeedUnreadable
from bot.sources.reading import parse_feed

FEEDS = Path(__file__).parents[1] / "data" / "feeds"
BODIES = [path.read_bytes() for path in sorted(FEEDS.glob("*.xml"))]

STUMBLING_BLOCKS = [
    block.encode("latin-1")
    for block in (
        "&#x110000; &#XD800; &#0; &#99999999999; &#x; &#; & &foo; &nbsp; < > \" ' = <? <! <!-- --> <![CDATA[ ]]> "
        "<georss:point> </georss:point> <georss:where><gml:Point> </gml:pos> <georss:box> </media:player> "
        "</media:license> </media:rating> </media:credit> </media:keywords> </textinput> <textinput> <width> </height> "
        "<item> </item> </channel> <entry> </entry> <link> <link/> <link\thref='http://[bad/'> <title\ttype='xhtml'> "
        "<div> <svg> <math> <source> </source> <image> </image> <tags> </tags> <category/> </category> </enclosure> "
        "<content\ttype='application/octet-stream'> xml:base='http://[x' xml:base='javascript:x' encoding='punycode' "
        "encoding='undefined' encoding='utf-16' <!ENTITY\ta\t'b'> <!DOCTYPE\tx\t[ <pubDate>0000-99-99T99:99:99</pubDate> "
        "<media:content\turl='x'\twidth='99999999999'/> <media:thumbnail> <itunes:image\thref=''> \x00 \x05 \xff \xfe"
    ).split(" ")
]


def damaged(body: bytes, draw: random.Random) -> bytes:
    for _ in range(draw.randint(1, 8)):
        at = draw.randrange(len(body) + 1)
        end = min(len(body), at + draw.randint(1, 200))
        match draw.randrange(8):
            case 0:
                body = body[:at] + body[end:]
            case 1:
                body = body[:at]
            case 2:
                body = body[:end] + body[at:]
            case _:
                body = body[:at] + draw.choice(STUMBLING_BLOCKS) + body[at:]
    return body


def damage(count: int, seed: int) -> tuple[int, int]:
    draw = random.Random(seed)
    read = refused = 0
    for _ in range(count):
        body = damaged(draw.choice(BODIES), draw)
        try:
            feed = parse_feed(body, feed="f", url="https://x.example/")
        except FeedUnreadable:
            refused += 1
        else:
            read += 1
            assert len(feed.entries) + len(feed.faults) == feed.seen
    return read, refused


def test_a_damaged_feed_is_read_or_refused():
    read, refused = damage(500, 1)
    assert read > refused > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_many_damaged_feeds(seed):
    damage(1000, seed)
