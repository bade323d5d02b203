"""Training a model, and measuring it on texts that it did not see: five folds, and five in each for the margin."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Final, Literal

from bot.core.spam import FALSE_PER_HAM, Band, Margin, SpamModel, choose_margin
from bot.core.spam_article import Centroids, fit_centroids
from bot.core.spam_linear import Linear
from bot.core.spam_text import grams
from bot.errors import ConfigError
from bot.spam.labelled import enough

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.spam.labelled import Labelled

FOLDS: Final = 5
COST: Final = 10.0
"""Of 1 and 10, the better by five-fold F1 on both sets that were measured."""
LEAST_TEXTS: Final = 2
"""A run of one text alone says nothing of others."""
FEW: Final = 1_000
TURNS: Final = 3
"""Of fewer than `FEW` texts the margin is the mean of so many divisions: one text more or less moves it."""
TRUST: Final = 0.5
"""How far the chosen end goes from 0, where the fit itself draws the line. On 285 texts the whole way let 3.7 ham of 197 be
called spam on the mean of three divisions, half of it 2.3, with F1 .936 and .939."""

Method = Literal["linear", "article"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a method does on texts that it did not see, all folds together.

    Attributes:
        spam, ham: texts of each.
        caught: spam called spam. `false`: ham called spam.
        unsure_spam, unsure_ham: texts in the margin.
        plain_caught, plain_false: the same without a margin: what scores above 0 (the nearer class) is called spam.
        missed: which texts were called wrongly, by their place.
    """

    spam: int
    ham: int
    caught: int
    false: int
    unsure_spam: int
    unsure_ham: int
    plain_caught: int
    plain_false: int
    missed: tuple[int, ...]

    @property
    def f1(self) -> float:
        """The F1 of spam; what is unsure is not called spam."""
        return 2 * self.caught / (self.caught + self.false + self.spam)

    @property
    def plain_f1(self) -> float:
        """The F1 of spam where the nearer class wins."""
        return 2 * self.plain_caught / (self.plain_caught + self.plain_false + self.spam)


def train(rows: Sequence[Labelled], method: Method, *, per_ham: float = FALSE_PER_HAM) -> SpamModel:
    """Return a model of all rows; raises Unlabelled with too few, ConfigError without scikit-learn."""
    enough(rows)
    return _Trainer(rows, method, per_ham).model(range(len(rows)))


def measure(
    rows: Sequence[Labelled], method: Method, *, per_ham: float = FALSE_PER_HAM, seed: int = 0
) -> Figures:
    """Return what the method does in five folds; margins are chosen within the training part of each."""
    enough(rows)
    trainer = _Trainer(rows, method, per_ham)
    bands: list[Band] = [Band.HAM] * len(rows)
    plain = {True: 0, False: 0}
    for kept, tested in folds([row.spam for row in rows], range(len(rows)), seed):
        model = trainer.model(kept)
        for at in tested:
            score, bands[at] = model.check(rows[at].text)
            plain[rows[at].spam] += score > 0
    pairs = Counter((row.spam, band) for row, band in zip(rows, bands, strict=True))
    spam = sum(row.spam for row in rows)
    return Figures(
        spam=spam,
        ham=len(rows) - spam,
        caught=pairs[True, Band.SPAM],
        false=pairs[False, Band.SPAM],
        unsure_spam=pairs[True, Band.UNSURE],
        unsure_ham=pairs[False, Band.UNSURE],
        plain_caught=plain[True],
        plain_false=plain[False],
        missed=tuple(at for at, row in enumerate(rows) if row.spam is not (bands[at] is Band.SPAM)),
    )


def folds(spam: Sequence[bool], among: Sequence[int], seed: int) -> list[tuple[list[int], list[int]]]:
    """Return `FOLDS` parts, each with as much spam as the others: the places to train on, and those to test."""
    shuffled = list(among)
    random.Random(seed).shuffle(shuffled)
    shuffled.sort(key=lambda at: spam[at])  # stable: each class stays shuffled
    parts = [shuffled[first::FOLDS] for first in range(FOLDS)]
    return [([at for other in parts if other is not part for at in other], part) for part in parts]


class _Trainer:
    """Fits on parts of the rows, whose runs are counted once."""

    def __init__(self, rows: Sequence[Labelled], method: Method, per_ham: float) -> None:
        self._rows = rows
        self._spam = [row.spam for row in rows]
        self._method = method
        self._per_ham = per_ham
        self._grams = [grams(row.text) for row in rows] if method == "linear" else []

    def model(self, among: Sequence[int]) -> SpamModel:
        """Return a model of these rows, its margin chosen on scores of parts that were left out."""
        found = []
        for turn in range(TURNS if len(among) < FEW else 1):
            places: list[int] = []
            scores: list[float] = []
            for kept, left_out in folds(self._spam, among, turn + 1):
                judge = self._fit(kept)
                places += left_out
                scores += [judge.score(self._rows[at].text) for at in left_out]
            found.append(choose_margin(scores, [self._spam[at] for at in places], per_ham=self._per_ham))
        high = TRUST * sum(margin.high for margin in found) / len(found)
        low = min(high, sum(margin.low for margin in found) / len(found))
        return SpamModel(judge=self._fit(among), margin=Margin(low=low, high=high))

    def _fit(self, among: Sequence[int]) -> Linear | Centroids:
        spam = [self._spam[at] for at in among]
        if self._method == "article":
            return fit_centroids([self._rows[at].text for at in among], spam)
        return _fit_linear([self._grams[at] for at in among], spam)


def _fit_linear(counts: Sequence[Counter[str]], spam: Sequence[bool]) -> Linear:
    try:
        import numpy as np
        from scipy.sparse import csr_matrix
        from sklearn.svm import LinearSVC
    except ImportError:
        raise ConfigError(
            "training the linear method takes scikit-learn: `pip install 'shinglebot[spam]'`, "
            "or train by --method article"
        ) from None
    in_texts = Counter(run for found in counts for run in found)
    runs = sorted(run for run, texts in in_texts.items() if texts >= LEAST_TEXTS)
    place = {run: at for at, run in enumerate(runs)}
    rarity = [log((1 + len(counts)) / (1 + in_texts[run])) + 1 for run in runs]
    data: list[float] = []
    columns: list[int] = []
    starts = [0]
    for found in counts:
        row = [(place[run], rarity[place[run]] * (1 + log(n))) for run, n in found.items() if run in place]
        norm = sum(x * x for _, x in row) ** 0.5 or 1.0
        columns += [at for at, _ in row]
        data += [x / norm for _, x in row]
        starts.append(len(columns))
    matrix = csr_matrix((data, columns, starts), shape=(len(counts), len(runs)))
    fitted = LinearSVC(C=COST, random_state=0).fit(matrix, np.array(spam))
    weights = {run: (rarity[at], float(fitted.coef_[0][at])) for run, at in place.items()}
    return Linear(weights=weights, base=float(fitted.intercept_[0]))
