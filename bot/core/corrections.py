"""What became of a headline that its publisher changed: nothing that a reader would see, a matter of words, or of fact.

    explicit    the feed says so: "Correction:", "CORRECTED-", "Исправлено", "An earlier version of this article ..."
    none        case, signs, spaces, the outlet's name, little words: one headline
    rewrite     hardly a word in common, or another day: another text under an old name, as live blogs and rubrics have
    substance   another number or name in its place, a "not" more or less, the contrary of a word
    wording     whatever else

The first that holds is taken. A number or a name that is only added is news and no correction: wording.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.core.canonize import canonize, plain
from bot.core.concepts import CALENDAR
from bot.core.headlines import strip_title
from bot.core.identity import fold
from bot.core.signature import sign
from bot.core.similarity import compare, profile

if TYPE_CHECKING:
    from bot.core.model import Entry

REWRITTEN: Final = 0.3
"""Two titles that share less of the lighter one's weight, and less of its letters, are two texts."""

KEPT: Final = 0.5
MOST_NEW: Final = 3
"""A correction puts one fact in another's place and keeps the rest: at least so much of both titles' weight, and at most
so many new words. Of 5,615 headlines that newsrooms changed under one link or guid (2020 and 2026; many of them developments
of the story) 204 are then `substance`; without the two it was 985, most of them news of a later hour."""

NAMED: Final = 4.0
"""Nats of rarity from which a capitalized word counts as a name; the guards of the table use the same (`core.guards`)."""


class Change(StrEnum):
    """What a changed headline is."""

    EXPLICIT = "explicit"
    SUBSTANCE = "substance"
    WORDING = "wording"
    REWRITE = "rewrite"


ANSWERED: Final = frozenset({Change.EXPLICIT, Change.SUBSTANCE})
"""Those that a follow-up post tells, where the feed's owner wants one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a reader was told, or would be.

    Attributes:
        title: on one line, "" when there is none.
        summary: "" when there is none.
    """

    title: str
    summary: str = ""

    @classmethod
    def of(cls, entry: Entry) -> Words:
        """Return those of an entry."""
        return cls(title=entry.title, summary=entry.summary)

    @property
    def headline(self) -> str:
        """The title, or the summary's beginning where there is none."""
        return self.title or self.summary[:300]


def change_of(said: Words, now: Words, *, feed: str = "") -> Change | None:
    """Return what the difference between two versions of one entry is, None where a reader would see none.

    `feed` is the name of the outlet, which may stand at either end of a title. It costs as much as comparing two entries.
    """
    if _marks(now) - _marks(said):
        return Change.EXPLICIT
    if not now.headline or not said.headline:
        return None  # a headline that is missing corrects nothing
    old, new = (strip_title(plain(words.headline), feed) for words in (said, now))
    if _squeezed(old) == _squeezed(new) and _FIGURE.findall(old) == _FIGURE.findall(new):
        return None
    scores = compare(
        profile(sign(now.title, now.summary, feed_title=feed)),
        profile(sign(said.title, said.summary, feed_title=feed)),
    )
    if not scores["denies"] and canonize(old) == canonize(new):
        return None
    if max(scores["title_containment"], scores["characters"]) < REWRITTEN or _is_another_day(old, new):
        return Change.REWRITE
    return Change.SUBSTANCE if _is_other_fact(scores) and not _LIVE.search(f"{old} {new}") else Change.WORDING


def _is_other_fact(scores: dict[str, float]) -> bool:
    """Say whether one fact stands in another's place and the rest was kept."""
    if scores["title"] < KEPT or scores["new_alone"] > MOST_NEW:
        return False
    return bool(
        scores["title_numbers_differ"]
        or scores["denies"]
        or scores["opposites"]
        or scores["names_clash"] >= NAMED
    )


def _is_another_day(old: str, new: str) -> bool:
    """Say whether each title names a day or a month that the other does not: the next edition of a rubric."""
    days, others = (CALENDAR.intersection(canonize(title)) for title in (old, new))
    return bool(days - others) and bool(others - days)


def says_corrected(words: Words) -> bool:
    """Say whether the feed itself calls a version corrected, in the title or in the summary."""
    return bool(_marks(words))


def _marks(words: Words) -> frozenset[str]:
    """Return where it says so."""
    title, summary = (text[:READ].lower() for text in (words.title, words.summary))
    if not (_hints(title) or _hints(summary)):
        return _NONE
    found = set()
    if _hints(title) and _IN_TITLE.search(title):
        found.add("title")
    if _hints(summary) and _IN_SUMMARY.search(summary):
        found.add("summary")
    return frozenset(found)


def _hints(text: str) -> bool:
    """Say in a hurry whether the patterns may hold: one of these stands in whatever they find.

    Every entry of every new body is asked. Spelt out, it takes a microsecond; as a loop, or one pattern, twenty.
    """
    return (
        "corre" in text
        or "clarif" in text
        or "version" in text
        or "errat" in text
        or "amended" in text
        or "fe de err" in text
        or "fassung" in text
        or "korr" in text
        or "htig" in text
        or "rett" in text
        or "rectif" in text
        or "sprost" in text
        or (not text.isascii() and any(stem in text for stem in _NOT_ASCII))
    )


def _squeezed(title: str) -> str:
    return fold(title).replace(" ", "")


READ: Final = 2000
"""Characters of a title and of a summary that are read for it; the store keeps no more of a summary."""

_NONE: Final[frozenset[str]] = frozenset()
_NOT_ASCII: Final = ("исправ", "уточн", "поправ", "опровер", "верси", "versión", "виправ", "спрост", "версі")

_LIVE: Final = re.compile(
    r"\blive\b|\bas it happened\b|\bminute by minute\b|\bliveblog\b|онлайн|трансляци|\ben direct\b|\ben vivo\b",
    re.IGNORECASE,
)
"""A page that is written on all day changes its title as it goes; what was said before was not wrong."""

_FIGURE: Final = re.compile(r"\d+(?:[.,:]\d+)*")

# What newsrooms write: wire services before the headline (Reuters' CORRECTED- and UPDATE 1-CORRECTED, AP's CORRECTION:),
# papers in brackets, and in a sentence at either end of the text.
_MARKS: Final = (
    r"correction|corrected|corrects|clarification|erratum|errata(?:\s+corrige)?"
    r"|исправлен[оа]?|исправление|исправленная\s+версия|уточнени[ея]|уточнен[оа]?|поправка|опровержение"
    r"|виправлен[оа]|виправлення|уточнення|спростування"
    r"|korrektur|korrigiert|berichtigung|richtigstellung|rectificatif|correctif"
    r"|correcci[oó]n|corregido|fe de err(?:ores|atas)|corre[cç][aã]o|rettifica|sprostowanie"
)
_SENTENCES: Final = (
    r"\b(?:an?|the)\s+(?:earlier|previous|original)\s+version\s+of\s+(?:this|the)\s+"
    r"(?:article|story|report|headline|post|piece|column)\b"
    r"|\bthis\s+(?:article|story|report|headline|post|piece)\s+(?:has\s+been|was)\s+"
    r"(?:corrected|amended|updated\s+to\s+correct)\b"
    r"|\bв\s+(?:предыдущей|первоначальной|ранней)\s+версии\s+(?:этой\s+|данной\s+)?(?:статьи|новости|заметки|материала|заголовка)\b"
    r"|\bу\s+попередній\s+версії\b"
    r"|\bin\s+einer\s+(?:früheren|ersten)\s+(?:version|fassung)\b"
    r"|\bune\s+(?:première\s+version|version\s+(?:précédente|antérieure))\s+de\s+cet?\b"
    r"|\buna\s+versión\s+(?:anterior|previa)\s+de\s+est[ea]\b"
)
_AHEAD: Final = rf"\A\W{{0,9}}(?:(?:update|wrapup|refile)\s?\d{{0,3}}\s?[-–—:]\s?)?(?:{_MARKS})(?:\s{{1,3}}to\s[^:]{{1,60}})?\s{{0,3}}(?:[:\]\)|]|[-–—]|\d{{1,3}}\s?-)"
_IN_BRACKETS: Final = rf"[\[\(]\s?(?:{_MARKS})\b[^\]\)]{{0,80}}[\]\)]"
_IN_TITLE: Final = re.compile(f"{_AHEAD}|{_IN_BRACKETS}")
_IN_SUMMARY: Final = re.compile(
    rf"{_AHEAD}|{_IN_BRACKETS}|{_SENTENCES}|(?:\n|[.!?…]\s)\s{{0,3}}(?:{_MARKS})\s?[:—–]"
)
