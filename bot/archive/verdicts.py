"""Two texts of an archive: what they share, counted exactly, and whether one is a copy of the other. Pure.

shingles of both -> resemblance, containment either way
numbers that the shorter has and the longer lacks  -> two reports of one kind: not a copy
resemblance at the level's                         -> a copy
nearly all of the shorter is in the longer, and it is no small part of it -> a copy cut or extended
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from bot.archive.model import Weighed
from bot.core.dedupe import Level

if TYPE_CHECKING:
    from collections.abc import Mapping

Slots = dict[tuple[int, int], tuple[int, ...]]


class Features(NamedTuple):
    """What two texts are weighed by.

    Attributes:
        shingles: hashes of its runs of words.
        numbers: hashes of its numbers.
        words: how many words it has.
        slots: the numbers that stand between two words, by those: the last place counts where there are several.
    """

    shingles: frozenset[int]
    numbers: frozenset[int]
    words: int
    slots: Slots


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a level asks; both are shares of shingles.

    Attributes:
        resemblance: of both, in both.
        throughout: the same, of texts that have passages: half of each in the other is a resemblance of a third.
        contained: of the shorter, in the longer.
    """

    resemblance: float
    throughout: float
    contained: float


ROWS: Final[Mapping[Level, Row]] = {
    Level.STRICT: Row(resemblance=0.7, throughout=0.6, contained=0.9),
    Level.BALANCED: Row(resemblance=0.4, throughout=0.33, contained=0.7),
    Level.EAGER: Row(resemblance=0.3, throughout=0.25, contained=0.55),
}
"""Of runs of three words. One replaced word in ten leaves a resemblance of .58, and .4 of nearly all texts; two reports
of one form with other facts have .21. docs/archive.md has what each level finds and what it wrongly takes."""

LEAST_CONTAINED: Final = 30
"""Words that a text must have to count as a copy because a longer one holds it: what is shorter is a sentence."""
SMALLEST_PART: Final = 0.25
"""Of the longer text's shingles, the number that the shorter must have: below, it is a quotation or a digest's item."""
WORDS_A_NUMBER: Final = 80
"""Words that allow for one number to differ: a page of sport has a corrected score, a headline has not."""
WITH_PASSAGES: Final = 60
"""Words from which on a text has passages, and an edit can change one of them."""
NUMBERS_SHARE: Final = 0.34
"""Of the shorter text's numbers, those that must be lacking to tell two reports apart."""


def weigh(one: Features, other: Features, level: Level) -> Weighed:
    """Count what two texts share and say whether one is a copy; a text without words is no copy of anything."""
    ours, theirs = one.shingles, other.shingles
    shared = len(ours & theirs)
    if not shared:
        return Weighed(0.0, 0.0, 0.0, is_copy=False)
    resemblance = shared / (len(ours) + len(theirs) - shared)
    of_one, of_other = shared / len(ours), shared / len(theirs)
    row = ROWS[level]
    has_passages = min(one.words, other.words) >= WITH_PASSAGES
    is_copy = resemblance >= (row.throughout if has_passages else row.resemblance)
    if not is_copy and max(of_one, of_other) >= row.contained:
        small, large = sorted((len(ours), len(theirs)))
        is_copy = min(one.words, other.words) >= LEAST_CONTAINED and small >= SMALLEST_PART * large
    if is_copy:
        is_copy = not (conflicting(one, other) if one.words <= other.words else conflicting(other, one))
    return Weighed(resemblance, of_one, of_other, is_copy)


def conflicting(shorter: Features, longer: Features) -> bool:
    """Say whether a text tells other numbers than a longer one.

    Of a text that has room for an edited passage only those numbers count that stand where the other has others: a new lead
    brings its own.
    """
    lacked = shorter.numbers - longer.numbers
    if shorter.words >= WITH_PASSAGES:
        theirs = longer.slots
        moved = [
            number
            for slot, numbers in shorter.slots.items()
            if slot in theirs and theirs[slot] != numbers
            for number in numbers
        ]
        lacked = lacked.intersection(moved)
    return len(lacked) > shorter.words // WORDS_A_NUMBER and len(lacked) >= NUMBERS_SHARE * len(
        shorter.numbers
    )
