"""What in a text acts on X: mentions, hashtags and cashtags, by the grammar of X's twitter-text 3.1.0.

Only places are given; what to do about them is `wording`'s. A sign inside a link is part of the link: whoever
asks for both lets the link win, as X does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

Span = tuple[int, int]
"""Where an entity begins (its sign) and ends (exclusive), in code points."""

# twitter-text: latinAccentChars, hashtagSpecialChars, spacesGroup, punct
_LATIN: Final = (
    r"\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0253\u0254\u0256\u0257\u0259\u025b\u0263\u0268\u026f\u0272"
    r"\u0289\u028b\u02bb\u0300-\u036f\u1e00-\u1eff"
)
_TAG_SPECIAL: Final = (
    r"_\u200c\u200d\ua67e\u05be\u05f3\u05f4\uff5e\u301c\u309b\u309c\u30a0\u30fb\u3003\u0f0b\u0f0c\u00b7"
)
_SPACES: Final = r"\t-\r \u0085\u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_PUNCT: Final = r"!'#%&()*+,\\\-./:;<=>?@\[\]^_{|}~$"

TAG_CHARACTER: Final = rf"[\p{{L}}\p{{M}}\p{{Nd}}{_TAG_SPECIAL}]"
"""A character that a hashtag may hold, for use in a `regex` pattern."""

_MENTION: Final = regex.compile(
    r"(?:(?<![A-Za-z0-9_!#$%&*@＠])|(?<=(?<![A-Za-z0-9_+~.\-])[Rr][Tt]:?))"
    r"[@＠][A-Za-z0-9_]{1,20}+(?:/[A-Za-z][A-Za-z0-9_\-]{0,24})?+"
    rf"(?![@＠{_LATIN}]|://)"
)
_HASHTAG: Final = regex.compile(
    rf"(?:(?<=[\ufe0e\ufe0f])|(?<!{TAG_CHARACTER}|&))[#＃](?![\ufe0f\u20e3])({TAG_CHARACTER}++)(?![#＃]|://)"
)
_LETTER: Final = regex.compile(r"[\p{L}\p{M}]")
_CASHTAG: Final = regex.compile(
    rf"(?:(?<=[{_SPACES}])|\A)\$[A-Za-z]{{1,6}}(?:[._][A-Za-z]{{1,2}})?(?=\Z|[\s{_PUNCT}])"
)


def find_mentions(text: str) -> Iterator[Span]:
    """Find the names (and lists) that X would link and notify."""
    for match in _MENTION.finditer(text):
        yield match.span()


def find_hashtags(text: str) -> Iterator[Span]:
    """Find the words that X would make hashtags; one without a letter is none."""
    for match in _HASHTAG.finditer(text):
        if _LETTER.search(match[1]):
            yield match.span()


def find_cashtags(text: str) -> Iterator[Span]:
    """Find the symbols that X would make cashtags."""
    for match in _CASHTAG.finditer(text):
        yield match.span()
