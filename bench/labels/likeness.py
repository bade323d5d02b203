"""A cheap lexical likeness for drawing pairs, and the search for the most alike earlier items.

It serves sampling alone. It is kept apart from the engine on purpose: labels drawn by the engine's own scores
would flatter the engine.
"""

from __future__ import annotations

import html
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streams import Item

WINDOW = timedelta(days=14)
_TAG = re.compile(r"<[^>]*>")
_LINK = re.compile(r"\]\([^)]*\)|https?://\S+|[\[\]`]|t\.me/\S+")
_SEGMENT = re.compile(r"(?<=[.!?…])\s+|\s+(?=[🔴❤🎯👉🕹😄📩❗|])")
_WORD = re.compile(r"[぀-ヿ一-鿿가-힣]+|[^\W_]+")
_CJK = re.compile(r"[぀-ヿ一-鿿가-힣]")
_ENGLISH_ENDINGS = ("ings", "ing", "ed", "es", "s")
# A segment that a source repeats in this share of its items, and at least so often, is its footer.
_FOOTER_SHARE, _FOOTER_COUNT = 0.02, 8
# Words in more than this share of the items open no posting list: they only weigh in the exact score.
_COMMON = 0.01
_SCORED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The plain text of one item and the sets the scores need; `title` and `body` carry no markup."""

    title: str
    body: str
    title_words: frozenset[str]
    words: frozenset[str]
    title_grams: frozenset[str]
    numbers: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """An earlier item (by its index in the stream) and its likeness in [0, 1]."""

    index: int
    likeness: float


def plain(text: str) -> str:
    """Return `text` without tags, entities, markdown links and bare addresses, spaces made single."""
    return re.sub(r"\s+", " ", _LINK.sub(" ", html.unescape(_TAG.sub(" ", html.unescape(text))))).strip()


def stem(word: str) -> str:
    """Return a crude stem of a lower-case word: enough to sample by, and free of any dependency."""
    if word[0] > "\u0400" and len(word) > 4:
        return word[: max(3, len(word) - 2)][:7]
    if len(word) > 4:
        for ending in _ENGLISH_ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)]
    return word


def words_of(text: str) -> frozenset[str]:
    """Return the stems of `text`; scripts without spaces give character bigrams, single letters nothing."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower().replace("ё", "е").replace("’", "'")):
        if _CJK.match(word):
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        elif len(word) > 1 or word.isdigit():
            found.add(stem(word))
    return frozenset(found)


def read_texts(items: Sequence[Item]) -> list[Text]:
    """Return the texts of `items`, in order, each without the footers that its source repeats."""
    split = [_SEGMENT.split(plain(item.summary)) for item in items]
    totals = Counter(item.source for item in items)
    repeats = Counter(
        (item.source, part) for item, parts in zip(items, split, strict=True) for part in set(parts)
    )
    texts = []
    for item, parts in zip(items, split, strict=True):
        most = max(_FOOTER_COUNT, _FOOTER_SHARE * totals[item.source])
        body = " ".join(part for part in parts if part and repeats[item.source, part] < most)
        title = plain(item.title) or item.title
        flat = re.sub(r"\W+", " ", title.lower().replace("ё", "е")).strip()
        texts.append(
            Text(
                title=title,
                body=body,
                title_words=words_of(title),
                words=words_of(f"{title} {body}"),
                title_grams=frozenset(flat[i : i + 4] for i in range(max(1, len(flat) - 3))),
                numbers=frozenset(
                    re.findall(r"\d+", re.sub(r"(?<=\d)[ \u00a0](?=\d{3}\b)", "", f"{title} {body}"))
                ),
            )
        )
    return texts


def weigh(texts: Iterable[Text]) -> dict[str, float]:
    """Return the inverse document frequency, ln(N / df), of each word."""
    texts = list(texts)
    counts = Counter(word for text in texts for word in text.words)
    return {word: math.log(len(texts) / count) for word, count in counts.items()}


def likeness(one: Text, other: Text, weights: dict[str, float]) -> float:
    """Return how alike two texts are, in [0, 1]: the best of five weighted overlaps.

    Containments count for less than resemblances, and only from four words (title) or six (whole) upward.
    """

    def mass(words: Iterable[str]) -> float:
        return sum(weights[word] for word in words)

    whole, titles = mass(one.words & other.words), mass(one.title_words & other.title_words)
    mine, yours = mass(one.words), mass(other.words)
    my_title, your_title = mass(one.title_words), mass(other.title_words)
    scores = [
        whole / max(mine + yours - whole, 1e-9),
        0.85 * titles / max(my_title + your_title - titles, 1e-9),
        len(one.title_grams & other.title_grams) / len(one.title_grams | other.title_grams),
    ]
    if min(len(one.title_words), len(other.title_words)) >= 4:
        scores.append(0.75 * titles / max(min(my_title, your_title), 1e-9))
    if min(len(one.words), len(other.words)) >= 6:
        scores.append(0.7 * whole / max(min(mine, yours), 1e-9))
    return round(min(1.0, max(scores)), 6)  # a set has no order, so the last digits of a sum are chance


def search_earlier(
    items: Sequence[Item], texts: Sequence[Text], weights: dict[str, float], best: int
) -> list[list[Near]]:
    """Return for each item its `best` most alike earlier ones within the window, most alike first.

    Candidates come from posting lists of all but the common words; the forty that share most weight are scored.
    """
    floor = math.log(1 / _COMMON)
    postings: dict[str, list[int]] = defaultdict(list)
    starts: dict[str, int] = defaultdict(int)
    found: list[list[Near]] = []
    for now, (item, text) in enumerate(zip(items, texts, strict=True)):
        shared: dict[int, float] = defaultdict(float)
        rare = [word for word in text.words if weights[word] >= floor]
        for word in rare:
            posting, start, weight = postings[word], starts[word], weights[word]
            while start < len(posting) and items[posting[start]].published < item.published - WINDOW:
                start += 1
            starts[word] = start
            for index in posting[start:]:
                shared[index] += weight
            posting.append(now)
        top = sorted(shared, key=lambda index: (-round(shared[index], 6), -index))[:_SCORED]
        near = [Near(index=index, likeness=likeness(text, texts[index], weights)) for index in top]
        found.append(sorted(near, key=lambda one: (-one.likeness, -one.index))[:best])
    return found
