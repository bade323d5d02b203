"""The goals of the near-duplicate verdict, and a table of what cross-validation finds beside them. Serves `train.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from pairs import Pair

GOALS = {
    "strict": {"D": (">=", 0.95, 0.95), "UN": ("<=", 0.002, 0.002)},
    "balanced": {
        "D": (">=", 0.97, 0.97),
        "DS": (">=", 0.70, 0.90),
        "U": ("<=", 0.15, 0.20),
        "N": ("<=", 0.003, 0.003),
        "precision": (">=", 0.99, 0.99),
    },
}
"""By level and label: at least or at most so much, English and Russian."""
NAMES = {"D": "D found", "DS": "D + S found", "U": "U skipped", "N": "N skipped", "UN": "U + N skipped"}


def table(level: str, rates: dict[str, dict[str, float]], pairs: list[Pair], found: np.ndarray) -> None:
    """Print the table of a level: `rates` by language, and which of `pairs` are `found`."""
    print("\n| cross-validated | found | goal | met |\n|---|---|---|---|")
    by_language(level, rates)
    if level == "balanced":
        of_other_sets(pairs, found)


def by_language(level: str, rates: dict[str, dict[str, float]]) -> None:
    """Print a row for each goal of a level that has one for each language."""
    for name, (sign, english, russian) in GOALS.get(level, {}).items():
        found = [
            (rates[lang][name], goal) for lang, goal in (("en", english), ("ru", russian)) if lang in rates
        ]
        met = all(value >= goal if sign == ">=" else value <= goal for value, goal in found)
        values = " ".join(f"{value:.4f}" for value, _ in found)
        print(
            f"| {level}: {NAMES.get(name, name)} | {values} | {sign} {english} {russian} | {'yes' if met else 'no'} |"
        )


def of_other_sets(pairs: list[Pair], found: np.ndarray) -> None:
    """Print a row for each goal of the sets beside the streams, at balanced."""
    kind = np.array([pair.kind for pair in pairs])
    hours = np.array([pair.hours for pair in pairs])
    label = np.array([pair.label for pair in pairs])
    alike = np.array([_same_numbers(pair) if pair.kind.startswith("exact") else False for pair in pairs])
    recurring = kind == "recurring"
    rows: list[tuple[str, np.ndarray, Callable[[float], bool], str]] = [
        ("hard negatives, 3 h", kind == "hard 3 h", lambda share: share <= 0.05, "<= .05"),
        ("hard negatives, 48 h", kind == "hard 48 h", lambda share: share <= 0.02, "<= .02"),
        ("recurring within 12 h", recurring & (hours <= 12), lambda share: share <= 0.10, "<= .10"),
        (
            "recurring within 12 h, labelled N",
            recurring & (hours <= 12) & (label == "N"),
            lambda share: share <= 0.10,
            "",
        ),
        ("recurring beyond 12 h", recurring & (hours > 12), lambda share: share <= 0.02, "<= .02"),
        (
            "exact articles, same numbers",
            (kind == "exact articles") & alike,
            lambda share: share >= 0.99,
            ">= .99",
        ),
        ("exact posts, same numbers", (kind == "exact posts") & alike, lambda share: share >= 0.99, ">= .99"),
    ]
    for name, of, meets, goal in rows:
        share = float(found[of].mean())
        print(
            f"| balanced: {name} ({int(of.sum())}) | {share:.4f} | {goal or '-'} | {('yes' if meets(share) else 'no') if goal else '-'} |"
        )


def _same_numbers(pair: Pair) -> bool:
    """Whether both texts hold the same numbers, as their signatures tell them."""
    old, new = pair.signatures()
    return {number >> 18 for number in old.numbers} == {number >> 18 for number in new.numbers}
