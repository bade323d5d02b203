"""A recorded stream through the bot's pipeline, and a digest of each table that it leaves: does a change judge all the same?

    python bench/digest.py --data DIR [--level balanced] [--method classic] [--snapshots 900] [--feed NAME ...]

Prints the seconds of computing an entry, how many entries came to which verdict, and of each table how many rows it has
and a digest of all of them: verdicts with every step of every decision, keys, signatures, bodies, the outbox. Run it before and
after a change that is to make the bot quicker and nothing else: the digests are the same, or something has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from bot.backtest import Run, read_ahead
from bot.core.classic_verdict import Method
from bot.core.dedupe import Level
from bot.pipeline import FeedRules, Judge
from bot.snapshots import Snapshots
from bot.store import StateDir, Store

TABLES = (
    "sources entries entry_keys signatures signature_keys bodies body_keys classic_texts classic_keys outbox holds faults"
).split()


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--level", default="balanced", choices=[str(level) for level in Level])
    parser.add_argument("--method", default="table", choices=[str(method) for method in Method])
    parser.add_argument("--snapshots", type=int, default=900, help="so many are read, in order of time")
    parser.add_argument("--feed", action="append", help="only this feed; repeatable")
    options = parser.parse_args()
    if options.data is None or not (options.data / "feed_history").is_dir():
        print("skipped: no recorded feeds here, give their folder with --data")
        return
    archives = [
        path
        for folder in ("feed_history", "feed_history_blogs")
        for path in sorted((options.data / folder).glob("*.tar.*"))
        if not options.feed or path.name.split(".tar")[0] in options.feed
    ]
    with tempfile.TemporaryDirectory() as folder:
        state = StateDir(Path(folder))
        with state.lock(), Store.open(state, datetime.now(UTC)) as store:
            take_in(store, archives, options)
            for table in TABLES:
                print(f"{table:16} {digest(store, table)}")


def take_in(store: Store, archives: list[Path], options: argparse.Namespace) -> None:
    """Judge the first snapshots of all archives, and print what it took and what came of it."""
    judge = Judge(store, Level(options.level), method=Method(options.method), asks=True)
    run = Run(store, judge, release_held=False)
    spent, verdicts = 0.0, Counter[str]()
    with Snapshots(archives) as snapshots:
        stream = read_ahead(snapshots, lambda feed: FeedRules(name=feed, url=""))
        for _, (snapshot, collected, feeds) in zip(range(options.snapshots), stream, strict=False):
            before = time.thread_time()
            report, _ = run.take(snapshot, collected, feeds)
            spent += time.thread_time() - before
            verdicts.update(f"{d.verdict.kind} {d.verdict.reason}" for d in report.decisions)
    entries = verdicts.total()
    print(
        f"{options.method}, {options.level}: {entries} entries, {1000 * spent / max(entries, 1):.2f} ms each"
    )
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))


def digest(store: Store, table: str) -> str:
    """Return how many rows a table has and a digest of what stands in them, in order."""
    rows = store._db.conn.execute(f"select * from {table} order by 1, 2").fetchall()  # noqa: S608, SLF001 - our own table
    summed = hashlib.sha256()
    for row in rows:
        summed.update(repr(row).encode())
    return f"{len(rows):8} {summed.hexdigest()[:16]}"


if __name__ == "__main__":
    main()
