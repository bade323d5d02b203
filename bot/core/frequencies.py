"""How rare a token is: a frozen table of document frequencies, shipped as hashes and levels.

Built by `bench/frequencies.py` from public news feeds in English (April-June 2020, May-July 2026), Russian
channel posts (2024) and news texts in both (May 2020); the counts stand in `docs/duplicates.md`. It holds no
word, only 24 bits of each token's hash and a level, so one unknown token in some 400 passes for a known one.

The table never moves within a signature version: it picks the rare tokens that become keys, and a key is
only found again if it is picked the same way. What a bot learns of its own stream may weigh scores, never
pick keys.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from importlib import resources

import xxhash

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


try:
    _ROWS = _load()
except FileNotFoundError:  # pragma: no cover - only while bench/frequencies.py builds the first table
    _ROWS = array("I")
