"""How much of each edit the engine still recognises among many stored texts, and how many fresh ones it skips.

    python bench/edit_table.py --data DIR [--stored 20000] [--originals 300]

Stores real texts (English archive and Russian posts) under their keys in memory, edits a sample of them in a
fixed way, and asks for each edit, 6 and 48 hours later and from another source, whether the engine finds its original.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import random
import re
import tarfile
import time
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bot.core.canonize import plain
from bot.core.dedupe import Candidate, Level, judge_near
from bot.core.headlines import first_segment
from bot.core.signature import candidate_keys, sign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOW = datetime(2026, 6, 1, tzinfo=UTC)
FETCHED = 50
Text = tuple[str, str]
_ITEM = re.compile(r"<(?:item|entry)\b.*?</(?:item|entry)>", re.DOTALL)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.DOTALL)
_SUMMARY = re.compile(r"<(?:description|summary)[^>]*>(.*?)</(?:description|summary)>", re.DOTALL)


def texts(data: Path) -> Iterator[Text]:
    """Yield distinct titles with summaries, both languages in turn."""
    seen: set[str] = set()
    with lzma.open(data / "archive" / "rss_2026_w20-w27.ndjson.xz", "rt", encoding="utf-8") as lines:
        english = [json.loads(line) for line in lines]
    with gzip.open(data / "pairs" / "telegram_ru_posts.jsonl.gz", "rt", encoding="utf-8") as lines:
        russian = [json.loads(line)["text"] for line in lines]
    pool = [(item["title"], plain(item["description"] or "")) for item in english]
    pool += [first_segment(plain(text)) for text in russian if text]
    random.Random(1).shuffle(pool)
    for title, summary in pool:
        if title not in seen and len(title.split()) >= 6 and len(summary.split()) >= 10:
            seen.add(title)
            yield title, summary[:600]


def fillers(data: Path) -> Iterator[tuple[str, Text]]:
    """Yield what else is stored, and of what kind: texts too short to be edited, then entries of recorded feeds, articles, sentences."""
    with lzma.open(data / "archive" / "rss_2026_w20-w27.ndjson.xz", "rt", encoding="utf-8") as lines:
        yield from (
            ("short entries", (row["title"], plain(row["description"] or "")[:600]))
            for row in map(json.loads, lines)
        )
    with gzip.open(data / "pairs" / "telegram_ru_posts.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from (("short posts", first_segment(plain(json.loads(line)["text"]))) for line in lines)
    with gzip.open(data / "pairs" / "tgcontest_threads.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from (("articles", (row["title"], row["text"][:600])) for row in map(json.loads, lines))
    for archive in sorted((data / "feed_history").glob("*.tar.*")):
        seen = set()
        with tarfile.open(archive) as members:
            for member in members:
                body = members.extractfile(member)
                content = body.read() if body else b""
                for item in _ITEM.findall(content.decode("utf-8", "replace")):
                    title, summary = (
                        found[1] if (found := one.search(item)) else "" for one in (_TITLE, _SUMMARY)
                    )
                    title = plain(title.replace("<![CDATA[", "").replace("]]>", "")).strip()
                    if title and title not in seen:
                        seen.add(title)
                        summary = plain(summary.replace("<![CDATA[", "").replace("]]>", ""))
                        yield "entries of recorded feeds", (title, summary[:600])
    for name in ("paraphraser_ru.tsv", "uci_stories.tsv", "msrp.txt"):
        for line in (data / "pairs" / name).read_text(encoding="utf-8", errors="replace").splitlines():
            for field in line.split("\t"):
                if len(field.split()) >= 4:
                    yield "headlines and sentences", (field, "")


def _replaced(text: str, share: float, rng: random.Random, pool: list[str]) -> str:
    words = text.split()
    for at in rng.sample(range(len(words)), max(1, round(share * len(words)))):
        words[at] = rng.choice(pool)
    return " ".join(words)


def _typo(text: str, count: int, rng: random.Random) -> str:
    words = text.split()
    long = [at for at, word in enumerate(words) if len(word) > 4]
    for at in rng.sample(long, min(count, len(long))):
        cut = rng.randrange(1, len(words[at]) - 2)
        words[at] = words[at][:cut] + words[at][cut + 1] + words[at][cut] + words[at][cut + 2 :]
    return " ".join(words)


def _inflected(text: str, share: float, rng: random.Random) -> str:
    words = text.split()
    for at in rng.sample(range(len(words)), max(1, round(share * len(words)))):
        word = words[at]
        if word.isalpha() and len(word) > 4:
            words[at] = word + (
                "s"
                if word.isascii() and not word.endswith("s")
                else "ами"
                if word[-1] not in "аеиоуыэюяйь"
                else ""
            )
    return " ".join(words)


def _reordered(text: str, rng: random.Random) -> str:
    sentences = text.split(". ")
    rng.shuffle(sentences)
    return ". ".join(sentences)


EDITS: dict[str, Callable[[str, str, random.Random, list[str]], Text]] = {
    "exact": lambda t, s, _r, _p: (t, s),
    "source suffix": lambda t, s, _r, _p: (f"{t} - Reuters", s),
    "markup": lambda t, s, _r, _p: (f"<b>{t}</b>", f"<p>{s}</p>"),
    "sentences reordered": lambda t, s, r, _p: (t, _reordered(s, r)),
    "one title word changed": lambda t, s, r, p: (_replaced(t, 0.01, r, p), s),
    "two title words changed": lambda t, s, r, p: (_replaced(_replaced(t, 0.01, r, p), 0.01, r, p), s),
    "30% inflected": lambda t, s, r, _p: (_inflected(t, 0.3, r), _inflected(s, 0.3, r)),
    "three typos": lambda t, s, r, _p: (_typo(t, 1, r), _typo(s, 2, r)),
    "10% replaced": lambda t, s, r, p: (_replaced(t, 0.1, r, p), _replaced(s, 0.1, r, p)),
    "20% replaced": lambda t, s, r, p: (_replaced(t, 0.2, r, p), _replaced(s, 0.2, r, p)),
    "summary cut to half": lambda t, s, _r, _p: (t, " ".join(s.split()[: len(s.split()) // 2])),
    "new title": lambda _t, s, r, p: (" ".join(r.sample(p, 8)), s),
    "headline only": lambda t, _s, _r, _p: (t, ""),
    "headline only, one word changed": lambda t, _s, r, p: (_replaced(t, 0.01, r, p), ""),
}


class Store:
    """Texts under their keys, in memory, as the bot's store keeps them on disk."""

    def __init__(self) -> None:
        self.rows: list[Candidate] = []
        self.keys: dict[int, list[int]] = defaultdict(list)

    def add(self, title: str, summary: str, feed: str) -> None:
        """Store one text."""
        number = len(self.rows) + 1
        signature = sign(title, summary)
        self.rows.append(
            Candidate(
                entry_id=number,
                lead_id=number,
                feed=feed,
                title=title,
                link=None,
                seen_at=NOW,
                published=None,
                signature=signature,
            )
        )
        for key in candidate_keys(signature):
            self.keys[key].append(number)

    def judge(self, title: str, summary: str, feed: str, hours: float, level: Level) -> int | None:
        """Give the number of the text that this one repeats, None when none."""
        signature = sign(title, summary)
        shared = Counter(number for key in candidate_keys(signature) for number in self.keys.get(key, ()))
        found = [self.rows[number - 1] for number, _ in shared.most_common(FETCHED)]
        verdict = judge_near(
            signature, found, level=level, feed=feed, now=NOW + timedelta(hours=hours), published=None
        )
        return verdict.candidate.entry_id if verdict.is_duplicate and verdict.candidate else None


def main() -> None:
    """Store, edit, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--stored", type=int, default=20_000)
    parser.add_argument("--originals", type=int, default=300)
    options = parser.parse_args()
    chosen = [text for text, _ in zip(texts(options.data), range(options.stored), strict=False)]
    store = Store()
    started = time.perf_counter()
    for title, summary in chosen:
        store.add(title, summary, "stored")
    kinds, known = Counter({"entries and posts": len(chosen)}), {title for title, _ in chosen}
    for kind, (title, summary) in fillers(options.data) if len(chosen) < options.stored else ():
        if title not in known and len(store.rows) < options.stored:
            known.add(title)
            kinds[kind] += 1
            store.add(title, summary, "stored")
    spent = time.perf_counter() - started
    print(f"{len(store.rows)} stored, {len(store.rows) / spent:.0f} a second: {dict(kinds)}\n")
    rng = random.Random(2)
    sample = rng.sample(range(len(chosen)), min(options.originals, len(chosen)))
    pool = [word for number in rng.sample(range(len(chosen)), 500) for word in chosen[number][1].split()]
    print("| edit | 6 h | 48 h | strict, 6 h |\n|---|---|---|---|")
    for name, edit in EDITS.items():
        found = Counter[str]()
        for number in sample:
            edited = edit(*chosen[number], rng, pool)
            for column, hours, level in (
                ("6 h", 6, Level.BALANCED),
                ("48 h", 48, Level.BALANCED),
                ("strict, 6 h", 6, Level.STRICT),
            ):
                found[column] += store.judge(*edited, "elsewhere", hours, level) is not None
        print(
            f"| {name} | "
            + " | ".join(f"{found[column] / len(sample):.3f}" for column in ("6 h", "48 h", "strict, 6 h"))
            + " |"
        )


if __name__ == "__main__":
    main()
