"""What arrives in place of a feed, in words that tell its owner what to do."""

from __future__ import annotations

import re
from typing import Final

from bot.sources.text import one_line, plain_title

_BINARY: Final = (
    (b"%PDF", "a PDF file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a compressed file"),
    (b"BZh", "a compressed file"),
    (b"\xfd7zXZ", "a compressed file"),
    (b"ID3", "a sound file"),
)
_ELEMENTS: Final = {
    "opml": "a list of feeds (OPML): name one of the feeds in it",
    "urlset": "a sitemap, not a feed: check its address",
    "sitemapindex": "a sitemap, not a feed: check its address",
    "entry": "one Atom entry on its own, not a feed: check its address",
}
_PAGE_TITLE: Final = re.compile(r"<title[^<>]*>([^<]{0,300})", re.IGNORECASE)
_HTML_WORDS: Final = frozenset(
    "body br center div font h1 h2 h3 head img link meta p script span table title".split()
)
_CHALLENGE: Final = re.compile(
    r"/cdn-cgi/challenge-platform/|_cf_chl_opt|_Incapsula_Resource|captcha-delivery\.com|px-captcha|"
    r"/_sec/cp_challenge|/\.within\.website/x/cmd/anubis/"
)

SHOWN: Final = 60
"""Characters of an unknown text that a message repeats."""


def what_it_is(body: bytes, text: str, element: str) -> str:
    """Say what `body` is, since it is no feed.

    Args:
        body: as it was served.
        text: the same, decoded.
        element: its first element, in lower case, "" without one.
    """
    start = text.lstrip()[:2000]
    binary = next((what for magic, what in _BINARY if body.startswith(magic)), None)
    if not start:
        said = "the body is empty: the server may have a fault, or the feed's address is wrong"
    elif binary:
        said = f"this is {binary}, not a feed: check its address"
    elif start[0] in "{[":
        said = "this is JSON, not a feed: check its address"
    elif element == "html" or element in _HTML_WORDS or "<!doctype html" in start.lower():
        said = _of_a_page(text)
    elif element:
        what = _ELEMENTS.get(
            element, f"XML that begins with <{element[:SHOWN]}>, not a feed: check its address"
        )
        said = f"this is {what}"
    else:
        said = f"this is no feed but text that begins {one_line(start)[:SHOWN]!r}: check its address"
    return said


def _of_a_page(text: str) -> str:
    if _CHALLENGE.search(text):
        return "this is a challenge page, not a feed: the feed is blocked by bot protection; ask the site's owner"
    found = _PAGE_TITLE.search(text)
    title = plain_title(found[1])[:SHOWN] if found else ""
    named = f" ({title!r})" if title else ""
    return f"this is a web page{named}, not a feed: look on that site for the address of its feed"
