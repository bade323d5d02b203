"""Plain feeds are read as feedparser reads them, and whatever else they hold is left to it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from feedparser.api import StrictFeedParser
from feedparser.datetimes import _parse_date
from feedparser.html import _cp1252
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import FeedUnreadable
from bot.sources.charsets import decode
from bot.sources.plain_dates import plain_time
from bot.sources.plain_feed import NotPlain, read_plain
from bot.sources.plain_fields import MOST_TAGS, SIGNS, Fields
from bot.sources.plain_names import (
    ANY_USERLAND,
    IDLE_TEXTS,
    NAMESPACES,
    OTHER_MODULES,
    OTHER_NAMESPACES,
    REFUSED,
    TAKEN,
    TAKEN_ENDINGS,
    USUAL,
)
from bot.sources.rss import parse_xml, read_by_feedparser, read_raw
from tests.sources.damaging import BODIES, LARGE, damaged, rearranged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bot.sources.parsed import ParsedFeed
    from bot.sources.plain_feed import Raw

SPACES = (
    "xmlns:content='http://purl.org/rss/1.0/modules/content/' xmlns:dc='http://purl.org/dc/elements/1.1/' "
    "xmlns:media='http://search.yahoo.com/mrss/' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' "
    "xmlns:atom='http://www.w3.org/2005/Atom' xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0' "
    "xmlns:dcterms='http://purl.org/dc/terms/' xmlns:georss='http://www.georss.org/georss' "
    "xmlns:creativeCommons='http://backend.userland.com/creativeCommonsRssModule' xmlns:x='urn:x'"
)


def rss(items: str, head: str = "", root: str = "") -> str:
    return f"<rss version='2.0' {SPACES} {root}><channel><title>Harbour</title>{head}{items}</channel></rss>"


def item(inside: str) -> str:
    return rss(f"<item>{inside}</item>")


def atom(entries: str) -> str:
    return f"<feed xmlns='http://www.w3.org/2005/Atom' {SPACES}><title>Harbour</title>{entries}</feed>"


def rdf(items: str) -> str:
    return (
        f"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/' {SPACES}>"
        f"<channel rdf:about='https://harbour.example/'><title>Harbour</title><link>https://harbour.example/</link>"
        f"<items><rdf:Seq><rdf:li rdf:resource='https://harbour.example/1'/></rdf:Seq></items></channel>"
        f"<image rdf:about='x'><title>i</title><url>https://harbour.example/i.png</url><link>/</link></image>{items}</rdf:RDF>"
    )


def entry_by(text: str, raw_of: Callable[[str], Raw]) -> ParsedFeed | str:
    body = text.encode("utf-8", "surrogatepass")
    try:
        return parse_xml(text, feed="f", url="https://feeds.example/f.xml", body=body, raw_of=raw_of)
    except FeedUnreadable as error:
        return str(error)


def how_read(text: str) -> str:
    """Read `text` both ways and see that they agree; return "plain", or why it was left to feedparser."""
    how = ["not XML"]

    def watched(safe: str) -> Raw:
        try:
            raw = read_plain(safe)
        except NotPlain as why:
            how.append(str(why))
            return read_raw(safe)
        how.append("plain")
        return raw

    assert entry_by(text, watched) == entry_by(text, read_by_feedparser)
    return how[-1]


ONE = "<title>A ship</title><link>https://harbour.example/1</link>"


@pytest.mark.parametrize(
    "text",
    [
        rss(""),
        item(ONE),
        item(f"{ONE}<guid>https://harbour.example/g</guid>"),
        item("<title>A</title><guid>https://harbour.example/g</guid>"),
        item("<title>A</title><guid isPermaLink='false'>7</guid>"),
        item("<title>A</title><guid isPermaLink='False'>7</guid>"),
        item("<link></link><title>A</title><guid>https://harbour.example/g</guid>"),
        item("<link>https://a.example/?a=1&amp;amp;b=2&amp;c;=3</link>"),
        item("<link>/relative</link><link href='https://a.example/2'/><link rel='self' href='x'/>"),
        item("<atom:link href='https://a.example/3' type='xhtml'/><atom:link href='' rel='Alternate'/>"),
        item("<title></title><title>B</title>"),
        item("<title>A</title><title>B</title>"),
        item("<media:title>M</media:title><title>T</title>"),
        item("<title>T</title><media:title>M</media:title><dc:title>D</dc:title>"),
        item("<media:group><media:title>M</media:title></media:group><title>T</title>"),
        item("<title>T</title><source url='/s'>S</source><media:title>M</media:title>"),
        item("<title>T</title><image>i</image><media:title>M</media:title>"),
        item("<description>a</description><description>b</description><description>c</description>"),
        item("<content:encoded>e</content:encoded><description>d</description>"),
        item("<description>d</description><content:encoded>&lt;p>e&lt;/p></content:encoded>"),
        item("<description>d</description><media:description>m</media:description>"),
        item(
            "<media:group><media:description>m</media:description></media:group><description>d</description>"
        ),
        item(
            "<description>d</description><content:encoded>e</content:encoded>"
            "<media:content url='u'><media:description>m</media:description></media:content>"
        ),
        item(
            "<itunes:summary>s</itunes:summary><description>d</description><itunes:subtitle>t</itunes:subtitle>"
        ),
        rss(
            "<item><description>a</description><description>b</description></item>",
            "<itunes:summary>s</itunes:summary><description>d</description>",
        ),
        item("<pubDate>Thu, 03 Dec 2026 07:00:00 GMT</pubDate><dc:date>2026-12-03T08:00:00+01:00</dc:date>"),
        item("<pubDate>Thu, 03 Dec 2026 07:00:00 GMT</pubDate><pubDate></pubDate>"),
        item("<category>a</category><category domain='d'>b</category><category/><category>a</category>"),
        item("<category term='t' label='l'/><category term='t'>u</category><dc:subject>v</dc:subject>"),
        item("<media:category>m</media:category><itunes:category text='i'/><keywords>k</keywords>"),
        item("<media:keywords>a, b,,a</media:keywords><itunes:keywords>c,d</itunes:keywords>"),
        item("<media:keywords x='y'>a, b</media:keywords>"),
        item(
            "<enclosure url='https://a.example/p.jpg' type='image/JPEG' length='1'/><enclosure href='/q' type='image/png'/>"
        ),
        item("<media:content url='/p.jpg' medium='image' width='9' height='9'/><media:thumbnail url='/t'/>"),
        item("<media:group><media:content url='/p.jpg' width='640'/><media:thumbnail url='/t'/></media:group>"),
        item("<itunes:image href='https://a.example/c.jpg'/>"),
        item("<feedburner:origLink>https://a.example/o</feedburner:origLink>"),
        item("<author><name>N</name><uri>https://a.example/me</uri><title>Mr</title></author>"),
        item("<x:foo><x:bar a='b'>c</x:bar></x:foo><foo>text <b>bold</b></foo><media:credit>c</media:credit>"),
        item("<x:title>no</x:title><X_Y>z</X_Y><slash:comments xmlns:slash='urn:s'>3</slash:comments>"),
        item("<rights>r</rights><comments>https://a.example/c</comments><dc:creator>c</dc:creator>"),
        item(f"{ONE}<!-- a comment --><?pi?><![CDATA[loose]]>text"),
        item("<title>A<!-- c -->B<![CDATA[ <b>C</b> ]]>&#68;&amp;</title>"),
        item("<title>Гавань — 港 🚢</title><description>naïve café €</description>"),
        item("<title>it\x92s</title><description>cafÃ©</description><guid>Ã¢\x82¬</guid><category>\x81\x80</category>"),
        rss(
            f"<item>{ONE}<guid>7</guid><description>&lt;img src='p.jpg'></description></item>"
            "<item><link href=''/><link/><guid isPermaLink='false'>8</guid><enclosure url='/p' type='image/png'/></item>"
            "<item><link>../2?a=1&amp;b=2#</link><description>d</description><description>e</description></item>",
            "<link>about</link>",
            "xml:base='https://b.example/news/?'",
        ),
        atom("<entry><id>tag:1</id><link href='1'/><content type='html'>&lt;img src='p.jpg'></content></entry>").replace(
            "<feed ", "<feed xml:base='http://b.example/a/b' "
        ),
        item("<TITLE>Loud</TITLE><LINK>https://harbour.example/l</LINK><Guid IsPermaLink='false'>9</Guid>"),
        item("<media_content url='/p.jpg' medium='image'/><dc_date>2026-12-03</dc_date>"),
        rss("", "<link>https://harbour.example/</link><atom:link rel='self' href='https://harbour.example/f'/>"),
        rss(
            "",
            "<image><url>u</url><title>i</title><link>https://i.example/</link></image><title>Late</title>"
            "<textInput><title>s</title><description>d</description><name>n</name><link>/s</link></textInput>",
        ),
        rss("<item/>", "<itunes:category text='a'><itunes:category text='b'/></itunes:category>"),
        rss(
            "<item/>",
            "<ttl>5</ttl><lastBuildDate>whenever</lastBuildDate><skipHours><hour>1</hour></skipHours>",
        ),
        f"<rss {SPACES}><channel/><item>{ONE}</item></rss>",
        "<rss version='0.92'><channel><item><title>old</title></item></channel></rss>",
        "<rss version='2.0' xmlns='http://backend.userland.com/rss2'><channel><item><title>a</title></item></channel></rss>",
        "<rss version='2.0' xmlns:media='https://elsewhere.example/'><channel><item><media:title>a</media:title></item></channel></rss>",
        "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:title>T</a:title><a:id>1</a:id></a:entry></a:feed>",
        "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><entry><title>T</title><issued>2026-12-03</issued></entry></feed>",
        atom("<id>urn:feed</id><link href='https://harbour.example/'/><entry><id>urn:1</id></entry>"),
        atom(
            "<entry><title type='html'>&lt;b>T&lt;/b></title><id>urn:1</id><link href='/1'/><summary>s</summary>"
            "<content type='text'>&lt;i>c&lt;/i></content><updated>2026-12-03T07:00:00.5Z</updated>"
            "<published>2026-12-03T07:00Z</published><category term='t' scheme='s' label='l'/></entry>"
        ),
        atom(
            "<entry><content type='html' xml:lang='en'>c</content><summary type='text'>s</summary>"
            "<source><id>urn:s</id><title>S</title><link href='/s'/><updated>x</updated></source></entry>"
        ),
        atom("<entry><content src='/c' type='text/html'/><link rel='enclosure' href='/e' type='image/png'/></entry>"),
        rdf(f"<item rdf:about='urn:1'>{ONE}<dc:date>2026-12-03T07:00+00:00</dc:date></item>"),
        rdf("<item rdf:about='https://a.example/1'><title>A</title></item><textinput><name>q</name></textinput>"),
    ],
)  # fmt: skip
def test_a_plain_feed_is_read_as_feedparser_reads_it(text: str):
    assert how_read(text) == "plain"


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("not well-formed", item("<title>A & B</title>")),
        ("not well-formed", item("<title>A&nbsp;B</title>")),
        ("not well-formed", rss("<item><title>cut o")),
        ("not well-formed", "<rss version='2.0'><channel><item><y:a/></item></channel></rss>"),
        (
            "a document type",
            "<!DOCTYPE rss [<!ENTITY ship 'vessel'>]>" + item("<title>A &ship;</title>"),
        ),
        ("a base address", rss("", root="xml:base='/relative/'")),
        ("a base address", rss("", root="xml:base='https:///b.example/'")),
        ("a base address", rss("", root="base='https://b.example/'")),
        ("a base address", rss("", root="x:base='https://b.example/'")),
        ("a base address", rss("<item xml:base='https://b.example/'/>")),
        (
            "a base address",
            rss(f"<item>{ONE}</item>", "<ttl xml:base='/a'/>", "xml:base='https://b.example/'"),
        ),
        ("a base address", item("<title>all about xml:base</title>")),
        ("a base address", item("<title base='https://b.example/'>A</title>")),
        ("a strange namespace", rss("", root="xmlns:xlink='http://www.w3.org/1999/xlink'")),
        ("an unknown default namespace", rss("", root="xmlns='urn:own'")),
        ("a prefix with two meanings", rss("", "<x:a xmlns:x='urn:y'/>")),
        (
            "a prefix with two meanings",
            "<rss xmlns:dc='http://search.yahoo.com/mrss/'><channel/></rss>",
        ),
        ("an attribute of another namespace", item("<enclosure x:url='/a' url='/b'/>")),
        ("another root element", "<opml version='2.0' xmlns='http://www.w3.org/2005/Atom'/>"),
        ("a feed within a feed", item(f"{ONE}<feed/>")),
        ("an unusual channel", item(f"<channel/>{ONE}")),
        ("an unusual channel", "<rss><channel href='/'><item><title>a</title></item></channel></rss>"),
        ("an unusual item", item(f"{ONE}<item/>")),
        ("an unusual item", rss("<item lastmod='2026-12-03'/>")),
        ("a source of no item", rss("", "<source>s</source>")),
        (
            "an element outside of channel and items",
            f"<rss version='2.0'><title>A</title><channel><item>{ONE}</item></channel></rss>",
        ),
        (
            "an unusual element in an image, a text input or a source",
            rss("", "<image><guid>1</guid><title>i</title></image>"),
        ),
        ("elements within text", item("<description>a <b>bold</b> word</description>")),
        ("elements within text", item("<rights><b>r</b></rights>")),
        ("a text of another type", atom("<entry><content type='xhtml'><div>a</div></content></entry>")),
        ("a text of another type", atom("<entry><content type='image/png'>AAAA</content></entry>")),
        ("a text of another type", atom("<entry><title mode='base64'>QQ==</title></entry>")),
        (
            "plain text that may be HTML",
            item(
                "<description>d</description><media:content url='/p.jpg' medium='image'/>"
                "<media:description>&lt;i>m&lt;/i></media:description>"
            ),
        ),
        ("three slashes in a link", item("<link>http:///a.example/</link>")),
        (
            "a link that cannot be read",
            rss("<item><link>//[b/</link></item>", "", "xml:base='https://b.example/'"),
        ),
        ("a time in another form", item("<pubDate>3. Dezember 2026</pubDate>")),
        ("a picture's address as text", item("<media:thumbnail>https://a.example/p.jpg</media:thumbnail>")),
        (
            "an origin with attributes",
            item("<feedburner:origLink a='b'>https://a.example/</feedburner:origLink>"),
        ),
        (
            "very many categories",
            item("".join(f"<category>{number}</category>" for number in range(MOST_TAGS + 1))),
        ),
        ("the element links", item("<links>a</links>")),
        ("the element x_detail", item("<x:detail>a</x:detail>")),
        ("the element georss_point", item("<georss:point>1 2</georss:point>")),
        (
            "the element creativecommons_license",
            item("<creativeCommons:license>l</creativeCommons:license>"),
        ),
    ],
)
def test_what_is_not_plain_is_left_to_feedparser(why: str, text: str):
    assert how_read(text) == why


def test_no_entity_is_ever_declared_to_expat():
    bomb = "<!DOCTYPE rss [<!ENTITY a 'aaaaaaaaaa'>]><rss version='2.0'><channel><title>&a;</title></channel></rss>"
    with pytest.raises(NotPlain, match="a document type"):
        read_plain(bomb)


# --- the names ------------------------------------------------------------------------------------------------

IDLE = frozenset(
    # What the installed feedparser makes of these nobody looks at, and it comes in the way of nothing else.
    "author cc_license cloud contributor created dc_author dc_contributor dc_creator "
    "dc_language dc_publisher dcterms_created email expirationdate generator homepage itunes_author itunes_block "
    "itunes_email itunes_explicit itunes_name itunes_owner language managingeditor media_credit media_group name uri url "
    "webmaster".split()
)


def test_every_element_that_feedparser_knows_is_known():
    known = {
        name.removeprefix(start).lower()
        for name in dir(StrictFeedParser)
        for start in ("_start_", "_end_")
        if name.startswith(start)
    }
    followed = set(Fields().elements()) | {"rss", "feed", "channel"}
    kinds = [followed - {"feedburner_origlink"}, set(REFUSED), set(IDLE_TEXTS), set(IDLE)]
    assert sum(map(len, kinds)) == len(set().union(*kinds))
    assert known == set().union(*kinds)
    assert not any(name in TAKEN or name.endswith(TAKEN_ENDINGS) for name in followed)


def test_every_namespace_that_feedparser_knows_is_known():
    theirs = {uri.lower(): prefix.lower() for uri, prefix in StrictFeedParser.namespaces.items()}
    for uri, prefix in theirs.items():
        if prefix in USUAL or not prefix:
            assert NAMESPACES[uri] == prefix, uri
        else:
            assert uri.startswith(OTHER_MODULES) or uri in OTHER_NAMESPACES, uri
    assert set(NAMESPACES) <= set(theirs)
    assert set(OTHER_NAMESPACES) <= set(theirs)
    assert ANY_USERLAND in "http://backend.userland.com/rss091"


def test_the_signs_are_those_that_feedparser_puts_in():
    assert _cp1252 == SIGNS


# --- times ----------------------------------------------------------------------------------------------------

ZONES = st.sampled_from(
    [
        "GMT",
        "Z",
        "UTC",
        "ut",
        "EST",
        "edt",
        "PST",
        "MDT",
        "BST",
        "+0100",
        "-05:30",
        "+00:00",
        "+14:00",
        "",
        "X",
    ]
)


@given(
    st.sampled_from(["Thu, ", "Thu ", "thursday, ", "Do, ", ""]),
    st.integers(0, 32),
    st.sampled_from(["Dec", "oct", "September", "Feb", "Mai", "12"]),
    st.sampled_from(["2026", "26", "0000", "9999", "2024"]),
    st.sampled_from(["07:00:00", "7:00", "23:59:60", "24:00:00", "12:30:00.5", "07:00"]),
    ZONES,
)
def test_a_time_of_mail_is_that_of_feedparser(day, number, month, year, time, zone):
    same_time(f"{day}{number} {month} {year} {time} {zone}".strip())


@given(
    st.sampled_from(["2026-12-03", "2026-02-30", "0001-01-01", "9999-12-31", "2026-1-3", "26-12-03", "20261203"]),
    st.sampled_from(["T", "t", " ", ""]),
    st.sampled_from(["07:00:00", "07:00", "7:00", "23:59:60", "07:00:00.123456", "24:00", ""]),
    ZONES,
)  # fmt: skip
def test_a_time_of_the_web_is_that_of_feedparser(day, letter, time, zone):
    same_time(f"{day}{letter}{time}{zone}")


def same_time(text: str) -> None:
    found = plain_time(text)
    if found is not None:
        assert found == tuple(_parse_date(text))[:6], text


@pytest.mark.parametrize(
    "text",
    ["Thu, 03 Dec 2026 07:00:00 +0100", "3 Dec 2026 7:00 GMT", "2026-12-03T07:00:00Z", "2026-12-03T07:00:00.5+01:00", "2026-12-03"],
)  # fmt: skip
def test_the_usual_times_are_read(text: str):
    assert plain_time(text) == tuple(_parse_date(text))[:6]


# --- feeds made by chance -------------------------------------------------------------------------------------

WORDS = st.text(alphabet=st.sampled_from("ab é€Ж港\u0085\x92&<>;/#?=:.\n\t'\"]"), max_size=12)
ELEMENTS = st.sampled_from(
    [*sorted({name.replace("_", ":", 1) for name in Fields().elements()} - {"item", "entry"}), *sorted(IDLE_TEXTS),
     "x:y", "foo", "author", "name", "media:group", "georss:point"]
)  # fmt: skip
ATTRIBUTES = st.dictionaries(
    st.sampled_from("url href type rel term label scheme domain text isPermaLink width height medium x:url xml:lang".split()),
    st.sampled_from(["", "text", "html", "image/png", "alternate", "Self", "true", "false", "https://a.example/p.jpg", "/r", "9"]),
    max_size=2,
)  # fmt: skip
TIMES = st.sampled_from(["Thu, 03 Dec 2026 07:00:00 GMT", "2026-12-03T07:00:00Z", "2026", ""])


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("]]>", "")


@st.composite
def elements(draw, depth: int = 0) -> str:
    name, attributes = draw(ELEMENTS), draw(ATTRIBUTES)
    given_ = "".join(f' {key}="{value}"' for key, value in attributes.items())
    inside = draw(
        st.one_of(
            WORDS.map(escaped),
            WORDS.map(lambda text: f"<![CDATA[{text.replace(']', '')}]]>"),
            TIMES,
            st.lists(elements(depth + 1), max_size=2).map("".join) if depth < 2 else st.just(""),
        )
    )
    return f"<{name}{given_}>{inside}</{name}>"


@given(st.sampled_from([rss, atom, rdf]), st.lists(elements(), max_size=3), st.lists(elements(), max_size=7))
def test_both_readers_agree_on_any_feed(form, head, inside):
    entry = "entry" if form is atom else "item"
    how_read(
        form(f"{''.join(head)}<{entry}>{''.join(inside)}</{entry}><{entry}>{''.join(inside[:3])}</{entry}>")
    )


# --- real and damaged feeds -----------------------------------------------------------------------------------


def compare(count: int, seed: int, bodies: Sequence[bytes]) -> int:
    """Change `count` feeds and read each both ways; return how many of them were plain."""
    draw = random.Random(seed)
    plain = 0
    for number in range(count):
        change = rearranged if number % 3 else damaged
        plain += how_read(decode(change(draw.choice(bodies), draw))) == "plain"
    return plain


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_both_readers_agree_on_every_bundled_feed(body: bytes):
    how_read(decode(body))


def test_both_readers_agree_on_damaged_feeds():
    assert 10 < compare(100, 1, BODIES) < 90


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_both_readers_agree_on_many_damaged_feeds(seed):
    assert compare(1000, 50 + seed, BODIES) > 100


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("seed", range(6))
def test_both_readers_agree_on_many_damaged_real_feeds(data: Path, seed):
    files = sorted(path for path in (data / "feeds").rglob("*") if path.is_file())
    bodies = [path.read_bytes() for path in files if 0 < path.stat().st_size < LARGE]
    assert compare(1000, 80 + seed, bodies) > 100
