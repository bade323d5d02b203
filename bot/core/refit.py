"""Fit the learned table to its owner's labels: near the shipped weights, moved where the labels pull.

    examples (terms of labelled pairs that the table decided) -> too few? say so, change nothing
      -> the weights of least loss: logistic loss of every label + half `STRENGTH` x squared distance from the start
      -> the same on ten parts, each fitted without itself: what the fit does to labels that it has not seen
      -> better there? then it may be used

That is the most probable table under a Gaussian prior centred on the one that it starts from (Bishop, Pattern
Recognition and Machine Learning, 2006, 4.5). The loss counts from the level's threshold, so a label pulls as far as
the pair lies on the wrong side of it, and one that is right by far pulls at nothing. Pure Python: Newton's method with
a Cholesky factor of some seventy rows takes milliseconds at the size of a person's labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log1p, sqrt
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.core.dedupe import Table

LEAST_LABELS: Final = 60
LEAST_OF_A_KIND: Final = 10
"""Labels that the table decided, and of each kind, below which nothing is changed. With fewer, an owner of the packaged
table's own mind loses by a fit (`bench/tuning/strength.py`; docs/duplicates.md has the figures)."""
STRENGTH: Final = 10.0
"""Of the prior: a weight that moves by 1 costs half as much in log loss. Of 1 to 20, 10 and 20 lost least where labels
were mostly mistakes, and gained as much as any where an owner is of another mind (`bench/tuning/strength.py`)."""
FOLDS: Final = 10
MAX_STEPS: Final = 50
CLOSE_ENOUGH: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One labelled pair.

    Attributes:
        terms: by name, as `terms.terms` gives them.
        threshold: that this pair has to reach at the level that is fitted.
        same: whether people call it a repeat.
    """

    terms: dict[str, float]
    threshold: float
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What a table says of labels.

    Attributes:
        found, missed: repeats that it skips, and that it does not.
        wrongly_skipped, rightly_kept: other stories that it skips, and that it does not.
        loss: mean logistic loss, >= 0; log 2 is a guess.
    """

    found: int
    missed: int
    wrongly_skipped: int
    rightly_kept: int
    loss: float

    @property
    def wrong(self) -> int:
        """How many labels it gets wrong."""
        return self.missed + self.wrongly_skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Refit:
    """A fitted table and how far it can be trusted.

    Attributes:
        table: what was fitted to all the labels.
        labels: how many.
        before: of the table that it started from.
        unseen: each label judged by a table that was fitted without it; this is what to expect of `table`.
        moved: name, weight before, weight after, of every weight that moved by .0005 or more, the farthest first.
    """

    table: Table
    labels: int
    before: Fit
    unseen: Fit
    moved: tuple[tuple[str, float, float], ...]

    @property
    def is_better(self) -> bool:
        """Whether labels that a fit has not seen come out better by it, and no more of them wrong."""
        return self.unseen.loss < self.before.loss and self.unseen.wrong <= self.before.wrong


def lacking(examples: Sequence[Example]) -> str | None:
    """Say what is missing for a fit, None when there are labels enough."""
    same = sum(example.same for example in examples)
    other = len(examples) - same
    if len(examples) >= LEAST_LABELS and min(same, other) >= LEAST_OF_A_KIND:
        return None
    return (
        f"{same} labels of repeats and {other} of other stories say something about the table: not enough. "
        f"It takes {LEAST_LABELS}, at least {LEAST_OF_A_KIND} of each kind"
    )


def refit(examples: Sequence[Example], start: Table, *, strength: float = STRENGTH) -> Refit:
    """Fit `start` to labels; raise ValueError with what is lacking where they are too few."""
    if lack := lacking(examples):
        raise ValueError(lack)
    names = sorted({name for name, _ in start.weights}.union(*(example.terms for example in examples)))
    known = dict(start.weights)
    prior = [start.base, *(known.get(name, 0.0) for name in names)]
    rows = [[1.0, *(example.terms.get(name, 0.0) for name in names)] for example in examples]
    thresholds = [example.threshold for example in examples]
    labels = [example.same for example in examples]
    fitted = most_probable(rows, thresholds, labels, prior, strength=strength)
    unseen = [0.0] * len(rows)
    for part in _parts(labels):
        rest = [at for at in range(len(rows)) if at not in part]
        without = most_probable(
            [rows[at] for at in rest],
            [thresholds[at] for at in rest],
            [labels[at] for at in rest],
            prior,
            strength=strength,
            start=fitted,
        )
        for at in part:
            unseen[at] = _dot(rows[at], without) - thresholds[at]
    margins = [_dot(row, prior) - threshold for row, threshold in zip(rows, thresholds, strict=True)]
    weights = [round(weight, 3) for weight in fitted]
    pairs = [
        (name, before, after)
        for name, before, after in zip(("base", *names), prior, weights, strict=True)
        if round(before, 3) != after
    ]
    return Refit(
        table=start._replace(
            weights=tuple(
                (name, weight)
                for name, weight in zip(names, weights[1:], strict=True)
                if weight or name in known
            ),
            base=weights[0],
        ),
        labels=len(rows),
        before=_fit(margins, labels),
        unseen=_fit(unseen, labels),
        moved=tuple(sorted(pairs, key=lambda pair: (-abs(pair[2] - pair[1]), pair[0]))),
    )


def most_probable(
    rows: Sequence[Sequence[float]],
    thresholds: Sequence[float],
    labels: Sequence[bool],
    prior: Sequence[float],
    *,
    strength: float,
    start: Sequence[float] | None = None,
) -> list[float]:
    """Give the weights of least loss: sum of log(1 + e^-m) over rows + strength / 2 x |weights - prior|².

    The margin m of a row is its product with the weights less its threshold, negated where the label is False.
    `strength` is > 0, so there is one such point; it is found to about nine digits, from `start` on.
    """
    count = len(prior)
    filled = [[(at, value) for at, value in enumerate(row) if value] for row in rows]
    cases = list(zip(filled, thresholds, labels, strict=True))

    def loss(weights: Sequence[float]) -> float:
        away = sum([(weight - centre) ** 2 for weight, centre in zip(weights, prior, strict=True)])
        lost = 0.0
        for row, threshold, label in cases:
            margin = sum([weights[at] * value for at, value in row]) - threshold
            lost += _log_loss(margin if label else -margin)
        return lost + strength / 2 * away

    weights = list(start or prior)
    current = loss(weights)
    for _ in range(MAX_STEPS):
        slope = [strength * (weight - centre) for weight, centre in zip(weights, prior, strict=True)]
        curve = [[0.0] * (at + 1) for at in range(count)]
        for at in range(count):
            curve[at][at] = strength
        for row, threshold, label in cases:
            chance = _chance(sum([weights[at] * value for at, value in row]) - threshold)
            pull, bend = chance - label, chance * (1.0 - chance)
            for at, value in row:
                slope[at] += pull * value
                line, bent = curve[at], bend * value
                for other, factor in row:
                    if other > at:
                        break
                    line[other] += bent * factor
        step = _solve(curve, slope)
        weights, current, gained = _go(loss, weights, step, current)
        if gained <= CLOSE_ENOUGH * (1.0 + current) and max(map(abs, step)) <= sqrt(CLOSE_ENOUGH):
            break
    return weights


def _go(
    loss: Callable[[Sequence[float]], float], weights: list[float], step: list[float], current: float
) -> tuple[list[float], float, float]:
    """Walk down a step, or as far of it as leads down; give the place, its loss and what was gained."""
    part = 1.0
    while part > CLOSE_ENOUGH:
        tried = [weight - part * each for weight, each in zip(weights, step, strict=True)]
        there = loss(tried)
        if there <= current:
            return tried, there, current - there
        part /= 2
    return weights, current, 0.0


def _solve(lower: list[list[float]], right: Sequence[float]) -> list[float]:
    """Solve a symmetric positive system, given by the lower half of its matrix, by Cholesky's factor."""
    factor: list[list[float]] = []
    for at, line in enumerate(lower):
        made: list[float] = []
        for other in range(at):
            above = factor[other]
            made.append((line[other] - _dot(made, above[:other])) / above[other])
        made.append(sqrt(line[at] - _dot(made, made)))
        factor.append(made)
    forward: list[float] = []
    for line, value in zip(factor, right, strict=True):
        forward.append((value - _dot(line[:-1], forward)) / line[-1])
    back = [0.0] * len(factor)
    for at in range(len(factor) - 1, -1, -1):
        known = sum([factor[later][at] * back[later] for later in range(at + 1, len(factor))])
        back[at] = (forward[at] - known) / factor[at][at]
    return back


def _parts(labels: Sequence[bool]) -> list[frozenset[int]]:
    """Divide the labels in `FOLDS` parts of about as many of each kind, in turn: the same at every run."""
    kinds = [at for at, same in enumerate(labels) if same] + [
        at for at, same in enumerate(labels) if not same
    ]
    return [frozenset(kinds[first::FOLDS]) for first in range(FOLDS)]


def _fit(margins: Sequence[float], labels: Sequence[bool]) -> Fit:
    said = list(zip((margin >= 0 for margin in margins), labels, strict=True))
    losses = [_log_loss(margin if label else -margin) for margin, label in zip(margins, labels, strict=True)]
    return Fit(
        found=said.count((True, True)),
        missed=said.count((False, True)),
        wrongly_skipped=said.count((True, False)),
        rightly_kept=said.count((False, False)),
        loss=sum(losses) / len(losses),
    )


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum([left * right for left, right in zip(one, other, strict=True)])


def _chance(margin: float) -> float:
    if margin >= 0:
        return 1.0 / (1.0 + exp(-min(margin, 700.0)))
    grown = exp(max(margin, -700.0))
    return grown / (1.0 + grown)


def _log_loss(margin: float) -> float:
    return log1p(exp(-margin)) if margin > 0 else log1p(exp(max(margin, -700.0))) - margin
