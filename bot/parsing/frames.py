"""What crosses the pipe: frames of bytes with their length before them, which hold JSON or a body.

JSON and no pickles, and every value is checked here: a child that a body has got the better of can send what it likes, and
shall get no further than a wrong title. A feed's name never comes back from it.

    there   {"feed": ..., "url": ..., "content_type": ...}   the body
    back    {"unreadable": ...}, or {"entries": N, ...} and N entries, each a list
"""

from __future__ import annotations

import json
import struct
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from bot.core.model import Entry
from bot.core.pictures import LONGEST_ALT
from bot.core.politeness import DAYS, HOURS, Pace
from bot.sources.bounds import LONGEST_CATEGORY, LONGEST_GUID, LONGEST_TEXT, LONGEST_TITLE, MOST_CATEGORIES
from bot.sources.links import LONGEST as LONGEST_LINK
from bot.sources.links import is_web
from bot.sources.parsed import ITEMS_READ, EntryFault, ParsedFeed

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTH: Final = struct.Struct(">I")

MOST_FRAME: Final = 4 * 2**20
"""Bytes of an answer's frame: an entry whose summary and body are as long as they may be, in characters of four bytes."""

MOST_ANSWER: Final = 16 * 2**20
"""Bytes of a whole answer: all the characters that `sources.bounds` lets pass, and what stands around them."""

LONGEST_WORDS: Final = 2_000
"""Characters of a sentence for a person."""

_SECONDS_OF_A_YEAR_10000: Final = 253_402_300_800


class Nonsense(ValueError):
    """What came is no answer."""


def framed(data: bytes) -> bytes:
    """Return `data` with its length before it."""
    return LENGTH.pack(len(data)) + data


def in_json(value: object) -> bytes:
    """Return `value` as a frame of JSON; halves of characters become question marks."""
    return framed(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))


def from_json(data: bytes) -> Any:
    """Return what the JSON in a frame says; raises Nonsense."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Nonsense("no JSON") from error


def head_of(parsed: ParsedFeed) -> dict[str, object]:
    """Return all of a feed but its entries, as it crosses the pipe."""
    pace = parsed.pace
    return {
        "entries": len(parsed.entries),
        "faults": [[fault.index, fault.what[:LONGEST_WORDS]] for fault in parsed.faults],
        "title": parsed.title,
        "link": parsed.link,
        "format": parsed.format,
        "seen": parsed.seen,
        "flaw": parsed.flaw and parsed.flaw[:LONGEST_WORDS],
        "cut_off": parsed.cut_off,
        "pace": [
            int(pace.wait.total_seconds()) if pace.wait else None,
            sorted(pace.skip_hours),
            sorted(pace.skip_days),
        ],
    }


def fields_of(entry: Entry) -> list[object]:
    """Return an entry as it crosses the pipe."""
    return [
        entry.guid,
        entry.link,
        entry.orig_link,
        entry.title,
        entry.summary,
        entry.body,
        list(entry.categories),
        entry.image,
        entry.image_alt,
        entry.published and int(entry.published.timestamp()),
        entry.updated and int(entry.updated.timestamp()),
    ]


def feed_of(head: Any, entries: Sequence[Entry]) -> ParsedFeed:
    """Return the feed that `head` and `entries` make up; raises Nonsense where a value is not what it should be."""
    try:
        wait, hours, days = head["pace"]
        faults = tuple(
            EntryFault(index=_number(index, 10**9), what=_text(what, LONGEST_WORDS))
            for index, what in head["faults"][: ITEMS_READ + 10]
        )
        return ParsedFeed(
            entries=tuple(entries),
            faults=faults,
            title=_text(head["title"], LONGEST_TITLE),
            link=_link(head["link"]),
            format=_text(head["format"], 40),
            seen=_number(head["seen"], 10**9),
            flaw=None if head["flaw"] is None else _text(head["flaw"], LONGEST_WORDS),
            cut_off=head["cut_off"] is True,
            pace=Pace(
                wait=None if wait is None else timedelta(seconds=_number(wait, 10**11)),
                skip_hours=frozenset(_number(hour, HOURS - 1) for hour in hours[:HOURS]),
                skip_days=frozenset(_number(day, DAYS - 1) for day in days[:DAYS]),
            ),
        )
    except (TypeError, KeyError, ValueError) as error:
        raise Nonsense(f"no feed: {error}") from error


def number_of_entries(head: Any) -> int:
    """Return how many entries follow `head`; raises Nonsense."""
    return _number(head.get("entries") if isinstance(head, dict) else None, ITEMS_READ)


def entry_of(fields: Any, feed: str) -> Entry:
    """Return the entry of `feed` that `fields` are; raises Nonsense where a value is not what it should be."""
    try:
        guid, link, orig_link, title, summary, body, categories, image, alt, published, updated = fields
        return Entry(
            feed=feed,
            guid=None if guid is None else _text(guid, LONGEST_GUID),
            link=_link(link),
            orig_link=_link(orig_link),
            title=_text(title, LONGEST_TITLE),
            summary=_text(summary, LONGEST_TEXT),
            body=_text(body, LONGEST_TEXT),
            categories=tuple(_text(name, LONGEST_CATEGORY) for name in categories[:MOST_CATEGORIES]),
            image=_link(image),
            image_alt=_text(alt, LONGEST_ALT),
            published=_time(published),
            updated=_time(updated),
        )
    except (TypeError, ValueError) as error:
        raise Nonsense(f"no entry: {error}") from error


def words_of(value: object) -> str:
    """Return `value` as words for a person; raises Nonsense where it is no text."""
    return _text(value, LONGEST_WORDS)


def _text(value: object, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise Nonsense("no text, or too long a one")
    value.encode()  # half a character cannot be stored: UnicodeEncodeError, a ValueError
    return value


def _link(value: object) -> str | None:
    if value is None:
        return None
    link = _text(value, LONGEST_LINK + 100)
    if not is_web(link):
        raise Nonsense("no link")
    return link


def _number(value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise Nonsense("no number")
    return value


def _time(value: object) -> datetime | None:
    return (
        None if value is None else datetime.fromtimestamp(_number(value, _SECONDS_OF_A_YEAR_10000 - 1), UTC)
    )
