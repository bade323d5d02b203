"""The feed doctor, before servers that are well and servers that are not."""

from __future__ import annotations

import ipaddress
import itertools
from datetime import UTC, datetime, timedelta

import pytest

from bot.examining import Doctor, Examination, items_a_day
from bot.http_client import HttpClient
from bot.sources.collect import Address
from tests.feed_server import Answer, FeedServer, redirect

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
CLIENT = HttpClient(
    user_agent="test", allow=[ipaddress.ip_network("127.0.0.0/8")], read_timeout=2, total_timeout=3
)


@pytest.fixture
def server():
    with FeedServer() as running:
        yield running


def rss(
    *,
    guid: str = "g{n}",
    link: str = "https://news.example/{n}",
    hours: float = 6,
    head: str = "",
    dated: bool = True,
) -> bytes:
    items = "".join(
        f"<item><title>Story number {n}</title><guid>{guid.format(n=n)}</guid><link>{link.format(n=n)}</link>"
        + (
            f"<pubDate>{NOW - n * timedelta(hours=hours):%a, %d %b %Y %H:%M:%S} GMT</pubDate>"
            if dated
            else ""
        )
        + "</item>"
        for n in range(1, 21)
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>Press</title><link>https://news.example/</link>{head}{items}</channel></rss>'.encode()


def examine(url: str) -> Examination:
    waits = []
    doctor = Doctor(client=CLIENT, clock=lambda: NOW, wait=waits.append, price=200_000)
    found = doctor.examine(Address(feed="press", url=url))
    assert all(seconds >= 1 for seconds in waits)
    return found


def said(found: Examination, what: str) -> str:
    return "; ".join(finding.says for finding in found.findings if finding.what == what)


def ill(found: Examination) -> set[str]:
    return {finding.what for finding in found.findings if not finding.is_well}


def test_a_feed_that_is_well_is_told_so_and_priced(server):
    found = examine(
        server.put(
            "/f", rss(head="<ttl>60</ttl>"), etag='"1"', content_type="application/rss+xml; charset=utf-8"
        )
    )
    assert found.readable
    assert ill(found) == {"transport"}
    assert said(found, "format") == "RSS 2.0, 20 items, “Press”"
    assert said(found, "304").startswith("works")
    assert said(found, "guids") == "stable: 20 items kept theirs between two requests"
    assert (
        said(found, "rhythm")
        == "an item every 6.0 h, usually; by itself it is asked every 3.0 h; it asks for 60 min"
    )
    assert found.posts_a_day == pytest.approx(4, abs=0.1)
    assert found.micros_a_month == pytest.approx(4 * 30 * 200_000, rel=0.05)
    assert len(server.log) == 3
    assert server.log[1].headers["if-none-match"] == '"1"'


@pytest.mark.parametrize(
    ("hours_ago", "a_day"),
    [
        ([0.2, 8.5, 16.8, 25.1, 33.4], 24 / 8.3),
        ([24 * n for n in range(1, 11)], 1.0),
        ([*range(2, 60, 2), 24 * 365], 12.0),
        ([1, 2, 3, 4, 5, 6, 24 * 365], None),
        ([0.3, 0.5, 8.8], None),
        ([1, 30], None),
        ([-50, -30, 1, 2, 3], None),
        ([240 + 8 * n for n in range(12)], 8 / ((240 + 64 - 8) / 24)),
        ([], None),
    ],
    ids=[
        "usual",
        "daily",
        "pinned",
        "pinned over a burst",
        "short",
        "two",
        "in the future",
        "silent",
        "undated",
    ],
)
def test_a_forecast_is_made_of_dates_that_span_more_than_a_day(hours_ago, a_day):
    told = items_a_day([NOW - timedelta(hours=hours) for hours in hours_ago], NOW)
    assert told == (None if a_day is None else pytest.approx(a_day, rel=0.01))


def test_a_feed_of_a_few_hours_is_told_no_forecast(server):
    found = examine(server.put("/f", rss(hours=0.5)))
    assert (found.posts_a_day, found.micros_a_month) == (None, None)
    assert said(found, "forecast").startswith("too few to tell")


@pytest.mark.parametrize(
    ("answer", "what", "says"),
    [
        (Answer(body=rss(dated=False)), "dates", "20 of 20 items have none"),
        (Answer(body=rss(hours=-6)), "dates", "20 lie in the future, up to 2026-12-05 12:00 UTC"),
        (Answer(body=rss(hours=0)), "dates", "all items bear one date"),
        (Answer(body=rss(link="/story/{n}")), "links", "20 are relative"),
        (Answer(body=rss(link="")), "links", "20 of 20 items have none"),
        (Answer(body=rss(guid="same")), "guids", "19 are used twice"),
        (Answer(body=rss()), "304", "neither ETag nor Last-Modified"),
        (Answer(body=rss().replace(b"Press", b"Pr\xffss").replace(b'"1.0"', b'"1.0" encoding="utf-8"')), "charset", "says UTF-8 and is not"),
        (Answer(body=rss()[:-200]), "XML", "not well-formed"),
        (Answer(body=rss().replace(b"Press", "Прес".encode()), content_type="text/xml; charset=windows-1251"), "charset", "says cp1251 and is UTF-8"),
    ],
)  # fmt: skip
def test_what_ails_a_feed_is_named(server, answer, what, says):
    found = examine(server.put("/f", answer))
    assert what in ill(found)
    assert says in said(found, what)


def test_a_server_that_ignores_its_own_etag(server):
    etag = (("ETag", '"1"'),)
    found = examine(server.put("/f", rss(), headers=etag))
    assert "does not look at it" in said(found, "304")
    assert len(server.log) == 2, "the second answer was whole: there is no need for a third"


def test_guids_that_change_at_each_request(server):
    number = itertools.count()
    found = examine(server.put("/f", lambda _: Answer(body=rss(guid=f"{next(number)}-{{n}}"))))
    assert "20 of 20 changed between two requests" in said(found, "guids")


@pytest.mark.parametrize(("status", "says"), [(301, "moved for good: put"), (302, "leads to")])
def test_redirects_are_told(server, status, says):
    server.put("/f?key=s3cret", rss(), etag='"1"')
    found = examine(server.put("/old", redirect("/f?key=s3cret", status)))
    assert says in said(found, "redirects")
    assert "s3cret" not in str(found.findings)
    assert ("redirects" in ill(found)) is (status == 301)


def test_the_feed_of_a_web_page_is_found(server):
    page = """<html><head><base href="/blog/"><LINK rel="alternate" type="application/rss+xml" title="Comments" href="comments.xml">
    <link rel='ALTERNATE stylesheet' type='application/atom+xml' href='feed.xml?a=1&amp;b=2' title='All'>
    <link rel="alternate" type="text/html" href="mobile"></head><body>hello</body></html>"""
    server.put("/blog/feed.xml?a=1&b=2", rss(), etag='"1"')
    found = examine(server.put("/", page.encode(), content_type="text/html"))
    assert found.readable
    assert [url.removeprefix(server.url("").rstrip("/")) for url, _ in found.offered] == [
        "/blog/feed.xml?a=1&b=2",
        "/blog/comments.xml",
    ]
    assert "names a feed, and 1 more" in said(found, "address")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer(body=b"<html><body>nothing</body></html>", content_type="text/html"), "web page"),
        (Answer(status=404), "there is no feed at this address"),
        (Answer(body=b""), ""),
    ],
)
def test_what_is_no_feed_is_told_in_words(server, answer, says):
    found = examine(server.put("/f", answer))
    assert not found.readable
    assert says in said(found, "feed")
    assert said(found, "feed")


def test_a_private_address_is_not_reached(server):
    found = examine("http://169.254.169.254/latest/meta-data")
    assert "link-local" in said(found, "feed")
