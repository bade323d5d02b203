"""Count in how many texts each token stands, and write the frozen table that the core ships.

    python bench/frequencies.py --data DIR        writes bot/core/frequencies.bin and prints what it counted

The table holds hashes and levels only, no word. It decides which tokens are rare enough to be keys, so it
belongs to a version of the signature: build a new one only together with a new `SIGNATURE_VERSION`.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import lzma
import tarfile
from array import array
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import feedparser

from bot.core.canonize import plain, words
from bot.core.frequencies import LEVELS_PER_NAT, MAX_LEVEL, fingerprint, script_of

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_COUNT = 3
LEAD = 60
UNSEEN = 0.5  # a token that no text had counts as half a text


def archive(data: Path) -> Iterator[tuple[str, str]]:
    """Yield title and description of the English feeds of 2026."""
    with lzma.open(data / "archive" / "rss_2026_w20-w27.ndjson.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            yield item["title"] or "", item["description"] or ""


def history(data: Path) -> Iterator[tuple[str, str]]:
    """Yield title and summary of each entry of the recorded snapshots."""
    for name in sorted((data / "feed_history").glob("*.tar.xz")):
        seen: set[tuple[str, str]] = set()
        with tarfile.open(name) as tar:
            for member in tar:
                stream = tar.extractfile(member) if member.isfile() else None
                if stream is None:
                    continue
                feed = feedparser.parse(
                    io.BytesIO(stream.read()), sanitize_html=False, resolve_relative_uris=False
                )
                for entry in feed.entries:
                    text = (entry.get("title", ""), entry.get("summary", ""))
                    if text not in seen:
                        seen.add(text)
                        yield text


def posts(data: Path) -> Iterator[tuple[str, str]]:
    """Yield the Russian posts and the full texts in both languages."""
    with gzip.open(data / "pairs" / "telegram_ru_posts.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield "", json.loads(line)["text"] or ""
    with gzip.open(data / "pairs" / "tgcontest_threads.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            yield item["title"], item["text"][:1000]


def main() -> None:
    """Count, quantize, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent.parent / "bot" / "core" / "frequencies.bin"
    )
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    texts: Counter[str] = Counter()
    for source in (archive, history, posts):
        read = 0
        for title, summary in source(options.data):
            tokens = {word.token for word in words(plain(title))}
            tokens.update(word.token for word in islice(words(plain(summary[:2000])), LEAD))
            counts.update(tokens)
            texts.update({script_of(token) for token in tokens})
            read += 1
        print(f"{source.__name__}: {read} texts")
    print("texts by script:", dict(texts))
    import math

    table = {}
    for token, count in counts.items():
        if count >= MIN_COUNT:
            total = texts[script_of(token)]
            level = min(MAX_LEVEL, round(LEVELS_PER_NAT * math.log(total / count)))
            key = fingerprint(token)
            table[key] = min(level, table.get(key, MAX_LEVEL))
    rows = array("I", sorted(key << 8 | level for key, level in table.items()))
    if rows.itemsize != 4 or array("H", [1]).tobytes() != b"\x01\x00":
        rows.byteswap()
    options.out.write_bytes(rows.tobytes())
    print(f"{len(rows)} tokens, {options.out.stat().st_size} bytes")
    for script in texts:
        print(
            script, "unseen level", min(MAX_LEVEL, round(LEVELS_PER_NAT * math.log(texts[script] / UNSEEN)))
        )


if __name__ == "__main__":
    main()
