"""Measure `parse_feed`, in this process and through the child, beside feedparser called plainly, in one run, as ratios.

    python bench/parsing.py --data DIR [--every N]

Reads DIR/feeds and every Nth snapshot (default 40) of DIR/feed_history*. Each body is given to all in turn,
so that a machine that is busy for a while is busy for all of them.
"""

from __future__ import annotations

import argparse
import io
import lzma
import tarfile
import time
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import feedparser

from bot.errors import FeedUnreadable
from bot.parsing import Parser
from bot.sources.reading import parse_feed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.sources.parsed import Parse

IN_PROCESS = "parse_feed"
IN_CHILD = "parse_feed, in the child"
WARM = b"<rss version='2.0'><channel><item><title>warm</title></item></channel></rss>"
SIZES = (20_000, 50_000, 200_000, 1_000_000)


def bodies(data: Path, every: int) -> Iterator[bytes]:
    """Yield the feeds of the folder and every Nth snapshot of each history."""
    for path in sorted((data / "feeds").rglob("*")):
        if path.is_file():
            yield path.read_bytes()
    for archive in sorted(data.glob("feed_history*/*.tar.xz")):
        with lzma.open(archive) as raw, tarfile.open(fileobj=raw, mode="r|") as tar:
            for number, member in enumerate(m for m in tar if m.isfile()):
                file = tar.extractfile(member) if number % every == 0 else None
                if file is not None:
                    yield file.read()


def plainly(body: bytes, *, clean: bool) -> None:
    """Call feedparser as its documentation does, with its sanitizer or without."""
    try:
        feedparser.parse(io.BytesIO(body), sanitize_html=clean, resolve_relative_uris=clean)
    except Exception as error:  # noqa: BLE001 - what it raises is part of what is measured
        print(f"feedparser raised {type(error).__name__}")


def ours(body: bytes, *, parse: Parse) -> None:
    """Call the bot's own."""
    try:
        parse(body, feed="bench", url="https://feeds.example/feed.xml")
    except FeedUnreadable:
        return


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--every", type=int, default=40)
    options = parser.parse_args()
    with Parser() as parser:
        measure(
            options.data,
            options.every,
            {
                "feedparser": partial(plainly, clean=True),
                "feedparser, not sanitizing": partial(plainly, clean=False),
                IN_PROCESS: partial(ours, parse=parse_feed),
                IN_CHILD: partial(ours, parse=parser),
            },
        )


def measure(data: Path, every: int, ways: dict[str, Callable[[bytes], None]]) -> None:
    """Give every body to each of `ways` in turn, and print what each took."""
    for parse in ways.values():
        parse(WARM)  # imports and the start of the child are paid once, and not by the first body
    spent: dict[str, dict[int, float]] = {name: defaultdict(float) for name in ways}
    here: dict[str, float] = defaultdict(float)
    counts: dict[int, int] = defaultdict(int)
    total = 0
    for body in bodies(data, every):
        size = sum(len(body) > limit for limit in SIZES)
        counts[size] += 1
        total += len(body)
        for name, parse in ways.items():
            computed, began = time.process_time(), time.perf_counter()
            parse(body)
            spent[name][size] += time.perf_counter() - began
            here[name] += time.process_time() - computed
    print(f"{sum(counts.values())} feeds, {total / 1e6:.1f} MB")
    reference = sum(spent["feedparser, not sanitizing"].values())
    for name, by_size in spent.items():
        seconds = sum(by_size.values())
        ms = "  ".join(f"{1000 * by_size[size] / counts[size]:8.1f}" for size in sorted(counts))
        print(
            f"{name:28} {sum(counts.values()) / seconds:7.1f} feeds/s  {total / seconds / 1e6:6.2f} MB/s  "
            f"x {seconds / reference:.2f}  ms by size: {ms}"
        )
    bounds = ["0", *(f"{limit // 1000}K" for limit in SIZES)]
    print(" " * 73 + "from " + "  ".join(f"{bounds[size]} ({counts[size]})" for size in sorted(counts)))
    through, within = (sum(spent[name].values()) for name in (IN_CHILD, IN_PROCESS))
    print(
        f"through the child / in process: x {through / within:.3f} of the time, "
        f"x {here[IN_CHILD] / here[IN_PROCESS]:.3f} of the computing of the process that asks"
    )


if __name__ == "__main__":
    main()
