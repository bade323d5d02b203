"""An entry with all that was decided about it, and the columns of its row."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.core.model import Duplicate, Entry, Held, Match, Reason, Rejected, Step
from bot.store.times import from_seconds, known

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from bot.core.model import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntry:
    """An entry with all that was decided about it.

    Attributes:
        id: its row, > 0.
        entry: as the feed gave it (without its body, which is not kept).
        verdict: fresh, duplicate, rejected, held or seeded.
        reason: by which rule.
        detail: the rule in words, None where the reason says it all.
        of_id: the entry that it repeats, or may repeat where it is held for that doubt; None when it repeats none.
        lead_id: the lead of its story, None when it is one.
        resemblance: 0-1, None where no text was compared.
        hold_id: the hold that it is or was in, None when it never was.
        first_seen_at, last_seen_at: in the feed.
        trace: the steps of the decision, in order.
    """

    id: int
    entry: Entry
    verdict: str
    reason: Reason
    detail: str | None
    of_id: int | None
    lead_id: int | None
    resemblance: float | None
    hold_id: int | None
    first_seen_at: datetime
    last_seen_at: datetime
    trace: tuple[Step, ...]

    def match(self) -> Match:
        """Return what a duplicate points to that is known by a key of this entry."""
        return Match(
            entry_id=self.id,
            lead_id=self.lead_id or self.id,
            feed=self.entry.feed,
            title=self.entry.label,
            link=self.entry.link,
            seen_at=self.first_seen_at,
        )


VERDICT_COLUMNS: Final = ("verdict", "reason", "detail", "hold_id", "of_id", "lead_id", "resemblance")

VERDICT_SET: Final = """verdict = ?, reason = ?, detail = ?, hold_id = coalesce(?, hold_id),
    of_id = ?, lead_id = ?, resemblance = ?"""

as_json = json.JSONEncoder(ensure_ascii=False).encode  # `json.dumps` makes an encoder for each text


def decided(verdict: Verdict) -> tuple[Any, ...]:
    """Return what stands in `VERDICT_COLUMNS` for a verdict."""
    of = verdict.of if isinstance(verdict, Duplicate | Held) else None
    return (
        verdict.kind,
        verdict.reason,
        verdict.detail if isinstance(verdict, Rejected | Held) else None,
        verdict.hold_id if isinstance(verdict, Held) else None,
        of.entry_id if of else None,
        of.lead_id if of and isinstance(verdict, Duplicate) else None,
        of.resemblance if of else None,
    )


def steps_as_json(trace: Iterable[Step]) -> str:
    """Return the steps of a decision as they are kept."""
    return as_json([{"name": s.name, "outcome": s.outcome, "numbers": s.numbers} for s in trace])


def stored(row: dict[str, Any]) -> StoredEntry:
    """Return the entry of a row."""
    return StoredEntry(
        id=row["id"],
        entry=Entry(
            feed=row["feed"],
            guid=row["guid"],
            link=row["link"],
            orig_link=row["orig_link"],
            title=row["title"],
            summary=row["summary"],
            categories=tuple(json.loads(row["categories"])),
            image=row["image"],
            image_alt=row.get(
                "image_alt", ""
            ),  # a database of an older version is read before it is brought up to date
            published=from_seconds(row["published"]),
            updated=from_seconds(row["updated"]),
        ),
        verdict=row["verdict"],
        reason=Reason(row["reason"]),
        detail=row["detail"],
        of_id=row["of_id"],
        lead_id=row["lead_id"],
        resemblance=row["resemblance"],
        hold_id=row["hold_id"],
        first_seen_at=known(row["first_seen_at"]),
        last_seen_at=known(row["last_seen_at"]),
        trace=tuple(Step(**step) for step in json.loads(row["trace"])),
    )
