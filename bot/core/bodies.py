"""Bodies: which of a text's passages another has, told from a small sample of each. Long texts only; pure.

    body -> words, all of them -> hashes of all runs of five -> the 128 smallest

The smallest hashes are a random sample that does not depend on where the text was cut: of two texts, what lies
below the smaller of their largest kept hashes was kept of both, so the shares of it estimate the shares of the
whole, in either direction (Broder's containment). Numbers are sampled beside, because two days' market reports
share every passage but those.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final, NamedTuple

from bot.core.canonize import plain
from bot.core.shingles import token_hash, word_shingles

BODY_VERSION: Final = 1
"""Goes up whenever words, hashes, samples or keys change: bodies of older versions are read no more."""

LEAST_WORDS: Final = 100
"""A shorter text is a summary, which the signature of words serves better: at 5 words a run, one replaced word in
ten leaves .59 of the runs."""

WIDTH: Final = 5
"""Words of a run: of runs of 10, 10% replaced words leave .35; runs of 3 are shared by texts on one topic."""

SAMPLE: Final = 128
"""Runs kept of a text. `bench/bodies.py` prints the error of the estimate for other samples: 64 of those that 16
divides, which is Manber's way, leave a text of 200 words a dozen, and every share a guess."""

NUMBERS: Final = 48
"""Distinct numbers kept of a text, the smallest hashes."""

KEYS: Final = 24
"""The smallest hashes are keys. A copy cut to half shares about twelve of them, one cut to a fifth five; a single
quoted sentence usually none, and it need not be found."""

LEAST_COMPARED: Final = 10
"""Runs of a side that have to lie in the common range: fewer are no estimate."""

_WORDS_READ: Final = 20_000
# A sign of a script without spaces is a word of its own: five of them make a run.
_WORD: Final = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    "|[^\\W\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_NUMBER: Final = re.compile(r"(?<!\w)\d+(?:[.,:]\d+)*")
_HEAD: Final = struct.Struct("<BIBB")
_BEYOND: Final = 1 << 32


@dataclass(frozen=True, slots=True, kw_only=True)
class BodySignature:
    """The sample of one body.

    Attributes:
        version: the `BODY_VERSION` that made it.
        words: how many words the text has, at most 20,000.
        shingles: 32-bit hashes of runs of five words, the smallest 128, rising.
        limit: every run of the text whose hash is at most this is among `shingles`; 2**32 when all are.
        numbers: 32-bit hashes of its distinct numbers, the smallest 48, rising.
    """

    version: int = BODY_VERSION
    words: int
    shingles: tuple[int, ...]
    limit: int
    numbers: tuple[int, ...] = ()

    def without(self, repeated: frozenset[int]) -> BodySignature:
        """Give the sample less the runs in `repeated`, which a feed has in many of its texts."""
        if repeated.isdisjoint(self.shingles):
            return self
        return BodySignature(
            version=self.version,
            words=self.words,
            shingles=tuple([hashed for hashed in self.shingles if hashed not in repeated]),
            limit=self.limit,
            numbers=self.numbers,
        )


def text_of(summary: str, body: str) -> str:
    """Choose the text that is sampled: many feeds put the whole of it into the summary."""
    return body if len(body) >= len(summary) else summary


def words_of(clean: str) -> list[str]:
    """Give all words of a plain text as they are written, in order; a sign of a script without spaces is a word."""
    return _WORD.findall(clean)


def sign_body(text: str) -> BodySignature | None:
    """Give the sample of a text, None for one of fewer than `LEAST_WORDS` words.

    Only what `canonize.plain` reads counts: the first 100,000 characters, without markup and links.
    """
    if len(text) < LEAST_WORDS:
        return None
    clean = plain(text).casefold()
    words = words_of(clean)[:_WORDS_READ]
    if len(words) < LEAST_WORDS:
        return None
    hashes = sorted({hashed >> 32 for hashed in word_shingles(words, WIDTH)})
    numbers = sorted({token_hash(number) for number in _NUMBER.findall(clean)})
    return BodySignature(
        words=len(words),
        shingles=tuple(hashes[:SAMPLE]),
        limit=hashes[SAMPLE - 1] if len(hashes) > SAMPLE else _BEYOND,
        numbers=tuple(numbers[:NUMBERS]),
    )


def body_keys(body: BodySignature) -> tuple[int, ...]:
    """Give the 32-bit keys, at most 24, of which two texts worth comparing share at least one."""
    return body.shingles[:KEYS]


# --- comparing ------------------------------------------------------------------------------------


class Shares(NamedTuple):
    """What two texts share, estimated; all 0 where too few runs can be compared.

    Attributes:
        of_one: the share of the first text's passages that the second has, 0-1.
        of_other: the share of the second's that the first has, 0-1.
        resemblance: the share of both texts' passages that both have, 0-1.
        growth: how many times as many passages the first has as the second.
    """

    of_one: float
    of_other: float
    resemblance: float
    growth: float


def shares(one: BodySignature, other: BodySignature) -> Shares:
    """Estimate what two texts share, by the runs in the range of hashes that was kept of both."""
    limit = min(one.limit, other.limit)
    ours = one.shingles[: bisect_right(one.shingles, limit)]
    theirs = other.shingles[: bisect_right(other.shingles, limit)]
    both = len(frozenset(ours).intersection(theirs))
    enough, others_enough = len(ours) >= LEAST_COMPARED, len(theirs) >= LEAST_COMPARED
    whole = len(ours) + len(theirs) - both
    return Shares(
        both / len(ours) if enough else 0.0,
        both / len(theirs) if others_enough else 0.0,
        both / whole if enough or others_enough else float(one == other),
        len(ours) / len(theirs) if others_enough else 0.0,
    )


def containment(one: BodySignature, other: BodySignature) -> float:
    """Estimate the share of the first text's passages that the second has, 0-1; 0 where too few can be compared."""
    return shares(one, other).of_one


def resemblance(one: BodySignature, other: BodySignature) -> float:
    """Estimate the share of both texts' passages that both have, 0-1; symmetric, 1 for a text against itself."""
    return shares(one, other).resemblance


def numbers_missing(one: BodySignature, other: BodySignature) -> tuple[int, int]:
    """Give how many of the first text's numbers were looked for in the second, and how many it lacks."""
    limit = min(
        one.numbers[-1] if len(one.numbers) == NUMBERS else _BEYOND,
        other.numbers[-1] if len(other.numbers) == NUMBERS else _BEYOND,
    )
    ours = [number for number in one.numbers if number <= limit]
    theirs = frozenset(other.numbers)
    return len(ours), sum(number not in theirs for number in ours)


# --- storing --------------------------------------------------------------------------------------


def encode_body(body: BodySignature) -> bytes:
    """Pack a sample for the store: 11 bytes and 4 for each hash."""
    count = len(body.shingles)
    return _HEAD.pack(body.version, body.words, count, len(body.numbers)) + struct.pack(
        f"<I{count + len(body.numbers)}I", body.limit & 0xFFFFFFFF, *body.shingles, *body.numbers
    )


def decode_body(blob: bytes) -> BodySignature:
    """Unpack what `encode_body` packed; ValueError for another version or no sample at all."""
    if not blob or blob[0] != BODY_VERSION:
        raise ValueError(f"no body of version {BODY_VERSION}: {blob[:1]!r}")
    try:
        version, words, count, numbers = _HEAD.unpack_from(blob)
        limit, *hashes = struct.unpack(f"<I{count + numbers}I", blob[_HEAD.size :])
    except struct.error as fault:
        raise ValueError(f"no body: {len(blob)} bytes") from fault
    return BodySignature(
        version=version,
        words=words,
        shingles=tuple(hashes[:count]),
        limit=limit or _BEYOND,  # a limit is the 128th hash of many, never 0
        numbers=tuple(hashes[count:]),
    )
