"""What the steps of a decision come to in few words: for a line of the log, and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bot.core.model import Duplicate, Held, Rejected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.core.model import Step
    from bot.pipeline.rules import Decision

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
    """Return what was found of an entry's keys and likeness, by name, without what is not known.

    `by` says it in words: the known key (with `key`, its value), or the outcome of the comparison. Where
    texts were compared `nearest` and `nearest_title` name the earlier entry (the match of a duplicate, the nearest
    miss of another), `points` and `threshold` the sum and what it had to reach (with the classic form `percent`,
    `percent_needed` and `shingles_in_common`), and `weighed` what added most, strongest first.
    """
    by_name = {step.name: step for step in trace}
    near = by_name.get(NEAR)
    step = near or by_name.get("renumbered") or by_name.get("keys")
    if step is None:
        return {}
    facts: dict[str, Any] = {"by": step.outcome}
    if near is None:
        return facts | ({"key": step.numbers["value"]} if "value" in step.numbers else {})
    numbers = near.numbers
    if "entry" in numbers:
        facts |= {"nearest": numbers["entry"], "nearest_title": numbers["title"]}
    facts |= {name: numbers[name] for name in _SAID if name in numbers}
    if weighed := strongest(numbers):
        facts["weighed"] = weighed
    return facts


def judged(decision: Decision) -> dict[str, object]:
    """Return the fields of a log line about a decision: its lead, what decided, and the number; None where unknown.

    Of an entry that repeats nothing, `nearest` and the numbers are those of its nearest miss.
    """
    verdict, entry = decision.verdict, decision.entry
    of = verdict.of if isinstance(verdict, Duplicate | Held) else None
    facts = explained(decision.trace)
    if of is not None:
        facts = {name: value for name, value in facts.items() if not name.startswith("nearest")}
    elif "nearest_title" in facts:
        facts["nearest_title"] = str(facts["nearest_title"])[:TITLE_SHOWN]
    if isinstance(verdict, Rejected | Held):
        facts.pop("by", None)  # `detail` says what decided
    if "key" in facts:
        facts["key"] = str(facts["key"])[:TITLE_SHOWN]
    if "weighed" in facts:
        facts["weighed"] = in_short(facts["weighed"])
    facts.pop("resemblance", None)
    return {
        "entry": decision.entry_id,
        "verdict": verdict.kind,
        "reason": verdict.reason,
        "detail": verdict.detail if isinstance(verdict, Rejected | Held) else None,
        "title": entry.label[:TITLE_SHOWN],
        "link": entry.link,
        "of": of.entry_id if of else None,
        "lead": of.lead_id if of else None,
        "of_title": of.title[:TITLE_SHOWN] if of else None,
        "resemblance": round(of.resemblance, 3) if of and of.resemblance is not None else None,
        **facts,
    }


TITLE_SHOWN: Final = 100
"""Characters of a title in a log line."""


def number_in_words(facts: dict[str, Any]) -> str:
    """Say the number that decided, of what `explained` returned; "" where none did."""
    if "points" in facts:
        return f"{facts['points']} points where {facts['threshold']} make a repeat"
    if "percent" in facts:
        return (
            f"{facts['percent']} percent where more than {facts['percent_needed']:g} make a repeat, "
            f"{facts['shingles_in_common']} runs of ten words in common"
        )
    return ""


def strongest(numbers: dict[str, float | str]) -> dict[str, float]:
    """Return what the strongest terms added to the points, strongest first; what every pair gets is left out."""
    adds = [
        (name.removeprefix(ADDS), float(value)) for name, value in numbers.items() if name.startswith(ADDS)
    ]
    terms = [(name, points) for name, points in adds if name != "base"]
    return dict(sorted(terms, key=lambda item: -abs(item[1]))[:STRONGEST])


def in_short(weighed: dict[str, float]) -> str:
    """Return what weighed most on one line: `title +2.1, age -0.4`."""
    return ", ".join(f"{name} {points:+.1f}" for name, points in weighed.items())
