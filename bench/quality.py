"""Compare the engine with the published and usual methods on every labelled set, and print the tables.

    python bench/quality.py --data DIR [--labels FILE]

DIR is the folder of real data, FILE what bench/labels/join.py wrote. Figures of the engine are those of the shipped
table, which was fitted to these very labels; `bench/train.py` prints the cross-validated ones beside the goals. Shares are weighted
back to the stream where pairs carry a weight; precision counts only N as wrong.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pairs import Pair, edits, exact, hard, labelled, stream

from bot.core import classic
from bot.core.bodies import body_keys, sign_body
from bot.core.canonize import canonize
from bot.core.dedupe import Candidate, Level, judge_near
from bot.core.shingles import character_grams, word_shingles
from bot.core.signature import candidate_keys, strip_title
from bot.core.similarity import containment, jaccard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


NOW = datetime(2026, 6, 1, tzinfo=UTC)


def whole(text: tuple[str, str, str]) -> tuple[str, ...]:
    """Give the tokens of title and summary."""
    return canonize(f"{text[0]} {text[1]}"[:4000])


def shingled(width: int, least: float) -> Callable[[Pair], bool]:
    """Give the rule "Jaccard of runs of `width` tokens is at least `least`"."""

    def rule(pair: Pair) -> bool:
        one, other = (frozenset(word_shingles(whole(text), width)) for text in (pair.old, pair.new))
        return bool(one) and bool(other) and jaccard(one, other) >= least

    return rule


def fingerprinted(most: int) -> Callable[[Pair], bool]:
    """Give the rule "the simhashes of the tokens differ in at most `most` bits"."""

    def rule(pair: Pair) -> bool:
        one, other = (
            classic.simhash(dict.fromkeys(word_shingles(whole(text), 1), 1.0))
            for text in (pair.old, pair.new)
        )
        return classic.hamming(one, other) <= most

    return rule


def same_set(pair: Pair) -> bool:
    """Say whether both have exactly the same tokens."""
    return set(whole(pair.old)) == set(whole(pair.new))


def article(pair: Pair) -> bool:
    """Say whether the article's ten-word percentage is over 50."""
    one, other = (classic.classic_sums(f"{text[0]} {text[1]}") for text in (pair.old, pair.new))
    return classic.classic_percent(one, other) > 50


def supershingled(pair: Pair) -> bool:
    """Say whether two of six supershingles of three-word runs are shared."""
    one, other = (
        set(classic.supershingles(classic.min_hashes(word_shingles(whole(text), 3), 84)))
        for text in (pair.old, pair.new)
    )
    return len(one & other) >= 2


def site(pair: Pair) -> bool:
    """Say whether the 140,000-article site would merge: 75% of the words and a cosine over .75."""
    one, other = whole(pair.old), whole(pair.new)
    return containment(frozenset(one), frozenset(other)) >= 0.75 and classic.cosine(one, other) > 0.75


def title_grams(pair: Pair) -> bool:
    """Say whether the titles' runs of four characters agree to .6."""
    one, other = (character_grams(" ".join(canonize(strip_title(text[0])))) for text in (pair.old, pair.new))
    return bool(one) and jaccard(one, other) >= 0.6


def title_words(pair: Pair) -> bool:
    """Say whether a title of five words or more is contained to .6 within 120 h, as a known reader clusters."""
    one, other = (frozenset(canonize(strip_title(text[0]))) for text in (pair.old, pair.new))
    return min(len(one), len(other)) >= 5 and pair.hours <= 120 and containment(one, other) >= 0.6


def engine(level: Level) -> Callable[[Pair], bool]:
    """Give the engine's rule at a level."""

    def rule(pair: Pair) -> bool:
        old, new = pair.signatures()
        seen = NOW - timedelta(hours=pair.hours)
        candidate = Candidate(
            entry_id=1,
            lead_id=1,
            feed=pair.old[2],
            title=pair.old[0],
            link=None,
            seen_at=seen,
            published=seen,
            signature=old,
        )
        return judge_near(
            new, [candidate], level=level, feed=pair.new[2], now=NOW, published=NOW
        ).is_duplicate

    return rule


RULES: dict[str, Callable[[Pair], bool]] = {
    "exact set of tokens": same_set,
    "the article: 10 words, CRC32, > 50%": article,
    "10-word shingles >= .5": shingled(10, 0.5),
    "3-word shingles >= .5": shingled(3, 0.5),
    "single stemmed words >= .5": shingled(1, 0.5),
    "2 of 6 supershingles (3 words)": supershingled,
    "simhash <= 3": fingerprinted(3),
    "simhash <= 10": fingerprinted(10),
    "75% of words and cosine .75": site,
    "title 4-grams >= .6": title_grams,
    "title containment >= .6, 120 h": title_words,
    **{f"engine, {level}": engine(level) for level in Level},
}


def _share(pairs: Sequence[Pair], found: Sequence[bool], labels: str) -> float | None:
    total = sum(pair.weight for pair in pairs if pair.label in labels)
    hit = sum(
        pair.weight for pair, is_found in zip(pairs, found, strict=True) if is_found and pair.label in labels
    )
    return hit / total if total else None


def _row(name: str, pairs: Sequence[Pair], found: Sequence[bool]) -> str:
    right = sum(p.weight for p, is_found in zip(pairs, found, strict=True) if is_found and p.label in "DS")
    wrong = sum(p.weight for p, is_found in zip(pairs, found, strict=True) if is_found and p.label == "N")
    shares = [_share(pairs, found, labels) for labels in ("D", "S", "DS", "U", "N")]
    shares.append(right / (right + wrong) if right + wrong else None)
    return f"| {name} | " + " | ".join("-" if share is None else f"{share:.3f}" for share in shares) + " |"


def tables(sets: dict[str, list[Pair]], rules: dict[str, Callable[[Pair], bool]]) -> None:
    """Print a table for each weighted stream, then one of the other sets."""
    verdicts = {
        (name, place): [rule(pair) for pair in pairs]
        for name, rule in rules.items()
        for place, pairs in sets.items()
    }
    for place, pairs in sets.items():
        if place.startswith("stream"):
            print(
                f"\n{place}: {len(pairs)} pairs\n\n| rule | D | S | D + S | U | N | precision |\n|---|---|---|---|---|---|---|"
            )
            for name in rules:
                print(_row(name, pairs, verdicts[name, place]))
    others = [place for place in sets if not place.startswith("stream")]
    print(
        "\n| rule (share skipped) | " + " | ".join(f"{place} ({len(sets[place])})" for place in others) + " |"
    )
    print("|---" * (len(others) + 1) + "|")
    for name in rules:
        shares = [sum(verdicts[name, place]) / max(1, len(sets[place])) for place in others]
        print(f"| {name} | " + " | ".join(f"{share:.3f}" for share in shares) + " |")


def candidates(sets: dict[str, list[Pair]]) -> None:
    """Print the share of the pairs worth comparing that have a candidate key in common."""
    print("\n| set, label | share a key |\n|---|---|")
    for place, pairs in sets.items():
        by_label: dict[str, list[Pair]] = defaultdict(list)
        for pair in pairs:
            by_label[pair.label].append(pair)
        for label in "DSU":
            chosen = by_label[label]
            if chosen:
                print(f"| {place}, {label} ({len(chosen)}) | {_common(chosen):.4f} |")


def _common(pairs: Iterable[Pair]) -> float:
    total = shared = 0.0
    for pair in pairs:
        old, new = pair.signatures()
        weight = pair.weight or 1
        total += weight
        shared += weight * bool(
            set(candidate_keys(old)) & set(candidate_keys(new)) or _body_keys(pair.old) & _body_keys(pair.new)
        )
    return shared / total


def _body_keys(text: tuple[str, str, str]) -> set[int]:
    """Give the keys of a summary of 100 words and more, which the bot samples beside the words."""
    body = sign_body(text[1])
    return set(body_keys(body)) if body else set()


def main() -> None:
    """Read the sets, run every rule, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labels", type=Path, help="pairs that bench/labels/join.py wrote")
    parser.add_argument("--engine-only", action="store_true")
    options = parser.parse_args()
    pairs = [*stream(options.data), *edits(options.data), *hard(options.data), *exact(options.data)]
    if options.labels:
        pairs += labelled(options.labels)
    sets: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.kind.startswith("stream"):
            sets[f"stream {pair.lang}"].append(pair)
        elif pair.kind == "recurring":
            sets["recurring <= 12 h" if pair.hours <= 12 else "recurring > 12 h"].append(pair)
        else:
            sets[pair.kind].append(pair)
    rules = {
        name: rule for name, rule in RULES.items() if name.startswith("engine") or not options.engine_only
    }
    tables(sets, rules)
    candidates(sets)


if __name__ == "__main__":
    main()
