"""What the elements of a feed say, step by step as feedparser takes it: which replaces which, and which is taken for another.

feedparser does not look at where an element stands, only at whether an entry is open, how deep it is, and what came before. So
does this. An element of which feedparser does more than is followed here raises `NotPlain`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from bot.sources.plain_dates import plain_time

if TYPE_CHECKING:
    from collections.abc import Callable

    Attributes = dict[str, str]
    Begin = Callable[[Attributes], None]
    Finish = Callable[[str], None]

MOST_TAGS: Final = 300
"""Of one entry: each is compared with all before it."""

LOOKED_AT: Final = frozenset(
    # The attributes that are read below, by elements of every kind.
    "domain height href ispermalink label lastmod medium mode rel scheme term text type uri url version width".split()
)

_ASIDE: Final = {
    # What may stand in these, for with another element feedparser forgets that it is in there.
    "image": frozenset("title link description url width height".split()),
    "textinput": frozenset("title link description name".split()),
    "source": frozenset(
        "author category contributor email generator icon id link logo name rights subtitle title updated uri".split()
    ),
}
_TYPES: Final = {
    "text": "text/plain",
    "plain": "text/plain",
    "html": "text/html",
    "xhtml": "application/xhtml+xml",
}
_PLAIN_TYPES: Final = frozenset({"text/plain", "text/html"})
_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})

_C1: Final = re.compile("[\x80-\x9f]")
SIGNS: Final = {
    number: bytes([number]).decode("cp1252")
    for number in range(0x80, 0xA0)
    if number not in b"\x81\x8d\x8f\x90\x9d"
}
"""What windows-1252 has in place of these controls; five of them it leaves free."""

_LIKE_HTML: Final = re.compile(r"</\w+>|&#?\w+;")
"""Without one of these feedparser takes no plain text for HTML."""
_SEMICOLON: Final = re.compile("&([A-Za-z0-9_]+);")
_ITUNES: Final = "http://www.itunes.com/"
_MEDIA: Final = "http://search.yahoo.com/mrss/category_schema"


class NotPlain(Exception):
    """The feed is for feedparser; the message says why, in few words that bear counting."""


class Fields:
    """The fields of one document, while it is read.

    Attributes:
        entries, feed: as feedparser puts them, with the keys that `rss` and `pictures` read, and some others.
        finish: what takes the text of the element that is open, which may hold nothing else; None between such.
        allowed: the elements that may come, None when any may.
        depth: of the element that is open, 1 for the root.
        in_feed: a channel is open, or Atom's `feed`.
        base: the address that others are relative to, as the root element says, "" where it does not.
        is_atom: what says of itself that it is plain text is no HTML.
    """

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.feed: dict[str, Any] = {}
        self.finish: Finish | None = None
        self.allowed: frozenset[str] | None = None
        self.depth = 0
        self.in_feed = False
        self.base = ""
        self.is_atom = False
        self._entry: dict[str, Any] | None = None
        self._at = self.feed  # or the entry, or what is read of an image and thrown away
        self._depths: dict[str, int] = {}
        self._title_depth = -1
        self._has_content = False

    def elements(self) -> dict[str, Begin]:
        """Return what is to be done when an element begins, by its name."""
        title, description, summary = self._title, partial(self._summary, kind="text/html"), self._summary
        category, time, item = self._category, self._time, self._begin_item
        published, updated = partial(time, key="published_parsed"), partial(time, key="updated_parsed")
        return {
            **dict.fromkeys(("item", "entry"), item),
            **{name: partial(self._begin_aside, name) for name in _ASIDE},
            **dict.fromkeys(("title", "dc_title"), title),
            "media_title": partial(title, counts=False),
            **dict.fromkeys(("description", "dc_description", "media_description"), description),
            **dict.fromkeys(
                ("summary", "itunes_summary"), partial(summary, kind="text/plain", is_summary=True)
            ),
            "content": self._content,
            "content_encoded": partial(self._content, kind="text/html"),
            "link": self._link,
            **dict.fromkeys(("guid", "id"), self._guid),
            **dict.fromkeys(("published", "pubdate", "issued", "dcterms_issued"), published),
            **dict.fromkeys(("updated", "modified", "lastbuilddate", "dc_date", "dcterms_modified"), updated),
            "enclosure": self._enclosure,
            "media_content": partial(self._append, "media_content"),
            "media_thumbnail": self._thumbnail,
            **dict.fromkeys(("itunes_image", "itunes_link"), self._itunes_image),
            "feedburner_origlink": self._origin,
            **dict.fromkeys(("category", "keywords", "dc_subject"), category),
            "media_category": partial(category, scheme=_MEDIA),
            "itunes_category": self._itunes_category,
            "media_keywords": partial(self._keywords, scheme=None),
            "itunes_keywords": partial(self._keywords, scheme=_ITUNES),
        }

    # What holds elements

    def _begin_item(self, attributes: Attributes) -> None:
        if self._entry is not None or "href" in attributes or "lastmod" in attributes:
            raise NotPlain("an unusual item")
        self._at = self._entry = {"id": about} if (about := attributes.get("rdf:about")) else {}
        self.entries.append(self._entry)
        self._depths = {}
        self._title_depth = -1

    def end_item(self) -> None:
        """Close an entry."""
        self._entry, self._at = None, self.feed
        self._has_content = False

    def _begin_aside(self, name: str, _: Attributes) -> None:
        if self._entry is None and name == "source":
            raise NotPlain("a source of no item")
        self.allowed = _ASIDE[name] if self._entry is None or name == "source" else frozenset()
        self._at = {}
        self._title_depth = -1

    def end_aside(self) -> None:
        """Close an image, a text input or a source."""
        self.allowed = None
        self._at = self.feed if self._entry is None else self._entry

    # What holds text

    def _keep(self, key: str, value: str, kind: str | None = None) -> None:
        """Keep a field. In an entry what lies deeper replaces nothing, but for the type."""
        if self._at is not self._entry:
            self._at[key] = value
            return
        if kind:
            self._at[f"{key}_detail"] = {"type": kind, "base": self.base}
        if self.depth <= self._depths.get(key, self.depth):
            self._depths[key] = self.depth
            self._at[key] = value

    def _title(self, attributes: Attributes, *, counts: bool = True) -> None:
        self._belongs()
        self.finish = partial(self._end_title, kind=_kind(attributes, "text/plain"), counts=counts)

    def _end_title(self, text: str, *, kind: str, counts: bool) -> None:
        value = _mended(text)
        if not -1 < self._title_depth <= self.depth:
            self._keep("title", value, kind)
        if value and counts:
            self._title_depth = self.depth

    def _summary(self, attributes: Attributes, *, kind: str, is_summary: bool = False) -> None:
        self._belongs()
        if "summary" in self._at and not self._has_content:
            self._content(attributes)
        elif is_summary or self._at is self._entry:
            self.finish = partial(self._end_summary, kind=_kind(attributes, kind))
        else:
            _kind(attributes, kind)
            self.finish = forget  # a feed's own is never looked at

    def _end_summary(self, text: str, *, kind: str) -> None:
        self._keep("summary", _mended(text), kind)

    def _content(self, attributes: Attributes, *, kind: str = "text/plain") -> None:
        self._belongs()
        self._has_content = True
        self.finish = partial(self._end_content, kind=_kind(attributes, kind))

    def _end_content(self, text: str, *, kind: str) -> None:
        value = _mended(text)
        if kind == "text/plain" and not self.is_atom and _LIKE_HTML.search(text):
            raise NotPlain("plain text that may be HTML")
        self._append("content", {"type": kind, "base": self.base, "value": value})
        self._at.setdefault("summary", value)

    def _guid(self, attributes: Attributes) -> None:
        self._belongs()
        self.finish = partial(self._end_guid, is_link=attributes.get("ispermalink", "true") == "true")

    def _end_guid(self, text: str, *, is_link: bool) -> None:
        value = _mended(self._resolved(text) if is_link and text else text)
        self._keep("id", value)
        if is_link:
            self._at.setdefault("link", value)

    def _time(self, _: Attributes, *, key: str) -> None:
        self.finish = partial(self._end_time, key=key)

    def _end_time(self, text: str, *, key: str) -> None:
        if self._at is self._entry:
            self._at[key] = time = plain_time(text)
            if text and time is None:
                raise NotPlain("a time in another form")

    def _origin(self, attributes: Attributes) -> None:
        if attributes:
            raise NotPlain("an origin with attributes")
        self.finish = self._end_origin

    def _end_origin(self, text: str) -> None:
        self._keep("feedburner_origlink", _mended(text))

    # Links and pictures

    def _link(self, attributes: Attributes) -> None:
        self._belongs()
        rel = attributes.setdefault("rel", "alternate")
        kind = attributes.setdefault("type", "application/atom+xml" if rel == "self" else "text/html")
        self._append("links", _with_href(attributes))
        if "href" not in attributes:
            self.finish = self._end_link
            return
        attributes["href"] = href = self._resolved(attributes["href"])
        if rel == "alternate" and _TYPES.get(kind, kind) in _HTML_TYPES:
            self._at["link"] = href

    def _end_link(self, text: str) -> None:
        value = _mended(self._resolved(text) if text else text)
        if self._at is self._entry:
            value = value.replace("&amp;", "&")
        self._at["link"] = value = _SEMICOLON.sub(r"&\1", value)
        if value:
            self._at["links"][-1]["href"] = value

    def _enclosure(self, attributes: Attributes) -> None:
        self._append("links", _with_href(attributes) | {"rel": "enclosure"})

    def _thumbnail(self, attributes: Attributes) -> None:
        self._append("media_thumbnail", attributes)
        self.finish = _no_text

    def _itunes_image(self, attributes: Attributes) -> None:
        href = attributes.get("href") or attributes.get("url")
        if href and self._at is self._entry:
            self._at["image"] = {"href": href}

    # Categories

    def _category(self, attributes: Attributes, *, scheme: str | None = None) -> None:
        scheme = attributes.get("scheme", scheme or attributes.get("domain"))
        self._tag_and_text(attributes.get("term"), scheme, attributes.get("label"))

    def _itunes_category(self, attributes: Attributes) -> None:
        self._tag_and_text(attributes.get("text"), _ITUNES, None)

    def _tag_and_text(self, *tag: str | None) -> None:
        if self._at is self._entry:  # those of a podcast's channel lie within each other
            self._tag(*tag)
            self.finish = self._end_category

    def _end_category(self, text: str) -> None:
        value = _mended(text)
        tags = self._at["tags"]
        if value and tags and not tags[-1]["term"]:
            tags[-1]["term"] = value
        else:
            self._tag(value)

    def _keywords(self, attributes: Attributes, *, scheme: str | None) -> None:
        if not attributes:
            self.finish = partial(self._end_keywords, scheme=scheme)

    def _end_keywords(self, text: str, *, scheme: str | None) -> None:
        for term in _mended(text).split(","):
            if term.strip():
                self._tag(term.strip(), scheme)

    def _tag(self, term: str | None, scheme: str | None = None, label: str | None = None) -> None:
        tags = self._at.setdefault("tags", [])
        tag = {"term": term, "scheme": scheme, "label": label}
        if (term or scheme or label) and tag not in tags:
            if len(tags) >= MOST_TAGS:
                raise NotPlain("very many categories")
            tags.append(tag)

    def _resolved(self, link: str) -> str:
        if "///" in link:
            raise NotPlain("three slashes in a link")
        try:
            return urljoin(self.base, link) if self.base else link
        except ValueError:
            raise NotPlain("a link that cannot be read") from None

    def _append(self, key: str, what: dict[str, str]) -> None:
        self._at.setdefault(key, []).append(what)

    def _belongs(self) -> None:
        if not self.in_feed and self._entry is None and self.allowed is None:
            raise NotPlain("an element outside of channel and items")


def _kind(attributes: Attributes, usual: str) -> str:
    kind = attributes.get("type", usual)
    kind = _TYPES.get(kind, kind)
    if kind not in _PLAIN_TYPES or "mode" in attributes:
        raise NotPlain("a text of another type")
    return kind


def _mended(text: str) -> str:
    """Return `text` as feedparser mends it: what was encoded twice, and signs of windows-1252 among those of Latin-1."""
    if not text.isascii():
        with suppress(UnicodeError):
            text = text.encode("latin-1").decode("utf-8")
        if _C1.search(text):
            return text.translate(SIGNS)
    return text


def forget(_: str) -> None:
    """Take a text that is not looked at."""


def _no_text(text: str) -> None:
    if text:
        raise NotPlain("a picture's address as text")


def _with_href(attributes: Attributes) -> Attributes:
    href = attributes.get("url", attributes.get("uri", attributes.get("href")))
    if href:
        attributes.pop("url", None)
        attributes.pop("uri", None)
        attributes["href"] = href
    return attributes
