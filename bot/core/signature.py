"""Tokens to a signature: what is stored of an entry's text so that later ones can be compared with it.

    title, summary -> strip prefixes, suffixes, repeated lines -> words -> hashes, marks, character grams

A signature holds hashes only. It is a few hundred bytes, carries the version that made it, and gives the
candidate keys by which the store finds the earlier entries worth comparing.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import xxhash

from bot.core.canonize import Word, plain, words
from bot.core.concepts import CALENDAR, CONCEPTS, PHRASES
from bot.core.frequencies import level_of
from bot.core.headlines import (
    first_segment,
    form_of,
    own_names,
    segments,
    strip_title,
    without,
    without_footers,
)
from bot.core.shingles import character_grams, token_hash

__all__ = [
    "SIGNATURE_VERSION",
    "Signature",
    "candidate_keys",
    "decode",
    "encode",
    "segments",
    "sign",
    "strip_title",
    "title_words",
]

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

SIGNATURE_VERSION = 7
"""Goes up whenever canonization, the frequency table, features or keys change: older blobs are read no more."""

TITLE_READ = 10_000
"""Characters of a title that are read: what is longer is no title, and each of its characters begins a gram."""
MAX_TITLE = 32
MAX_LEAD = 60
MAX_GRAMS = 250
MAX_NUMBERS = 24
_SHORT_WORD = 3
_YEAR = 4
_TITLE_CASE = 0.7
_SCORE = "score"
RAREST = 8
RAREST_OF_TITLE = 6
"""Pairs of the 8 rarest tokens and of the 6 rarest of the title: of labelled pairs, all D and .96-1.0 of S share one."""
NUMBER_LEVEL = 26
"""A number is never rarer than this: every score and rate would pass for a name otherwise."""

_LEVEL, _NUMBER, _CAPITAL = 0x3F, 0x40, 0x80
_HEAD = struct.Struct("<BqHHBBBB")
_SIGN_BIT, _WRAP = 1 << 63, 1 << 64
_NOTHING: Final[Mapping[int, int]] = MappingProxyType({})
_PHRASE_STARTS = frozenset(first for first, _ in PHRASES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The features of one text.

    Attributes:
        version: the `SIGNATURE_VERSION` that made it.
        exact: signed 64-bit hash of the set of all tokens of title and summary, 0 when there is none.
        size: number of distinct tokens in title and summary, 0-65535.
        title: 32-bit token hashes of the title, distinct, in order, at most 32.
        lead: those of the first 60 distinct tokens of the summary that the title lacks, in order.
        marks: a byte for each of title + lead: rarity level (low 6 bits), number (64), capital (128).
        grams: 16-bit hashes of the title's runs of four characters.
        numbers: of each number in title or lead its value (14 bits), the word after and the word before (8 bits
            each, 0 for none), and whether it stands in the title (1) and is part of a date (2); at most 24.
        form: what kind of piece the title says it is, a bit for each of `FORMS`.
        words: how each of title + lead was written; () once stored, and no part of equality.
    """

    version: int = SIGNATURE_VERSION
    exact: int = 0
    size: int = 0
    title: tuple[int, ...] = ()
    lead: tuple[int, ...] = ()
    marks: bytes = b""
    grams: frozenset[int] = frozenset()
    numbers: tuple[int, ...] = ()
    form: int = 0
    words: tuple[str, ...] = field(default=(), compare=False)


def sign(
    title: str,
    summary: str,
    body: str = "",
    *,
    feed_title: str = "",
    boilerplate: frozenset[str] = frozenset(),
) -> Signature:
    """Give the signature of an entry's text.

    `feed_title` is cut off the title's ends. `boilerplate` holds the segments, as `segments` gives them, that
    the feed repeats; they are left out of the summary. An entry without a title has its first segment for one.
    """
    headline = strip_title(plain(title[:TITLE_READ]), feed_title)
    lead_text = plain(summary) or plain(body[:4000])
    lead_text = without_footers(lead_text)
    if boilerplate:
        headline = without(headline, boilerplate)
    if boilerplate or feed_title:
        lead_text = without(lead_text, boilerplate | own_names(feed_title))
    if not headline:
        headline, rest = first_segment(lead_text)
        lead_text = f"{headline[TITLE_READ:]}{rest}"
        headline = strip_title(headline[:TITLE_READ], feed_title)
    title_words = words(headline) if headline else []
    lead_words = words(lead_text) if lead_text else []
    tokens = {word.token for word in title_words}
    tokens.update([word.token for word in lead_words])
    heads = _distinct(_merged(title_words), frozenset(), MAX_TITLE)
    leads = _distinct(_merged(lead_words[: 3 * MAX_LEAD]), heads.keys(), MAX_LEAD)
    chosen = [*heads.items(), *leads.items()]
    features = [_feature(concept, word.number) for concept, word in chosen]
    hashes = [hashed for hashed, _ in features]
    names = {word.token for word in lead_words if word.capital} if _is_title_case(title_words) else None
    return Signature(
        exact=_exact(tokens),
        size=min(len(tokens), 0xFFFF),
        title=tuple(hashes[: len(heads)]),
        lead=tuple(hashes[len(heads) :]),
        marks=bytes(
            [
                mark | _CAPITAL
                if word.capital and (names is None or at >= len(heads) or word.token in names)
                else mark
                for at, ((_, word), (_, mark)) in enumerate(zip(chosen, features, strict=True))
            ]
        ),
        grams=_grams(" ".join([word.raw for word in title_words]).casefold()),
        numbers=tuple(dict.fromkeys(_numbers(title_words, 1) + _numbers(lead_words[:MAX_LEAD], 0)))[
            :MAX_NUMBERS
        ],
        form=form_of(title or headline),
        words=tuple(word.raw for _, word in chosen),
    )


def title_words(title: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Give the token hashes of a title without a summary, and how each was written: those of `sign(title, "")`."""
    headline = strip_title(plain(title[:TITLE_READ]))
    heads = _distinct(_merged(words(headline) if headline else []), frozenset(), MAX_TITLE)
    return (
        tuple([_feature(concept, word.number)[0] for concept, word in heads.items()]),
        tuple([word.raw for word in heads.values()]),
    )


def _grams(title: str) -> frozenset[int]:
    grams = character_grams(title)
    return grams if len(grams) <= MAX_GRAMS else frozenset(islice(sorted(grams), MAX_GRAMS))


def _merged(found: list[Word]) -> Iterator[tuple[str, Word]]:
    """Yield each word with the concept it stands for; of a known phrase, its first word alone."""
    skip = False
    for at, word in enumerate(found):
        if skip:
            skip = False
            continue
        if word.token in _PHRASE_STARTS and at + 1 < len(found):
            phrase = PHRASES.get((word.token, found[at + 1].token))
            if phrase:
                skip = True
                yield phrase, word
                continue
        yield CONCEPTS.get(word.token, word.token), word


def _is_title_case(found: list[Word]) -> bool:
    """Whether so many words are capitalized that a capital tells nothing, unless the summary has the word so too."""
    long = [word.capital for word in found if len(word.raw) > _SHORT_WORD and not word.number]
    return sum(long) > _TITLE_CASE * len(long)


def _numbers(found: list[Word], in_title: int) -> list[int]:
    """Give value, neighbours and place of each number; a score ("3-1") has "score" for its neighbours."""
    packed = []
    for at, word in enumerate(found):
        if word.number:
            after = before = _SCORE
            if "-" not in word.token:
                after = found[at + 1].token if at + 1 < len(found) else ""
                before = found[at - 1].token if at else ""
            date = in_title and (after in CALENDAR or before in CALENDAR or _is_year(after))
            packed.append(_number(word.token, after, before) | in_title | (2 if date else 0))
        elif in_title and word.token in CALENDAR:
            packed.append(_number(CONCEPTS.get(word.token, word.token), "", "") | 0b11)
    return packed


def _is_year(token: str) -> bool:
    """Whether a number before it counts a day ("24, 2026"): a month's name may be missing, "May" is a common word."""
    return len(token) == _YEAR and token[:2] in {"19", "20"} and token.isdigit()


@lru_cache(maxsize=10_000)
def _number(value: str, after: str, before: str) -> int:
    """Pack 14 bits of the value's hash and 8 of each neighbour's concept, 0 where there is none."""
    units = [token_hash(CONCEPTS.get(unit, unit)) % 255 + 1 if unit else 0 for unit in (after, before)]
    return (token_hash(value) & 0x3FFF) << 18 | units[0] << 10 | units[1] << 2


def _distinct(found: Iterable[tuple[str, Word]], known: Container[str], limit: int) -> dict[str, Word]:
    kept: dict[str, Word] = {}
    for concept, word in found:
        if concept not in known and concept not in kept:
            kept[concept] = word
            if len(kept) == limit:
                break
    return kept


def _exact(tokens: set[str]) -> int:
    if not tokens:
        return 0
    return _signed(xxhash.xxh3_64_intdigest("\n".join(sorted(tokens)).encode())) or 1


def _signed(value: int) -> int:
    return value - _WRAP if value >= _SIGN_BIT else value


@lru_cache(maxsize=50_000)
def _feature(token: str, number: bool) -> tuple[int, int]:
    """Give a token's hash and its mark, the capital left out."""
    hashed = token_hash(token)
    level = level_of(hashed)
    return hashed, (min(level, NUMBER_LEVEL) | _NUMBER if number else level)


# --- storing and finding --------------------------------------------------------------------------


def encode(signature: Signature) -> bytes:
    """Pack a signature for the store: 17 bytes, 5 a token, 4 a number, 2 a gram."""
    return b"".join(
        (
            _HEAD.pack(
                signature.version,
                signature.exact,
                signature.size,
                signature.form,
                len(signature.title),
                len(signature.lead),
                len(signature.numbers),
                len(signature.grams),
            ),
            struct.pack(
                f"<{len(signature.marks) + len(signature.numbers)}I",
                *signature.title,
                *signature.lead,
                *signature.numbers,
            ),
            struct.pack(f"<{len(signature.grams)}H", *sorted(signature.grams)),
            signature.marks,
        )
    )


def decode(blob: bytes) -> Signature:
    """Unpack what `encode` packed, without the words; ValueError for another version or no signature at all."""
    if not blob or blob[0] != SIGNATURE_VERSION:
        raise ValueError(f"no signature of version {SIGNATURE_VERSION}: {blob[:1]!r}")
    try:
        version, exact, size, form, heads, leads, numbers, grams = _HEAD.unpack_from(blob)
    except struct.error as fault:
        raise ValueError(f"no signature: {len(blob)} bytes") from fault
    count = heads + leads
    if len(blob) != _HEAD.size + 5 * count + 4 * numbers + 2 * grams:
        raise ValueError(
            f"a signature of {count} tokens, {numbers} numbers, {grams} grams is not {len(blob)} bytes"
        )
    hashes = struct.unpack_from(f"<{count + numbers}I", blob, _HEAD.size)
    return Signature(
        version=version,
        exact=exact,
        size=size,
        title=hashes[:heads],
        lead=hashes[heads:count],
        numbers=hashes[count:],
        grams=frozenset(struct.unpack_from(f"<{grams}H", blob, _HEAD.size + 4 * (count + numbers))),
        form=form,
        marks=blob[-count:] if count else b"",
    )


def candidate_keys(signature: Signature, learned: Mapping[int, int] = _NOTHING) -> tuple[int, ...]:
    """Give the signed 64-bit keys, at most 44, of which two texts worth comparing share at least one.

    The pairs of the 8 rarest tokens of the whole and of the 6 rarest of the title (a pair is its two hashes
    side by side), and the hash of the exact set, by which texts of one token are found as well. `learned` holds the
    levels of tokens that a stream has more often (`frequencies.commoner`); the keys of two texts can be compared only
    when they were chosen under the same.
    """
    if not signature.exact:
        return ()
    hashes = signature.title + signature.lead
    levels = [mark & _LEVEL for mark in signature.marks]
    if learned:
        levels = [
            min(level, learned.get(hashed, level)) for hashed, level in zip(hashes, levels, strict=True)
        ]
    ranked = [(-level, hashed) for hashed, level in zip(hashes, levels, strict=True)]
    title = sorted(ranked[: len(signature.title)])[:RAREST_OF_TITLE]
    whole = sorted(ranked)[:RAREST]
    keys = {signature.exact: None}
    for group in (whole, title):
        for (_, one), (_, other) in combinations(group, 2):
            pair = one << 32 | other if one < other else other << 32 | one
            keys[_signed(pair)] = None
    return tuple(keys)
