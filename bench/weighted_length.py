"""How fast `measure` is, in processor time: texts per second, and how its time grows with texts made to slow it down.

    python bench/weighted_length.py [--data FOLDER]

With `--data`, the titles and descriptions of `archive/*.ndjson.xz` are measured as well. Linear work doubles
with the text: a growth factor near 2 is right, near 4 is quadratic.
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from itertools import pairwise
from pathlib import Path

from bot.core.weighted_length import measure

CEILING_MS = 50  # what 16 kB of anything may cost
SIZES = (4_096, 8_192, 16_384)
ADVERSARIAL = {
    "example.example.": "example.example.",
    "a.a.a.": "a.",
    "no top-level domain": "example.exampl3.",
    "hyphens": "a-.",
    "underscores": "a_b.",
    "protocols": "http://http://",
    "protocol and host": "http://a.",
    "links": "http://a.com/ ",
    "bare links": "a.co ",
    "opened groups": "((((",
    "path of opened groups": "a.co/(",
    "path of nested groups": "a.co/(a(",
    "long open group": "a.co/(,b.co,",
    "path that never ends": "a.co/,,,,",
    "query that never ends": "a.co?!!!!",
    "dots": ".",
    "ideographs": "日",
    "ideographs and a dot": "日本語.",
    "unicode hosts": "日本語日本語日本語日本語.com ",
    "long unicode labels": "字" * 57 + ".com,",
    "many distinct letters": "".join(map(chr, range(0x4E00, 0x4E00 + 30))) + ".com ",
    "unicode top-level domains": "a.みんな",
    "punycode": "xn--a.",
    "t.co": "http://t.co/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ",
    "joined emoji": "👨\u200d",
    "flags": "🇦",
    "marks out of order": "\u0301\u0316",
    "marks that decompose": "\u0f73",
}


def _fill(pattern: str, size: int) -> str:
    return (pattern * (size // len(pattern) + 1))[:size]


def _milliseconds(text: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        measure(text)
        best = min(best, time.process_time() - start)
    return best * 1000


def _rate(texts: list[str]) -> float:
    start = time.process_time()
    for text in texts:
        measure(text)
    return len(texts) / (time.process_time() - start)


def _archive(folder: Path) -> list[str]:
    texts = []
    for path in sorted(folder.glob("archive/*.ndjson.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                item = json.loads(line)
                texts.append(f"{item.get('title') or ''} {item.get('link') or ''}")
                texts.append(str(item.get("description") or ""))
    return texts


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--data", type=Path, help="the folder of real data")
    data = arguments.parse_args().data
    samples = {
        "a title and its link": [
            "Storm closes the harbour for a third day https://news.example/2026/11/storm"
        ],
        "280 ideographs": ["新" * 280],
        "a title with emoji": ["Up 5% 📈 today 👩‍💻 as shares of AT&T.com rally 🇺🇸"],
    }
    for name, texts in samples.items():
        print(f"{name:28} {_rate(texts * 2000):10,.0f} texts/s")
    if data:
        texts = _archive(data)
        print(f"{f'archive, {len(texts):,} texts':28} {_rate(texts):10,.0f} texts/s")
    print(f"\n{'milliseconds by size':28}" + "".join(f"{size:>10,}" for size in SIZES) + "   growth")
    slowest = 0.0
    for name, pattern in ADVERSARIAL.items():
        times = [_milliseconds(_fill(pattern, size)) for size in SIZES]
        growth = " ".join(f"{after / before:4.1f}" for before, after in pairwise(times))
        print(f"{name:28}" + "".join(f"{value:10.2f}" for value in times) + f"   {growth}")
        slowest = max(slowest, times[-1])
    verdict = "within" if slowest <= CEILING_MS else "OVER"
    print(f"\nslowest at {SIZES[-1]:,}: {slowest:.1f} ms, {verdict} the {CEILING_MS} ms allowed")


if __name__ == "__main__":
    main()
