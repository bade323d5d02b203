"""JSON Feed 1.0 and 1.1 (jsonfeed.org) to entries. feedparser 6 does not know it.

Read as it is found, not as it is specified: numbers stand for ids, one author or tag for a list of them, and control
characters within strings are let pass. An item that is no object is a fault; a member of the wrong type is not there.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from bot.core.model import Entry
from bot.errors import FeedUnreadable
from bot.sources.bounds import bounded, bounded_guid, raw_text, raw_title
from bot.sources.captions import caption_of
from bot.sources.impostors import what_it_is
from bot.sources.links import absolute, is_web
from bot.sources.parsed import EARLIEST_YEAR, ITEMS_READ, EntryFault, ParsedFeed, too_many
from bot.sources.pictures import choose_picture
from bot.sources.text import plain_title, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_VERSION: Final = re.compile(r"https?://(?:www\.)?jsonfeed\.org/version/(\d+(?:\.\d+)?)/?", re.IGNORECASE)


class _Number(str):
    """A number as it was written: some are longer than Python turns into one, and ids are words anyway."""

    __slots__ = ()


LONGEST_ID: Final = 40
"""Digits of an id that is a number."""


def is_json(text: str) -> bool:
    """Whether `text` begins as JSON does and XML does not."""
    return text[:1000].lstrip()[:1] in {"{", "["}


def parse_json(text: str, *, feed: str, url: str, body: bytes) -> ParsedFeed:
    """Read a JSON Feed.

    Args:
        text: the document, decoded.
        feed: the configured name of the source, for the entries.
        url: where it came from; what links are relative to.
        body: as it was served, to tell what it is when it is no feed.

    Raises:
        FeedUnreadable: this is other JSON, or broken.
    """
    try:
        document = json.loads(
            text, strict=False, parse_float=_Number, parse_int=_Number, parse_constant=_Number
        )
    except (ValueError, RecursionError) as error:
        if _VERSION.search(text, 0, 4096):
            where = f" (line {error.lineno}: {error.msg})" if isinstance(error, json.JSONDecodeError) else ""
            raise FeedUnreadable(f"this is a JSON Feed that is broken or cut off{where}") from error
        raise FeedUnreadable(what_it_is(body, text, "")) from error
    version = _version(document)
    if version is None:
        raise FeedUnreadable(what_it_is(body, text, ""))
    items = document["items"]
    page = document.get("home_page_url")
    link = absolute(page, [url]) if isinstance(page, str) and page else None
    bases = [base for base in (link, url) if base]
    entries: list[Entry] = []
    faults: list[EntryFault] = []
    for index, item in enumerate(items[:ITEMS_READ]):
        if isinstance(item, dict):
            entries.append(_entry(item, feed=feed, bases=bases))
        else:
            faults.append(EntryFault(index=index, what="it is no object"))
    if len(items) > ITEMS_READ:
        faults.append(too_many(len(items)))
    return bounded(
        ParsedFeed(
            entries=tuple(entries),
            faults=tuple(faults),
            title=plain_title(raw_title(_text(document, "title")), declared_text=True),
            link=link,
            format=f"json{version.replace('.', '') or ''}",
            seen=len(items),
        )
    )


def _version(document: object) -> str | None:
    """Return which version it is, "" when it looks like a feed and does not say; None when it is none."""
    if not isinstance(document, dict) or not isinstance(document.get("items"), list):
        return None
    said = document.get("version")
    if isinstance(said, str) and (found := _VERSION.fullmatch(said.strip())):
        return found[1]
    return "" if any(isinstance(document.get(key), str) for key in ("home_page_url", "feed_url")) else None


def _entry(item: Mapping[str, Any], *, feed: str, bases: Sequence[str]) -> Entry:
    html = read_text(raw_text(_text(item, "content_html")))
    plain = read_text(raw_text(_text(item, "content_text")), declared_text=True)
    content = html if html.text else plain
    summary = read_text(raw_text(_text(item, "summary")), declared_text=True).text
    guid = _id(item)
    links = [_text(item, key) for key in ("url", "external_url")]
    if is_web(guid):
        links.append(guid)
    pictures = [{"src": picture} for key in ("image", "banner_image") if (picture := _text(item, key))]
    images = [*pictures, *_attached(item), *html.images]
    image = choose_picture({}, images, bases)
    return Entry(
        feed=feed,
        guid=bounded_guid(guid),
        link=next((found for link in links if link and (found := absolute(link, bases))), None),
        title=plain_title(raw_title(_text(item, "title")), declared_text=True),
        summary=summary or content.text,
        body=content.text if summary and content.text != summary else "",
        categories=_tags(item.get("tags")),
        image=image,
        image_alt=caption_of(image, images, bases),
        published=_when(item.get("date_published")),
        updated=_when(item.get("date_modified")),
    )


def _id(item: Mapping[str, Any]) -> str:
    value = item.get("id")
    if isinstance(value, _Number):
        return str(value)[:LONGEST_ID]
    return value.strip() if isinstance(value, str) else ""


def _text(source: Mapping[str, Any], key: str) -> str:
    value = source.get(key)
    return value if isinstance(value, str) and not isinstance(value, _Number) else ""


def _attached(item: Mapping[str, Any]) -> list[dict[str, str]]:
    attachments = item.get("attachments")
    return [
        {"src": address, "alt": _text(part, "title")}
        for part in (attachments if isinstance(attachments, list) else [])[:20]
        if isinstance(part, dict)
        and str(part.get("mime_type", "")).startswith("image/")
        and (address := _text(part, "url"))
    ]


def _tags(value: object) -> tuple[str, ...]:
    tags = value if isinstance(value, list) else [value]
    named = (plain_title(raw_title(tag), declared_text=True) for tag in tags if isinstance(tag, str))
    return tuple(dict.fromkeys(name for name in named if name))


def _when(value: object) -> datetime | None:
    """Read a time as RFC 3339 writes it; without a zone it is taken for UTC."""
    try:
        found = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
        if found is None or found.year < EARLIEST_YEAR:
            return None
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        return None
