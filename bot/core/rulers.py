"""How long a text is, by the rules of each network.

X weighs (see `weighted_length`); Bluesky counts what a person sees, and bytes beside; Mastodon counts code points, with
every link alike and remote names without their servers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import regex

from bot.core.weighted_length import MAX_WEIGHT, Measured, measure, sendable, weigh_plain

BLUESKY_LIMIT: Final = 300
"""Graphemes of a post (lexicon app.bsky.feed.post: maxGraphemes)."""

_BYTES_A_GRAPHEME: Final = 10
"""3,000 bytes stand beside the 300 graphemes (maxLength): a text that has more bytes for each weighs by its bytes."""

MASTODON_LIMIT: Final = 500
MASTODON_URL: Final = 23
"""Mastodon's defaults: characters of a status, and what any link counts."""

_GRAPHEME: Final = regex.compile(r"\X")
_REMOTE: Final = regex.compile(r"(?<![\w/])(@\w+(?:[\w.\-]*\w)?)@[\p{L}\p{N}.\-]+[\p{L}\p{N}]")


class Ruler(Protocol):
    """Measures texts for one destination. Its `limit` is the most that a post may weigh."""

    @property
    def limit(self) -> int:
        """The most that a post may weigh."""
        ...

    def measure(self, text: str) -> Measured:
        """Return what a text weighs, and which links are read in it."""
        ...

    def weigh_plain(self, text: str) -> int:
        """Return what a stretch of a text weighs in which no link is looked for; never more than its parts together."""
        ...


@dataclass(frozen=True, slots=True)
class XRuler:
    """X's own: 280, or more for an account that may."""

    limit: int = MAX_WEIGHT

    def measure(self, text: str) -> Measured:
        """See `Ruler`."""
        return measure(text)

    def weigh_plain(self, text: str) -> int:
        """See `Ruler`."""
        return weigh_plain(text)


@dataclass(frozen=True, slots=True)
class BlueskyRuler:
    """Bluesky's: graphemes or, where they are long, tenths of bytes. Links count as what is shown."""

    limit: int = BLUESKY_LIMIT

    def measure(self, text: str) -> Measured:
        """See `Ruler`."""
        weight = self.weigh_plain(text)
        return Measured(
            weight=weight, valid=0 < weight <= self.limit and sendable(text), urls=measure(text).urls
        )

    def weigh_plain(self, text: str) -> int:
        """See `Ruler`."""
        size = len(text.encode("utf-8", "replace"))
        return max(graphemes(text), -(-size // _BYTES_A_GRAPHEME))


@dataclass(frozen=True, slots=True)
class MastodonRuler:
    """Mastodon's: code points; a link counts `url`, a remote name only what stands before its server."""

    limit: int = MASTODON_LIMIT
    url: int = MASTODON_URL

    def measure(self, text: str) -> Measured:
        """See `Ruler`."""
        urls = measure(text).urls
        written = [url for url in urls if url.url[:4].lower() == "http"]  # a bare domain is plain words there
        weight = self.weigh_plain(text) + sum(self.url - len(url.url) for url in written)
        return Measured(weight=weight, valid=0 < weight <= self.limit and sendable(text), urls=urls)

    def weigh_plain(self, text: str) -> int:
        """See `Ruler`."""
        return len(_REMOTE.sub(r"\1", text))


X_RULER: Final = XRuler()


def graphemes(text: str) -> int:
    """Return how many characters a person sees (extended grapheme clusters, UAX 29): what Bluesky counts."""
    return sum(1 for _ in _GRAPHEME.finditer(text))
