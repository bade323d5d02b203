"""What the steps of a decision come to in few words: for a line of the log, and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.core.model import Step

STRONGEST: Final = 4
"""Terms that are named: of some sixty these decide most sums, and a line stays readable."""

NEAR: Final = "near-duplicates"
"""The name of the step that looks for likeness."""

WORDS_SHOWN: Final = 300
"""Characters of the shared and of the differing words that are kept."""

ADDS, SCORE = "adds.", "score."
"""What the names of a step's numbers begin with: what a term added to the points, and what a score was."""

_SAID: Final = (
    "points",
    "threshold",
    "percent",
    "percent_needed",
    "shingles_in_common",
    "resemblance",
    "hours_apart",
)


def near_step(trace: Sequence[Step]) -> Step | None:
    """Return the step that looked for likeness, None where a decision fell without it."""
    return next((step for step in trace if step.name == NEAR), None)


def explained(trace: Sequence[Step]) -> dict[str, Any]:
    """Return what decided, by name, without what is not known.

    `by` is what was found, in words: the known key, or the outcome of the comparison. Where texts were compared
    `nearest` and `nearest_title` name the earlier entry (the match of a duplicate, the nearest miss of another),
    `points` and `threshold` the sum and what it had to reach (with the classic form `percent`, `percent_needed` and
    `shingles_in_common`), and `weighed` what added most, strongest first.
    """
    near = near_step(trace)
    keys = next((step for step in trace if step.name == "keys"), None)
    step = near or keys
    if step is None:
        return {}
    facts: dict[str, Any] = {"by": step.outcome}
    if near is None:
        return facts
    numbers = near.numbers
    if "entry" in numbers:
        facts |= {"nearest": numbers["entry"], "nearest_title": numbers["title"]}
    facts |= {name: numbers[name] for name in _SAID if name in numbers}
    if weighed := strongest(numbers):
        facts["weighed"] = weighed
    return facts


def strongest(numbers: dict[str, float | str]) -> dict[str, float]:
    """Return what the strongest terms added to the points, strongest first."""
    adds = [
        (name.removeprefix(ADDS), float(value)) for name, value in numbers.items() if name.startswith(ADDS)
    ]
    return dict(sorted(adds, key=lambda item: -abs(item[1]))[:STRONGEST])


def in_short(weighed: dict[str, float]) -> str:
    """Return what weighed most on one line: `title +2.1, age -0.4`."""
    return ", ".join(f"{name} {points:+.1f}" for name, points in weighed.items())
