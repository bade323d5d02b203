"""The published ten-word form as the judge of a stream: which earlier text has most checksums in common.

    text -> the article's words -> runs of ten, CRC32 -> same * 2 / (n1 + n2) * 100, more than `NEEDED` is a repeat

A text of fewer than ten words has no checksum: it repeats only a text of exactly the same words. Nothing else
counts, neither titles nor ages nor numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import xxhash

from bot.core.classic import WIDTH, classic_percent, classic_sums, classic_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

NEEDED: Final = 50.0
"""Percent that a repeat has to pass. The article names no figure; Segalovich calls a text a copy when more than half of
the runs are common."""

MAX_TEXT: Final = 20_000
"""Characters of a text that are read, some 3,000 words: more than all but the longest articles have, and what one entry
may cost the store."""

_OUT_OF_REACH: Final = 1 << 62
_62_BITS: Final = _OUT_OF_REACH - 1


class Method(StrEnum):
    """What judges likeness: the engine's learned table, or the published ten-word form."""

    TABLE = "table"
    CLASSIC = "classic"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassicText:
    """What is kept of a text.

    Attributes:
        sums: the checksum of each run of ten words, signed 32-bit, in order, repeats kept; () for fewer words.
        whole: hash of all words in order, 2**62 to 2**63 - 1 so that it is never taken for a checksum; 0 without words.
    """

    sums: tuple[int, ...] = ()
    whole: int = 0

    @property
    def keys(self) -> frozenset[int]:
        """By which of its numbers texts worth comparing are found: the checksums, or without any the whole."""
        return frozenset(self.sums) or frozenset({self.whole} - {0})


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassicCandidate:
    """An earlier entry that has a key in common.

    Attributes:
        entry_id, lead_id: its row, and that of its story's lead.
        feed, title, link: as stored.
        said: title and summary as far as they are stored, to tell the words that it has alone.
        seen_at: when the bot first saw it, aware UTC.
        text: its checksums.
    """

    entry_id: int
    lead_id: int
    feed: str
    title: str
    link: str | None
    said: str
    seen_at: datetime
    text: ClassicText


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassicVerdict:
    """What was decided.

    Attributes:
        is_duplicate: whether the text repeats `candidate`.
        candidate: the best match or the nearest miss; None where no text has a key in common.
        percent: the article's resemblance, 0-100 (a little more where runs repeat); 100 for equal short texts.
        common: how many of the text's runs the candidate has.
        reason: in words.
    """

    is_duplicate: bool
    candidate: ClassicCandidate | None
    percent: float = 0.0
    common: int = 0
    reason: str = "no run of ten words in common"


def classic_text(title: str, summary: str, body: str = "") -> ClassicText:
    """Give what is kept of an entry: of its title with its summary, or with its body where it has no summary."""
    said = saying(title, summary, body)
    words = classic_words(said)
    if not words:
        return ClassicText()
    digest = xxhash.xxh3_64_intdigest(" ".join(words).encode("utf-8", "surrogatepass"))
    return ClassicText(sums=tuple(classic_sums(said)), whole=digest & _62_BITS | _OUT_OF_REACH)


def saying(title: str, summary: str, body: str = "") -> str:
    """Return the text that is judged, at most `MAX_TEXT` characters."""
    return f"{title}\n{summary or body}"[:MAX_TEXT]


def judge_classic(text: ClassicText, candidates: Sequence[ClassicCandidate]) -> ClassicVerdict:
    """Say whether a text repeats one of the candidates; the one with the highest percentage wins, then the earliest."""
    if not text.whole:
        return ClassicVerdict(is_duplicate=False, candidate=None, reason="no words to compare")
    if not text.sums:
        equal = [c for c in candidates if c.text.whole == text.whole]
        if not equal:
            return ClassicVerdict(
                is_duplicate=False,
                candidate=None,
                reason=f"fewer than {WIDTH} words, and no text of just these",
            )
        first = min(equal, key=lambda c: (c.seen_at, c.entry_id))
        reason = f"exactly the same words, fewer than {WIDTH}"
        return ClassicVerdict(is_duplicate=True, candidate=first, percent=100.0, reason=reason)
    percents = [(classic_percent(text.sums, c.text.sums), c) for c in candidates if c.text.sums]
    if not percents:
        return ClassicVerdict(is_duplicate=False, candidate=None)
    percent, best = min(percents, key=lambda pair: (-pair[0], pair[1].seen_at, pair[1].entry_id))
    known = frozenset(best.text.sums)
    common = sum(value in known for value in text.sums)
    is_duplicate = percent > NEEDED
    share = f"{common} of its {len(text.sums)} runs of ten words are among the {len(best.text.sums)} there"
    return ClassicVerdict(
        is_duplicate=is_duplicate, candidate=best, percent=percent, common=common, reason=share
    )


def word_differences(said: str, candidate: ClassicCandidate) -> dict[str, tuple[str, ...]]:
    """Give the distinct words that both have (`shared`), and that the text or the candidate has alone."""
    ours, theirs = dict.fromkeys(classic_words(said)), dict.fromkeys(classic_words(candidate.said))
    return {
        "shared": tuple(word for word in ours if word in theirs),
        "only_here": tuple(word for word in ours if word not in theirs),
        "only_there": tuple(word for word in theirs if word not in ours),
    }
