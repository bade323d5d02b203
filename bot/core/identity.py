"""What an entry is known by: its keys, and which of them a feed can be trusted with.

An entry keeps all its keys. A later entry with any one of them is the same entry, whatever else changed:
publishers edit headlines, bump dates, regenerate guids and decorate links. A feed in which most items
carry one link, or one guid, cannot be identified by it, and that kind of key is then ignored there.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import xxhash

from bot.core.model import Entry, Key, KeyKind
from bot.core.normal_forms import nfkc
from bot.core.urls import link_key

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

SAME_TEXT_MIN_WORDS: Final = 8
"""Fewer words are no evidence of identity. "Daily Briefing" or "My update" comes back every day; of the
two-month histories of 26 news feeds (2020), every equal title and summary of 8 words or more within
`SAME_TEXT_HOURS` was a re-issue of one article under a new address."""

SAME_TEXT_HOURS: Final = 20.0
"""An equal text of the same feed is the same entry within so many hours. In the same histories re-issues
come 0-16 h later; recurring editions ("Morning update", "Gallery: the best photos") 24 h and more."""

LONG_TEXT_MIN_WORDS: Final = 30
LONG_TEXT_HOURS: Final = 72.0
"""A long equal text stays evidence for longer: re-issues with 42 words were seen after 50 h."""

SAME_TEXT_ELSEWHERE_HOURS: Final = 14 * 24.0
"""An equal text in another feed is a wire copy; 97% of such copies come within 72 h, all but few in 14 days."""

ONE_VALUE_SHARE: Final = 0.5
ONE_VALUE_MIN_ITEMS: Final = 3
"""A key carried by at least this share of a body's items (and at least so many) identifies none of them."""

OTHER_STORY: Final = 0.5
"""Two items of one body with one guid and two links are two stories when they share less than this of the distinct words
of the shorter. Of 700 bodies of real feeds one had such items: 24 pairs, each one product, that share .83 and more."""


class DedupKey(StrEnum):
    """Which keys identify the entries of a feed, as its owner says."""

    ANY = "any"
    GUID = "guid"
    LINK = "link"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Which kinds of key a feed can be identified by.

    Attributes:
        guid, link: whether that key tells its items apart.
        anchored: whether its items are places on one page, so that the fragment of a link counts.
    """

    guid: bool = True
    link: bool = True
    anchored: bool = False


def fold(text: str) -> str:
    """Return the words of `text`, casefolded and joined by single spaces; blind to punctuation and NFC/NFD.

    Unlike `canonize` it drops no word: it is for equality, not for likeness.
    """
    plain = nfkc(text).casefold()
    return " ".join(_WORD.findall(nfkc(plain)))


_WORD: Final = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f])*")


def trust_of(entries: Sequence[Entry], before: Trust) -> Trust:
    """Judge from one body which keys its items can be told apart by; keep `before` where it is too short to say.

    A kind is untrusted when one value is carried by half of the items or more although their texts
    differ, and trusted again when all values in a body of that size differ.
    """
    texts = {(entry.title, entry.summary) for entry in entries}
    if len(entries) < ONE_VALUE_MIN_ITEMS or len(texts) < len(entries) / 2:
        return before
    anchored = before.anchored or _is_anchored(entries)
    return Trust(
        guid=_tells_apart([e.guid for e in entries if e.guid], before=before.guid),
        link=_tells_apart(
            [k for e in entries if e.link and (k := link_key(e.link, anchored=anchored))], before=before.link
        ),
        anchored=anchored,
    )


def shared_guids(entries: Sequence[Entry], *, trust: Trust) -> frozenset[str]:
    """Return the guids that stand in one body for different stories, told apart by link and text: they identify neither.

    Versions of one story share its link or its words, and keep its guid.
    """
    bearers: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.guid and entry.link:
            bearers.setdefault(entry.guid, []).append(entry)
    return frozenset(
        guid
        for guid, found in bearers.items()
        if any(_are_two(found[0], other, trust=trust) for other in found[1:])
    )


def _are_two(one: Entry, other: Entry, *, trust: Trust) -> bool:
    links = [link_key(entry.link, anchored=trust.anchored) for entry in (one, other) if entry.link]
    if len(set(links)) == 1:
        return False
    words, others = (frozenset(fold(f"{entry.title} {entry.summary}").split()) for entry in (one, other))
    return len(words & others) < OTHER_STORY * min(len(words), len(others))


def _is_anchored(entries: Sequence[Entry]) -> bool:
    """Say whether different stories of one body lie on one page, told apart by the fragment alone.

    Seen in feeds of change logs and news pages of 2004-2006, and never in those of newsrooms.
    """
    places: dict[str, dict[str, str]] = {}
    for entry in entries:
        if entry.link and "#" in entry.link and (page := link_key(entry.link)):
            places.setdefault(page, {}).setdefault(
                link_key(entry.link, anchored=True) or "", fold(entry.title)
            )
    return any(len(there) > 1 and len(set(there.values())) > 1 for there in places.values())


def _tells_apart(values: list[str], *, before: bool) -> bool:
    if len(values) < ONE_VALUE_MIN_ITEMS:
        return before
    most = Counter(values).most_common(1)[0][1]
    if most >= max(ONE_VALUE_SHARE * len(values), 2):
        return False
    return before or most == 1


def keys_of(entry: Entry, *, trust: Trust, dedup_key: DedupKey = DedupKey.ANY) -> tuple[Key, ...]:
    """Return the keys of `entry`, the strongest first, without repeats; possibly none.

    A guid holds in its feed; a guid that is an http(s) address is a link, too. Links hold everywhere. The
    text holds everywhere when it is long enough; an entry that has neither a trusted guid nor a trusted
    link is known by its text and date in its feed, however short.
    """
    keys: list[Key] = []
    wants_guid = dedup_key in {DedupKey.ANY, DedupKey.GUID} and trust.guid
    wants_link = dedup_key in {DedupKey.ANY, DedupKey.LINK} and trust.link
    if wants_guid and entry.guid:
        keys.append(Key(kind=KeyKind.GUID, scope=entry.feed, value=_guid_value(entry.guid)))
    if wants_link:
        for kind, url in ((KeyKind.LINK, entry.link), (KeyKind.ORIG_LINK, entry.orig_link)):
            if url and (value := link_key(url, anchored=trust.anchored)):
                keys.append(Key(kind=kind, scope="", value=value))
        if wants_guid and entry.guid and (value := link_key(entry.guid, anchored=trust.anchored)):
            keys.append(Key(kind=KeyKind.LINK, scope="", value=value))
    keys.extend(_text_keys(entry, alone=not keys, dedup_key=dedup_key))
    unique: dict[tuple[str, str], Key] = {}
    for key in keys:
        unique.setdefault((key.scope, key.value), key)
    return tuple(unique.values())


def _guid_value(guid: str) -> str:
    # The guid that a feed made of a fragment is its own; only its dress is folded.
    return link_key(guid, anchored=True) or guid


def _text_keys(entry: Entry, *, alone: bool, dedup_key: DedupKey) -> list[Key]:
    text = fold(f"{entry.title} {entry.summary}")
    if not text:
        return []
    if dedup_key is DedupKey.TEXT:
        return [Key(kind=KeyKind.TEXT, scope=entry.feed, value=text)]
    keys = []
    if dedup_key is DedupKey.ANY and len(text.split(maxsplit=SAME_TEXT_MIN_WORDS)) >= SAME_TEXT_MIN_WORDS:
        keys.append(Key(kind=KeyKind.TEXT, scope="", value=text))
    if alone:
        # Notifications without guid and link: only a new date tells one from the last.
        dated = f"{text} {entry.published.isoformat()}" if entry.published else text
        keys.append(Key(kind=KeyKind.TEXT, scope=entry.feed, value=dated))
    return keys


def still_holds(key: Key, *, same_feed: bool, seen_at: datetime, now: datetime) -> bool:
    """Say whether an equal `key`, borne since `seen_at` by the entry it leads to, is evidence that two are one.

    Guids, links and texts that hold in one feed are for good; a text that holds everywhere wears off.
    """
    if key.kind is not KeyKind.TEXT or key.scope:
        return True
    if not same_feed:
        hours = SAME_TEXT_ELSEWHERE_HOURS
    elif len(key.value.split(maxsplit=LONG_TEXT_MIN_WORDS)) >= LONG_TEXT_MIN_WORDS:
        hours = LONG_TEXT_HOURS
    else:
        hours = SAME_TEXT_HOURS
    return now - seen_at <= timedelta(hours=hours)


def key_hash(key: Key) -> bytes:
    """Return 16 bytes that stand for `key` in the store (xxh3, 128 bits)."""
    kind = KeyKind.LINK if key.kind is KeyKind.ORIG_LINK else key.kind
    return xxhash.xxh3_128_digest(f"{kind}\0{key.scope}\0{key.value}".encode("utf-8", "surrogatepass"))


def variant(entry: Entry, *, trust: Trust, dedup_key: DedupKey) -> int:
    """Return a signed 64-bit hash of what a feed says of an entry: one row of the store for each.

    Guid, link and title; the summary where the text is the key; the date where nothing else tells two
    entries apart.
    """
    parts = [entry.guid or "", entry.link or "", entry.title]
    if dedup_key is DedupKey.TEXT or not entry.title:
        parts.append(entry.summary)
    known_by = (trust.guid and entry.guid) or (trust.link and entry.link)
    if not known_by and dedup_key is not DedupKey.TEXT and entry.published:
        parts.append(entry.published.isoformat())
    digest = xxhash.xxh3_64_intdigest("\0".join(parts).encode("utf-8", "surrogatepass"))
    return digest - (1 << 64) if digest >= 1 << 63 else digest
