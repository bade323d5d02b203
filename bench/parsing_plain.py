"""Compare what `plain_feed` reads with what feedparser reads of the same feeds, and the computing that each takes.

    python bench/parsing_plain.py --data DIR [--every N]

Reads DIR/feeds, and every Nth snapshot (default 1: all, two minutes) of DIR/feed_history and DIR/feed_history_blogs. Of each folder it prints how
many were plain, why the others were left to feedparser, how many were read differently (which must be none: the exit code is 1
otherwise), and the ratio of the computing: of the XML alone, and of all that makes entries of a body.
"""

from __future__ import annotations

import argparse
import lzma
import sys
import tarfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bot.errors import FeedUnreadable
from bot.sources.charsets import decode
from bot.sources.plain_feed import NotPlain, Raw, read_plain
from bot.sources.rss import parse_xml, read_by_feedparser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.sources.parsed import ParsedFeed

FOLDERS = ("feeds", "feed_history", "feed_history_blogs")


def bodies(folder: Path, every: int) -> Iterator[tuple[str, bytes]]:
    """Yield the names and the bytes of the files in a folder, and of every Nth in the archives in it."""
    for path in sorted(folder.rglob("*")):
        if path.name.endswith(".tar.xz"):
            with lzma.open(path) as raw, tarfile.open(fileobj=raw, mode="r|") as tar:
                for number, member in enumerate(m for m in tar if m.isfile()):
                    file = tar.extractfile(member) if number % every == 0 else None
                    if file is not None:
                        yield f"{path.name}/{member.name}", file.read()
        elif path.is_file():
            yield path.name, path.read_bytes()


@dataclass(slots=True)
class Way:
    """One way to read, and what it has cost so far in seconds of computing.

    Attributes:
        read: the XML to what it says.
        xml: of the XML alone, a number a feed.
        whole: of all that makes entries of it, a number a feed.
    """

    read: Callable[[str], Raw]
    xml: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)

    def __call__(self, body: bytes) -> ParsedFeed | str:
        """Read a body; return what it says, or why it is refused."""
        began = time.process_time()
        self.xml.append(0.0)
        try:
            return parse_xml(
                decode(body),
                feed="bench",
                url="https://feeds.example/feed.xml",
                body=body,
                raw_of=self._timed,
            )
        except FeedUnreadable as error:
            return str(error)
        finally:
            self.whole.append(time.process_time() - began)

    def _timed(self, text: str) -> Raw:
        began = time.process_time()
        try:
            return self.read(text)
        finally:
            self.xml[-1] = time.process_time() - began


def compare(folder: Path, every: int) -> int:
    """Read all of a folder both ways and print how they compare; return how many differ."""
    reasons: Counter[str] = Counter()
    changed: list[str] = []

    def quickly(text: str) -> Raw:
        try:
            raw = read_plain(text)
        except NotPlain as why:
            reasons[str(why)] += 1
            return read_by_feedparser(text)
        reasons["plain"] += 1
        return raw

    quick, reference = Way(quickly), Way(read_by_feedparser)
    files = 0
    for files, (name, body) in enumerate(bodies(folder, every), 1):  # noqa: B007 - counted
        if quick(body) != reference(body):
            changed.append(name)
    feeds = sum(reasons.values())
    plain = reasons.pop("plain", 0)
    print(
        f"{folder.name}: {files} files, {feeds} of them XML, {plain} read quickly ({plain / max(feeds, 1):.1%}); "
        f"{len(changed)} differ"
    )
    for reason, count in reasons.most_common():
        print(f"    {count:5}  {reason}")
    for name in changed[:20]:
        print(f"    DIFFERS: {name}")
    for what, ours, theirs in (
        ("the XML alone", quick.xml, reference.xml),
        ("from bytes to entries", quick.whole, reference.whole),
    ):
        ratios = [mine / other for mine, other in zip(ours, theirs, strict=True) if mine and other]
        print(
            f"    {what:22} {1000 * sum(ours) / max(feeds, 1):6.2f} ms of computing a feed, feedparser {1000 * sum(theirs) / max(feeds, 1):6.2f}: "
            f"x {sum(ours) / max(sum(theirs), 1e-9):.3f} in all, x {median(ratios or [0]):.3f} p50"
        )
    return len(changed)


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, help="the folder of real data")
    parser.add_argument("--every", type=int, default=1, help="of the snapshots (default 1: all)")
    options = parser.parse_args()
    differ = 0
    for name in FOLDERS:
        folder = options.data / name if options.data else None
        if folder is None or not folder.is_dir():
            print(f"SKIPPED {name}: give the folder that holds it with --data")
        else:
            differ += compare(folder, options.every)
    if differ:
        sys.exit(f"{differ} feeds are read differently")


if __name__ == "__main__":
    main()
