"""How alike two texts are, by every measure that was named for it, and which passages they share. Pure.

A text is a sequence of words here, or of whatever stands for them; every measure is 0-1 and 1 for a text against
itself, if it has a word. Texts without a word are like nothing, so nothing is divided by zero.
"""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

from bot.core.classic import cosine

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    Words = Sequence[Hashable]

WIDTH: Final = 3
"""Words of a shingle where the caller does not say."""
LEAST_PASSAGE: Final = 5
"""Words of a passage that is worth showing."""


def shingles(words: Words, width: int = WIDTH) -> frozenset[tuple[Hashable, ...]]:
    """Give the runs of `width` words; a shorter text is one run, an empty one none."""
    span = min(width, len(words)) or 1
    return frozenset(tuple(words[at : at + span]) for at in range(len(words) - span + 1))


def resemblance(one: Words, other: Words, width: int = WIDTH) -> float:
    """Give the share of both texts' shingles that both have."""
    ours, theirs = shingles(one, width), shingles(other, width)
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 0.0


def contained(one: Words, other: Words, width: int = WIDTH) -> float:
    """Give the share of the first text's shingles that the second has."""
    ours = shingles(one, width)
    return len(ours & shingles(other, width)) / len(ours) if ours else 0.0


def containment(one: Words, other: Words, width: int = WIDTH) -> float:
    """Give the share of one text's shingles that the other has, whichever way is more."""
    return max(contained(one, other, width), contained(other, one, width))


def word_share(one: Words, other: Words) -> float:
    """Give the share of the first text's distinct words that the second has."""
    ours = set(one)
    return len(ours & set(other)) / len(ours) if ours else 0.0


def weighted_cosine(one: Words, other: Words, weights: Mapping[Hashable, float] | None = None) -> float:
    """Give the cosine of the words' counts, each times its weight (1 where it has none)."""
    if weights is None:
        return cosine(list(map(str, one)), list(map(str, other)))
    left, right = (
        {word: count * weights.get(word, 1.0) for word, count in Counter(words).items()}
        for words in (one, other)
    )
    length = sqrt(sum(v * v for v in left.values()) * sum(v * v for v in right.values()))
    return min(1.0, sum(v * right.get(word, 0.0) for word, v in left.items()) / length) if length else 0.0


def euclid(one: Words, other: Words) -> float:
    """Give 1 less the distance of the two vectors of counts, both of length 1, in parts of the largest there can be."""
    if not one or not other:
        return 0.0
    near = min(1.0, weighted_cosine(one, other))
    return 1 - sqrt(max(0.0, 2 - 2 * near) / 2)


def pearson(one: Words, other: Words) -> float:
    """Give the correlation of the counts over the words of either; 0 where it is negative or there is none.

    Where every word of both is equally frequent nothing varies: equal counts are then 1, others 0.
    """
    left, right = Counter(one), Counter(other)
    either = left.keys() | right.keys()
    if not left or not right:
        return 0.0
    mean_left, mean_right = len(one) / len(either), len(other) / len(either)
    both = sum((left[word] - mean_left) * (right[word] - mean_right) for word in either)
    spread = sqrt(
        sum((left[word] - mean_left) ** 2 for word in either)
        * sum((right[word] - mean_right) ** 2 for word in either)
    )
    if not spread:
        return float(left == right)
    return min(1.0, max(0.0, both / spread))


def edited(distance: int, one: Words, other: Words) -> float:
    """Give 1 less an edit distance in parts of the longer text."""
    longer = max(len(one), len(other))
    return 1 - distance / longer if longer else 0.0


class Passage(NamedTuple):
    """A run of words that stands in both texts.

    Attributes:
        at, other_at: places of its first word in the first text and in the second.
        length: words.
    """

    at: int
    other_at: int
    length: int


def passages(one: Words, other: Words, least: int = LEAST_PASSAGE) -> list[Passage]:
    """Give the passages of the first text, `least` words and longer, that stand in the second, in order, none over another.

    Of a passage that stands in the second text more than once, a place that makes it longest is given, of the first
    few hundred places.
    """
    span = min(least, len(one), len(other))
    if not span:
        return []
    places: dict[tuple[Hashable, ...], list[int]] = {}
    for at in range(len(other) - span + 1):
        there = places.setdefault(tuple(other[at : at + span]), [])
        if len(there) < _PLACES:
            there.append(at)
    found = []
    at = 0
    while at <= len(one) - span:
        best = Passage(at, 0, 0)
        for other_at in places.get(tuple(one[at : at + span]), ()):
            length = span
            while (
                at + length < len(one)
                and other_at + length < len(other)
                and one[at + length] == other[other_at + length]
            ):
                length += 1
            if length > best.length:
                best = Passage(at, other_at, length)
        if best.length:
            found.append(best)
        at += best.length or 1
    return found


_PLACES: Final = 300

BY_WORDS: Final[Mapping[str, Callable[[Words, Words], float]]] = {
    "words": word_share,
    "cosine": weighted_cosine,
    "euclid": euclid,
    "pearson": pearson,
}
"""The measures that take two texts and nothing else."""
