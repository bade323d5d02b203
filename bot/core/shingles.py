"""Tokens to hashed shingles: runs of words for long texts, runs of characters for titles.

All hashes are xxhash over UTF-8; the CRC32 form of the published method lives in `classic`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def token_hash(token: str) -> int:
    """Give the 32-bit hash that stands for a token in signatures and keys."""
    return xxhash.xxh32_intdigest(token.encode())


def word_shingles(tokens: Sequence[str], width: int) -> set[int]:
    """Give the 64-bit hashes of all runs of `width` tokens; a text shorter than that gives none."""
    return {
        xxhash.xxh3_64_intdigest(" ".join(tokens[at : at + width]).encode())
        for at in range(len(tokens) - width + 1)
    }


def sampled_shingles(tokens: Sequence[str], *, width: int, modulus: int, limit: int) -> tuple[int, ...]:
    """Keep the shingles whose hash `modulus` divides, at most the `limit` smallest, in rising order.

    Manber's sampling: the same shingles survive in every text, so what is kept of two texts can be compared.
    """
    kept = sorted(hashed for hashed in word_shingles(tokens, width) if hashed % modulus == 0)
    return tuple(kept[:limit])


def character_grams(text: str, width: int = 4) -> frozenset[int]:
    """Give the 16-bit hashes of all runs of `width` characters of " text "; none for a text shorter than `width` - 2."""
    data = f" {text} ".encode("utf-32-le")
    digest = xxhash.xxh32_intdigest
    span = 4 * width
    return frozenset([digest(data[at : at + span]) & 0xFFFF for at in range(0, len(data) - span + 1, 4)])


def longest_run(new: Sequence[int], old: Sequence[int], weights: Mapping[int, int]) -> int:
    """Give the weight of the heaviest run of tokens that stand side by side in both, in one order; 0 without any.

    Each token stands once in `new` and once in `old`; `weights` holds those of `new`.
    """
    places = {token: at for at, token in enumerate(old)}
    best = run = 0
    expected = -1
    for token in new:
        at = places.get(token, -2)
        if at < 0:
            run = 0
        else:
            run = run + weights[token] if at == expected else weights[token]
            best = max(best, run)
        expected = at + 1
    return best


def neighbours(tokens: Sequence[int]) -> frozenset[int]:
    """Give each two tokens that stand side by side, as one number."""
    return frozenset([one << 32 | other for one, other in pairwise(tokens)])
