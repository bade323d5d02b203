"""A linear judge of spam: weights of character runs, fitted elsewhere; here they are only added up."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING

from bot.core.spam_text import grams

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """Weights of runs.

    Attributes:
        weights: of each run its rarity (> 0) and its weight (> 0 speaks for spam).
        base: what every text gets.
    """

    weights: Mapping[str, tuple[float, float]]
    base: float

    def score(self, text: str) -> float:
        """Return how far a text is on the side of spam; below 0 on the other. Of a text without a known run the base."""
        norm = total = 0.0
        known = self.weights.get
        for run, count in grams(text).items():
            pair = known(run)
            if pair is not None:
                rarity, weight = pair
                x = rarity if count == 1 else rarity * (1 + log(count))
                norm += x * x
                total += x * weight
        return self.base + (total / sqrt(norm) if norm else 0.0)

    def words(self, count: int) -> tuple[list[str], list[str]]:
        """Return the runs that speak most for spam, and for ham, the strongest first."""
        ranked = sorted(self.weights, key=lambda run: (self.weights[run][0] * self.weights[run][1], run))
        return ranked[::-1][:count], ranked[:count]
