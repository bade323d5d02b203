"""How rare a token is: a frozen table of document frequencies, shipped as hashes and levels.

Built by `bench/frequencies.py` from public news feeds in English (April-June 2020, May-July 2026), Russian
channel posts (2024) and news texts in both (May 2020); the counts stand in `docs/duplicates.md`. It holds no
word, only 24 bits of each token's hash and a level, so one unknown token in some 400 passes for a known one.

The table never moves within a signature version, and scores are weighed by it alone: the learned table of
`dedupe` was fitted to its levels. What a bot learns of its own stream may only choose keys otherwise: a word that
is in every second entry of a channel is no key, however rare the world's newspapers have it. Keys are chosen
under the order of an epoch and looked up under the orders of all epochs that still have entries (`store.frequencies`).
"""

from __future__ import annotations

import math
import sys
from array import array
from bisect import bisect_left
from importlib import resources
from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from collections.abc import Mapping

LEVELS_PER_NAT = 4
"""A level is a quarter of a natural logarithm of (texts / texts with the token)."""
MAX_LEVEL = 63
UNSEEN_LEVEL = 47
"""A token that the table does not know counts as half a text of some 60,000."""


def _load() -> array[int]:
    """Read the table: sorted little-endian 32-bit rows, 24 bits of hash above 8 bits of level."""
    rows = array("I")
    rows.frombytes(resources.files("bot.core").joinpath("frequencies.bin").read_bytes())
    if sys.byteorder == "big":
        rows.byteswap()
    return rows


def fingerprint(token: str) -> int:
    """Give the 24 bits that stand for a token in the table."""
    return xxhash.xxh32_intdigest(token.encode()) >> 8


def script_of(token: str) -> str:
    """Name the script whose texts a token is counted among."""
    first = token[0]
    if "\u0400" <= first < "\u0530":
        return "cyrillic"
    return "latin" if first < "\u0250" else "other"


def level_of(hashed: int) -> int:
    """Give the rarity of a token by its 32-bit hash: 0 in every text, 47 never seen.

    `hashed` is the token's xxh32, of which the upper 24 bits are looked up.
    """
    key = hashed >> 8 << 8
    at = bisect_left(_ROWS, key)
    if at < len(_ROWS) and _ROWS[at] >> 8 == hashed >> 8:
        return _ROWS[at] & 0xFF
    return UNSEEN_LEVEL


# --- what a bot learns of its own stream ----------------------------------------------------------

PRIOR_TEXTS = 500
"""So many texts the packaged table counts for beside the stream's own: a word in 5 of the first 100 entries is still
rare, one in 50 of 1,000 is not: a thousand entries tell as much of a channel as they ever will."""

LEAST_MOVE = 3
"""Levels by which a word must have become commoner to be moved at all: a factor of 2.1. Less moves keys for nothing."""

LEAST_SHARE = 0.005
"""Of the stream's texts, that a word has to be in: what is rarer leads to few entries, whatever its level is."""

MOST_MOVED = 4000
"""Words that are moved at most, the commonest: 20 kB an epoch. Few streams have a thousand."""


def blended(shipped: int, count: int, texts: int) -> int:
    """Give the level of a token by the packaged table and a stream together, 0-63.

    `count` of the stream's `texts` have the token. Additive smoothing: the packaged share stands for `PRIOR_TEXTS` texts.
    """
    share = (count + PRIOR_TEXTS * math.exp(-shipped / LEVELS_PER_NAT)) / (texts + PRIOR_TEXTS)
    return max(0, min(MAX_LEVEL, round(-LEVELS_PER_NAT * math.log(min(1.0, share)))))


def commoner(counts: Mapping[int, int], texts: int) -> dict[int, int]:
    """Give the levels of the tokens, by their 32-bit hashes, that a stream has much more often than the packaged table.

    `counts` says in how many of `texts` each stands. At most `MOST_MOVED`, the commonest; never a token made rarer:
    what a stream lacks costs it nothing.
    """
    moved: dict[int, int] = {}
    common = [(hashed, count) for hashed, count in counts.items() if count >= LEAST_SHARE * texts]
    for hashed, count in sorted(common, key=lambda item: (-item[1], item[0])):
        shipped = level_of(hashed)
        level = blended(shipped, count, texts)
        if shipped - level >= LEAST_MOVE:
            moved[hashed] = level
            if len(moved) == MOST_MOVED:
                break
    return moved


try:
    _ROWS = _load()
except FileNotFoundError:  # pragma: no cover - only while bench/frequencies.py builds the first table
    _ROWS = array("I")
