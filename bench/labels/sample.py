"""Draw pairs to be labelled: an entry and its most alike earlier one, by likeness and age, and recurring reports.

    python bench/labels/sample.py --data DIR --out DIR

Writes `pairs.jsonl` (ids, stratum, weight: no texts) and `batch_NN.txt` for readers (texts, and no word of how
alike the two are) into --out. The draw is the same for the same data.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from likeness import Near, Text, read_texts, search_earlier, weigh
from recurring import draw_recurrences, find_recurrences
from streams import Item, read_stream

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED = 20260712
KNOWN = "pairs/stream_labels.jsonl.gz"
COUNTS = {"en": 720, "ru": 620}
RECURRING = {"en": 165, "ru": 165}
BATCH = 132
_NEAREST = 12
_CUT = 500

# Lower edges of the likeness bands, read off the spread of each stream; factors say how much of the draw a band
# gets. The middle gets most: there a threshold is unsure; the lowest holds nothing but N.
BANDS: dict[str, dict[str, list[float]]] = {
    "en": {"edges": [0.0, 0.2, 0.3, 0.4, 0.5, 0.65], "factors": [0.5, 1.0, 1.5, 1.8, 1.6, 1.2]},
    "ru": {"edges": [0.0, 0.2, 0.35, 0.5, 0.65, 0.85], "factors": [0.5, 1.2, 1.7, 1.6, 1.2, 0.8]},
}
GAP_ENDS_H = [12.0, 72.0]
GAP_NAMES = ["<=12h", "12-72h", "3-14d"]
GAP_FACTORS = [2.0, 1.0, 0.6]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One drawn pair: ids of the data, `weight` = how many pairs of the stream it stands for (0: recurring)."""

    pair: str
    lang: str
    a: str
    b: str
    stratum: str
    weight: float
    gap_h: float
    likeness: float


def name_pair(lang: str, one: str, other: str) -> str:
    """Return the pair's id: the first letter of its language and eight hex digits, stable for its two ids."""
    return lang[0] + blake2b(f"{lang}|{one}|{other}".encode(), digest_size=4).hexdigest()


def read_known(data: Path) -> set[frozenset[tuple[str, str]]]:
    """Return the pairs labelled before, each as two (source, bare title) marks, so that none is drawn again."""
    with gzip.open(data / KNOWN, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {frozenset((row[side]["source"], _bare(row[side]["title"])) for side in "ab") for row in rows}


def _bare(title: str) -> str:
    return re.sub(r"\W+", "", title.lower())


class Stream:
    """One language's items with their texts and nearest earlier items."""

    def __init__(self, data: Path, lang: str) -> None:
        self.lang = lang
        self.items: list[Item] = read_stream(data, lang)
        self.texts: list[Text] = read_texts(self.items)
        self.near: list[list[Near]] = search_earlier(self.items, self.texts, weigh(self.texts), _NEAREST)

    def is_known(self, earlier: int, later: int, known: set[frozenset[tuple[str, str]]]) -> bool:
        """Say whether this pair is among those labelled before."""
        sides = (self.items[earlier], self.items[later])
        return frozenset((side.source, _bare(side.title)) for side in sides) in known

    def gap_h(self, earlier: int, later: int) -> float:
        """Return the hours between two items."""
        return (self.items[later].published - self.items[earlier].published).total_seconds() / 3600

    def pair(self, earlier: int, later: int, stratum: str, weight: float, likeness: float) -> Pair:
        """Return the drawn pair of two indices."""
        one, other = self.items[earlier].key, self.items[later].key
        return Pair(
            pair=name_pair(self.lang, one, other),
            lang=self.lang,
            a=one,
            b=other,
            stratum=stratum,
            weight=round(weight, 3),
            gap_h=round(self.gap_h(earlier, later), 2),
            likeness=round(likeness, 3),
        )


def draw_stream(
    stream: Stream, known: set[frozenset[tuple[str, str]]], count: int, dice: random.Random
) -> list[Pair]:
    """Return `count` pairs by band and gap; a cell that runs short hands its places to the others.

    Within a cell the draw is systematic over (same source, likeness), so that both kinds of source and the whole
    band are met in their true shares. Weight = size of the cell / drawn of it, pairs labelled before included.
    """
    edges, factors = BANDS[stream.lang]["edges"], BANDS[stream.lang]["factors"]
    cells: dict[tuple[int, int], list[int]] = defaultdict(list)
    for later, near in enumerate(stream.near):
        if near:
            band = bisect_right(edges, near[0].likeness) - 1
            gap = bisect_left(GAP_ENDS_H, stream.gap_h(near[0].index, later))
            cells[band, gap].append(later)
    pools = {
        cell: [later for later in members if not stream.is_known(stream.near[later][0].index, later, known)]
        for cell, members in cells.items()
    }
    shares = _allot(
        {cell: factors[cell[0]] * GAP_FACTORS[cell[1]] for cell in pools},
        {c: len(p) for c, p in pools.items()},
        count,
    )
    drawn = []
    for cell in sorted(pools):
        pool = sorted(pools[cell], key=lambda later: _order(stream, later))
        step = len(pool) / max(1, shares[cell])
        start = dice.random() * step
        name = f"{edges[cell[0]]:.2f}+ {GAP_NAMES[cell[1]]}"
        for turn in range(shares[cell]):
            later = pool[int(start + turn * step)]
            best = stream.near[later][0]
            drawn.append(stream.pair(best.index, later, name, len(cells[cell]) / shares[cell], best.likeness))
    return drawn


def _order(stream: Stream, later: int) -> tuple[bool, float, int]:
    best = stream.near[later][0]
    return (stream.items[best.index].source == stream.items[later].source, best.likeness, later)


def _allot(
    factors: dict[tuple[int, int], float], sizes: dict[tuple[int, int], int], count: int
) -> dict[tuple[int, int], int]:
    """Return how many to draw of each cell: by factor, at most its size, `count` in all."""
    shares = dict.fromkeys(factors, 0)
    for _ in range(count):
        open_cells = [cell for cell in shares if shares[cell] < sizes[cell]]
        chosen = min(open_cells, key=lambda cell: (shares[cell] + 0.5) / factors[cell])
        shares[chosen] += 1
    return shares


def draw_recurring(
    stream: Stream, taken: set[str], known: set[frozenset[tuple[str, str]]], count: int, dice: random.Random
) -> list[Pair]:
    """Return `count` recurring reports that are neither drawn nor labelled already; they weigh nothing."""
    pool = [
        one
        for one in find_recurrences(stream.items, stream.texts, stream.near)
        if name_pair(stream.lang, stream.items[one.earlier].key, stream.items[one.later].key) not in taken
        and not stream.is_known(one.earlier, one.later, known)
    ]
    pairs = []
    for one in draw_recurrences(pool, stream.items, count, dice):
        alike = next((near.likeness for near in stream.near[one.later] if near.index == one.earlier), 0.0)
        pairs.append(stream.pair(one.earlier, one.later, f"recurring {one.topic}", 0.0, alike))
    return pairs


def write_batches(stream: Stream, pairs: Sequence[Pair], out: Path, first: int) -> int:
    """Write the pairs as `batch_NN.txt` from number `first`, about equal in size; return the next number."""
    places = {item.key: index for index, item in enumerate(stream.items)}
    batches = -(-len(pairs) // BATCH)
    for number in range(batches):
        part = pairs[len(pairs) * number // batches : len(pairs) * (number + 1) // batches]
        blocks = [
            f"### {place}  {pair.pair}  gap {pair.gap_h:.1f} h\n"
            + _side("A", stream, places[pair.a])
            + _side("B", stream, places[pair.b])
            for place, pair in enumerate(part, 1)
        ]
        (out / f"batch_{first + number:02d}.txt").write_text("\n".join(blocks), encoding="utf-8")
    return first + batches


def _side(name: str, stream: Stream, index: int) -> str:
    item, text = stream.items[index], stream.texts[index]
    body = text.body if len(text.body) <= _CUT else f"{text.body[:_CUT]}…"
    summary = f"   {body}\n" if body else "   (no summary)\n"
    return f"{name}: [{item.source}, {item.published:%Y-%m-%d %H:%M}] {text.title}\n{summary}"


def main() -> None:
    """Draw, write the pairs and the batches, and print how many of each stratum."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    known = read_known(args.data)
    number, rows = 1, []
    for lang, count in COUNTS.items():
        dice = random.Random(f"{SEED} {lang}")
        stream = Stream(args.data, lang)
        pairs = draw_stream(stream, known, count, dice)
        pairs += draw_recurring(stream, {pair.pair for pair in pairs}, known, RECURRING[lang], dice)
        dice.shuffle(pairs)
        number = write_batches(stream, pairs, args.out, number)
        rows += pairs
        for stratum, drawn in sorted(Counter(pair.stratum for pair in pairs).items()):
            print(
                f"{lang} {stratum:24} {drawn:4}  weight {next(p.weight for p in pairs if p.stratum == stratum):.2f}"
            )
        print(
            f"{lang} in all {len(pairs)}, of {sum(map(bool, stream.near))} entries that have an earlier one"
        )
    if len({row.pair for row in rows}) != len(rows):
        raise SystemExit("two pairs share an id: lengthen name_pair")
    text = "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)
    (args.out / "pairs.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
