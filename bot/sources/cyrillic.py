"""Which of the one-byte charsets of Cyrillic a text is in, told by its letters, for half of what is declared is wrong.

The letters of each charset are the others' letters too, in another order, so that a wrong one reads as words of rare letters and
capitals. Ten letters make up 66 % of Russian, 57 % of Ukrainian and as much of Bulgarian and Serbian; under a wrong charset
they are a third at most, and Greek or Hebrew that is taken for Cyrillic has no more.
"""

from __future__ import annotations

import re
from typing import Final

CHARSETS: Final = ("cp1251", "koi8-u", "iso8859-5", "cp866", "mac-cyrillic")
"""In the order in which feeds use them. koi8-u is koi8-r with the four letters of Ukrainian in place of frames."""

SAMPLE: Final = 256 * 1024
"""Bytes that are looked at."""

_WORD: Final = re.compile(rb"[\x80-\xff]{3,}")
_HIGH: Final = re.compile(rb"[\x80-\xff]+")

_FREQUENT: Final = frozenset("оеаинтсрвл")

_FEWEST: Final = 12
"""Letters, to tell anything from."""

_IN_WORDS: Final = 0.8
"""Of the bytes beyond ASCII so many stand in rows of three and more: in Western languages accents stand alone."""

_SCORE: Final = 0.52
_AHEAD: Final = 0.1
"""A declared charset of Cyrillic is believed unless another is so much better."""


def cyrillic_charset(body: bytes, declared: str | None = None) -> str | None:
    """Return the charset of Cyrillic that `body` is in, None when it seems to hold no Cyrillic, or too little to tell.

    Args:
        body: a document that is not UTF-8.
        declared: the charset that it claims, by Python's name, None when it claims none.
    """
    sample = body[:SAMPLE]
    high = sum(map(len, _HIGH.findall(sample)))
    words = b" ".join(_WORD.findall(sample))
    if high < _FEWEST or len(words.replace(b" ", b"")) < _IN_WORDS * high:
        return None
    scores = {name: _score(words.decode(name, "replace")) for name in CHARSETS}
    best = max(CHARSETS, key=lambda name: scores[name])
    if scores[best] < _SCORE:
        return None
    claimed = "koi8-u" if declared == "koi8-r" else declared
    if claimed in scores and scores[claimed] > scores[best] - _AHEAD:
        return declared
    return best


def _score(text: str) -> float:
    letters = text.replace(" ", "")
    frequent = sum(letter in _FREQUENT for letter in letters)
    capitals = sum(letter.lower() in _FREQUENT for letter in letters) - frequent
    return (frequent + capitals / 2) / len(letters)  # headlines may be all in capitals, texts are not
