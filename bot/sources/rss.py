"""RSS, Atom and RDF to entries: the only place that knows feedparser.

    text -> prolog.harmless -> namespaces -> plain_feed, else feedparser without its sanitizer -> one Entry an item, or a fault

What a person will read is made plain here (`text`, `markup`), links are made absolute (`links`), and nothing is
made up: a time that the feed does not give is None. It fetches nothing, and it judges no entry.
"""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from xml.sax import SAXException, SAXParseException

import feedparser

from bot.core.model import Entry
from bot.errors import FeedUnreadable
from bot.sources.bounds import MOST_CATEGORIES, bounded, bounded_guid, raw_text, raw_title
from bot.sources.captions import caption_of, described_in
from bot.sources.impostors import what_it_is
from bot.sources.links import absolute, is_web
from bot.sources.namespaces import with_usual_namespaces
from bot.sources.pace import read_pace
from bot.sources.parsed import EARLIEST_YEAR, ITEMS_READ, EntryFault, ParsedFeed, too_many
from bot.sources.pictures import choose_picture
from bot.sources.plain_feed import NotPlain, Raw, read_plain
from bot.sources.prolog import element_name, first_items, harmless
from bot.sources.text import plain_title, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from time import struct_time

WITHIN: Final = 64 * 1024
"""Characters of a web page in which a feed may begin, as some servers wrap it; the others are pages."""

_NOWHERE: Final = "https://relative.invalid"
_HERE: Final = "/~/"
"""Where feedparser is told that a feed with `xml:base` comes from: without an address it keeps one item's base for
the next. What it resolves against this is made relative again."""

_A_FEED: Final = re.compile(r"<(?:rss|feed|rdf:RDF)\s[^<>]*(?:version|xmlns)", re.IGNORECASE)

_REPAIRS: Final = (
    # What makes feedparser 6.0.14 raise on feeds mutated with an eye to weak spots. It is taken away only after
    # it has raised, and costs a feed that parses nothing.
    re.compile(
        r"&#(?:[xX][0-9a-fA-F]*|[0-9]*);?"
    ),  # numbers that are no characters: ValueError, UnicodeEncodeError
    re.compile(  # what ends without having begun: KeyError, TypeError
        r"</?(?:(?:georss|gml|geo):|(?:media:(?:player|license|rating|credit|restriction)|textinput|width|height)[\s/>])[^<>]*>?",
        re.IGNORECASE,
    ),
)

_CHARACTER: Final = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 calls a character (production 2)."""

_EMPTY_LINK: Final = re.compile(r"<link>\s*+</link>|<link\s*+/>")
"""With one of these in an item feedparser no longer takes the guid for the link, nor says that it could be one."""

_ITEM_BEGINS: Final = re.compile(r"<(?:[\w-]+:)?(?:item|entry)(?:\s[^<>]*)?>", re.IGNORECASE)
_ITEM_ENDS: Final = re.compile(r"</(?:[\w-]+:)?(?:item|entry)\s*>", re.IGNORECASE)


def holds_feed(text: str) -> bool:
    """Whether a feed in XML begins within `text`, whatever stands before it."""
    return _A_FEED.search(text, 0, WITHIN) is not None


def read_raw(text: str) -> Raw:
    """Read a document as feedparser would: plain feeds, which are nearly all, in a tenth of its time.

    Args:
        text: as `prolog.harmless` returns it.

    Raises:
        FeedUnreadable: feedparser cannot.
    """
    try:
        return read_plain(text)
    except NotPlain:
        return read_by_feedparser(text)


def parse_xml(
    text: str, *, feed: str, url: str, body: bytes, raw_of: Callable[[str], Raw] = read_raw
) -> ParsedFeed:
    """Read a feed in XML, or a web page that may be wrapped around one.

    Args:
        text: the document, decoded.
        feed: the configured name of the source, for the entries.
        url: where it came from; what links are relative to when nothing in the feed says better.
        body: as it was served, to tell what it is when it is no feed.
        raw_of: what reads the XML.

    Raises:
        FeedUnreadable: this is no feed, or a trap; the message says what it looks like.
        MemoryError: it takes more memory than there is.
    """
    name = element_name(text)
    if name in {"", "html"} and not holds_feed(text):
        raise FeedUnreadable(what_it_is(body, text, name))
    safe, number = first_items(with_usual_namespaces(_EMPTY_LINK.sub("", harmless(text))), name, ITEMS_READ)
    raw = raw_of(safe)
    items = raw.entries[:ITEMS_READ]
    seen = number if number > ITEMS_READ else len(raw.entries)
    version, flaw = raw.version, raw.flaw
    if not items and (flaw or not version):
        raise FeedUnreadable(
            f"the XML is broken and holds no item that can be read ({flaw})"
            if version
            else what_it_is(body, text, name)
        )
    page = _given(_text(raw.feed, "link"))
    link = absolute(page, [url]) if page else None
    bases = [base for base in (link, url) if base]
    cut_off = flaw is not None and _is_cut_off(safe)
    is_torn = cut_off and len(raw.entries) <= ITEMS_READ
    entries: list[Entry] = []
    faults: list[EntryFault] = []
    for index, item in enumerate(items):
        if is_torn and index == len(items) - 1:
            faults.append(EntryFault(index=index, what="the feed ends in the middle of it"))
            continue
        try:
            entries.append(_entry(dict(item), feed=feed, bases=bases, atom=version.startswith("atom")))
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever one item holds, the others are read
            faults.append(EntryFault(index=index, what=f"it cannot be read: {type(error).__name__}"))
    if seen > len(items):
        faults.append(too_many(seen))
    return bounded(
        ParsedFeed(
            entries=tuple(entries),
            faults=tuple(faults),
            title=plain_title(raw_title(_text(raw.feed, "title"))),
            link=link,
            format=version,
            seen=seen,
            flaw=flaw,
            cut_off=cut_off,
            pace=read_pace(safe),
        )
    )


def read_by_feedparser(text: str) -> Raw:
    """Read a document as `read_raw` does, by feedparser in any case: the reference.

    Raises:
        FeedUnreadable: it raises whatever is taken away.
    """
    try:
        return _feedparser(text)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - feedparser raises whatever its parts raise; the second try tells
        for pattern in _REPAIRS:
            text = pattern.sub(_unless_harmless, text)
    try:
        return _feedparser(text)
    except MemoryError:
        raise
    except Exception as error:
        raise FeedUnreadable(
            f"the feed is broken in a way that cannot be read ({type(error).__name__})"
        ) from error


def _unless_harmless(found: re.Match[str]) -> str:
    digits = found[0].removeprefix("&#").removesuffix(";")
    try:
        character = chr(int(digits[1:], 16) if digits[:1] in {"x", "X"} else int(digits))
    except (ValueError, OverflowError):
        return " "
    return (
        found[0] if _CHARACTER.fullmatch(character) else " "
    )  # not nothing, for what is left might join to another


def _feedparser(text: str) -> Raw:
    headers = {"content-type": "application/xml; charset=utf-8"}
    if "xml:base" in text:
        headers["content-location"] = f"{_NOWHERE}{_HERE}"
    # BytesIO, for feedparser takes bytes and str for the name of a file or an address first.
    found = feedparser.parse(
        io.BytesIO(text.encode("utf-8", "replace")),
        response_headers=headers,
        sanitize_html=False,
        resolve_relative_uris=False,
    )
    version = str(found.get("version") or "")
    return Raw(entries=found.entries, feed=found.feed, version=version, flaw=_flaw(found))


def _flaw(raw: Any) -> str | None:
    error = raw.get("bozo_exception")
    match error:
        case SAXParseException():
            return f"line {error.getLineNumber()}: {error.getMessage()}"
        case SAXException():
            return str(error.getMessage())
        case _:
            return None  # feedparser's other remarks are on the charset, which is not its concern here


def _is_cut_off(text: str) -> bool:
    began = ended = -1
    for found in _ITEM_BEGINS.finditer(text):
        began = found.start()
    for found in _ITEM_ENDS.finditer(text):
        ended = found.start()
    return began > ended


def _entry(item: dict[str, Any], *, feed: str, bases: Sequence[str], atom: bool) -> Entry:
    contents = {
        value: read_text(raw_text(value), declared_text=atom and kind == "text/plain")
        for part in item.get("content") or ()
        if isinstance(value := part.get("value"), str)
        and _is_text(kind := str(part.get("type") or "text/html"))
    }
    written = _text(item, "summary")
    summary = contents.get(written)  # feedparser copies the content there when there is no summary
    if summary is None:
        summary = read_text(
            raw_text(written), declared_text=atom and _kind(item, "summary_detail") == "text/plain"
        )
    body = max((c.text for c in contents.values()), key=len, default="")
    images = [image for read in (*contents.values(), summary) for image in read.images]
    inner = [
        base
        for part in (*(item.get("content") or ()), item.get("summary_detail"))
        if part and (base := absolute(_given(part.get("base") or ""), bases))
    ]
    orig_link = _text(item, "feedburner_origlink")
    image = choose_picture(item, images, [*inner, *bases])
    guid = _given(_text(item, "id")).strip()
    return Entry(
        feed=feed,
        guid=bounded_guid(guid),
        link=_link(item, guid, bases),
        orig_link=absolute(orig_link, bases) if orig_link else None,
        title=plain_title(
            raw_title(_text(item, "title")),
            declared_text=atom and _kind(item, "title_detail") == "text/plain",
        ),
        summary=summary.text,
        body=body if body != summary.text else "",
        categories=_categories(item),
        image=image,
        image_alt=caption_of(image, images, [*inner, *bases], "" if atom else described_in(item)),
        published=_when(item.get("published_parsed")),
        updated=_when(item.get("updated_parsed")),
    )


def _given(address: str) -> str:
    return address.removeprefix(f"{_NOWHERE}{_HERE}").removeprefix(_NOWHERE)


def _text(source: Mapping[str, Any], key: str) -> str:
    value = source.get(key)
    return value if isinstance(value, str) else ""  # an unknown element with attributes comes as a dict


def _kind(item: Mapping[str, Any], key: str) -> str:
    detail = item.get(key)
    return str(detail.get("type", "")) if isinstance(detail, dict) else ""


def _is_text(kind: str) -> bool:
    return kind.startswith("text/") or "xml" in kind or "html" in kind


def _link(item: Mapping[str, Any], guid: str, bases: Sequence[str]) -> str | None:
    links = [
        part
        for part in item.get("links") or ()
        if isinstance(part, dict) and isinstance(part.get("href"), str)
    ]
    alternates = [_given(part["href"]) for part in links if part.get("rel") == "alternate"]
    written = _given(_text(item, "link"))
    if written == guid and written not in alternates:
        # feedparser put the guid there, which is a link only where it is one by itself
        return absolute(guid) if is_web(guid) else None
    return next((found for link in (written, *alternates) if (found := absolute(link, bases))), None)


def _categories(item: Mapping[str, Any]) -> tuple[str, ...]:
    named = (
        plain_title(raw_title(value))
        for tag in (item.get("tags") or ())[: MOST_CATEGORIES * 2]
        if isinstance(value := tag.get("label") or tag.get("term"), str)
    )
    return tuple(dict.fromkeys(name for name in named if name))


def _when(parsed: struct_time | None) -> datetime | None:
    if parsed is None or parsed[0] < EARLIEST_YEAR:
        return None
    try:
        return datetime(*parsed[:5], min(parsed[5], 59), tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
