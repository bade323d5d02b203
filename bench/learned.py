"""What learning a stream's own frequencies gains and costs: look-ups, candidates found, and scores.

    python bench/learned.py --data DIR [--stored 6000] [--originals 400]

For each stream: its first half is stored, the bot learns, its second half is stored under the new epoch; edits of both
halves are then looked up under both orders. The same without learning stands beside it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from edit_table import EDITS, Text
from edit_table import texts as mixed

from bot.core.canonize import plain
from bot.core.dedupe import WINDOW
from bot.core.headlines import first_segment
from bot.core.model import Entry, Fresh
from bot.core.signature import candidate_keys, sign
from bot.store import Store
from bot.store.frequencies import EPOCH, Frequencies
from bot.store.signatures import NEWEST_OF_A_KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

START = datetime(2026, 6, 1, tzinfo=UTC)
MOSCOW = ("москв",)
CODE = ("программист", "python", "golang", "хабр", "питонист")


def posts(data: Path) -> Iterator[tuple[str, str, str]]:
    """Yield channel, first line and rest of the Russian posts, oldest first."""
    with gzip.open(data / "pairs" / "telegram_ru_posts.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = sorted((json.loads(line) for line in lines), key=lambda row: row["date"])
    for row in rows:
        title, rest = first_segment(plain(row["text"] or "")[:2000])
        if len(title.split()) >= 4:
            yield row["channel"], title, rest[:600]


def streams(data: Path) -> dict[str, list[Text]]:
    """Give the streams by name: all sorts, the Russian channels, channels of one topic, and one made up."""
    russian = list(posts(data))
    word = [(t, s) for _, t, s in russian if MOSCOW[0] in f"{t} {s}".lower()]
    rng = random.Random(9)
    tickers = [f"{a}{b}x" for a in ("btq", "ethq", "dogq", "solq") for b in ("ka", "vi", "zu")]
    return {
        "two languages, all topics": list(mixed(data)),
        "24 Russian channels": [(t, s) for _, t, s in russian],
        "Moscow channels": [(t, s) for c, t, s in russian if any(key in c.lower() for key in MOSCOW)],
        "programmers' channels": [(t, s) for c, t, s in russian if any(key in c.lower() for key in CODE)],
        "posts with one word, Moscow": word,
        "Russian channels, three of twelve tickers added to each title": [
            (f"{t} {' '.join(rng.sample(tickers, 3))}", s) for _, t, s in russian
        ],
    }


class Filled:
    """A store that holds a stream, with or without having learned in its middle."""

    def __init__(self, texts: list[Text], *, learns: bool) -> None:
        self.store = Store.in_memory()
        self.db = self.store._db  # noqa: SLF001 - counts what no decision needs
        self.frequencies = Frequencies(self.db)
        self.ids: list[int] = []
        half = len(texts) // 2
        self._add(texts[:half], START)
        self.now = START + EPOCH
        self.moved = 0
        if learns:
            with self.store.transaction():
                self.moved = self.store.signatures.learn(self.now) or 0
        self._add(texts[half:], self.now)

    def _add(self, texts: list[Text], now: datetime) -> None:
        with self.store.transaction():
            for title, summary in texts:
                entry = Entry(feed="stored", title=title, summary=summary)
                entry_id = self.store.entries.add(entry, Fresh(), variant=len(self.ids), now=now)
                self.store.signatures.add(entry_id, sign(title, summary), now)
                self.ids.append(entry_id)

    def keys(self, text: Text) -> tuple[int, int, int]:
        """Count the keys that are looked up for a text, the rows met, and the keys that have more than are looked at."""
        signature = sign(*text)
        orders = self.frequencies.orders(self.now - WINDOW)
        keys = {key for learned in orders for key in candidate_keys(signature, learned)}
        query = "select count(*) as n from (select 1 from signature_keys where key = ? limit ?)"
        rows = [next(iter(self.db.query(query, [key, NEWEST_OF_A_KEY + 1])))["n"] for key in keys]
        return len(keys), sum(min(n, NEWEST_OF_A_KEY) for n in rows), sum(n > NEWEST_OF_A_KEY for n in rows)

    def finds(self, text: Text) -> list[int]:
        """Give the candidates of a text."""
        return [c.entry_id for c in self.store.signatures.candidates(sign(*text), self.now - WINDOW)]


def measure(name: str, texts: list[Text], originals: int) -> None:
    """Print what one stream shows."""
    rng = random.Random(3)
    sample = rng.sample(range(len(texts)), min(originals, len(texts)))
    pool = [word for number in rng.sample(range(len(texts)), 300) for word in texts[number][1].split()]
    edited = {
        edit: [
            (number, change(*texts[number], random.Random(number), pool))
            for number in sample
            if texts[number][1]
        ]
        for edit, change in EDITS.items()
    }
    for learns in (False, True):
        filled = Filled(texts, learns=learns)
        costs = [filled.keys(texts[number]) for number in sample]
        rows = []
        for edit, changed in edited.items():
            found = [filled.ids[number] in filled.finds(text) for number, text in changed]
            rows.append((edit, fmean(found)))
        old = [n for n in sample if n < len(texts) // 2 and texts[n][1]]
        found_old = fmean(filled.ids[n] in filled.finds(texts[n]) for n in old)
        started = time.perf_counter()
        for number in sample:
            filled.finds(texts[number])
        each = (time.perf_counter() - started) / len(sample)
        worst = sorted(rows, key=lambda row: row[1])[:3]
        keys, met, full = (fmean(column) for column in zip(*costs, strict=True))
        print(
            f"| {name} ({len(texts)}) | {'learned, ' + str(filled.moved) + ' words' if learns else 'packaged'} "
            f"| {keys:.1f} | {met:.0f} | {full:.2f} | {each * 1e3:.2f} | {fmean(share for _, share in rows):.4f} "
            f"| {found_old:.3f} | {', '.join(f'{edit} {share:.3f}' for edit, share in worst)} |",
            flush=True,
        )
        filled.store.close()


def main() -> None:
    """Store, learn, look up, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--stored", type=int, default=6000)
    parser.add_argument("--originals", type=int, default=400)
    options = parser.parse_args()
    if options.data is None or not (options.data / "pairs").is_dir():
        print("skipped: no real texts here, give the folder of the data with --data")
        return
    print(
        "| stream (texts) | order of keys | keys looked up | rows met | keys with over 64 | ms | edits whose original is "
        "a candidate | stored before, found | the worst edits |\n|---|---|---|---|---|---|---|---|---|"
    )
    for name, texts in streams(options.data).items():
        measure(name, texts[: options.stored], options.originals)


if __name__ == "__main__":
    main()
