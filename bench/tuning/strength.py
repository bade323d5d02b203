"""How far labels should move the table: simulated owners, refitted, measured on pairs that the fit has not seen.

    python bench/tuning/strength.py --data DIR [--labels FILE] [--rounds N]

Three owners read the stream: one like those who labelled it (D and S are repeats), one whom updates bore (D, S and
U), one who wants all but edits of one text (D). Each gives n labels, drawn at random or from the pairs that the shipped
table gets wrong by that owner and as many others at random, which is how people label. Printed: the share of other
pairs judged wrongly at balanced, before and after, by strength of the prior. The shipped table was fitted to these
very pairs by the first owner's measure, so "before" of that owner is a little too good.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pairs import labelled, stream

from bot.core.dedupe import SHIPPED, Level, Table
from bot.core.guards import equal, guard
from bot.core.refit import Example, most_probable

STRENGTHS = (1.0, 2.0, 5.0, 10.0, 20.0)
OWNERS = ("DS", "DSU", "D")
COUNTS = (15, 30, 60, 120, 240)
TESTED = 600


def points(table: Table, example: Example) -> float:
    """Give the points of a pair."""
    return table.base + sum(example.terms[name] * weight for name, weight in table.weights)


def wrong(table: Table, examples: list[Example]) -> float:
    """Give the share that a table gets wrong."""
    misses = sum((points(table, one) >= one.threshold) is not one.same for one in examples)
    return misses / len(examples)


def fitted(examples: list[Example], start: Table, strength: float) -> Table:
    """Fit without asking whether there are enough."""
    names = sorted(examples[0].terms)
    known = dict(start.weights)
    prior = [start.base, *(known.get(name, 0.0) for name in names)]
    rows = [[1.0, *(example.terms[name] for name in names)] for example in examples]
    thresholds = [example.threshold for example in examples]
    labels = [example.same for example in examples]
    base, *weights = most_probable(rows, thresholds, labels, prior, strength=strength)
    return start._replace(weights=tuple(zip(names, weights, strict=True)), base=base)


def main() -> None:
    """Draw, fit, count, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labels", type=Path, help="pairs that bench/labels/join.py wrote")
    parser.add_argument("--rounds", type=int, default=6)
    options = parser.parse_args()
    table = SHIPPED.levels[Level.BALANCED]
    pairs = [*stream(options.data), *(labelled(options.labels) if options.labels else ())]
    scored = [(pair, pair.scores()) for pair in pairs]
    rows = [
        (pair.label, pair.terms(), table.threshold + table.same_feed * scores["same_feed"])
        for pair, scores in scored
        if not equal(scores) and not guard(scores)
    ]
    print(f"{len(pairs)} pairs, {len(rows)} of them decided by the table")
    for owner in OWNERS:
        examples = [
            Example(terms=terms, threshold=at, same=label in owner and label != "N")
            for label, terms, at in rows
        ]
        for chosen in ("at random", "the mistakes and as many others"):
            for count in COUNTS:
                before, after = 0.0, dict.fromkeys(STRENGTHS, 0.0)
                for turn in range(options.rounds):
                    draw = random.Random(1000 * turn + count)
                    mixed = draw.sample(examples, len(examples))
                    tested, pool = mixed[:TESTED], mixed[TESTED:]
                    if chosen != "at random":
                        missed = [
                            one for one in pool if (points(table, one) >= one.threshold) is not one.same
                        ]
                        pool = missed[: count // 2] + draw.sample(pool, count - min(len(missed), count // 2))
                    before += wrong(table, tested) / options.rounds
                    for strength in STRENGTHS:
                        after[strength] += (
                            wrong(fitted(pool[:count], table, strength), tested) / options.rounds
                        )
                shown = "  ".join(f"{strength:g}: {share:.3f}" for strength, share in after.items())
                print(f"{owner:3} {chosen:31} {count:3} labels  before {before:.3f}  {shown}", flush=True)


if __name__ == "__main__":
    main()
