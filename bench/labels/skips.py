"""Draw skips of a replayed stream for readers, and say which share of the skips they call wrong.

    python bench/labels/skips.py draw  --data DIR --out DIR [--lang en|ru] [--level balanced] [--count 200] [--seed 1]
    python bench/labels/skips.py check --out DIR [--reader 1]
    python bench/labels/skips.py merge --out DIR [--labels FILE]

`draw` replays the stream, each entry against everything of its last 72 hours, draws `--count` of the entries that the
engine skips, and writes into --out `skips.jsonl` (ids, no texts) and `skips_NN.txt` (both texts, for readers; keep them
out of the project). A reader writes `skips.readerY.tsv`: a line a pair, its id, a tab, and D, S, U or N as
`README.md` says. `merge` adds both readers' labels to the file of labels (ids and labels only) and prints the share of
skips that both call N, and that share of all entries. Skips drawn before keep their labels.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from likeness import plain
from merge import compute_kappa, read_sheet
from replayed import replay
from sample import name_pair
from streams import Item, read_stream

from bot.core.dedupe import Level

LABELS = Path(__file__).resolve().with_name("skips_2026.jsonl")
BATCH = 100
_CUT = 600


def draw(data: Path, out: Path, lang: str, level: Level, count: int, seed: int) -> None:
    """Write `count` skips drawn at random, all where there are fewer."""
    items = read_stream(data, lang)
    skips = [
        (judged.verdict.candidate.entry_id - 1, number)
        for number, judged in enumerate(replay(items, level))
        if judged.verdict.is_duplicate and judged.verdict.candidate
    ]
    dice = random.Random(f"{seed} {lang} {level}")
    drawn = dice.sample(skips, min(count, len(skips)))
    out.mkdir(parents=True, exist_ok=True)
    rows, blocks = [], []
    for place, (earlier, later) in enumerate(drawn, 1):
        one, other = items[earlier], items[later]
        hours = (other.published - one.published).total_seconds() / 3600
        row = {
            "pair": name_pair(lang, one.key, other.key),
            "lang": lang,
            "a": one.key,
            "b": other.key,
            "gap_h": round(hours, 2),
        }
        rows.append(row)
        blocks.append(f"### {place}  {row['pair']}  gap {hours:.1f} h\n{_side('A', one)}{_side('B', other)}")
    drawn_of = {"lang": lang, "level": str(level), "seed": seed, "entries": len(items), "skips": len(skips)}
    lines = [json.dumps(drawn_of), *(json.dumps(row, ensure_ascii=False) for row in rows)]
    (out / "skips.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for number, start in enumerate(range(0, len(blocks), BATCH), 1):
        (out / f"skips_{number:02d}.txt").write_text(
            "\n".join(blocks[start : start + BATCH]), encoding="utf-8"
        )
    print(
        f"{len(items)} entries, {len(skips)} skipped ({len(skips) / len(items):.4f}), {len(rows)} drawn into {out}"
    )


def _side(name: str, item: Item) -> str:
    body = plain(item.summary)
    body = body if len(body) <= _CUT else f"{body[:_CUT]}…"
    return f"{name}: [{item.source}, {item.published:%Y-%m-%d %H:%M}] {item.title}\n   {body or '(no summary)'}\n"


def read_draw(out: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what was drawn from, and the rows drawn."""
    first, *rows = (out / "skips.jsonl").read_text(encoding="utf-8").splitlines()
    return json.loads(first), [json.loads(row) for row in rows]


def check(out: Path, reader: str) -> list[str]:
    """Return the faults of a reader's sheet; none when it is complete and sound."""
    _, rows = read_draw(out)
    return read_sheet(out / f"skips.reader{reader}.tsv", {row["pair"] for row in rows})[1]


def merge(out: Path, labels: Path) -> None:
    """Add both readers' labels to the file of labels, and print the shares."""
    drawn, rows = read_draw(out)
    wanted = {row["pair"] for row in rows}
    (first, faults), (second, more) = (
        read_sheet(out / f"skips.reader{reader}.tsv", wanted) for reader in "12"
    )
    if faults or more:
        raise SystemExit("\n".join([*faults, *more]))
    for row in rows:
        row["first"], row["second"] = first[row["pair"]], second[row["pair"]]
    known = {}
    if labels.exists():
        known = {row["pair"]: row for row in map(json.loads, labels.read_text(encoding="utf-8").splitlines())}
    known |= {row["pair"]: row for row in rows}
    labels.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in known.values()), encoding="utf-8"
    )
    agreed, kappa = compute_kappa([(row["first"], row["second"]) for row in rows])
    wrong = sum(row["first"] == row["second"] == "N" for row in rows) / len(rows)
    of_all = wrong * drawn["skips"] / drawn["entries"]
    print(
        f"{len(rows)} skips: agreement {agreed:.3f}, kappa {kappa:.3f}; both say N {wrong:.4f}, of all entries {of_all:.5f}"
    )
    print(f"labels in {labels}")


def main() -> None:
    """Draw, check a sheet, or merge two."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["draw", "check", "merge"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lang", choices=["en", "ru"], default="en")
    parser.add_argument("--level", choices=[str(level) for level in Level], default="balanced")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reader", choices=["1", "2"], default="1")
    parser.add_argument("--labels", type=Path, default=LABELS)
    args = parser.parse_args()
    if args.step == "draw":
        if args.data is None:
            parser.error("draw replays real data: give their folder with --data")
        draw(args.data, args.out, args.lang, Level(args.level), args.count, args.seed)
    elif args.step == "check":
        faults = check(args.out, args.reader)
        print("\n".join(faults) or "complete and sound")
        raise SystemExit(bool(faults))
    else:
        merge(args.out, args.labels)


if __name__ == "__main__":
    main()
