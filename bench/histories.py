"""Months of recorded feeds, each replayed alone: is a fresh story ever dropped, is one ever posted twice?

    python bench/histories.py --data DIR [--level strict] [--feed NAME ...]

For each feed of DIR/feed_history and DIR/feed_history_blogs: of the entries whose guid, link and text are all new
and that are within max_age, the share that is fresh (goal: 98% at strict); guids and canonical links that were
fresh more than once (goal: none); titles that were fresh more than once (to look at); and the rate.
"""

from __future__ import annotations

import argparse
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from time import perf_counter

from bot.backtest import Judged, Tally, replay
from bot.core.dedupe import Level
from bot.core.identity import fold
from bot.core.urls import link_key
from bot.pipeline import FeedRules
from bot.snapshots import Snapshots


def main() -> None:
    """Replay and print a line a feed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--level", default="strict", choices=[str(level) for level in Level])
    parser.add_argument("--feed", action="append", help="only this feed; repeatable")
    options = parser.parse_args()
    if options.data is None or not (options.data / "feed_history").is_dir():
        print("skipped: no recorded feeds here, give their folder with --data")
        return
    archives = sorted(
        path
        for folder in ("feed_history", "feed_history_blogs")
        for path in (options.data / folder).glob("*.tar.*")
    )
    print(
        f"{'feed':32} {'new':>6} {'fresh':>7} {'not fresh, why':40} {'guid x2':>7} {'link x2':>7} {'title x2':>8} {'snap/s':>7}"
    )
    for archive in archives:
        name = archive.name.split(".tar")[0]
        if not options.feed or name in options.feed:
            print(line(name, archive, Level(options.level)), flush=True)


def line(name: str, archive: Path, level: Level) -> str:
    """Replay one feed and return its line of the table."""
    started = perf_counter()
    tally = Tally()
    with Snapshots([archive]) as snapshots:
        judged = list(
            replay(
                snapshots,
                rules=lambda feed: FeedRules(name=feed, url=""),
                level=level,
                release_held=True,
                tally=tally,
            )
        )
    seconds = perf_counter() - started
    new = [one for one in all_new(judged) if within_age(one)]
    fresh = sum(one.verdict.kind == "fresh" for one in new)
    why = Counter(str(one.verdict.reason) for one in new if one.verdict.kind != "fresh")
    said = ", ".join(f"{count} {reason}" for reason, count in why.most_common())
    twice = [
        repeats(judged, key)
        for key in (lambda e: e.guid, lambda e: link_key(e.link or ""), lambda e: fold(e.title))
    ]
    share = f"{fresh / len(new):7.1%}" if new else "      -"
    return f"{name:32} {len(new):6} {share} {said:40} {twice[0]:7} {twice[1]:7} {twice[2]:8} {tally.snapshots / seconds:7.0f}"


def all_new(judged: list[Judged]) -> list[Judged]:
    """Return the entries, after the feed's first, of which guid, link and text are all met for the first time."""
    seen: set[tuple[str, str]] = set()
    first: datetime | None = judged[0].at if judged else None
    new = []
    for one in judged:
        entry = one.entry
        keys = {
            ("guid", entry.guid or ""),
            ("link", link_key(entry.link or "") or ""),
            ("text", fold(f"{entry.title} {entry.summary}")),
        }
        keys = {key for key in keys if key[1]}
        if not keys & seen and one.at != first:
            new.append(one)
        seen |= keys
    return new


def within_age(one: Judged) -> bool:
    """Say whether the entry was within the default max_age when it was seen."""
    published = one.entry.published
    return published is None or one.at - published <= timedelta(days=3)


def repeats(judged: list[Judged], key) -> int:  # noqa: ANN001 - a key function of an entry
    """Count the values of `key` that were fresh more than once."""
    values = Counter(value for one in judged if one.verdict.kind == "fresh" and (value := key(one.entry)))
    return sum(count > 1 for count in values.values())


if __name__ == "__main__":
    main()
