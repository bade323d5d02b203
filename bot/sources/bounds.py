"""How much of a feed is taken: what is longer is data, or a trap, and would have to be judged and kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.core.pictures import LONGEST_ALT
from bot.sources.parsed import EntryFault

if TYPE_CHECKING:
    from bot.core.model import Entry
    from bot.sources.parsed import ParsedFeed

# Of 11,500 entries of 549 real bodies the longest title has 250 characters, the longest text 108,000, the longest guid
# 205, the most categories are 29 and the longest of them has 126 characters; the largest body has 594,000 in all.
LONGEST_TITLE: Final = 10_000
LONGEST_TEXT: Final = 200_000
LONGEST_GUID: Final = 4_096
LONGEST_CATEGORY: Final = 500
MOST_CATEGORIES: Final = 100
MOST_CHARACTERS: Final = 2_000_000
"""Of all entries of one body together."""

_MARKUP: Final = 10
"""Times as many characters are read, for tags and escapes take most of some texts."""


def raw_title(raw: str) -> str:
    """Return as much of a title, before it is made plain, as is looked at."""
    return raw[: LONGEST_TITLE * _MARKUP]


def raw_text(raw: str) -> str:
    """Return as much of a text, before it is made plain, as is looked at."""
    return raw[: LONGEST_TEXT * _MARKUP]


def bounded_guid(guid: str) -> str | None:
    """Return `guid` in characters that can be stored, None when there is none or it is too long to be one."""
    return guid.encode("utf-8", "replace").decode() if 0 < len(guid) <= LONGEST_GUID else None


def bounded(parsed: ParsedFeed) -> ParsedFeed:
    """Cut every part to its bound, and leave out the entries at the end that do not fit all together."""
    left = MOST_CHARACTERS
    entries: list[Entry] = []
    for entry in map(_bounded_entry, parsed.entries):
        left -= len(entry.title) + len(entry.summary) + len(entry.body)
        if left < 0:
            what = f"the texts of the feed have more than {MOST_CHARACTERS} characters; those from here on are not read"
            fault = EntryFault(index=len(entries), what=what)
            return replace(parsed, entries=tuple(entries), faults=(*parsed.faults, fault))
        entries.append(entry)
    return replace(parsed, entries=tuple(entries), title=parsed.title[:LONGEST_TITLE])


def _bounded_entry(entry: Entry) -> Entry:
    if (
        len(entry.title) <= LONGEST_TITLE
        and len(entry.summary) <= LONGEST_TEXT
        and len(entry.body) <= LONGEST_TEXT
        and len(entry.image_alt) <= LONGEST_ALT
        and len(entry.categories) <= MOST_CATEGORIES
        and all(len(name) <= LONGEST_CATEGORY for name in entry.categories)
    ):
        return entry
    return replace(
        entry,
        title=entry.title[:LONGEST_TITLE],
        summary=entry.summary[:LONGEST_TEXT],
        body=entry.body[:LONGEST_TEXT],
        image_alt=entry.image_alt[:LONGEST_ALT],
        categories=tuple(c for c in entry.categories[:MOST_CATEGORIES] if len(c) <= LONGEST_CATEGORY),
    )
