"""Spam or not: a score, and the margin under which a person decides."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.core.spam_article import Centroids
    from bot.core.spam_linear import Linear

FALSE_PER_HAM: Final = 0.0015
FALSE_AT_LEAST: Final = 2
"""Ham that may be rejected while the threshold is chosen: one in 667, so that among unseen
texts it stays near one in 500. In a small set two texts are let off: they may well be
wrong labels, and holding the threshold above them would let most spam pass."""

MISSED_PER_SPAM: Final = 0.02
"""Spam that may score below the margin: one in 50."""


class Band(StrEnum):
    """Where a text stands."""

    SPAM = "spam"
    UNSURE = "unsure"
    HAM = "ham"


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """From `low` on a person decides; from `high` on it is spam. `low` <= `high`."""

    low: float
    high: float

    def band(self, score: float) -> Band:
        """Return where a score stands."""
        if score >= self.high:
            return Band.SPAM
        return Band.UNSURE if score >= self.low else Band.HAM


@dataclass(frozen=True, slots=True, kw_only=True)
class SpamModel:
    """What judges, and its margin."""

    judge: Linear | Centroids
    margin: Margin

    def check(self, text: str) -> tuple[float, Band]:
        """Return the score of a text and where it stands."""
        score = self.judge.score(text)
        return score, self.margin.band(score)


def choose_margin(scores: Sequence[float], spam: Sequence[bool], *, per_ham: float = FALSE_PER_HAM) -> Margin:
    """Return the margin for scores of texts that their judge had not seen.

    The high end has the best F1 of those at which at most `per_ham` of the ham (or `FALSE_AT_LEAST`) is rejected; it lies
    midway between two scores. The low end lets at most `MISSED_PER_SPAM` of the spam pass, and lies not above the high one.
    """
    ranked = sorted(zip(scores, spam, strict=True), reverse=True)
    total = sum(spam)
    allowed = max(FALSE_AT_LEAST, int(per_ham * (len(ranked) - total)))
    best, high, low = -1.0, ranked[0][0] + 1e-6, ranked[-1][0]
    caught = false = 0
    low_found = False
    for at, (score, is_spam) in enumerate(ranked):
        caught += is_spam
        false += not is_spam
        below = ranked[at + 1][0] if at + 1 < len(ranked) else score - 1e-6
        if below == score:
            continue
        middle = (score + below) / 2
        f1 = 2 * caught / (caught + false + total)
        if false <= allowed and f1 > best:
            best, high = f1, middle
        if not low_found and caught >= total * (1 - MISSED_PER_SPAM):
            low, low_found = middle, True
    return Margin(low=min(low, high), high=high)
