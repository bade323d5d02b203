"""Feeds made worse: at random, with what parsers stumble over, or element by element, so that they stay well-formed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

FEEDS = Path(__file__).parents[1] / "data" / "feeds"
BODIES = [
    path.read_bytes() for form in ("*.xml", "json_feed*.json", "*.gz") for path in sorted(FEEDS.glob(form))
]

LARGE = 60_000
"""Bytes: eight wounds make no difference to what is larger."""

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


_ELEMENT = re.compile(
    rb"<([\w:]+)(?:\s[^<>]*)?>(?:[^<]|<!\[CDATA\[.{0,5000}?\]\]>)*</\1\s*>|<[\w:]+(?:\s[^<>]*)?/>", re.DOTALL
)
_NAMES = (
    "title link guid description summary content content:encoded media:title media:description media:content "
    "media:thumbnail media:group media:keywords media:category dc:title dc:date dc:subject dc:description itunes:summary "
    "itunes:image itunes:keywords pubDate published updated id category enclosure source image author item entry "
    "atom:link url name foo channel textInput dcterms:modified feedburner:origLink"
).split()
_ATTRIBUTES = (
    "type='text' type='html' type='image/png' isPermaLink='false' rel='self' href='/x' href='http:///x' url='http://u/' "
    "term='t' label='l' scheme='' domain='d' text='cat' xml:lang='en' xml:base='https://b.example/c/' width='5' version='0.91' xmlns:q='urn:q'\tq:url='z'"
).split(" ")


def rearranged(body: bytes, draw: random.Random) -> bytes:
    """Return `body` with some elements told twice, left out, renamed, moved, or given an attribute; as well-formed as it was."""
    if draw.random() < 0.1:
        body = re.sub(
            rb"<(rss|feed|rdf:RDF)(?=[\s>])", rb"<\1 xml:base='https://b.example/c/?'", body, count=1
        )
    for _ in range(draw.randint(1, 5)):
        elements = list(_ELEMENT.finditer(body))
        if not elements:
            return body
        element = draw.choice(elements)
        text, start, end = element[0], element.start(), element.end()
        kind = draw.randrange(5)
        if kind == 0:
            body = body[:start] + body[end:]
        elif kind == 1:
            name = draw.choice(_NAMES).encode()
            text = re.sub(rb"</[\w:]+\s*>$", b"</" + name + b">", re.sub(rb"^<[\w:]+", b"<" + name, text))
            body = body[:start] + text + body[end:]
        elif kind == 2:
            begins = re.match(rb"<[\w:]+", text)
            assert begins
            at = start + begins.end()
            body = body[:at] + b" " + draw.choice(_ATTRIBUTES).encode() + body[at:]
        else:
            if kind == 3:
                body = body[:start] + body[end:]
            places = [found.start() for found in re.finditer(rb"<[a-zA-Z]", body)] or [0]
            at = draw.choice(places)
            body = body[:at] + text + body[at:]
    return body
