"""Bodies that are made to hurt a reader of feeds: too much, too deep, without end, wrongly declared, or plain nonsense.

Each is built when it is asked for, the same every time. `SIZE` scales those that grow; the largest are near the 10 MB
that the HTTP door takes, for what is larger never gets this far.
"""

from __future__ import annotations

import gzip
import json
import random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

MOST: Final = 9_900_000

ITEM: Final = "<item><title>Ship {n}</title><link>https://harbour.example/{n}</link><guid>{n}</guid></item>"


def rss(items: str, *, before: str = "", head: str = "", attributes: str = "") -> bytes:
    return f"{before}<rss version='2.0'{attributes}><channel><title>t</title>{head}{items}</channel></rss>".encode()


def item(**fields: str) -> str:
    return "<item>" + "".join(f"<{n}>{v}</{n}>" for n, v in fields.items()) + "</item>"


def html(text: str) -> bytes:
    return rss(item(title="one", description=f"<![CDATA[{text}]]>"))


def filled(piece: str, size: int = MOST) -> str:
    return piece * (size // len(piece.encode()))


def laughs(*, sep: str, levels: int = 10, name: str = "l") -> bytes:
    entities = "".join(
        f'<!ENTITY {name}{n} "{f"&{name}{n - 1};" * 10 if n else "ha"}">{sep}' for n in range(levels)
    )
    return rss(
        f"<item><title>&{name}{levels - 1};</title></item>",
        before=f"<?xml version='1.0'?>{sep}<!DOCTYPE rss [{entities}]>{sep}",
    )


def noise(size: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(size)


def spliced(seed: int) -> bytes:
    """A small feed with noise pushed into it in a hundred places."""
    draw = random.Random(seed)
    body = bytearray(rss("".join(ITEM.format(n=n) for n in range(50))))
    for _ in range(100):
        at = draw.randrange(len(body))
        body[at:at] = draw.randbytes(draw.randint(1, 20))
    return bytes(body)


def deep_json(depth: int) -> bytes:
    start = '{"version":"https://jsonfeed.org/version/1.1","title":"t","items":'
    return (start + "[" * depth + "]" * depth + "}").encode()


def json_feed(items: list[object], **fields: object) -> bytes:
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": items} | fields
    return json.dumps(feed).encode()


BODIES: Final[dict[str, Callable[[], bytes]]] = {
    # entities and DTDs
    "laughs, on lines of their own": lambda: laughs(sep="\n"),
    "laughs, on one line": lambda: laughs(sep=""),
    "laughs in UTF-16": lambda: laughs(sep="").decode().encode("utf-16"),
    "laughs in UTF-32": lambda: laughs(sep="").decode().encode("utf-32"),
    "laughs behind a comment": lambda: b"<!-- <rss> -->" + laughs(sep=""),
    "laughs behind spaces": lambda: b" " * 100_000 + laughs(sep=""),
    "one large entity, often": lambda: rss(
        item(title="&a;" * 2000), before=f"<!DOCTYPE rss [<!ENTITY a '{'x' * 100_000}'>]>"
    ),
    "one small entity, very often": lambda: rss(
        item(title=filled("&a;", 3_000_000)), before="<!DOCTYPE rss [<!ENTITY a 'xxxxxxxxxxxxxxxx'>]>"
    ),
    "an entity of itself": lambda: rss(
        item(title="&a;"), before="<!DOCTYPE rss [<!ENTITY a '&b;'><!ENTITY b '&a;'>]>"
    ),
    "parameter entities": lambda: rss(
        item(title="x"), before="<!DOCTYPE rss [<!ENTITY % a 'x'><!ENTITY % b '%a;%a;%a;'>%b;]>"
    ),
    "an external entity": lambda: rss(
        item(title="&e;"), before="<!DOCTYPE rss [<!ENTITY e SYSTEM 'file:///etc/hostname'>]>"
    ),
    "an external DTD": lambda: rss(
        item(title="x"), before="<!DOCTYPE rss SYSTEM 'http://127.0.0.1:9/x.dtd'>"
    ),
    "100,000 entities": lambda: rss(
        item(title="&e1;"),
        before="<!DOCTYPE rss [" + "".join(f"<!ENTITY e{n} 'v'>" for n in range(100_000)) + "]>",
    ),
    "100,000 attribute lists": lambda: rss(
        item(title="x"),
        before="<!DOCTYPE rss [" + "".join(f"<!ATTLIST rss a{n} CDATA 'v'>" for n in range(100_000)) + "]>",
    ),
    "undefined entities": lambda: rss(item(title=filled("&foo;", 2_000_000))),
    "references to no characters": lambda: rss(
        item(title="&#x110000; &#XD800; &#0; &#99999999999; &#x; &#; " * 2000)
    ),
    # white space and prologs
    "20 KB of newlines": lambda: rss(ITEM.format(n=1), before="\n" * 20_000),
    "9 MB of newlines": lambda: rss(ITEM.format(n=1), before="\n" * 9_000_000),
    "newlines of every kind": lambda: rss(ITEM.format(n=1), before="\r\n\t \x85\u2028" * 500_000),
    "comments without end": lambda: b"<!--" * 2_000_000,
    "instructions without end": lambda: b"<?x " * 2_000_000,
    "DOCTYPEs without end": lambda: b"<!DOCTYPE a [" * 700_000,
    "comments before": lambda: rss(ITEM.format(n=1), before="<!-- <a -->" * 500_000),
    "spaces within items": lambda: rss((ITEM.format(n=1) + " " * 90_000) * 100),
    # size and number
    "10 MB of items": lambda: rss("".join(ITEM.format(n=n) for n in range(100_000))),
    "1 million tiny items": lambda: rss(filled("<item/>")),
    "tiny items that are not closed": lambda: rss(filled("<item>", 6_000_000)),
    "tiny entries of Atom": lambda: (
        b"<feed xmlns='http://www.w3.org/2005/Atom'>" + b"<entry/>" * 1_200_000 + b"</feed>"
    ),
    "one text of 9 MB": lambda: rss(item(title="one", description="x" * 9_800_000)),
    "one title of 9 MB": lambda: rss(item(title="word " * 1_900_000)),
    "one text of 9 MB in wide characters": lambda: rss(
        item(title="one", description="\U0001f6a2" * 2_400_000)
    ),
    "as much text as is taken": lambda: rss(
        "".join(item(title=str(n), description="\U0001f6a2" * 190_000) for n in range(11))
    ),
    "one link of 9 MB": lambda: rss(item(title="one", link="https://harbour.example/" + "x" * 9_800_000)),
    "one guid of 9 MB": lambda: rss(item(title="one", guid="x" * 9_800_000)),
    "300,000 categories": lambda: rss(item(title="one", category="x</category><category>" * 300_000)),
    "300,000 links": lambda: rss(item(title="one", link="https://a.example/</link><link>" * 300_000)),
    "100,000 enclosures": lambda: rss(
        "<item><title>one</title>"
        + "<enclosure url='http://a.example/b' type='image/png'/>" * 100_000
        + "</item>"
    ),
    "100,000 pictures": lambda: html("<img src='https://a.example/b.png'>" * 100_000),
    "a fault in each of 100,000 items": lambda: rss("<item><pubDate>x&</pubDate></item>" * 100_000),
    "one character too many": lambda: b"x" * 10_000_001,
    # attributes and names
    "10,000 attributes": lambda: rss("<item " + " ".join(f"a{n}='v'" for n in range(10_000)) + "/>"),
    "100,000 attributes": lambda: rss("<item " + " ".join(f"a{n}='v'" for n in range(100_000)) + "/>"),
    "700,000 attributes": lambda: rss("<item " + " ".join(f"a{n}='v'" for n in range(700_000)) + "/>"),
    "one attribute, 100,000 times": lambda: rss("<item " + "a='v' " * 100_000 + "/>"),
    "50,000 namespaces": lambda: rss(
        ITEM.format(n=1), attributes="".join(f" xmlns:a{n}='http://n.example/{n}'" for n in range(50_000))
    ),
    "an attribute of 9 MB": lambda: rss(f"<item a='{'x' * 9_800_000}'/>"),
    "an attribute without end": lambda: rss("<item a='" + "x" * 9_800_000),
    "a name of 9 MB": lambda: rss(f"<{'x' * 9_800_000}/>"),
    "a prefix of 4 MB, unbound": lambda: rss(f"<{'x' * 4_000_000}:a/>"),
    "100,000 unbound prefixes": lambda: rss("".join(f"<p{n}:a>b</p{n}:a>" for n in range(100_000))),
    # depth
    "100,000 elements deep": lambda: rss("<a>" * 100_000 + "</a>" * 100_000),
    "1,400,000 elements deep": lambda: rss("<a>" * 1_400_000 + "</a>" * 1_400_000),
    "3 million elements deep, not closed": lambda: rss("<a>" * 3_000_000),
    "xhtml 100,000 deep": lambda: (
        b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'>"
        + b"<div xmlns='http://www.w3.org/1999/xhtml'>" * 100_000
        + b"</div>" * 100_000
        + b"</content></entry></feed>"
    ),
    "items in items": lambda: rss("<item>" * 100_000 + "</item>" * 100_000),
    "channels in channels": lambda: rss("<channel>" * 100_000),
    "xml:base, 50,000 deep": lambda: rss("<a xml:base='b/'>" * 50_000 + "</a>" * 50_000),
    "xml:lang, 50,000 deep": lambda: rss("<a xml:lang='b'>" * 50_000 + "</a>" * 50_000),
    # HTML in texts
    "HTML 100,000 deep": lambda: html("<div>" * 100_000 + "</div>" * 100_000),
    "HTML comments without end": lambda: html("<!--" * 2_000_000),
    "HTML attributes without end": lambda: html("<a b='" * 1_500_000),
    "CSS of brackets": lambda: html('<p style="' + "url(" * 1_000_000 + '">'),
    "ampersands": lambda: html("&" * 9_000_000),
    "brackets": lambda: html("<" * 9_000_000),
    "scripts without end": lambda: html("<script>" * 1_000_000),
    "escapes of escapes": lambda: html("&amp;" * 1_800_000),
    "CDATA in CDATA": lambda: html("<![CDATA[" * 1_000_000),
    "a title of tags": lambda: rss(item(title="<![CDATA[" + "<b>" * 1_000_000 + "</b>" * 1_000_000 + "]]>")),
    "accents on one letter": lambda: rss(item(title="a" + "\u0301\u0323" * 1_000_000)),
    # values that parsers look into
    "an author without end": lambda: rss(item(title="one", author="a@a" + ".a" * 16_000 + "!")),
    "an author of at signs": lambda: rss(item(title="one", author="@" * 1_000_000)),
    "an author of brackets": lambda: rss(item(title="one", author="(" * 1_000_000)),
    "a date of digits": lambda: rss(item(title="one", pubDate="1" * 1_000_000)),
    "a date of words": lambda: rss(item(title="one", pubDate="Mon, " * 200_000)),
    "a date of signs": lambda: rss(item(title="one", pubDate="2026-01-01T00:00:00" + "+00:00" * 100_000)),
    "100,000 dates": lambda: rss("<item><pubDate>0000-99-99T99:99:99Z</pubDate></item>" * 100_000),
    "places": lambda: rss("<item><georss:point>1 2</georss:point></gml:pos></item>" * 20_000),
    "a polygon of 9 MB": lambda: rss(
        item(**{"georss:polygon": "1.0 " * 2_000_000}),
        attributes=" xmlns:georss='http://www.georss.org/georss'",
    ),
    "keywords": lambda: rss(
        item(**{"itunes:keywords": "a," * 1_000_000}),
        attributes=" xmlns:itunes='http://www.itunes.com/DTDs/Podcast-1.0.dtd'",
    ),
    "base64 of 9 MB": lambda: (
        b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='application/octet-stream'>"
        + b"QUJD" * 2_000_000
        + b"</content></entry></feed>"
    ),
    "chunks of CDATA": lambda: rss(item(title="one", description="<![CDATA[x]]>" * 700_000)),
    "characters by number": lambda: rss(item(title="one", description="&#120;" * 1_500_000)),
    # charsets and bytes
    "NULs": lambda: b"\x00" * 9_000_000,
    "NULs between": lambda: rss(ITEM.format(n=1)).replace(b"i", b"i\x00"),
    "noise": lambda: noise(5_000_000, 1),
    "noise in a feed": lambda: spliced(2),
    "punycode": lambda: b"<?xml version='1.0' encoding='punycode'?>" + rss(ITEM.format(n=1)),
    "undefined": lambda: b"<?xml version='1.0' encoding='undefined'?>" + rss(ITEM.format(n=1)),
    "UTF-7": lambda: b"<?xml version='1.0' encoding='utf-7'?>+ADw-rss+AD4-" + rss(ITEM.format(n=1)),
    "idna": lambda: b"<?xml version='1.0' encoding='idna'?>" + rss(item(title="x." * 1_000_000 + "\xe9")),
    "a charset without end": lambda: b"<?xml version='1.0' encoding='" + b"x" * 9_000_000,
    "UTF-16 with an odd byte": lambda: rss(ITEM.format(n=1)).decode().encode("utf-16") + b"x",
    "Cyrillic noise": lambda: b"<?xml version='1.0'?><rss>" + bytes(range(128, 256)) * 70_000,
    # what is no feed
    "nothing": lambda: b"",
    "a web page of 9 MB": lambda: b"<html><head><title>Shop</title></head><body>" + b"<p>words</p>" * 800_000,
    "a web page with feeds in it": lambda: b"<html>" + b"<rss version='2.0'><channel><item>" * 250_000,
    "9 MB of words": lambda: b"word " * 1_900_000,
    "a gzip bomb": lambda: gzip.compress(b"<rss version='2.0'>" + b"\x00" * 200_000_000, 9),
    "a gzip bomb in a gzip bomb": lambda: gzip.compress(gzip.compress(b" " * 200_000_000, 9), 9),
    "a torn gzip": lambda: gzip.compress(rss("".join(ITEM.format(n=n) for n in range(5000))))[:-2000],
    "a lying gzip": lambda: b"\x1f\x8b\x08\x00" + noise(1_000_000, 3),
    # JSON
    "JSON 4 million deep": lambda: deep_json(4_000_000),
    "JSON brackets": lambda: b"[" * 9_000_000,
    "JSON braces": lambda: b'{"a":' * 1_800_000,
    "a JSON Feed of 300,000 items": lambda: json_feed([{"id": n} for n in range(300_000)]),
    "a JSON Feed of numbers": lambda: (
        b'{"version":"https://jsonfeed.org/version/1","items":[' + b"1e999," * 1_500_000 + b"1]}"
    ),
    "a JSON Feed with a number without end": lambda: (
        b'{"version":"https://jsonfeed.org/version/1","items":[{"id":' + b"9" * 9_000_000 + b"}]}"
    ),
    "a JSON Feed of halves of characters": lambda: json_feed(
        [{"id": "\ud83d" * 1000, "title": "\udc00" * 300_000}]
    ),
    "a JSON Feed of everything but items": lambda: json_feed([None, 1, "x", [], True, {}] * 100_000),
    "a JSON Feed with wrong types": lambda: json_feed(
        [{"id": {"a": 1}, "url": [1], "title": 5, "tags": {"x": "y"}, "image": 7, "date_published": [2026]}]
        * 500,
        home_page_url=[],
    ),
    "a JSON Feed of one text": lambda: json_feed([{"id": "1", "content_html": "<b>" * 3_000_000}]),
    "a JSON Feed that is cut off": lambda: json_feed([{"id": str(n)} for n in range(1000)])[:-500],
}
"""By name; at least the 64 of the measurements that the guards were designed from, and others of their kinds."""
