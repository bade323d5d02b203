"""What in a text is a link or a hashtag, as Bluesky wants to be told: by places counted in UTF-8 bytes.

Source: the lexicon app.bsky.richtext.facet. A text means nothing by itself there: what no facet names is plain words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import regex

from bot.core.rulers import graphemes
from bot.core.url_grammar import find_urls
from bot.core.x_entities import find_hashtags

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_TAG: Final = 64
"""Graphemes of a tag (and 640 bytes), without its sign."""

_LONGEST_TAG_BYTES: Final = 640
_PROTOCOL: Final = regex.compile(r"https?://", regex.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A stretch of a text that leads somewhere.

    Attributes:
        start, end: in bytes of the text's UTF-8, the end exclusive.
        kind: of what.
        value: the address of a link, with its protocol; the words of a tag without its sign.
    """

    start: int
    end: int
    kind: Literal["link", "tag"]
    value: str


def facets_of(text: str, links: Iterable[str] = ()) -> tuple[Facet, ...]:
    """Return the links and hashtags of a text in order, none within another.

    `links` are known to stand in it, each from its protocol to its end; others are found where their domain is a
    public one.
    """
    found: list[tuple[int, int, Literal["link", "tag"], str]] = []
    for link in sorted(set(links), key=len, reverse=True):
        at = text.find(link)
        if at >= 0 and not _overlaps(at, at + len(link), found):
            found.append((at, at + len(link), "link", link))
    for url in find_urls(text):
        start, end = url.indices
        if not _overlaps(start, end, found):
            found.append((start, end, "link", url.url if _PROTOCOL.match(url.url) else f"https://{url.url}"))
    for start, end in find_hashtags(text):
        words = text[start + 1 : end]
        if _fits(words) and not _overlaps(start, end, found):
            found.append((start, end, "tag", words))
    facets = []
    at = in_bytes = 0
    for start, end, kind, value in sorted(found):
        in_bytes += len(text[at:start].encode())
        begins = in_bytes
        in_bytes += len(text[start:end].encode())
        at = end
        facets.append(Facet(start=begins, end=in_bytes, kind=kind, value=value))
    return tuple(facets)


def _overlaps(start: int, end: int, others: Iterable[tuple[int, int, str, str]]) -> bool:
    return any(start < other_end and other_start < end for other_start, other_end, _, _ in others)


def _fits(words: str) -> bool:
    return len(words.encode()) <= _LONGEST_TAG_BYTES and graphemes(words) <= LONGEST_TAG
