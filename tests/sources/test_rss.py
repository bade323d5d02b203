"""Feeds of all kinds, each a file in tests/data/feeds with what it shall become beside it in JSON.

`entries` lists the fields that a case is about; a field left out may be anything. `flaw` is a part of what the
parser says, null where the XML is well-formed; `unreadable` is a pattern for what the error says.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.errors import FeedUnreadable
from bot.sources.bounds import LONGEST_TEXT, LONGEST_TITLE, MOST_CHARACTERS
from bot.sources.parsed import ITEMS_READ
from bot.sources.reading import CAP, parse_feed

if TYPE_CHECKING:
    from bot.sources.parsed import ParsedFeed

FEEDS = Path(__file__).parents[1] / "data" / "feeds"
CASES = sorted(FEEDS.glob("*.json"))
CASES = [case for case in CASES if case.with_suffix("").exists() and case.with_suffix("").suffix]
URL = "https://feeds.example/harbour.xml"


def parse(body: bytes, **fields) -> ParsedFeed:
    return parse_feed(body, **{"feed": "harbour", "url": URL} | fields)


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        assert value.tzinfo is UTC
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("case", CASES, ids=[case.name.removesuffix(".json") for case in CASES])
def test_feed(case: Path):
    expected = json.loads(case.read_text(encoding="utf-8"))
    body = case.with_suffix("").read_bytes()
    fields = {"url": expected.get("url", URL), "content_type": expected.get("content_type")}
    if "unreadable" in expected:
        with pytest.raises(FeedUnreadable, match=expected["unreadable"]):
            parse(body, **fields)
        return
    feed = parse(body, **fields)
    for name in ("title", "link", "format", "seen", "cut_off"):
        if name in expected:
            assert getattr(feed, name) == expected[name], name
    if "flaw" in expected:
        assert (expected["flaw"] in feed.flaw) if expected["flaw"] is not None else feed.flaw is None
    assert [fault.index for fault in feed.faults] == expected.get("faults", [])
    assert len(feed.entries) + len(feed.faults) == feed.seen
    assert all(entry.feed == "harbour" for entry in feed.entries)
    entries = [{name: _plain(value) for name, value in asdict(entry).items()} for entry in feed.entries]
    wanted = expected["entries"]
    assert [{n: v for n, v in e.items() if n in w} for e, w in zip(entries, wanted, strict=True)] == wanted


def test_every_case_says_what_it_is_about():
    assert len(CASES) > 50
    assert all(json.loads(case.read_text(encoding="utf-8"))["about"] for case in CASES)


# --- bodies that are made here, for they are large or many ----------------------------------------------------

ITEM = "<item><title>Ship {n}</title><link>https://harbour.example/{n}</link></item>"


def feed_of(items: str, before: str = "") -> bytes:
    return f"{before}<rss version='2.0'><channel><title>t</title>{items}</channel></rss>".encode()


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("\n" * 500_000, id="newlines"),
        pytest.param("<?xml version='1.0'?>" + "\n \t" * 200_000, id="newlines after the declaration"),
        pytest.param("<!DOCTYPE rss [" + "\n" * 300_000 + "]>", id="newlines in the DOCTYPE"),
        pytest.param("<!-- -->" * 5_000, id="comments"),
    ],
)
def test_a_long_empty_prolog_costs_nothing(before):
    began = time.perf_counter()
    assert len(parse(feed_of(ITEM.format(n=1), before)).entries) == 1
    assert time.perf_counter() - began < 1.5


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (feed_of(ITEM, "<!-- x -->" * 10_000), "more than 64 KB"),
        (feed_of(ITEM, "word " * 20_000), "more than 64 KB"),
        (feed_of("&a;" * 20_000, '<!DOCTYPE rss [<!ENTITY a "' + "x" * 2000 + '">]>'), "expand to more"),
        (feed_of(ITEM, '<!DOCTYPE rss [<!ENTITY a "&b;"><!ENTITY b "x">]>'), "entities made of entities"),
        (
            feed_of(ITEM, "<!DOCTYPE rss [<!ENTITY a '&b;&b;'>\n<!ENTITY b '&c;&c;'>\n<!ENTITY c 'x'>]>"),
            "made of",
        ),
        (b"x" * (CAP + 1), "larger than 10 MB"),
        (b"<!--" * 100_000, "no feed"),
        (b"<?" * 100_000, "no feed"),
        (b"<!DOCTYPE a [" + b"<!ENTITY a '" * 50_000, "no feed"),
    ],
    ids=[
        "comments",
        "words",
        "one entity often",
        "two",
        "three",
        "size",
        "comment",
        "instruction",
        "DOCTYPE",
    ],
)
def test_a_trap_is_refused_at_once(body, says):
    began = time.perf_counter()
    with pytest.raises(FeedUnreadable, match=says):
        parse(body)
    assert time.perf_counter() - began < 1.5


@pytest.mark.parametrize("charset", ["utf-16", "utf-32", "utf-16-be", "utf-7", "utf-8-sig"])
def test_a_bomb_does_not_hide_in_another_charset(charset):
    text = (
        "<!DOCTYPE rss [<!ENTITY a '&b;&b;'><!ENTITY b 'x'>]>"
        + feed_of("<item><title>&a;</title></item>").decode()
    )
    declared = f"<?xml version='1.0' encoding='{charset}'?>" + text
    with pytest.raises(FeedUnreadable, match=r"made of entities|no feed"):
        parse(declared.encode(charset))


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 60_000,
        "<!--" * 60_000,
        "<a b='" * 60_000,
        "<p " + " ".join(f"a{n}='>'" for n in range(60_000)) + ">",
        "<script>" * 60_000,
        "&amp;" * 60_000,
        '<p style="' + "url(" * 60_000 + '">',
        "<" * 300_000,
    ],
    ids=lambda value: value[:12],
)
@pytest.mark.parametrize("field", ["title", "description"])
def test_hostile_text_costs_no_more_than_its_length(field, html):
    began = time.perf_counter()
    feed = parse(feed_of(f"<item><{field}><![CDATA[{html}]]></{field}></item>"))
    assert feed.seen == 1
    assert time.perf_counter() - began < 3


@pytest.mark.parametrize("form", ["rss", "feed", "rdf:RDF"])
def test_of_many_items_the_first_are_read(form):
    name = "entry" if form == "feed" else "item"
    items = "".join(f"<{name}><title>Ship {n}</title></{name}>" for n in range(ITEMS_READ + 500))
    spaces = "xmlns='http://www.w3.org/2005/Atom' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
    channel = ("<channel>", "</channel>") if form == "rss" else ("", "")
    feed = parse(f"<{form} version='2.0' {spaces}>{channel[0]}{items}{channel[1]}</{form}>".encode())
    assert [entry.title for entry in feed.entries] == [f"Ship {n}" for n in range(ITEMS_READ)]
    assert (feed.seen, feed.flaw, feed.cut_off) == (ITEMS_READ + 500, None, False)
    assert [fault.what for fault in feed.faults] == ["the feed holds 1500 items; the first 1000 are read"]


def test_items_that_a_text_is_about_are_not_counted_as_the_feeds():
    told = "<![CDATA[" + "<item> " * (ITEMS_READ + 1) + "]]>"
    feed = parse(
        feed_of(ITEM.format(n=1) + f"<item><title>a</title><description>{told}</description></item>")
    )
    assert [entry.title for entry in feed.entries] == ["Ship 1"]


def test_what_is_too_long_is_cut_or_left_out():
    long = "word " * 100_000
    feed = parse(
        feed_of(
            f"<item><title>{long}</title><guid>{long}</guid><description>{long}</description></item>"
            "<item><title>b</title>" + "<category>c</category>" * 300_000 + "</item>"
        )
    )
    first, second = feed.entries
    assert (len(first.title), len(first.summary), first.guid) == (LONGEST_TITLE, LONGEST_TEXT, None)
    assert second.categories == ("c",)


def test_what_is_too_much_altogether_is_left_out_from_the_end():
    text = "word " * 39_000
    feed = parse(
        feed_of(
            "".join(f"<item><title>{n}</title><description>{text}</description></item>" for n in range(20))
        )
    )
    assert [entry.title for entry in feed.entries] == [str(n) for n in range(MOST_CHARACTERS // len(text))]
    assert "more than 2000000 characters" in feed.faults[0].what


def test_every_prefix_of_a_feed_is_a_feed_or_says_why_not():
    """A body may end anywhere; whatever is left, no half entry comes of it."""
    whole = (FEEDS / "rss20_everything.xml").read_bytes()
    complete = parse(whole).entries
    for end in range(0, len(whole), 7):
        try:
            feed = parse(whole[:end])
        except FeedUnreadable:
            continue
        assert feed.seen == len(feed.entries) + len(feed.faults)
        assert all(entry in complete for entry in feed.entries), end
