"""Merge what readers wrote into one file of ids and labels, and say how far they agree.

    python bench/labels/merge.py --work DIR [--check batch_03.reader1] [--out FILE]

Reads `pairs.jsonl` and `batch_NN.txt` of `sample.py` and `out/batch_NN.readerY.tsv` below --work. With --check
only that file is looked at. Otherwise writes --out (both labels; `label` = the agreed one, or the third decision
of `out/decisions.tsv`, else null) and `to_decide.txt`, the pairs in dispute with their texts and without labels.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

LABELS = "DSUN"
OUT = Path(__file__).resolve().with_name("stream_2026.jsonl")
_HEAD = re.compile(r"^### (\d+)  (\w+)  gap", re.MULTILINE)


def read_batch(file: Path) -> dict[str, str]:
    """Return the blocks of a batch by pair id, in order."""
    text = file.read_text(encoding="utf-8")
    heads = list(_HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {head[2]: text[head.start() : end] for head, end in zip(heads, ends, strict=True)}


def read_sheet(file: Path, expected: set[str]) -> tuple[dict[str, str], list[str]]:
    """Return the labels of a reader's file by pair id, and its faults (empty: it is complete and sound)."""
    labels: dict[str, str] = {}
    faults = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        pair, _, label = (part.strip() for part in line.partition("\t"))
        if pair not in expected:
            faults.append(f"{file.name}:{number}: {pair!r} is no pair of this batch")
        elif label not in LABELS or len(label) != 1:
            faults.append(f"{file.name}:{number}: {label!r} is none of D S U N")
        elif pair in labels:
            faults.append(f"{file.name}:{number}: {pair} stands twice")
        else:
            labels[pair] = label
    faults.extend(f"{file.name}: {pair} is missing" for pair in sorted(expected - labels.keys()))
    return labels, faults


def compute_kappa(pairs: list[tuple[str, str]]) -> tuple[float, float]:
    """Return the share of agreement and Cohen's kappa (1960) of two readers; (nan, nan) without pairs."""
    if not pairs:
        return float("nan"), float("nan")
    agreed = sum(one == other for one, other in pairs) / len(pairs)
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    chance = sum(first[label] * second[label] for label in LABELS) / len(pairs) ** 2
    return agreed, 1.0 if chance == 1 else (agreed - chance) / (1 - chance)


def report(title: str, pairs: list[tuple[str, str]]) -> None:
    """Print agreement, kappa (four labels, and D+S against U+N) and the table first reader x second reader."""
    agreed, kappa = compute_kappa(pairs)
    two = [tuple("D" if label in "DS" else "N" for label in pair) for pair in pairs]
    _, coarse = compute_kappa([(one, other) for one, other in two])
    print(
        f"{title}: {len(pairs)} pairs, agreed {agreed:.3f}, kappa {kappa:.3f}; repeat or not: kappa {coarse:.3f}"
    )
    table = Counter(pairs)
    print("      " + "".join(f"{label:>6}" for label in LABELS))
    for one in LABELS:
        print(f"    {one} " + "".join(f"{table[one, other]:6}" for other in LABELS))


def merge(work: Path) -> tuple[list[dict[str, Any]], list[str], dict[str, str]]:
    """Return the rows of all pairs with both labels, the faults found, and the blocks of disputed pairs."""
    rows = [json.loads(line) for line in (work / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    blocks: dict[str, str] = {}
    sheets: dict[str, dict[str, str]] = {"1": {}, "2": {}}
    faults = []
    for file in sorted(work.glob("batch_*.txt")):
        batch = read_batch(file)
        blocks |= batch
        for reader, labels in sheets.items():
            sheet = work / "out" / f"{file.stem}.reader{reader}.tsv"
            if sheet.exists():
                found, wrong = read_sheet(sheet, set(batch))
                labels.update(found)
                faults += wrong
            else:
                faults.append(f"{sheet.name} is not there")
    decisions: dict[str, str] = {}
    third = work / "out" / "decisions.tsv"
    if third.exists():
        wanted = {row["pair"] for row in rows}
        decisions, wrong = read_sheet(third, wanted)
        faults += [fault for fault in wrong if not fault.endswith("is missing")]
    disputed = {}
    for row in rows:
        del row["likeness"]  # a score of the sampler's, not of a reader
        row["first"], row["second"] = (sheets[reader].get(row["pair"]) for reader in ("1", "2"))
        agreed = row["first"] if row["first"] == row["second"] else None
        row["label"] = agreed or decisions.get(row["pair"])
        if row["first"] and row["second"] and row["label"] is None:
            disputed[row["pair"]] = blocks[row["pair"]]
    return rows, faults, disputed


def main() -> None:
    """Check one sheet, or merge all; exits 1 when a sheet is faulty or not there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--check", metavar="SHEET")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    if args.check:
        name = args.check.removesuffix(".tsv")
        batch = read_batch(args.work / f"{name.split('.')[0]}.txt")
        labels, faults = read_sheet(args.work / "out" / f"{name}.tsv", set(batch))
        print(*faults, f"{len(labels)} of {len(batch)} labelled: {dict(Counter(labels.values()))}", sep="\n")
        sys.exit(bool(faults))
    rows, faults, disputed = merge(args.work)
    read = [row for row in rows if row["first"] and row["second"]]
    report("all", [(row["first"], row["second"]) for row in read])
    for lang in ("en", "ru"):
        mine = [row for row in read if row["lang"] == lang]
        report(lang, [(row["first"], row["second"]) for row in mine])
        again = [row for row in mine if row["stratum"].startswith("recurring")]
        report(f"{lang}, recurring reports", [(row["first"], row["second"]) for row in again])
    args.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    (args.work / "to_decide.txt").write_text("\n".join(disputed.values()), encoding="utf-8")
    print(*faults, sep="\n")
    print(
        f"{len(rows)} pairs, {sum(row['label'] is not None for row in rows)} with a label, {len(disputed)} to decide"
    )
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
