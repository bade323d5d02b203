"""Draw pairs a second time, by the engine's own points, and say what a pair of both draws stands for together.

    python bench/labels/by_points.py --data DIR --out DIR

The same population as `sample.py` has: an entry and its most alike earlier one. Its cells are likeness and gap; here they are
points of the balanced table and gap, most where a threshold is unsure, so that one odd pair no longer stands for a hundred.
Writes what `sample.py` writes; `merge.py` merges the readers' sheets. A pair that was drawn before is not drawn for readers again, but
counts in both. `pooled` of a row is one over the sum of the chances that its pair had of being drawn in either (Kish 1965, multiple frames);
the rows of `stream_2026.jsonl` get theirs too. The draw is repeatable with the table it was made with.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from join import LABELS, read_labels
from pairs import pair_points
from sample import BANDS, GAP_ENDS_H, GAP_NAMES, Stream, write_batches

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED = 20261203
EDGES = (-99.5, -90, -4, -3, -2, -1.4, -0.8, -0.3, 0.2, 0.8, 1.6, 2.6, 4, 90)
"""Lower edges of the bands of points: the first band is what a guard keeps apart, the last is equal texts."""
COUNTS = {
    "en": (35, 20, 25, 35, 40, 60, 65, 60, 50, 45, 40, 20, 8, 4),
    "ru": (45, 20, 25, 35, 35, 45, 50, 50, 45, 40, 35, 30, 15, 10),
}
"""How many pairs of each band are drawn."""
GAP_FACTORS = (2.0, 1.0, 0.5)
"""What each gap gets of a band, beside the root of how many pairs it has."""

Drawable = tuple[int, int, float, float]
"""Place of the later entry, of the earlier one, points, likeness."""


def judge(stream: Stream) -> list[Drawable]:
    """Return every entry that has an earlier one, with the points of the two."""
    return [
        (
            later,
            near[0].index,
            pair_points(stream.items[near[0].index], stream.items[later]),
            near[0].likeness,
        )
        for later, near in enumerate(stream.near)
        if near
    ]


def name_cell(stream: Stream, one: Drawable) -> str:
    """Return the stratum of a pair in this draw."""
    later, earlier, points, _ = one
    gap = bisect_left(GAP_ENDS_H, stream.gap_h(earlier, later))
    return f"points {EDGES[max(0, bisect_right(EDGES, points) - 1)]:g} {GAP_NAMES[gap]}"


def name_likeness_cell(stream: Stream, one: Drawable) -> str:
    """Return the stratum of a pair in the draw by likeness."""
    later, earlier, _, likeness = one
    edges = BANDS[stream.lang]["edges"]
    gap = bisect_left(GAP_ENDS_H, stream.gap_h(earlier, later))
    return f"{edges[bisect_right(edges, likeness) - 1]:.2f}+ {GAP_NAMES[gap]}"


def allot(sizes: dict[int, int], count: int) -> Counter[int]:
    """Return how many of `count` each gap of a band gets, at most its size."""
    taken: Counter[int] = Counter()
    for _ in range(min(count, sum(sizes.values()))):
        free = [gap for gap in sorted(sizes) if taken[gap] < sizes[gap]]
        taken[min(free, key=lambda gap: (taken[gap] + 0.5) / (GAP_FACTORS[gap] * sizes[gap] ** 0.5))] += 1
    return taken


def draw(
    stream: Stream, judged: Sequence[Drawable], dice: random.Random
) -> dict[str, tuple[float, list[Drawable]]]:
    """Return by stratum what one of its drawn pairs stands for, and those that are drawn: systematic over the points."""
    bands: dict[int, dict[int, list[Drawable]]] = defaultdict(lambda: defaultdict(list))
    for one in judged:
        band = max(0, bisect_right(EDGES, one[2]) - 1)
        bands[band][bisect_left(GAP_ENDS_H, stream.gap_h(one[1], one[0]))].append(one)
    cells = {}
    for band in sorted(bands):
        taken = allot({gap: len(pool) for gap, pool in bands[band].items()}, COUNTS[stream.lang][band])
        for gap, pool in sorted(bands[band].items()):
            if not taken[gap]:
                continue
            pool.sort(
                key=lambda one: (stream.items[one[1]].source == stream.items[one[0]].source, one[2], one[0])
            )
            step = len(pool) / taken[gap]
            start = dice.random() * step
            chosen = [pool[int(start + turn * step)] for turn in range(taken[gap])]
            cells[name_cell(stream, chosen[0])] = (step, chosen)
    return cells


def pool(by_likeness: float | None, by_points: float | None) -> float:
    """Return what a pair stands for in both draws together; one draw's alone where the other could not have drawn it."""
    return round(1 / sum(1 / weight for weight in (by_likeness, by_points) if weight), 3)


def main() -> None:
    """Draw, write the pairs and the batches, and add `pooled` to the labels of the first draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    before = read_labels(LABELS)
    likeness_weights = {(row["lang"], row["stratum"]): row["weight"] for row in before if row["weight"]}
    labelled = {row["pair"] for row in before if row["weight"]}
    number, rows = 1, []
    for lang in COUNTS:
        dice = random.Random(f"{SEED} {lang}")
        stream = Stream(args.data, lang)
        judged = judge(stream)
        cells = draw(stream, judged, dice)
        weights = {name: weight for name, (weight, _) in cells.items()}
        fresh = []
        for name, (weight, chosen) in cells.items():
            for one in chosen:
                pair = stream.pair(one[1], one[0], name, weight, one[3])
                if pair.pair not in labelled:
                    fresh.append(pair)
                    first = likeness_weights.get((lang, name_likeness_cell(stream, one)))
                    rows.append({**asdict(pair), "pooled": pool(first, weight)})
        dice.shuffle(fresh)
        number = write_batches(stream, fresh, args.out, number)
        places = {(stream.items[one[1]].key, stream.items[one[0]].key): one for one in judged}
        for row in before:
            if row["lang"] == lang and row["weight"]:
                row["pooled"] = pool(
                    row["weight"], weights.get(name_cell(stream, places[row["a"], row["b"]]))
                )
    _write(args.out / "pairs.jsonl", rows)
    _write(LABELS, before)


def _write(file: Path, rows: Sequence[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
