"""Plain feeds, read by expat alone, with what feedparser would say of them, or not at all.

    text -> expat, with namespaces -> elements by feedparser's names (`plain_names`) -> the fields that `rss` reads (`plain_fields`)

feedparser takes three quarters of the time that reading a feed takes, most of it for what is never looked at. Nearly all feeds are
well-formed and made of few elements, and how feedparser reads these is followed here. Whatever else a feed holds, be it a fault
or only an element of which feedparser does more, makes it `NotPlain`, and feedparser reads it. So nothing about feeds is decided
here: feedparser stays the reference, and `bench/parsing.py` shows that both say the same of thousands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urljoin
from xml.parsers import expat

from bot.sources.links import is_web
from bot.sources.plain_fields import LOOKED_AT, Fields, NotPlain, forget
from bot.sources.plain_names import (
    ANY_USERLAND,
    ATOM_VERSIONS,
    IDLE_TEXTS,
    NAMESPACES,
    NETSCAPE,
    OTHER_MODULES,
    OTHER_NAMESPACES,
    REFUSED,
    RSS_VERSIONS,
    STRANGE_NAMESPACES,
    TAKEN,
    TAKEN_ENDINGS,
    USUAL,
    VERSIONS,
)

if TYPE_CHECKING:
    from bot.sources.plain_fields import Attributes, Begin

__all__ = ["NotPlain", "Raw", "read_plain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """What a document says, as feedparser puts it.

    Attributes:
        entries: with the keys that `rss` and `pictures` read, among others.
        feed: the feed's own, with `title` and `link` where it has them.
        version: "rss20", "atom10", ...; "" when it is no feed.
        flaw: how the XML is not well-formed, in words; None when it is.
    """

    entries: list[dict[str, Any]]
    feed: dict[str, Any]
    version: str
    flaw: str | None = None


def read_plain(text: str) -> Raw:
    """Read a feed in XML.

    Args:
        text: the document as `prolog.harmless` returns it.

    Raises:
        NotPlain: it is no feed, is not well-formed, or holds something that is left to feedparser.
    """
    bases = text.count("xml:base")
    reader = _Reader()
    try:
        reader.parser.Parse(text.encode("utf-8", "replace"), True)  # noqa: FBT003 - it takes no names
    except expat.ExpatError:
        raise NotPlain("not well-formed") from None
    if bases > bool(reader.fields.base):  # feedparser is told of an address where the word stands anywhere
        raise NotPlain("a base address")
    return Raw(entries=reader.fields.entries, feed=reader.fields.feed, version=reader.version)


class _Reader:
    """What expat calls while it reads one document: gives elements and attributes the names that feedparser gives them."""

    def __init__(self) -> None:
        self.version = ""
        self.fields = fields = Fields()
        self._pieces: list[str] = []
        self._elements = fields.elements()
        self._elements["channel"] = self._channel
        self._ends = {
            **dict.fromkeys(("item", "entry"), fields.end_item),
            **dict.fromkeys(("image", "textinput", "source"), fields.end_aside),
            **dict.fromkeys(("channel", "feed"), self._end_channel),
        }
        self._named: dict[str, tuple[str, Begin | None]] = {}  # by expat's names; a feed has few
        self._keys: dict[str, str] = {}
        self._bound: dict[str, str] = {}
        self._prefixes: dict[str, str] = {}
        self.parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.namespace_prefixes = True
        parser.buffer_text = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.StartNamespaceDeclHandler = self._declare
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = _refuse_doctype

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        name = (uri or "").lower()
        if not uri or name in STRANGE_NAMESPACES or len(uri.split()) != 1:
            raise NotPlain("a strange namespace")
        if not self.version:
            self.version = VERSIONS.get(name, "rss090" if not prefix and name == NETSCAPE else "")
        usual = _usual_prefix(name)
        if not prefix:
            if usual is None:
                raise NotPlain("an unknown default namespace")
            return
        self._prefixes.setdefault(uri, prefix)
        low = prefix.lower()
        if self._bound.setdefault(low, uri) != uri or (
            low in USUAL
            and low != usual
            and (usual is not None or name.startswith(OTHER_MODULES) or name in OTHER_NAMESPACES)
        ):
            raise NotPlain("a prefix with two meanings")

    def _name(self, name: str) -> tuple[str, Begin | None]:
        """Return how feedparser calls the element, and what is to be done when it begins."""
        uri, local, *_ = name.split(" ") if " " in name else ("", name)
        prefix = _usual_prefix(uri.lower())
        if prefix is None:
            prefix = self._prefixes[uri]
        called = f"{prefix}_{local}".lower() if prefix else local.lower()
        begin = self._elements.get(called) or (self._idle_text if called in IDLE_TEXTS else None)
        if called in REFUSED or called in TAKEN or called.endswith(TAKEN_ENDINGS):
            raise NotPlain(f"the element {called}")
        self._named[name] = called, begin
        return called, begin

    def _key(self, name: str) -> str:
        """Return how feedparser calls an attribute; "?" for one that it takes for another."""
        uri, local, prefix = (*name.split(" "), "")[:3] if " " in name else ("", name, "")
        key = local.lower()
        usual = _usual_prefix(uri.lower()) if uri else None
        if (key == "base" and (self.fields.depth > 1 or usual != "xml")) or (uri and key.startswith("xmlns")):
            raise NotPlain("a base address")
        if uri:
            key = "?" if not usual and key in LOOKED_AT else f"{usual or prefix.lower()}:{key}"
        self._keys[name] = key
        return key

    def _begin(self, name: str, given: Attributes) -> None:
        fields = self.fields
        within = fields.finish
        if within is not None:
            raise NotPlain("elements within text")
        fields.depth += 1
        called, begin = self._named.get(name) or self._name(name)
        if fields.allowed is not None and called not in fields.allowed:
            raise NotPlain("an unusual element in an image, a text input or a source")
        if fields.depth == 1:
            self._root(called, self._attributes(given))
        elif begin is None:
            for written in given:
                if written not in self._keys:
                    self._key(written)
        else:
            begin(self._attributes(given))
            if fields.finish is not None:
                self._pieces.clear()
                self.parser.CharacterDataHandler = self._pieces.append

    def _attributes(self, given: Attributes) -> Attributes:
        attributes = {}
        for written, value in given.items():
            key = self._keys.get(written) or self._key(written)
            attributes[key] = value.lower() if key in {"rel", "type"} else value
        if "?" in attributes:
            raise NotPlain("an attribute of another namespace")
        return attributes

    def _end(self, name: str) -> None:
        fields = self.fields
        if fields.finish is not None:
            finish, fields.finish = fields.finish, None
            self.parser.CharacterDataHandler = None
            finish("".join(self._pieces).strip())
        else:
            end = self._ends.get(self._named[name][0])
            if end is not None:
                end()
        fields.depth -= 1

    def _root(self, called: str, attributes: Attributes) -> None:
        base = attributes.pop("xml:base", "")
        if base and ("///" in base or not is_web(base)):
            raise NotPlain("a base address")
        self.fields.base = urljoin(base, base)
        said = attributes.get("version", "")
        if called == "rss":
            if not self.version.startswith("rss"):
                self.version = RSS_VERSIONS.get(said) or ("rss20" if said.startswith("2.") else "rss")
        elif called == "feed":
            self.version = self.version or ATOM_VERSIONS.get(said, "atom")
            self.fields.in_feed = True
        elif called != "rdf_rdf" or not self.version:
            raise NotPlain("another root element")
        self.fields.is_atom = self.version.startswith("atom")
        self._elements |= dict.fromkeys(("rss", "feed"), _refuse_root)

    def _channel(self, attributes: Attributes) -> None:
        if self.fields.depth != 2 or "href" in attributes or "lastmod" in attributes:  # noqa: PLR2004 - under the root
            raise NotPlain("an unusual channel")
        self.fields.in_feed = True

    def _end_channel(self) -> None:
        self.fields.in_feed = False

    def _idle_text(self, _: Attributes) -> None:
        self.fields.finish = forget


def _usual_prefix(uri: str) -> str | None:
    """Return the usual prefix of a namespace, given in lower case; None when feedparser reads none of its elements."""
    return "" if ANY_USERLAND in uri else NAMESPACES.get(uri)


def _refuse_doctype(*_: object) -> NoReturn:
    raise NotPlain("a document type")


def _refuse_root(_: Attributes) -> NoReturn:
    raise NotPlain("a feed within a feed")
