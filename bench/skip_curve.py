"""Print the curve: which share of edited headlines is found, against which share of a replayed archive is skipped.

    python bench/skip_curve.py --data DIR [--lang en|ru] [--labels bench/labels/skips_eager_2026.jsonl]

Each point is a threshold of the shipped balanced table, from eager's upwards. The replay judges each entry against
everything of its last 72 hours. Wrong is a skip that two readers call N: the share among the labelled skips that would
still be skipped there, times the share skipped, with the upper end of its 95% interval (Wilson 1927), because few are read.
The skips were drawn at eager, below which nothing was read.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from labels.streams import read_stream
from pairs import edits
from replayed import replay

from bot.core.dedupe import SHIPPED, Candidate, Level, NearVerdict, judge_near

TO_STRICTER = 5
NOW = datetime(2026, 6, 1, tzinfo=UTC)
LABELS = Path(__file__).parent / "labels" / "skips_eager_2026.jsonl"


def points_of(verdict: NearVerdict) -> float:
    """Give the points of a verdict; what is skipped for equal words is skipped at every threshold."""
    equal = verdict.is_duplicate and "the same" in verdict.reason
    return 99.0 if equal else verdict.points if verdict.is_duplicate else -99.0


def edited(data: Path) -> list[float]:
    """Give the points of the edited headlines of one link, from text alone."""
    found = []
    for pair in edits(data):
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
        found.append(
            points_of(
                judge_near(new, [candidate], level=Level.EAGER, feed=pair.new[2], now=NOW, published=NOW)
            )
        )
    return found


def upper(wrong: int, of: int, z: float = 1.96) -> float:
    """Give the upper end of Wilson's interval for `wrong` of `of`; 1 of none."""
    if not of:
        return 1.0
    share = wrong / of
    middle = share + z * z / (2 * of)
    return (middle + z * (share * (1 - share) / of + z * z / (4 * of * of)) ** 0.5) / (1 + z * z / of)


def main() -> None:
    """Replay, judge the edits, print the curve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lang", choices=["en", "ru"], default="en")
    parser.add_argument("--labels", type=Path, default=LABELS, help="skips read, drawn at the level eager")
    options = parser.parse_args()
    items = read_stream(options.data, options.lang)
    places = {item.key: place for place, item in enumerate(items)}
    judged = [points_of(one.verdict) for one in replay(items, Level.EAGER)]
    rows = [json.loads(line) for line in options.labels.read_text(encoding="utf-8").splitlines()]
    read = [
        (judged[places[row["b"]]], row["first"] == row["second"] == "N") for row in rows if row["b"] in places
    ]
    found = edited(options.data)
    drawn_at = SHIPPED.levels[Level.EAGER].threshold
    print(f"{len(items)} entries, {len(found)} edited headlines, {len(read)} skips read\n")
    print("| threshold | edits found | entries skipped | read, wrong | wrong of all entries | at most |")
    print("|---|---|---|---|---|---|")
    at = drawn_at
    while at < drawn_at + TO_STRICTER:
        skipped = sum(points >= at for points in judged) / len(judged)
        kept = [wrong for points, wrong in read if points >= at]
        recall = sum(points >= at for points in found) / len(found)
        said = f"{len(kept)}, {sum(kept)} | {skipped * sum(kept) / max(1, len(kept)):.4f} | {skipped * upper(sum(kept), len(kept)):.4f}"
        print(f"| {at:.2f} | {recall:.3f} | {skipped:.4f} | {said} |")
        at = round(at + 0.2, 2)


if __name__ == "__main__":
    main()
