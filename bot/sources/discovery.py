"""The feeds that a web page names in its head."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

from bot.sources.links import absolute

READ: Final = 128 * 1024
"""Characters of a page that are read: its head stands at the top."""

MOST: Final = 20

_TYPES: Final = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"}
)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, str]] = []
        self.base: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "base" and self.base is None:
            self.base = given.get("href")
        kind = given.get("type", "").partition(";")[0].strip().lower()
        if tag == "link" and "alternate" in given.get("rel", "").lower().split() and kind in _TYPES:
            self.found.append((given.get("href", ""), " ".join(given.get("title", "").split())))


def feeds_of_page(text: str, url: str) -> list[tuple[str, str]]:
    """Return the addresses and titles of the feeds that the page `text` at `url` names, in its order, each once.

    Feeds of comments come last: they are named by most pages and wanted by few.
    """
    parser = _Links()
    parser.feed(text[:READ])
    bases = [base for base in (absolute(parser.base, [url]) if parser.base else None, url) if base]
    found: dict[str, str] = {}
    for href, title in parser.found:
        address = absolute(href, bases) if href else None
        if address:
            found.setdefault(address, title)
    ordered = sorted(found.items(), key=lambda one: bool(re.search(r"comment", " ".join(one), re.IGNORECASE)))
    return ordered[:MOST]
