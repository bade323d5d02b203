"""How texts meet and how two are weighed: this room's own way, and the published ones to compare it with.

A method gives the keys of a text (two that share none are never weighed) and weighs two texts. The published
ones are those of `core.classic` over arrays; a word is its 32-bit hash, and a checksum is that of a run of such.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from bot.archive.model import Weighed
from bot.archive.verdicts import Features, weigh
from bot.archive.words import KEY_WIDTH, KEYS, Hashes, numbers_in, runs, slots_of, smallest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from bot.core.dedupe import Level


class Method(Protocol):
    """One way to find copies."""

    def keys(self, words: Hashes, width: int) -> Hashes:
        """Give the 32-bit keys of a text."""

    def features(self, words: Hashes, width: int) -> Any:
        """Give what `weigh` takes of a text."""

    def weigh(self, one: Any, other: Any, level: Level) -> Weighed:
        """Weigh two texts by their features."""


class Exact:
    """Keys: the 32 smallest runs of five words. Weighed by all runs of `width` words, and by the numbers."""

    def keys(self, words: Hashes, width: int) -> Hashes:
        """Give at most 32 keys, of runs of five words, or fewer where single words or pairs are weighed."""
        return smallest(runs(words, min(KEY_WIDTH, width + 2)), KEYS)

    def features(self, words: Hashes, width: int) -> Features:
        """Give what `verdicts.weigh` takes."""
        return Features(
            frozenset(runs(words, width).tolist()), numbers_in(words), len(words), slots_of(words)
        )

    def weigh(self, one: Any, other: Any, level: Level) -> Weighed:
        """Weigh exactly."""
        return weigh(one, other, level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A method of two functions and a threshold, which no level moves.

    Attributes:
        keys_of: keys of a text.
        features_of: what is compared.
        measure: the method's own measure of two texts' features, 0-1.
        least: copies measure at least so much.
    """

    keys_of: Callable[[Hashes, int], Hashes]
    features_of: Callable[[Hashes, int], Any]
    measure: Callable[[Any, Any], float]
    least: float

    def keys(self, words: Hashes, width: int) -> Hashes:
        """Give the method's keys."""
        return self.keys_of(words, width)

    def features(self, words: Hashes, width: int) -> Any:
        """Give the method's features."""
        return self.features_of(words, width)

    def weigh(self, one: Any, other: Any, level: Level) -> Weighed:  # noqa: ARG002 - a published threshold is one
        """Measure, and compare with the threshold."""
        value = self.measure(one, other)
        return Weighed(value, value, value, value >= self.least)


# --- the article of 2009, and Manber's sampling -----------------------------------------------------


def _sums(words: Hashes, width: int) -> NDArray[np.uint64]:
    """Give the runs of `width` words; none for a shorter text, as published."""
    return runs(words, width) if len(words) >= width else np.empty(0, dtype=np.uint64)


def _sums_list(words: Hashes, width: int) -> list[int]:
    found: list[int] = _sums(words, width).tolist()
    return found


def _percent(one: list[int], other: list[int]) -> float:
    total = len(one) + len(other)
    known = frozenset(other)
    return min(1.0, sum(value in known for value in one) * 2 / total) if total else 0.0


_DIVISOR: Final = 25


def _divisible(words: Hashes, width: int) -> frozenset[int]:
    sums = _sums(words, width)
    return frozenset(sums[sums % np.uint64(_DIVISOR) == 0].tolist())


def _upper(values: NDArray[np.uint64]) -> Hashes:
    return np.unique((values >> np.uint64(32)).astype(np.uint32))


def _divisible_keys(words: Hashes, width: int) -> Hashes:
    sums = _sums(words, width)
    return _upper(sums[sums % np.uint64(_DIVISOR) == 0])


def _jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    shared = len(one & other)
    whole = len(one) + len(other) - shared
    return shared / whole if whole else 0.0


# --- min-wise hashing -------------------------------------------------------------------------------

_PERMUTATIONS, _ROWS = 128, 4
_FETTERLY, _GROUPS = 84, 6


@lru_cache(maxsize=4)
def _factors(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    drawn = np.random.default_rng(20080101).integers(1, 1 << 63, size=(2, count), dtype=np.uint64)
    return drawn[0] | np.uint64(1), drawn[1]


def _least(words: Hashes, width: int, count: int) -> NDArray[np.uint64]:
    """Give the least value of each of `count` permutations over the runs; empty for none."""
    sums = np.unique(_sums(words, width))
    if not len(sums):
        return sums
    factors, masks = _factors(count)
    least = np.full(count, np.iinfo(np.uint64).max, dtype=np.uint64)
    for at in range(0, len(sums), 1024):
        part = (sums[at : at + 1024, None] ^ masks) * factors
        part ^= part >> np.uint64(29)
        np.minimum(least, part.min(axis=0), out=least)
    return least


def _banded(least: NDArray[np.uint64], rows: int) -> Hashes:
    if not len(least):
        return np.empty(0, dtype=np.uint32)
    groups = least[: len(least) // rows * rows].reshape(-1, rows)
    mixed = np.arange(1, len(groups) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for column in groups.T:
        mixed = (mixed ^ column) * np.uint64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> np.uint64(32)
    return (mixed >> np.uint64(32)).astype(np.uint32)


def _agreeing(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> float:
    return float(np.mean(one == other)) if len(one) and len(other) else 0.0


def _supers(words: Hashes, width: int) -> Hashes:
    return _banded(_least(words, width, _FETTERLY), _FETTERLY // _GROUPS)


def _megas(words: Hashes, width: int) -> Hashes:
    supers = _supers(words, width).astype(np.uint64)
    one, other = np.triu_indices(len(supers), 1)
    mixed = (supers[one] << np.uint64(32) | supers[other]) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(32)).astype(np.uint32)


# --- simhash ----------------------------------------------------------------------------------------

_BITS = np.arange(64, dtype=np.uint64)


def _simhash(words: Hashes, width: int) -> int:
    sums = runs(words, width)
    if not len(sums):
        return 0
    bits = (sums[:, None] >> _BITS & np.uint64(1)).sum(axis=0) * 2 > len(sums)
    return int((bits.astype(np.uint64) << _BITS).sum())


def _simhash_keys(words: Hashes, width: int) -> Hashes:
    """Give the four quarters of the fingerprint: of two within three bits, one quarter is equal."""
    mark = _simhash(words, width)
    return np.array([(mark >> 16 * at & 0xFFFF) | (at + 1) << 16 for at in range(4)], dtype=np.uint32)


def _near_bits(one: int, other: int) -> float:
    return 1 - (one ^ other).bit_count() / 64


# --- the site of 140,000 articles -------------------------------------------------------------------


def _counted(words: Hashes, width: int) -> Counter[int]:  # noqa: ARG001 - it has no shingles
    return Counter(words.tolist())


_SHARE: Final = 0.75


def _quarter(words: Hashes, width: int) -> Hashes:  # noqa: ARG001 - it has no shingles
    """Give a quarter of the distinct words and one, by hash: texts that share 75% of the larger have one of them in common."""
    distinct = np.unique(words * np.uint32(0x9E3779B1))
    return distinct[: int(len(distinct) * (1 - _SHARE)) + 1]


def _site(one: Counter[int], other: Counter[int]) -> float:
    """Give the cosine of the counts, 0 where fewer than 75% of the larger text's words are shared."""
    larger = max(len(one), len(other))
    if not larger or len(one.keys() & other.keys()) < _SHARE * larger:
        return 0.0
    dot = sum(count * other[word] for word, count in one.items())
    return dot / sqrt(sum(c * c for c in one.values()) * sum(c * c for c in other.values()))


METHODS: Final[Mapping[str, Method]] = {
    "exact": Exact(),
    "shingles": Published(
        keys_of=lambda words, width: smallest(_sums(words, width), KEYS),
        features_of=_sums_list,
        measure=_percent,
        least=0.5,
    ),
    "sampled": Published(keys_of=_divisible_keys, features_of=_divisible, measure=_jaccard, least=0.5),
    "supershingles": Published(
        keys_of=_supers,
        features_of=lambda words, width: frozenset(_supers(words, width).tolist()),
        measure=lambda one, other: len(one & other) / _GROUPS,
        least=2 / _GROUPS,
    ),
    "megashingles": Published(
        keys_of=_megas,
        features_of=lambda words, width: frozenset(_megas(words, width).tolist()),
        measure=lambda one, other: float(bool(one & other)),
        least=1.0,
    ),
    "minhash": Published(
        keys_of=lambda words, width: _banded(_least(words, width, _PERMUTATIONS), _ROWS),
        features_of=lambda words, width: _least(words, width, _PERMUTATIONS),
        measure=_agreeing,
        least=0.5,
    ),
    "simhash": Published(keys_of=_simhash_keys, features_of=_simhash, measure=_near_bits, least=1 - 3 / 64),
    "words": Published(keys_of=_quarter, features_of=_counted, measure=_site, least=_SHARE),
}
"""Each by the name that `--method` takes; `WIDTHS` has the words of a shingle that was published with it."""

WIDTHS: Final[Mapping[str, int]] = {
    "exact": 3,
    "shingles": 10,
    "sampled": 10,
    "supershingles": 5,
    "megashingles": 5,
    "minhash": 5,
    "simhash": 1,
    "words": 1,
}
