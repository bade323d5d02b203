"""X's length of a text: weights by code point, links and emoji by the piece.

Configuration 3 of X's twitter-text: 280 at most, a link 23, an emoji 2, most scripts 1, the others 2; the
text is normalized to NFC first. Every vector of X's own conformance files passes, in time linear in the
text: a feed may carry anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bot.core.emoji_sequences import EMOJI_SEQUENCE, JOINS_EMOJI
from bot.core.normal_forms import nfc
from bot.core.url_grammar import Url, find_urls

MAX_WEIGHT: Final = 280  # config/v3.json: maxWeightedTweetLength
LONGEST_WEIGHT: Final = 25_000  # of accounts with Premium (X's API changelog, 2024-08-20); 280 show at first
URL_WEIGHT: Final = 23  # config/v3.json: transformedURLLength
HEAVY: Final = 2  # config/v3.json: defaultWeight / scale; an emoji weighs the same

# config/v3.json: the ranges of weight 1 are 0-4351, 8192-8205, 8208-8223 and 8242-8247
_HEAVY_RUN: Final = re.compile("[^\u0000-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]++")

# twitter-text: invalidCharsGroup. A lone surrogate cannot be sent at all, as it has no UTF-8.
_NEVER_VALID: Final = re.compile("[\ufffe\ufeff\uffff\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What X makes of a text.

    Attributes:
        weight: X's length, >= 0.
        valid: whether X takes it as a post of the usual length: not empty, at most `MAX_WEIGHT`, and no
            character that X forbids.
        urls: the links that X reads in it, in order, with indices of the text as given.
    """

    weight: int
    valid: bool
    urls: tuple[Url, ...]


def measure(text: str, discount_emoji: bool = True) -> Measured:
    """Measure a text as X does.

    `discount_emoji=False` is X's configuration 2, where an emoji weighs as much as its code points together.
    """
    normal = nfc(text)
    urls = find_urls(normal)
    gaps, at = [], 0
    for url in urls:
        gaps.append(normal[at : url.start])
        at = url.start + len(url.url)
    gaps.append(normal[at:])
    rest = "\n".join(gaps)  # a line break weighs 1, and keeps what it parts from growing into one emoji
    weight = weigh_plain(rest, discount_emoji=discount_emoji) + (URL_WEIGHT - 1) * len(urls)
    return Measured(
        weight=weight,
        valid=0 < weight <= MAX_WEIGHT and sendable(normal),
        urls=urls if normal == text else find_urls(text),
    )


def weigh_plain(text: str, *, discount_emoji: bool = True) -> int:
    """X's length of a text (NFC) in which no link is looked for."""
    emoji = 0
    if discount_emoji and JOINS_EMOJI.search(text):
        text, emoji = EMOJI_SEQUENCE.subn("", text)
    return len(text) + sum(map(len, _HEAVY_RUN.findall(text))) + HEAVY * emoji


def sendable(text: str) -> bool:
    """Whether no character of it is one that X forbids."""
    return _NEVER_VALID.search(text) is None
