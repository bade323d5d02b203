"""What the judges of spam read in a text: runs of characters, words, and signs of advertising. It knows no class."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Final

import Stemmer

HEAD, TAIL = 1_500, 500
"""Characters that are read at the beginning and at the end: what sells says so at once, or puts its link last."""

SHORTEST, LONGEST = 2, 5
"""Lengths of the runs: of 1-5, 2-5, 3-5 and 1-4, by five-fold F1 on an English and a Russian-English set, the best."""

_LONGEST_WORD: Final = 100
_SPACES = re.compile(r"\s+")
_WORDS = re.compile(r"\w+|[^\w\s]")
_LINK = re.compile(r"(?:https?://|www\.)\S|\bt\.me/", re.IGNORECASE)
_NAME = re.compile(r"(?<!\w)@\w{3}")
_NUMBER = re.compile(r"\d{5}")
_MONEY = re.compile(r"[$€£₽]|\bруб", re.IGNORECASE)
_TWO_SCRIPTS = re.compile(r"[a-z][а-яё]|[а-яё][a-z]", re.IGNORECASE)
_LENGTHS = (20, 40, 80, 120, 160, 240, 320)
_MANY_EMOJI = 3
_LOUD = 0.3
_PORTER = Stemmer.Stemmer("porter", 0)
_RUSSIAN = Stemmer.Stemmer("russian", 0)

# Only words that no kind of text prefers: with the engine's long list ("you", "your", "call") F1 fell by .04.
_NOISE = frozenset(
    """
    a an the and or of in on at to is are was were be it this that i my me we our as by with for from
    и в во на с со к ко о об от до по у за из не ни но а же ли бы что это как так то он она оно они мы я
    """.split()
)


def part_read(text: str) -> str:
    """Return the part of a text that is read, at most `HEAD` and `TAIL` characters, on one line."""
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]} {text[-TAIL:]}"
    return _SPACES.sub(" ", text).strip()


def grams(text: str) -> Counter[str]:
    """Count the runs of `SHORTEST` to `LONGEST` characters within words, and the signs, of what is read of a text.

    A word stands between two spaces. Signs begin with a character that no text of a feed holds.
    """
    read = part_read(text)
    found: Counter[str] = Counter(signs(read))
    for word in read.lower().split(" "):
        found.update(_runs(word[:_LONGEST_WORD]))
    return found


@lru_cache(maxsize=20_000)
def _runs(word: str) -> tuple[str, ...]:
    padded = f" {word} "
    size = len(padded)
    runs: list[str] = []
    for length in range(SHORTEST, LONGEST + 1):
        if length >= size:
            runs.append(padded)
            break
        runs += [padded[at : at + length] for at in range(size - length + 1)]
    return tuple(runs)


def signs(text: str) -> list[str]:
    """Return the signs of advertising in a text: links, names, numbers, money, mixed scripts, emoji, capitals, length."""
    found = [
        f"\x01{name}"
        for name, pattern in (
            ("link", _LINK),
            ("name", _NAME),
            ("number", _NUMBER),
            ("money", _MONEY),
            ("two scripts", _TWO_SCRIPTS),
        )
        if pattern.search(text)
    ]
    if not text.isascii():
        emoji = sum(1 for sign in text if sign > "\u2000" and unicodedata.category(sign) == "So")
        found += ["\x01emoji"] * (emoji > 0) + ["\x01many emoji"] * (emoji >= _MANY_EMOJI)
    if sum(map(str.isupper, text)) > _LOUD * len(text):
        found.append("\x01capitals")
    found += [f"\x01{length} characters" for length in _LENGTHS if len(text) >= length]
    return found


def spam_words(text: str) -> list[str]:
    """Return the words of what is read of a text, noise words out, stemmed; a punctuation mark is a word."""
    read = part_read(text).lower().replace("ё", "е")
    return [_stem(word) for word in _WORDS.findall(read) if word not in _NOISE]


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    if len(word) > _LONGEST_WORD:
        return word[:_LONGEST_WORD]
    if "a" <= word[0] <= "z":
        return str(_PORTER.stemWord(word))
    return str(_RUSSIAN.stemWord(word)) if "\u0400" <= word[0] < "\u0530" else word
