"""What a person said of pairs of entries: one repeats the other, or it does not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.store.times import known

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database


class Label(StrEnum):
    """What a person calls a pair."""

    DUPLICATE = "duplicate"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """One label.

    Attributes:
        one_id, other_id: the rows of the two entries, the smaller (stored earlier) first.
        label: what they were called last.
        marked_at: when.
    """

    one_id: int
    other_id: int
    label: Label
    marked_at: datetime


class Labels:
    """The table of labels; empty for reading where the database is older than it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, one_id: int, other_id: int, label: Label, now: datetime) -> Label | None:
        """Label an unordered pair of two entries and return what it was called before, None when nothing.

        Call it in a transaction.
        """
        pair = sorted((one_id, other_id))
        rows = list(self._db.query("select label from labels where one_id = ? and other_id = ?", pair))
        self._db.execute("insert or replace into labels values (?, ?, ?, ?)", [*pair, label, now.timestamp()])
        return Label(rows[0]["label"]) if rows else None

    def of_entry(self, entry_id: int) -> list[LabelledPair]:
        """Return the labels of the pairs that an entry is in, the latest first."""
        return self._read(
            "where one_id = ? or other_id = ? order by marked_at desc, one_id, other_id", entry_id, entry_id
        )

    def all(self) -> list[LabelledPair]:
        """Return every label, in the order in which they were given."""
        return self._read("order by marked_at, one_id, other_id")

    def _read(self, which: str, *values: int) -> list[LabelledPair]:
        if not self._db["labels"].exists():
            return []
        return [
            LabelledPair(
                one_id=row["one_id"],
                other_id=row["other_id"],
                label=Label(row["label"]),
                marked_at=known(row["marked_at"]),
            )
            for row in list(self._db.query(f"select * from labels {which}", list(values)))  # noqa: S608 - our own words
        ]
