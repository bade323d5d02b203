"""How bodies are told apart: the error of the sample, what each edit leaves, and what real articles share.

    python bench/bodies.py --data DIR [--articles 1000]

Reads the full news texts of DIR/pairs/tgcontest_threads.jsonl.gz (one day, Russian and English) and the feeds of
DIR/feeds that carry whole bodies. Judges by the bodies alone, as if titles and summaries said nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from bot.core.bodies import BodySignature, body_keys, encode_body, sign_body, text_of
from bot.core.body_table import body_scores, decide
from bot.core.dedupe import Level
from bot.core.shingles import word_shingles
from bot.errors import FeedUnreadable
from bot.pipeline.passages import repeated_in
from bot.sources.reading import parse_feed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Article = dict[str, Any]


def articles(data: Path) -> list[Article]:
    """Give the articles that are long enough, oldest first, each with its sample."""
    found = []
    with gzip.open(data / "pairs" / "tgcontest_threads.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            article = json.loads(line)
            article["body"] = sign_body(article["text"])
            if article["body"]:
                found.append(article)
    return sorted(found, key=lambda article: str(article["date"][-5:]))


# --- the sample -----------------------------------------------------------------------------------


def sample_errors(texts: list[Article], pairs: list[tuple[int, int]]) -> None:
    """Print how far the estimated containment lies from the exact one, for several ways to sample."""
    whole: dict[int, set[int]] = {}
    for number in {number for pair in pairs for number in pair}:
        words = texts[number]["text"].casefold().split()
        whole[number] = {hashed >> 32 for hashed in word_shingles(words, 5)}
    ways: dict[str, tuple[int, int]] = {
        "64 of those that 16 divides": (16, 64),
        "64 of those that 4 divides": (4, 64),
        "64 smallest": (1, 64),
        "128 smallest": (1, 128),
        "256 smallest": (1, 256),
    }
    print(
        "\n| sample | mean error of containment | within .1 | no estimate | hashes kept |\n|---|---|---|---|---|"
    )
    for name, (modulus, limit) in ways.items():
        samples = {n: sorted(h for h in hashes if h % modulus == 0) for n, hashes in whole.items()}
        errors = []
        silent = 0
        for one, other in pairs:
            ours, theirs = samples[one], samples[other]
            top = min(s[limit - 1] if len(s) > limit else 1 << 32 for s in (ours, theirs))
            a = {h for h in ours[:limit] if h <= top}
            b = {h for h in theirs[:limit] if h <= top}
            if len(a) < 5:
                silent += 1
                continue
            exact = len(whole[one] & whole[other]) / len(whole[one])
            errors.append(abs(len(a & b) / len(a) - exact))
        kept = fmean(min(limit, len(s)) for s in samples.values())
        print(
            f"| {name} | {fmean(errors):.3f} | {fmean(e <= 0.1 for e in errors):.3f} "
            f"| {silent / len(pairs):.3f} | {kept:.0f} |"
        )


# --- edits ----------------------------------------------------------------------------------------


def _sentences(text: str) -> list[str]:
    return [part for part in text.replace("\n", " ").split(". ") if part]


def _dropped(text: str, share: float, rng: random.Random) -> str:
    parts = _sentences(text)
    keep = rng.sample(range(len(parts)), max(1, round((1 - share) * len(parts))))
    return ". ".join(parts[at] for at in sorted(keep))


def _replaced(text: str, share: float, rng: random.Random, other: str) -> str:
    words, pool = text.split(), other.split()
    for at in rng.sample(range(len(words)), round(share * len(words))):
        words[at] = rng.choice(pool)
    return " ".join(words)


def _first(text: str, share: float) -> str:
    words = text.split()
    return " ".join(words[: round(share * len(words))])


def _shuffled(text: str, rng: random.Random) -> str:
    parts = _sentences(text)
    rng.shuffle(parts)
    return ". ".join(parts)


def _new_lead(text: str, other: str) -> str:
    words = text.split()
    return " ".join([*other.split()[:40], *words[40:]])


def _figures(text: str, rng: random.Random) -> str:
    return "".join(str(rng.randrange(10)) if sign.isdigit() else sign for sign in text)


EDITS: dict[str, tuple[bool, Callable[[str, str, random.Random], str]]] = {
    "exact": (True, lambda t, _o, _r: t),
    "30% of the sentences dropped": (True, lambda t, _o, r: _dropped(t, 0.3, r)),
    "25% appended": (True, lambda t, o, _r: f"{t} {' '.join(o.split()[: len(t.split()) // 4])}"),
    "50% appended": (True, lambda t, o, _r: f"{t} {' '.join((o.split() * 9)[: len(t.split()) // 2])}"),
    "5% of the words replaced": (True, lambda t, o, r: _replaced(t, 0.05, r, o)),
    "10% replaced": (True, lambda t, o, r: _replaced(t, 0.10, r, o)),
    "20% replaced": (True, lambda t, o, r: _replaced(t, 0.20, r, o)),
    "first half": (True, lambda t, _o, _r: _first(t, 0.5)),
    "first third": (True, lambda t, _o, _r: _first(t, 0.34)),
    "sentences shuffled": (True, lambda t, _o, r: _shuffled(t, r)),
    "another lead of 40 words": (True, lambda t, o, _r: _new_lead(t, o)),
    "quoted: a fifth of it in another article": (False, lambda t, o, _r: f"{o} {_first(t, 0.2)}"),
    "quoted whole in an article as long": (False, lambda t, o, _r: f"{o} {t}"),
    "other figures": (False, lambda t, _o, r: _figures(t, r)),
}


def edits(texts: list[Article], count: int) -> None:
    """Print for each edit the share that finds its original, and at each level the share that is skipped."""
    keys: dict[int, list[int]] = defaultdict(list)
    for number, article in enumerate(texts):
        for key in body_keys(article["body"]):
            keys[key].append(number)
    rng = random.Random(4)
    others = rng.sample(range(len(texts)), min(300, len(texts)))
    chosen = rng.sample(range(len(texts)), min(count, len(texts)))
    print(
        f"\n{len(chosen)} of {len(texts)} articles, edited; the second article is another of the day, at least as long\n"
    )
    print("| edit | shares a key | strict | balanced | eager | should be |\n|---|---|---|---|---|---|")
    for name, (repeat, edit) in EDITS.items():
        found: Counter[str] = Counter()
        judged = 0
        for number in chosen:
            text = texts[number]["text"]
            longer = [n for n in others if n != number and len(texts[n]["text"]) >= len(text)]
            if not longer:
                continue
            other = longer[rng.randrange(len(longer))]
            if name == "other figures" and sum(word[:1].isdigit() for word in text.split()) < 8:
                continue
            body = sign_body(edit(text, texts[other]["text"], rng))
            if body is None:
                continue  # too short by now to be a body
            judged += 1
            found["key"] += any(number in keys[key] for key in body_keys(body))
            scores = body_scores(body, texts[number]["body"])
            for level in Level:
                found[level] += decide({}, scores, level)[0]
        shares = " | ".join(f"{found[k] / judged:.3f}" for k in ("key", *Level))
        print(f"| {name} ({judged}) | {shares} | {'repeat' if repeat else 'fresh'} |")


# --- real articles --------------------------------------------------------------------------------


def sharing(samples: Iterable[BodySignature]) -> list[tuple[int, int]]:
    """Give the pairs that share a key, the earlier first."""
    keys: dict[int, list[int]] = defaultdict(list)
    for number, body in enumerate(samples):
        for key in body_keys(body):
            keys[key].append(number)
    return sorted({pair for numbers in keys.values() for pair in combinations(numbers[-64:], 2)})


def real(texts: list[Article], pairs: list[tuple[int, int]], listed: int) -> None:
    """Print what is decided of all real pairs that share a key, by whether another system put them in one story."""
    print(f"\n{len(texts)} articles, {len(pairs)} pairs share a key\n")
    print("| level, reason | one story | other stories |\n|---|---|---|")
    others: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for level in Level:
        counts: dict[str, Counter[bool]] = defaultdict(Counter)
        for one, other in pairs:
            scores = body_scores(texts[other]["body"], texts[one]["body"])
            skipped, reason = decide({}, scores, level)
            same = texts[one]["thread"] == texts[other]["thread"]
            counts["skipped: " + reason if skipped else "kept: " + (reason or "little in common")][same] += 1
            if skipped and not same:
                others[level].append((one, other))
        for reason, by in sorted(counts.items()):
            print(f"| {level}, {reason} | {by[True]} | {by[False]} |")
    for level, found in others.items():
        print(f"\n{level}: skipped, though in other stories ({len(found)}), some:")
        for one, other in random.Random(5).sample(found, min(listed, len(found))):
            scores = body_scores(texts[other]["body"], texts[one]["body"])
            print(
                f"  {scores['body_containment']:.2f} {scores['body_contained']:.2f} x{scores['body_growth']:.2f}"
                f"  {texts[one]['title'][:80]} | {texts[other]['title'][:80]}"
            )


# --- feeds ----------------------------------------------------------------------------------------


def feeds(data: Path) -> Iterator[tuple[str, list[tuple[str, BodySignature]]]]:
    """Yield the feeds that carry at least five bodies, with the titles and samples of their entries."""
    for path in sorted((data / "feeds").rglob("*")):
        if not path.is_file():
            continue
        try:
            parsed = parse_feed(path.read_bytes(), feed=path.name, url="https://feed.invalid/")
        except FeedUnreadable:
            continue
        bodies = [
            (entry.label, body)
            for entry in parsed.entries
            if (body := sign_body(text_of(entry.summary, entry.body)))
        ]
        if len(bodies) >= 5:
            yield path.name, bodies


def templates(data: Path) -> None:
    """Print how many pairs of entries of one feed the bodies alone would merge, its repeated passages left in and out."""
    print("\n| feed | bodies | merged | merged without repeated passages | passages |\n|---|---|---|---|---|")
    total: Counter[str] = Counter()
    for name, bodies in feeds(data):
        repeated = repeated_in([body for _, body in bodies])
        pairs = list(combinations(bodies, 2))
        raw = [(a, b) for (a, x), (b, y) in pairs if decide({}, body_scores(y, x), Level.BALANCED)[0]]
        clean = [
            (a, b)
            for (a, x), (b, y) in pairs
            if decide({}, body_scores(y.without(repeated), x.without(repeated)), Level.BALANCED)[0]
        ]
        total.update(feeds=1, bodies=len(bodies), raw=len(raw), clean=len(clean))
        if raw or clean or repeated:
            print(f"| {name} | {len(bodies)} | {len(raw)} | {len(clean)} | {len(repeated)} |")
        for one, other in clean[:3]:
            print(f"  merged: {one[:70]} | {other[:70]}")
    print(f"| all {total['feeds']} | {total['bodies']} | {total['raw']} | {total['clean']} | |")


def main() -> None:
    """Read, sample, edit, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--articles", type=int, default=1000)
    parser.add_argument("--listed", type=int, default=10)
    options = parser.parse_args()
    if options.data is None or not (options.data / "pairs").is_dir():
        print("skipped: no real articles here, give the folder of the data with --data")
        return
    texts = articles(options.data)
    pairs = sharing(article["body"] for article in texts)
    started = time.perf_counter()
    for article in texts[:500]:
        sign_body(article["text"])
    signed = (time.perf_counter() - started) / 500
    started = time.perf_counter()
    for one, other in pairs[:2000]:
        body_scores(texts[other]["body"], texts[one]["body"])
    compared = (time.perf_counter() - started) / len(pairs[:2000])
    size = fmean(len(encode_body(article["body"])) for article in texts)
    print(
        f"{signed * 1e3:.2f} ms to sign a body, {compared * 1e6:.0f} us to compare two, {size:.0f} bytes a body"
    )
    sample_errors(texts, random.Random(6).sample(pairs, min(3000, len(pairs))))
    edits(texts, options.articles)
    real(texts, pairs, options.listed)
    templates(options.data)


if __name__ == "__main__":
    main()
