"""The bot's own index as it grows: how long a check, an addition and opening take, what an entry costs, what is found.

    python bench/index.py --data DIR [--sizes 10000 100000 1000000]

Entries are made of real ones: the words of one real title's beginning and another's end, with the summary of a third, so
words are as frequent as they are in news. Recall: a real entry is stored among them and looked up by an edited copy.
The database lies on disk, as the bot's does; additions are committed a thousand at a time. Times are of computing, so that the
figures hold on a machine that others use too; opening is by the clock.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import resource
import sqlite3
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from bot.core.dedupe import WINDOW, Level, judge_near
from bot.core.model import Entry, Fresh
from bot.core.signature import Signature, sign
from bot.store import StateDir, Store

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = datetime(2026, 6, 1, tzinfo=UTC)
BATCH = 1000
CHECKS = 1000
SETTLED = (
    "check p99 ms <= 3",
    "adds/s >= 5,000",
    "MB <= 200",
    "opening s <= .5",
    "hot bytes <= 500",
    "cold bytes <= 48",
)


def texts(data: Path) -> list[tuple[str, str]]:
    """Read titles and summaries of the recorded feeds."""
    with lzma.open(data / "archive" / "rss_2026_w20-w27.ndjson.xz", "rt") as file:
        items = [json.loads(line) for line in file]
    return [(item["title"], item.get("description") or "") for item in items if item.get("title")]


def made(signed: list[Signature], draw: random.Random) -> Iterator[Signature]:
    """Yield signatures made of real ones, without end."""
    while True:
        one, two, three = draw.choice(signed), draw.choice(signed), draw.choice(signed)
        half, other = len(one.title) // 2, len(two.title) // 2
        title = dict(zip(one.title[:half], one.marks, strict=False))
        for hashed, mark in zip(two.title[other:], two.marks[other:], strict=False):
            title.setdefault(hashed, mark)
        marks = three.marks[len(three.title) :]
        lead = {hashed: mark for hashed, mark in zip(three.lead, marks, strict=True) if hashed not in title}
        yield Signature(
            exact=draw.getrandbits(63) or 1,
            size=len(title) + len(lead),
            title=tuple(title),
            lead=tuple(lead),
            marks=bytes([*title.values(), *lead.values()]),
            grams=one.grams,
            numbers=three.numbers,
        )


def edited(text: tuple[str, str], draw: random.Random) -> tuple[str, str]:
    """Drop one word of the title and cut a third of the summary."""
    words = text[0].split()
    if len(words) > 4:
        del words[draw.randrange(len(words))]
    summary = text[1].split()
    return " ".join(words), " ".join(summary[: max(1, 2 * len(summary) // 3)])


def sizes_of(path: Path) -> int:
    """Give the bytes of the index in a database: signatures and keys, their indexes included."""
    with sqlite3.connect(path) as db:
        return int(
            db.execute(
                "select coalesce(sum(pgsize), 0) from dbstat where"
                " (name like 'signature%' or name like 'sqlite_autoindex_signature%')"
            ).fetchone()[0]
        )


def main() -> None:
    """Grow a store and print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    draw = random.Random(1)
    real = texts(options.data)
    draw.shuffle(real)
    probes = real[:CHECKS]
    signed = [sign(*text) for text in real[CHECKS : CHECKS + 20_000]]
    del real
    print("goals:", "; ".join(SETTLED))
    print(
        "| entries | adds/s | opening s | check p50 ms | p99 ms | look-up p50 | hot bytes | MB | recall | judged copies |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        state = StateDir(Path(folder) / "state")
        count = 0
        more = made(signed, draw)
        for size in options.sizes:
            with Store.open(state, NOW) as store:
                if not count:
                    with store.transaction():
                        for at, text in enumerate(probes):
                            keep(store, Entry(feed="probe", title=text[0], summary=text[1]), sign(*text), at)
                    count = len(probes)
                added, spent = 0, 0.0
                while count < size:
                    batch = [next(more) for _ in range(min(BATCH, size - count))]
                    with store.transaction():
                        ids = [
                            store.entries.add(
                                Entry(feed="a", title="a title"),
                                Fresh(),
                                variant=draw.getrandbits(62),
                                now=NOW,
                            )
                            for _ in batch
                        ]
                        begun = time.process_time()
                        for entry_id, signature in zip(ids, batch, strict=True):
                            store.signatures.add(entry_id, signature, NOW)
                        middle = time.process_time() - begun
                        begun = time.process_time()
                    spent += middle + time.process_time() - begun
                    added += len(batch)
                    count += len(batch)
            begun = time.perf_counter()
            store = Store.open(state, NOW)
            opening = time.perf_counter() - begun
            with store:
                print(
                    f"| {count:,} | {added / spent if spent else 0:,.0f} | {opening:.2f} | {checked(store, probes)}".replace(
                        "HOT", f"{sizes_of(state.database) / count:.0f}"
                    ),
                    flush=True,
                )


def keep(store: Store, entry: Entry, signature: Signature, variant: int) -> None:
    """Store one entry and its signature."""
    store.signatures.add(store.entries.add(entry, Fresh(), variant=variant, now=NOW), signature, NOW)


def checked(store: Store, probes: list[tuple[str, str]]) -> str:
    """Look every probe's edited copy up and judge it; return the cells of the table."""
    draw = random.Random(2)
    took, looked = [], []
    found = copies = 0
    later = NOW + timedelta(hours=1)
    for text in probes:
        copy = edited(text, draw)
        begun = time.process_time()
        signature = sign(*copy)
        middle = time.process_time()
        candidates = store.signatures.candidates(signature, NOW - WINDOW)
        looked.append(1000 * (time.process_time() - middle))
        verdict = judge_near(
            signature, candidates, level=Level.BALANCED, feed="other", now=later, published=later
        )
        took.append(1000 * (time.process_time() - begun))
        found += any(candidate.feed == "probe" and candidate.title == text[0] for candidate in candidates)
        copies += verdict.is_duplicate and verdict.candidate is not None and verdict.candidate.feed == "probe"
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return (
        f"{median(took):.2f} | {quantiles(took, n=100)[98]:.2f} | {median(looked):.2f} | HOT | {megabytes} |"
        f" {found / len(probes):.4f} | {copies / len(probes):.4f} |"
    )


if __name__ == "__main__":
    main()
