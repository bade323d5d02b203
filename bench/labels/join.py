"""Join ids and labels back to texts: one line a pair, in the form `shinglebot tune --pairs` reads.

    python bench/labels/join.py --data DIR [--labels FILE ...] [--out FILE] [--recurring with|without|only]

Each line: {"a": {"title", "summary", "published", "link", "source"}, "b": {...}, "same": bool, "label", "weight",
"stratum", "lang", "gap_h", "pair"}. `same` is true for D and S, `weight` is that of both draws together. Pairs without an
agreed label are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streams import read_stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streams import Item

LABELS = Path(__file__).with_name("stream_2026.jsonl")
BY_POINTS = LABELS.with_name("points_2026.jsonl")
SAME = frozenset("DS")


def read_labels(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a labels file, in order."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


def join(rows: Iterable[dict[str, Any]], data: Path) -> Iterator[dict[str, Any]]:
    """Yield each labelled row with its two texts; raises LookupError for an id that the data lack."""
    items: dict[str, dict[str, Item]] = {}
    for row in rows:
        if row["label"] is None:
            continue
        lang = row["lang"]
        if lang not in items:
            items[lang] = {item.key: item for item in read_stream(data, lang)}
        missing = [key for key in (row["a"], row["b"]) if key not in items[lang]]
        if missing:
            raise LookupError(f"pair {row['pair']}: {', '.join(missing)} is not in the {lang} data")
        yield {
            "a": _text(items[lang][row["a"]]),
            "b": _text(items[lang][row["b"]]),
            "same": row["label"] in SAME,
            "weight": row.get("pooled", row["weight"]),
            **{name: row[name] for name in ("label", "stratum", "lang", "gap_h", "pair")},
        }


def _text(item: Item) -> dict[str, str]:
    return {
        "title": item.title,
        "summary": item.summary,
        "published": item.published.isoformat(),
        "link": f"https://{item.link}" if item.link else "",
        "source": item.source,
    }


def main() -> None:
    """Write the joined pairs to --out, or to the standard output; says so and exits 1 when an id is not found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labels", type=Path, nargs="+", default=[LABELS, BY_POINTS])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--recurring", choices=["with", "without", "only"], default="with")
    args = parser.parse_args()
    rows = [
        row
        for file in args.labels
        for row in read_labels(file)
        if args.recurring == "with" or row["stratum"].startswith("recurring") is (args.recurring == "only")
    ]
    try:
        lines = [json.dumps(pair, ensure_ascii=False) + "\n" for pair in join(rows, args.data)]
    except (LookupError, FileNotFoundError) as fault:
        raise SystemExit(f"{fault}") from fault
    if args.out:
        args.out.write_text("".join(lines), encoding="utf-8")
    else:
        sys.stdout.writelines(lines)


if __name__ == "__main__":
    main()
