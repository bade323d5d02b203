"""The published methods, as they were published: to compare the engine with, and to run on request.

Exact forms of the Russian shingle article of 2009 (ten words, CRC32), of Manber's and Segalovich's sampling, of
Broder's min-wise hashing with bands and his super- and megashingles, of Charikar's simhash, and of the share of
common words with cosine that a site of 140,000 articles used. They know nothing of titles, ages or numbers.
"""

from __future__ import annotations

import html
import re
import zlib
from collections import Counter, defaultdict
from math import sqrt
from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WIDTH = 10
SAMPLE = 25
_STOP_SYMBOLS = ".,!?:;-\n\r()"
_STOP_WORDS = frozenset(
    "это как так и в над к до не на но за то с ли а во от со для о же ну вы бы что кто он она".split()
)
_MASK = (1 << 64) - 1
_BITS = 64
MAX_EDIT = 20_000


def classic_words(text: str) -> list[str]:
    """Canonize as the article does: lower case, signs off both ends of each word, its 33 stop words out."""
    stripped = (word.strip(_STOP_SYMBOLS) for word in text.lower().split())
    return [word for word in stripped if word and word not in _STOP_WORDS]


def crc32(text: str) -> int:
    """Give the CRC32 of the text's UTF-8 as a signed 32-bit number."""
    value = zlib.crc32(text.encode())
    return value - (1 << 32) if value >= 1 << 31 else value


def classic_shingles(text: str, width: int = WIDTH) -> list[str]:
    """Give all runs of `width` words, overlapping by all but one; none for a text with fewer."""
    return runs_of_words(classic_words(text), width)


def runs_of_words(words: Sequence[str], width: int = WIDTH) -> list[str]:
    """Give all runs of `width` words, each joined by single spaces."""
    return [" ".join(words[at : at + width]) for at in range(len(words) - width + 1)]


def classic_sums(text: str, width: int = WIDTH) -> list[int]:
    """Give the checksum of each shingle, in order, repeats kept."""
    return [crc32(shingle) for shingle in classic_shingles(text, width)]


def sampled(sums: Iterable[int], modulus: int = SAMPLE) -> list[int]:
    """Keep the checksums that `modulus` divides (Manber; 10 to 40, typically 25), in order."""
    return [value for value in sums if value % modulus == 0]


def classic_percent(one: Sequence[int], other: Sequence[int]) -> float:
    """Give the article's resemblance, `same * 2 / (n1 + n2) * 100`; 0 where neither has a checksum.

    `same` counts the checksums of the first list that occur in the second, so repeats make it unsymmetric.
    The article divides by zero for two texts of fewer than ten words; here they share nothing.
    """
    total = len(one) + len(other)
    known = frozenset(other)
    return sum(value in known for value in one) * 2 / total * 100 if total else 0.0


# --- min-wise hashing -----------------------------------------------------------------------------


def min_hashes(shingles: Iterable[int], count: int = 128) -> tuple[int, ...]:
    """Give the least value of each of `count` permutations (seeded multiply and xor-shift); () for no shingle.

    The share of equal places in two results estimates the Jaccard resemblance without bias.
    """
    values = list(shingles)
    if not values:
        return ()
    return tuple(
        min(_mixed((value ^ mask) * factor & _MASK) for value in values)
        for factor, mask in _permutations(count)
    )


def _mixed(value: int) -> int:
    value ^= value >> 32
    return value * 0x9E3779B97F4A7C15 & _MASK


def _permutations(count: int) -> list[tuple[int, int]]:
    digest = xxhash.xxh3_64_intdigest
    return [(digest(f"factor {at}".encode()) | 1, digest(f"mask {at}".encode())) for at in range(count)]


def estimate(one: Sequence[int], other: Sequence[int]) -> float:
    """Give the estimated resemblance of two min-hash results of one length; 0 where either is empty."""
    if not one or not other:
        return 0.0
    return sum(left == right for left, right in zip(one, other, strict=True)) / len(one)


def bands(hashes: Sequence[int], rows: int) -> list[int]:
    """Give a key for each group of `rows` places: two texts sharing one are candidates (Indyk and Motwani)."""
    return [_grouped(hashes[at : at + rows], at) for at in range(0, len(hashes) - rows + 1, rows)]


def supershingles(hashes: Sequence[int], groups: int = 6) -> list[int]:
    """Hash the min-values in `groups` groups; two near copies share two or more (Broder 2000, Fetterly 2003)."""
    return bands(hashes, max(1, len(hashes) // groups))[:groups]


def megashingles(supers: Sequence[int]) -> list[int]:
    """Hash every pair of supershingles (15 of 6): one shared megashingle says two supershingles are shared."""
    return [
        _grouped((supers[one], supers[other]), one * len(supers) + other)
        for one in range(len(supers))
        for other in range(one + 1, len(supers))
    ]


def _grouped(values: Sequence[int], place: int) -> int:
    return xxhash.xxh3_64_intdigest(b"".join(value.to_bytes(8, "little") for value in values), seed=place)


# --- simhash --------------------------------------------------------------------------------------


def simhash(weights: Mapping[int, float]) -> int:
    """Give Charikar's 64-bit fingerprint of weighted 64-bit features; 0 for none."""
    sums = [0.0] * _BITS
    for feature, weight in weights.items():
        for bit in range(_BITS):
            sums[bit] += weight if feature >> bit & 1 else -weight
    return sum(1 << bit for bit, value in enumerate(sums) if value > 0)


def hamming(one: int, other: int) -> int:
    """Give the number of differing bits; at most 3 of 64 is the usual bound for a copy (Manku 2007)."""
    return (one ^ other).bit_count()


# --- shares of common words -----------------------------------------------------------------------

_PREPOSITIONS = frozenset(
    """без близ в во вместо вне для до за и из изо под к ко кроме между на над о об обо от ото перед передо пред
    предо по подо при про ради с со сквозь среди у через но или""".split()
)


def ranking_words(text: str) -> list[str]:
    """Give the distinct words of the word-share ranking in order of appearance: slashes, entities and tags undone."""
    text = html.unescape(re.sub(r"\\(.)", r"\1", text))
    head, close, tail = text.rpartition(">")  # behind the last of these no tag ends, and none is looked for
    plain = (re.sub(r"<[^>]*>", "", head + close) + tail).lower().replace("ё", "е")
    found = re.sub(r"[^a-zа-я0-9 ]", " ", plain).split()
    return [word for word in dict.fromkeys(found) if word not in _PREPOSITIONS]


def word_share(text: str, other: str) -> float:
    """Give the percent of the first text's words that the other has; 0 for a text without words."""
    return share_of_words(ranking_words(text), ranking_words(other))


def share_of_words(words: Sequence[str], others: Sequence[str]) -> float:
    """Give the percent of `words` that are among `others`; 0 for no word."""
    known = frozenset(others)
    return sum(word in known for word in words) / len(words) * 100 if words else 0.0


def inverted_index(texts: Sequence[Iterable[str]]) -> dict[str, set[int]]:
    """Give, for each word, the numbers of the texts that have it."""
    index: dict[str, set[int]] = defaultdict(set)
    for number, words in enumerate(texts):
        for word in words:
            index[word].add(number)
    return dict(index)


def having_all(index: Mapping[str, set[int]], words: Iterable[str]) -> set[int]:
    """Give the numbers of the texts that have every one of the words; none for no word."""
    found = [index.get(word, set()) for word in words]
    return set.intersection(*found) if found else set()


def cosine(one: Iterable[str], other: Iterable[str]) -> float:
    """Give the cosine of two texts' word counts; 0 where either has no word. The site merged above .75."""
    left, right = Counter(one), Counter(other)
    dot = sum(count * right[word] for word, count in left.items())
    length = sqrt(
        sum(count * count for count in left.values()) * sum(count * count for count in right.values())
    )
    return dot / length if length else 0.0


def edit_distance(one: str, other: str) -> int:
    """Give Levenshtein's distance in characters, of the first `MAX_EDIT` of each text.

    Bit-parallel (Myers 1999, in Hyyrö's form): a column of the table is one long integer.
    """
    pattern, text = one[:MAX_EDIT], other[:MAX_EDIT]
    if not pattern or not text:
        return len(pattern) + len(text)
    places: dict[str, int] = {}
    for at, sign in enumerate(pattern):
        places[sign] = places.get(sign, 0) | 1 << at
    full, last = (1 << len(pattern)) - 1, 1 << (len(pattern) - 1)
    rising, falling, distance = full, 0, len(pattern)
    for sign in text:
        equal = places.get(sign, 0)
        diagonal = (((equal & rising) + rising) ^ rising) | equal | falling
        up = falling | (full & ~(diagonal | rising))
        down = rising & diagonal
        distance += bool(up & last) - bool(down & last)
        up = up << 1 | 1
        rising = full & (down << 1 | ~(diagonal | up))
        falling = up & diagonal
    return distance
