"""Measure what a band around the threshold catches, and how many entries it would lay before a person.

    python bench/grey.py --data DIR --labels FILE

DIR is the folder of real data, FILE what bench/labels/join.py wrote. Shares are weighted back to the stream: `held` is
of all entries that have an earlier one, the others are of the errors that the level makes (a repeat that it would post,
an update or another story that it would skip); `wrong` is how many of those held it would get wrong by itself.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pairs import Pair, labelled, stream

from bot.core.dedupe import GREY, Candidate, Level, NearVerdict, judge_near

if TYPE_CHECKING:
    from collections.abc import Sequence

NOW = datetime(2026, 6, 1, tzinfo=UTC)
BANDS = (0.25, GREY, 0.75, 1.0, 1.5)
ERRORS = ("D posted", "S posted", "U skipped", "N skipped")


def judged(pair: Pair, level: Level) -> NearVerdict:
    """Judge the newer text of a pair with the older for its only candidate."""
    old, new = pair.signatures()
    seen = NOW - timedelta(hours=pair.hours)
    candidate = Candidate(
        entry_id=1,
        lead_id=1,
        feed=pair.old[2],
        title=pair.old[0],
        link=None,
        seen_at=seen,
        published=seen,
        signature=old,
    )
    return judge_near(new, [candidate], level=level, feed=pair.new[2], now=NOW, published=NOW)


def error_of(pair: Pair, verdict: NearVerdict) -> str | None:
    """Name the error that a verdict makes, None where it makes none."""
    if verdict.is_duplicate == (pair.label in "DS"):
        return None
    return f"{pair.label} {'skipped' if verdict.is_duplicate else 'posted'}"


def rows(pairs: Sequence[Pair], level: Level) -> list[str]:
    """Give a line of the table for each band."""
    verdicts = [(pair, judged(pair, level)) for pair in pairs]
    total = sum(pair.weight for pair in pairs)
    errors: dict[str, float] = defaultdict(float)
    for pair, verdict in verdicts:
        if error := error_of(pair, verdict):
            errors[error] += pair.weight
    lines = []
    for band in BANDS:
        held = 0.0
        caught: dict[str, float] = defaultdict(float)
        for pair, verdict in verdicts:
            if "by the table" in verdict.reason and abs(verdict.points - verdict.threshold) <= band:
                held += pair.weight
                if error := error_of(pair, verdict):
                    caught[error] += pair.weight
        shares = " | ".join(f"{caught[name] / errors[name]:.2f}" if errors[name] else "-" for name in ERRORS)
        wrong = sum(caught.values()) / held if held else 0.0
        lines.append(f"| {level}, {band:g} | {held / total:.3f} | {shares} | {wrong:.2f} |")
    return lines


def main() -> None:
    """Read the labelled streams, print a table for each language."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labels", type=Path, required=True)
    options = parser.parse_args()
    found = [*stream(options.data), *labelled(options.labels)]
    for lang in ("en", "ru"):
        pairs = [pair for pair in found if pair.lang == lang and pair.kind.startswith("stream")]
        print(f"\n{lang}: {len(pairs)} pairs\n\n| level, band | held | {' | '.join(ERRORS)} | wrong |")
        print("|---" * (len(ERRORS) + 3) + "|")
        for level in Level:
            print("\n".join(rows(pairs, level)))


if __name__ == "__main__":
    main()
