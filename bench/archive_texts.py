"""Real articles, and an archive of any size made of them: what `bench/archive.py` measures with.

An archive of N texts: 37% stand alone, 63% are copies of those. A text of its own has the length of a real article, and is made
of runs of eight words drawn at random from all articles of its language, sentences ending where they do, so words and
phrases are as frequent as they are in news, and two such texts share a phrase now and then. A copy is edited in one of the ways of `EDITS`.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_END = re.compile(r"(?<=[.!?])\s*(?=[A-ZА-ЯЁ«\"])|\n+")


def articles(data: Path) -> list[dict[str, str]]:
    """Read the news texts of one day, those of one address once."""
    with gzip.open(data / "pairs" / "tgcontest_threads.jsonl.gz", "rt") as file:
        return list({item["url"]: item for item in map(json.loads, file)}.values())


def sentences(text: str) -> list[str]:
    """Cut a text at the ends of sentences and of lines."""
    return [part for part in _END.split(text) if part and part.strip()]


def dropped(text: str, draw: random.Random, others: list[str]) -> str:  # noqa: ARG001
    """Leave 30% of the sentences out."""
    parts = sentences(text)
    kept = sorted(draw.sample(range(len(parts)), max(1, round(0.7 * len(parts)))))
    return " ".join(parts[at] for at in kept)


def appended(text: str, draw: random.Random, others: list[str]) -> str:
    """Put 25% of foreign sentences behind."""
    return f"{text} {_words_of(draw.choice(others), len(text.split()) // 4)}"


def replaced(text: str, draw: random.Random, others: list[str]) -> str:
    """Put foreign words for 10% of the words, numbers left as they are."""
    foreign = draw.choice(others).split() or ["so"]
    return " ".join(
        draw.choice(foreign) if draw.random() < 0.1 and not any(map(str.isdigit, word)) else word
        for word in text.split()
    )


def halved(text: str, draw: random.Random, others: list[str]) -> str:  # noqa: ARG001
    """Keep the first or the second half of the words."""
    words = text.split()
    half = len(words) // 2
    return " ".join(words[:half] if draw.random() < 0.5 else words[half:])


def shuffled(text: str, draw: random.Random, others: list[str]) -> str:  # noqa: ARG001
    """Put the sentences in another order."""
    parts = sentences(text)
    draw.shuffle(parts)
    return " ".join(parts)


def led_anew(text: str, draw: random.Random, others: list[str]) -> str:
    """Put another beginning for the first 60 words."""
    return f"{_words_of(draw.choice(others), 60)} {' '.join(text.split()[60:])}"


def quoted(text: str, draw: random.Random, others: list[str]) -> str:
    """Have another article quote 10% of the text, one run of its words, and tell the rest by itself."""
    words = text.split()
    count = max(1, len(words) // 10)
    at = draw.randrange(len(words) - count + 1)
    own = _words_of(draw.choice(others), len(words) - count)
    return f"{own} {' '.join(words[at : at + count])}"


def _words_of(text: str, count: int) -> str:
    return " ".join(text.split()[:count])


EDITS: dict[str, Callable[[str, random.Random, list[str]], str]] = {
    "30% dropped": dropped,
    "25% appended": appended,
    "10% replaced": replaced,
    "halves": halved,
    "shuffled sentences": shuffled,
    "a new lead": led_anew,
}
QUOTED = "10% quotation"


def archive(data: Path, count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Yield `count` keys and texts; the key of a copy names its original before a slash."""
    draw = random.Random(seed)
    by_lang: dict[str, list[list[str]]] = {}
    for item in articles(data):
        words = f"{item['title']}. {item['text']}".split()
        if len(words) >= 40:
            by_lang.setdefault(item["lang"], []).append(words)
    everything = [lang for lang, found in by_lang.items() for _ in found]
    pool = {lang: [word for words in found for word in words] for lang, found in by_lang.items()}
    texts: list[tuple[str, str]] = []
    edits = list(EDITS.values())
    for number in range(count):
        if texts and draw.random() < 0.63:
            key, text = draw.choice(texts)
            yield f"{key}/{number}", draw.choice(edits)(text, draw, [other for _, other in texts[:200]])
            continue
        lang = draw.choice(everything)
        wanted = len(draw.choice(by_lang[lang]))
        starts = [draw.randrange(len(pool[lang]) - 8) for _ in range(0, wanted, 8)]
        text = " ".join(word for at in starts for word in pool[lang][at : at + 8])
        if len(texts) < 20_000:
            texts.append((str(number), text))
        else:
            texts[draw.randrange(len(texts))] = (str(number), text)
        yield str(number), text
