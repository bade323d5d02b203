"""What is like one text: the articles of an index, ranked by any measure.

    by runs (resemblance, containment)  -> who shares its keys -> the 200 that share most, counted exactly
    by words (words, cosine, euclid, pearson, edit) -> the inverted index: who has its words
        -> words: the share of its words, of every article; others: the 200 with the most rare words, counted exactly

The inverted index of words is made when it is first asked for, and again when the archive has grown.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from bot.archive.meeting import holders, sort_pairs
from bot.archive.methods import METHODS
from bot.core import measures

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from pathlib import Path

    from numpy.typing import NDArray

    from bot.archive.index import Index
    from bot.archive.model import Reading
    from bot.archive.words import Hashes

CANDIDATES: Final = 200
HOLDERS: Final = 2_000
_SHIFT: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)
_LONGEST_EDIT: Final = 20_000


class By(StrEnum):
    """The measures by which articles are ranked."""

    RESEMBLANCE = "resemblance"
    CONTAINMENT = "containment"
    WORDS = "words"
    COSINE = "cosine"
    EUCLID = "euclid"
    PEARSON = "pearson"
    EDIT = "edit"


HOW: Final = {
    By.RESEMBLANCE: "share of both texts' shingles that both have",
    By.CONTAINMENT: "share of one text's shingles that the other has, whichever is more",
    By.WORDS: "share of the text's words that the article has",
    By.COSINE: "cosine of the words' counts, rare words weighted up",
    By.EUCLID: "nearness of the words' counts as points",
    By.PEARSON: "correlation of the words' counts",
    By.EDIT: "words that need not be changed to make one text of the other",
}


class Likeness(NamedTuple):
    """An article and how like it is.

    Attributes:
        number: the document.
        share: 0-1, by the measure that was asked for.
        shared_words: distinct words that both have.
        shared_shingles: shingles that both have.
    """

    number: int
    share: float
    shared_words: int
    shared_shingles: int


def similar(
    index: Index, words: Hashes, reading: Reading, by: By, *, limit: int, leave_out: int | None = None
) -> list[Likeness]:
    """Give the articles most like a text, at most `limit`, best first; those that share nothing are left out.

    `leave_out` is an article that is not to be found: the text itself. A text without words is like none.
    """
    if not len(words) or not len(index):
        return []
    weights: dict[Hashable, float] = {}
    if by in {By.RESEMBLANCE, By.CONTAINMENT}:
        found = holders(index.met, METHODS["exact"].keys(words, reading.width), HOLDERS)
        numbers, counts = np.unique(found, return_counts=True)
        scores = counts.astype(np.float64)
    else:
        numbers, scores, weights = _having(index, words, plain=by is By.WORDS)
    if leave_out is not None:
        kept = numbers != leave_out
        numbers, scores = numbers[kept], scores[kept]
    most = limit if by is By.WORDS else max(limit, CANDIDATES)
    best = numbers[np.lexsort((numbers, -scores))[:most]]
    text = words.tolist()
    measure = _measure(by, reading.width, weights)
    ranked = []
    for number in best.tolist():
        other = index.words_of(number).tolist()
        share = measure(text, other)
        if share > 0:
            ranked.append((share, number, other))
    ranked.sort(key=lambda item: (-item[0], item[1]))
    ours, our_shingles = frozenset(text), measures.shingles(text, reading.width)
    return [
        Likeness(
            number,
            share,
            len(ours.intersection(other)),
            len(our_shingles & measures.shingles(other, reading.width)),
        )
        for share, number, other in ranked[:limit]
    ]


def _measure(
    by: By, width: int, weights: dict[Hashable, float]
) -> Callable[[measures.Words, measures.Words], float]:
    if by is By.RESEMBLANCE:
        return lambda one, other: measures.resemblance(one, other, width)
    if by is By.CONTAINMENT:
        return lambda one, other: measures.containment(one, other, width)
    if by is By.COSINE:
        return lambda one, other: measures.weighted_cosine(one, other, weights)
    if by is By.EDIT:
        from rapidfuzz.distance import Levenshtein

        def edit(one: measures.Words, other: measures.Words) -> float:
            one, other = one[:_LONGEST_EDIT], other[:_LONGEST_EDIT]
            return measures.edited(Levenshtein.distance(one, other), one, other)

        return edit
    return measures.BY_WORDS[str(by)]


# --- the inverted index of words ----------------------------------------------------------------------


def _having(
    index: Index, words: Hashes, *, plain: bool
) -> tuple[NDArray[np.uint32], NDArray[np.float64], dict[Hashable, float]]:
    """Give the documents that have any of the words, a score for each, and what each word weighs.

    The score is the count of the words (`plain`) or the sum of their weights: the logarithm of how few have them.
    """
    met = _words_index(index)
    distinct = np.unique(words)
    wide = distinct.astype(np.uint64) << _SHIFT
    begins, ends = np.searchsorted(met, wide), np.searchsorted(met, wide | _LOW, side="right")
    scores = np.zeros(len(index))
    weights: dict[Hashable, float] = {}
    for word, begin, end in zip(distinct.tolist(), begins.tolist(), ends.tolist(), strict=True):
        weights[word] = weight = float(np.log((len(index) + 1) / (end - begin + 1))) + 1e-9
        if end > begin:  # a document stands once under a word, so none is added to twice at once
            scores[(met[begin:end] & _LOW).astype(np.int64)] += 1.0 if plain else weight
    numbers = np.flatnonzero(scores)
    return numbers.astype(np.uint32), scores[numbers], weights


def _words_index(index: Index) -> NDArray[np.uint64]:
    path: Path = index.folder / "holders.bin"
    newest = index.folder / "documents.bin"
    if not path.exists() or path.stat().st_mtime_ns < newest.stat().st_mtime_ns:
        sort_pairs(index, "holders", len(index.words), lambda first, last: _words_of(index, first, last))
    return np.memmap(path, dtype="<u8", mode="r")


def _words_of(index: Index, first: int, last: int) -> tuple[Hashes, NDArray[np.uint32]]:
    """Give the distinct words of documents `first` to `last` - 1, and the document of each."""
    counts = index.records["words"][first:last]
    start = int(index.records["words_at"][first])
    owners = np.repeat(np.arange(first, last, dtype=np.uint64), counts)
    pairs = np.unique(owners << _SHIFT | index.words[start : start + len(owners)])
    return (pairs & _LOW).astype(np.uint32), (pairs >> _SHIFT).astype(np.uint32)
