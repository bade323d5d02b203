"""What travels through the archive's room."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from bot.core.dedupe import Level

LONGEST_TEXT: Final = 100_000
"""Characters of a text that are compared; `canonize.plain` reads no more."""


class Document(NamedTuple):
    """One text of an archive.

    Attributes:
        key: what the archive calls it: its id, its file's name, or the number of its line or row.
        title: "" where it has none.
        text: at most `LONGEST_TEXT` characters.
        date: seconds since 1970, None where it has none that can be read.
    """

    key: str
    title: str
    text: str
    date: float | None = None


class Fault(NamedTuple):
    """What was wrong with one text.

    Attributes:
        place: where it stands: a line, a row, a file.
        reason: what is wrong, in words.
        lost: whether the text was left out; otherwise it was read as far as `reason` says.
    """

    place: str
    reason: str
    lost: bool = True


class Lead(StrEnum):
    """Which copy of a story leads it."""

    FIRST = "first"
    OLDEST = "oldest"
    NEWEST = "newest"
    LONGEST = "longest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How texts become arrays; an index holds texts of one way only.

    Attributes:
        method: a name of `methods.METHODS`.
        width: words of a shingle, 1-50.
        stop_words: words, in lower case, that are left out.
    """

    method: str = "exact"
    width: int = 3
    stop_words: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How pairs become stories; other ways may follow over the same index.

    Attributes:
        level: how alike copies have to be.
        window: days that two dated texts of a story may lie apart, None for any.
        lead: which copy leads.
    """

    level: Level = Level.BALANCED
    window: float | None = None
    lead: Lead = Lead.FIRST


class Weighed(NamedTuple):
    """What two texts share; shares are 0-1.

    Attributes:
        resemblance: of the shingles of both, those that both have; of a published method, its own measure.
        of_one: of the first text's shingles, those that the second has.
        of_other: of the second's, those that the first has.
        is_copy: whether the level says that one is a copy of the other.
    """

    resemblance: float
    of_one: float
    of_other: float
    is_copy: bool
