"""Unicode's normal forms in time linear in the text: a feed may carry anything.

CPython sorts the marks behind one letter by insertion, so 16,000 of them in disorder take a second. Here long runs of
marks are decomposed and put in canonical order beforehand, which leaves nothing to sort and changes no result.
"""

from __future__ import annotations

import unicodedata
from typing import Final, Literal

import regex

_MARKS: Final = regex.compile(r"\p{M}{32,}+")
_MARKS_AND_HALF_WIDTH: Final = regex.compile("[\\p{M}\uff9e\uff9f]{32,}+")
"""The two half-width kana signs are letters that NFKC makes marks of; there are no others. Shorter runs sort fast."""


def nfc(text: str) -> str:
    """Compose."""
    if unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", _MARKS.sub(_in_canonical_order, text))


def nfd(text: str) -> str:
    """Decompose."""
    return unicodedata.normalize("NFD", _MARKS.sub(_in_canonical_order, text))


def nfkc(text: str) -> str:
    """Put compatibility forms (full width, ligatures) in plain ones, and compose."""
    if unicodedata.is_normalized("NFKC", text):
        return text
    return unicodedata.normalize("NFKC", _MARKS_AND_HALF_WIDTH.sub(_in_plain_order, text))


def _in_canonical_order(marks: regex.Match[str]) -> str:
    return _ordered(marks[0], "NFD")


def _in_plain_order(marks: regex.Match[str]) -> str:
    return _ordered(marks[0], "NFKD")


def _ordered(run: str, form: Literal["NFD", "NFKD"]) -> str:
    ordered: list[str] = []
    pending: list[str] = []
    for mark in "".join([unicodedata.normalize(form, mark) for mark in run]):
        if unicodedata.combining(mark):
            pending.append(mark)
            continue
        ordered += sorted(pending, key=unicodedata.combining)
        ordered.append(mark)
        pending.clear()
    return "".join(ordered + sorted(pending, key=unicodedata.combining))
