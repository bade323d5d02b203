"""Tokens to a signature: what is stored of an entry's text so that later ones can be compared with it.

    title, summary -> strip prefixes, suffixes, repeated lines -> words -> hashes, marks, character grams

A signature holds hashes only. It is a few hundred bytes, carries the version that made it, and gives the
candidate keys by which the store finds the earlier entries worth comparing.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, islice
from typing import TYPE_CHECKING

import xxhash

from bot.core.canonize import Word, plain, words
from bot.core.frequencies import level_of
from bot.core.outlets import OUTLETS
from bot.core.shingles import character_grams, token_hash

if TYPE_CHECKING:
    from collections.abc import Iterable

SIGNATURE_VERSION = 1
"""Goes up whenever canonization, the frequency table, features or keys change: older blobs are read no more."""

MAX_TITLE = 32
MAX_LEAD = 60
MAX_GRAMS = 250
RAREST = 8
RAREST_OF_TITLE = 6
"""Pairs of the 8 rarest tokens and of the 6 rarest of the title: of labelled pairs, all D and .96-1.0 of S share one."""
NUMBER_LEVEL = 26
"""A number is never rarer than this: every score and rate would pass for a name otherwise."""

_LEVEL, _NUMBER, _CAPITAL = 0x3F, 0x40, 0x80
_HEAD = struct.Struct("<BqHBBB")
_SIGN_BIT, _WRAP = 1 << 63, 1 << 64


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
        words: how each of title + lead was written; () once stored, and no part of equality.
    """

    version: int = SIGNATURE_VERSION
    exact: int = 0
    size: int = 0
    title: tuple[int, ...] = ()
    lead: tuple[int, ...] = ()
    marks: bytes = b""
    grams: frozenset[int] = frozenset()
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
    headline = strip_title(plain(title), feed_title)
    lead_text = plain(summary) or plain(body[:4000])
    if boilerplate:
        headline = _without(headline, boilerplate)
        lead_text = _without(lead_text, boilerplate)
    lead_text = _APPEARED.sub(" ", lead_text)
    if not headline:
        headline, lead_text = _first_segment(lead_text)
        headline = strip_title(headline, feed_title)
    title_words = words(headline) if headline else []
    lead_words = words(lead_text) if lead_text else []
    heads = _distinct(title_words, frozenset(), MAX_TITLE)
    leads = _distinct(lead_words, heads.keys(), MAX_LEAD)
    tokens = {word.token for word in title_words}
    tokens.update(word.token for word in lead_words)
    chosen = [*heads.values(), *leads.values()]
    features = [_feature(word.token, word.number) for word in chosen]
    hashes = [hashed for hashed, _ in features]
    return Signature(
        exact=_exact(tokens),
        size=min(len(tokens), 0xFFFF),
        title=tuple(hashes[: len(heads)]),
        lead=tuple(hashes[len(heads) :]),
        marks=bytes(
            [
                mark | _CAPITAL if word.capital else mark
                for word, (_, mark) in zip(chosen, features, strict=True)
            ]
        ),
        grams=frozenset(
            islice(
                sorted(character_grams(" ".join([word.raw for word in title_words]).casefold())), MAX_GRAMS
            )
        ),
        words=tuple(word.raw for word in chosen),
    )


def _distinct(found: Iterable[Word], known: Iterable[str], limit: int) -> dict[str, Word]:
    known = frozenset(known)
    kept: dict[str, Word] = {}
    for word in found:
        if word.token not in known and word.token not in kept:
            kept[word.token] = word
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


# --- what outlets add to their titles -------------------------------------------------------------

_PREFIX = re.compile(
    r"^\s*(?:"
    r"(?:RT|MT)\s+@\w{1,30}\s*:?"
    r"|(?:breaking(?:\s+news)?|urgent|exclusive|just\s+in|watch|video|photos?|in\s+pictures|updated?(?:\s+\d+)?"
    r"|correct(?:ed|ion)|refile|wrapup\s+\d+|recap|opinion|analysis|explainer|live(?:\s+updates?)?|live\s+blog"
    r"|срочно|молния|эксклюзив|видео|фото|обновлено|мнение)\s*[:|!-]+"
    r"|\((?:lead|\d+(?:st|nd|rd|th)\s+lead|update|yonhap|urgent|ld)\)"
    r")\s*",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"\s+[-|–—/·•:]\s+([^-|–—·•]{2,60})$|\s*\(([^()]{2,40})\)$")
_SIGNS_AHEAD = re.compile(r"^[^\w'\"«“(@#$€£₽]+")
_APPEARED = re.compile(r"\bThe post .{1,300}? (?:appeared first|first appeared) on .{1,100}?(?:\.|$)")


def strip_title(title: str, feed_title: str = "") -> str:
    """Cut wire and retweet prefixes, known outlets and the feed's own name off a plain title's ends.

    Gives the title itself, stripped, where cutting would leave nothing.
    """
    own = _own_names(feed_title)
    text = title.strip()
    for _ in range(4):
        shorter = _PREFIX.sub("", _SIGNS_AHEAD.sub("", text))
        found = _SUFFIX.search(shorter)
        if found:
            name = _name(found[1] or found[2])
            if name and (name in OUTLETS or name in own):
                shorter = shorter[: found.start()]
        head, colon, rest = shorter.partition(": ")
        if colon and _name(head) in own:
            shorter = rest
        if not shorter.strip() or shorter == text:
            break
        text = shorter.strip()
    return text


@lru_cache(maxsize=1000)
def _own_names(feed_title: str) -> frozenset[str]:
    parts = [feed_title, *re.split(r"\s+[-|–—:»]\s+", feed_title)]
    return frozenset(name for part in parts if (name := _name(part)))


def _name(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


# --- what feeds repeat ----------------------------------------------------------------------------

_SEGMENT_END = re.compile(r"\n+|(?<=[.!?…])\s+|\s+[|•·]\s+")


def segments(text: str) -> tuple[str, ...]:
    """Give the lines and sentences of a text in the form in which a feed's repeated ones are kept."""
    return tuple(key for part in _SEGMENT_END.split(plain(text)) if (key := _name(part)))


def _without(text: str, boilerplate: frozenset[str]) -> str:
    return "\n".join(part for part in _SEGMENT_END.split(text) if part and _name(part) not in boilerplate)


def _first_segment(text: str) -> tuple[str, str]:
    text = text.strip()
    found = _SEGMENT_END.search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


# --- storing and finding --------------------------------------------------------------------------


def encode(signature: Signature) -> bytes:
    """Pack a signature for the store: 14 bytes and 5 a token, 2 a gram."""
    return b"".join(
        (
            _HEAD.pack(
                signature.version,
                signature.exact,
                signature.size,
                len(signature.title),
                len(signature.lead),
                len(signature.grams),
            ),
            struct.pack(f"<{len(signature.marks)}I", *signature.title, *signature.lead),
            struct.pack(f"<{len(signature.grams)}H", *sorted(signature.grams)),
            signature.marks,
        )
    )


def decode(blob: bytes) -> Signature:
    """Unpack what `encode` packed, without the words; ValueError for another version or no signature at all."""
    try:
        version, exact, size, heads, leads, grams = _HEAD.unpack_from(blob)
    except struct.error as fault:
        raise ValueError(f"no signature: {len(blob)} bytes") from fault
    if version != SIGNATURE_VERSION:
        raise ValueError(f"signature version {version}, not {SIGNATURE_VERSION}")
    count = heads + leads
    if len(blob) != _HEAD.size + 5 * count + 2 * grams:
        raise ValueError(f"a signature of {count} tokens and {grams} grams is not {len(blob)} bytes")
    hashes = struct.unpack_from(f"<{count}I", blob, _HEAD.size)
    return Signature(
        version=version,
        exact=exact,
        size=size,
        title=hashes[:heads],
        lead=hashes[heads:],
        grams=frozenset(struct.unpack_from(f"<{grams}H", blob, _HEAD.size + 4 * count)),
        marks=blob[-count:] if count else b"",
    )


def candidate_keys(signature: Signature) -> tuple[int, ...]:
    """Give the signed 64-bit keys, at most 44, of which two texts worth comparing share at least one.

    The pairs of the 8 rarest tokens of the whole and of the 6 rarest of the title (a pair is its two hashes
    side by side), and the hash of the exact set, by which texts of one token are found as well.
    """
    if not signature.exact:
        return ()
    ranked = [
        (-(mark & _LEVEL), hashed)
        for hashed, mark in zip(signature.title + signature.lead, signature.marks, strict=True)
    ]
    title = sorted(ranked[: len(signature.title)])[:RAREST_OF_TITLE]
    whole = sorted(ranked)[:RAREST]
    keys = {signature.exact: None}
    for group in (whole, title):
        for (_, one), (_, other) in combinations(group, 2):
            pair = one << 32 | other if one < other else other << 32 | one
            keys[_signed(pair)] = None
    return tuple(keys)
