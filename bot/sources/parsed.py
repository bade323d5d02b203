"""What comes of a body, whatever its format: values, and no reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from bot.core.politeness import ANY_PACE, Pace

if TYPE_CHECKING:
    from bot.core.model import Entry

ITEMS_READ: Final = 1_000
"""Items of one body that are read, from the top. The largest of 26 newsrooms' feeds holds 191, a podcast's whole
catalogue some hundreds; 100,000 would occupy the one judging thread for minutes."""


EARLIEST_YEAR: Final = 1990
"""The Web began in 1991. What is older is a clock that stood at zero, or a two-digit year gone wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFault:
    """An item that could not be used.

    Attributes:
        index: its place among the items of the feed, from 0.
        what: what is wrong with it, in words.
    """

    index: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFeed:
    """What a feed says now.

    Attributes:
        entries: in the feed's order; perhaps none.
        faults: items that are no entries, in the feed's order; `len(entries) + len(faults) == seen`.
        title: one plain line, "" when absent.
        link: the feed's page, absolute http(s), None when absent.
        format: as feedparser names it ("rss20", "atom10"), "" when it did not know.
        seen: how many items the parser saw.
        flaw: how the XML is not well-formed, in words; None when it is.
        cut_off: the feed ends in the middle of an item, which is then among the faults. What the server said of
            this body (ETag) should not be kept: the whole one would never be asked for.
        pace: how often it wants to be asked.
    """

    entries: tuple[Entry, ...] = ()
    faults: tuple[EntryFault, ...] = ()
    title: str = ""
    link: str | None = None
    format: str = ""
    seen: int = 0
    flaw: str | None = None
    cut_off: bool = False
    pace: Pace = ANY_PACE


class Parse(Protocol):
    """Reads a body: `reading.parse_feed` itself, or the child process that calls it."""

    def __call__(self, body: bytes, *, feed: str, url: str, content_type: str | None = None) -> ParsedFeed:
        """As `reading.parse_feed`."""
        ...


def too_many(seen: int) -> EntryFault:
    """Say that a feed holds more than is read."""
    return EntryFault(index=ITEMS_READ, what=f"the feed holds {seen} items; the first {ITEMS_READ} are read")
