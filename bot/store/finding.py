"""Entries by what a person calls them: a link, a guid, a number, or words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bot.core.identity import key_hash
from bot.core.model import Key, KeyKind
from bot.core.urls import link_key

if TYPE_CHECKING:
    from sqlite_utils import Database

_DIGITS_OF_A_ROW: Final = 18

_LONGEST_PATTERN: Final = 1000
"""Characters; SQLite refuses patterns of 50,000 bytes."""


def rows_named(db: Database, what: str, limit: int) -> list[dict[str, Any]]:
    """Return the rows of entries that `Entries.find_exact` promises; some may be there twice."""
    found: list[dict[str, Any]] = []
    key = link_key(what)
    if key is not None:
        # A link of an edited entry leads to the story's lead; the entry that has it is among its copies.
        query = """
            select e.* from entry_keys k join entries known on known.id = k.entry_id
            join entries e on e.id = known.id or e.lead_id = coalesce(known.lead_id, known.id)
            where k.key = ? order by e.id <> known.id, e.id desc
        """
        story = list(db.query(query, [key_hash(Key(kind=KeyKind.LINK, scope="", value=key))]))
        found += story[:1] + [row for row in story[1:] if _has_link(row, key)]
    query = """
        select * from entries where guid = :what or link = :what or orig_link = :what
        order by link is :what desc, id desc limit :limit
    """
    found += list(db.query(query, {"what": what, "limit": limit}))
    if what.isdecimal() and len(what) <= _DIGITS_OF_A_ROW:
        found += list(db.query("select * from entries where id = ?", [int(what)]))
    if key is not None:
        found.sort(key=lambda row: not _has_link(row, key))
    return found


def rows_with_words(db: Database, text: str, limit: int) -> list[dict[str, Any]]:
    """Return the rows of the newest entries whose title or summary holds `text`, newest first."""
    text = text[:_LONGEST_PATTERN]
    pattern = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    query = """
        select * from entries where title like ? escape '\\' or summary like ? escape '\\'
        order by first_seen_at desc, id desc limit ?
    """
    return list(db.query(query, [pattern, pattern, limit]))


def _has_link(row: dict[str, Any], key: str) -> bool:
    return any(link_key(link) == key for link in (row["link"], row["orig_link"]) if link)
