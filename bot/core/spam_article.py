"""The judge of spam of the site of 140,000 articles: a mean vector of each class, and the nearer one wins.

Noise words out, the rest stemmed; the dictionary is the words of more than one text; each class has its own inverse
frequencies (log of class size over texts of the class with the word). The published form
leaves open what a word weighs that a class has not, and gives nothing for one that all its texts have: the size is counted
one higher, the texts half a one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING

from bot.core.spam_text import spam_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Centroids:
    """The two mean vectors.

    Attributes:
        table: of each word of the dictionary its inverse frequency and its mean weight in spam, and the same two in ham;
            all >= 0.
    """

    table: Mapping[str, tuple[float, float, float, float]]

    def score(self, text: str) -> float:
        """Return the cosine to the mean of spam less that to the mean of ham, -1 to 1; 0 without a known word."""
        spam, ham = self.cosines(text)
        return spam - ham

    def cosines(self, text: str) -> tuple[float, float]:
        """Return the cosines to the means of spam and of ham, 0-1."""
        dots, norms = [0.0, 0.0], [0.0, 0.0]
        for word, count in Counter(spam_words(text)).items():
            row = self.table.get(word)
            if row is None:
                continue
            for side in (0, 1):
                x = count * row[2 * side]
                dots[side] += x * row[2 * side + 1]
                norms[side] += x * x
        lengths = self._lengths()
        spam, ham = (
            dots[side] / sqrt(norms[side]) / lengths[side] if norms[side] and lengths[side] else 0.0
            for side in (0, 1)
        )
        return spam, ham

    def _lengths(self) -> tuple[float, float]:
        kept = _LENGTHS.get(id(self.table))
        if kept is None or kept[0] is not self.table:
            rows = self.table.values()
            kept = (
                self.table,
                (sqrt(sum(row[1] ** 2 for row in rows)), sqrt(sum(row[3] ** 2 for row in rows))),
            )
            _LENGTHS.clear()
            _LENGTHS[id(self.table)] = kept
        return kept[1]

    def words(self, count: int) -> tuple[list[str], list[str]]:
        """Return the words that speak most for spam, and for ham, the strongest first."""
        spam, ham = (length or 1.0 for length in self._lengths())
        ranked = sorted(self.table, key=lambda w: (self.table[w][1] / spam - self.table[w][3] / ham, w))
        return ranked[::-1][:count], ranked[:count]


_LENGTHS: dict[int, tuple[object, tuple[float, float]]] = {}
"""The lengths of the means of the table used last."""


def fit_centroids(texts: Sequence[str], spam: Sequence[bool]) -> Centroids:
    """Return the means of labelled texts; each class needs one text or more."""
    read = [Counter(spam_words(text)) for text in texts]
    in_texts = Counter(word for words in read for word in words)
    dictionary = [word for word, count in in_texts.items() if count > 1]
    sides = []
    for side in (True, False):
        own = [words for words, label in zip(read, spam, strict=True) if label is side]
        with_word = Counter(word for words in own for word in words)
        idf = {word: log((len(own) + 1) / (with_word[word] + 0.5)) for word in dictionary}
        sums = dict.fromkeys(dictionary, 0.0)
        for words in own:
            length = words.total()
            for word, count in words.items():
                if word in idf:
                    sums[word] += count / length * idf[word] / len(own)
        sides.append((idf, sums))
    (a, b), (c, d) = sides
    return Centroids(table={word: (a[word], b[word], c[word], d[word]) for word in sorted(dictionary)})
