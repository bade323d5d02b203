"""A text as an array of word hashes, runs of them, and the keys by which texts meet.

    text -> plain -> lower case, ё as е -> words -> 32-bit hashes, the lowest bit says "a number"
         -> runs of `width` words, hashed -> the set that resemblance is counted over
         -> runs of five, the 32 smallest hashes -> keys

No word is left out and none is stemmed unless the caller asks: of long texts the runs are what tells, and the
figures are then those of any other program that counts runs of words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash
from numpy.typing import NDArray

from bot.core.bodies import words_of
from bot.core.canonize import plain

if TYPE_CHECKING:
    from bot.archive.model import Document

Hashes = NDArray[np.uint32]

KEY_WIDTH: Final = 5
"""Words of a key's run. Two texts with half of their three-word runs in common share runs of five: a change in every
fifth word leaves a resemblance of .25. Runs of three are shared by all texts on a topic."""
KEYS: Final = 32
"""Keys of a text. Of two texts that share .35 of their runs of five, none of 32 in common has a chance of one in a
million; two that share .05, as a quotation does, meet in .8 of all cases."""

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_HALF: Final = np.uint64(32)
_MOST_WORDS_REMEMBERED: Final = 400_000


class _Remembered(dict[str, int]):
    """The hash of each word; forgotten all at once when there are too many."""

    def __missing__(self, word: str) -> int:
        if len(self) > _MOST_WORDS_REMEMBERED:
            self.clear()
        hashed = (
            xxhash.xxh32_intdigest(word.encode("utf-8", "surrogatepass")) & 0xFFFFFFFE | word[0].isdigit()
        )
        self[word] = hashed
        return hashed


_HASH = _Remembered()


def words_of_document(document: Document) -> list[str]:
    """Give the words of title and text in lower case, in order; a title that begins the text counts once."""
    title, text = document.title.strip(), document.text
    if title and not text.lstrip().startswith(title):
        text = f"{title}\n{text}"
    return words_of_text(text)


def words_of_text(text: str) -> list[str]:
    """Give the words of a text in lower case, in order."""
    return words_of(plain(text).casefold().replace("ё", "е"))


def hashed(words: list[str], stop_words: frozenset[str] = frozenset()) -> Hashes:
    """Give the hash of each word that is no stop word; a text of stop words alone keeps them."""
    if stop_words:
        words = [word for word in words if word not in stop_words] or words
    return np.fromiter(map(_HASH.__getitem__, words), dtype=np.uint32, count=len(words))


def runs(words: Hashes, width: int) -> NDArray[np.uint64]:
    """Give a 64-bit hash of each run of `width` words, in order; a shorter text is one run, an empty one none.

    So two texts shorter than a shingle resemble each other wholly or not at all.
    """
    if not len(words):
        return np.empty(0, dtype=np.uint64)
    span = min(width, len(words))
    count = len(words) - span + 1
    mixed = np.zeros(count, dtype=np.uint64)
    for at, factor in enumerate(_factors(span)):
        mixed += words[at : at + count] * factor
    mixed ^= mixed >> _HALF
    mixed *= _GOLDEN
    return mixed ^ mixed >> _HALF


@lru_cache(maxsize=64)
def _factors(count: int) -> tuple[np.uint64, ...]:
    return tuple(np.uint64(xxhash.xxh3_64_intdigest(f"place {at}".encode()) | 1) for at in range(count))


def smallest(hashes: NDArray[Any], most: int) -> Hashes:
    """Give the distinct upper halves of 64-bit hashes, the `most` smallest, rising."""
    kept = (hashes >> _HALF).astype(np.uint32)
    if len(kept) > 4 * most:
        kept = kept[kept <= np.partition(kept, 2 * most)[2 * most]]
    return np.unique(kept)[:most]


def numbers_in(words: Hashes) -> frozenset[int]:
    """Give the hashes of the words that are numbers."""
    return frozenset(words[words & np.uint32(1) == 1].tolist())


def slots_of(words: Hashes) -> dict[tuple[int, int], tuple[int, ...]]:
    """Give the numbers that stand between two words, by the hashes of those; 0 where the text begins or ends."""
    places = np.flatnonzero(words & np.uint32(1)).tolist()
    slots: dict[tuple[int, int], tuple[int, ...]] = {}
    at = 0
    while at < len(places):
        end = at + 1
        while end < len(places) and places[end] == places[end - 1] + 1:
            end += 1
        first, last = places[at], places[end - 1]
        before = int(words[first - 1]) if first else 0
        after = int(words[last + 1]) if last + 1 < len(words) else 0
        slots[before, after] = tuple(words[first : last + 1].tolist())
        at = end
    return slots
