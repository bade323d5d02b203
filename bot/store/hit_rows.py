"""What the store knows of readings and of hits, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.core.hits import Stream
from bot.store.times import known

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Where the reading of a stream stands.

    Attributes:
        stream, search: which; `search` is "" for mentions.
        newest_id: from which to read on, None when nothing was there yet.
        since_at: the first look.
        read_at: when it was last read whole, None when it never was.
        not_before: no reading earlier.
        failures: in a row.
        reason: why it waits, None for its turn.
        micros: what was spent on the UTC day that `spent_on` was asked for.
    """

    stream: Stream
    search: str
    newest_id: str | None
    since_at: datetime
    read_at: datetime | None
    not_before: datetime
    failures: int
    reason: str | None
    micros: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownHit:
    """A hit and what became of it.

    Attributes:
        destination, id, stream, search, author, name, created_at, seen_at: as read.
        text: None when it was forgotten.
        outcome: "answered", "posted", or the name of a `core.answers.Skip`.
        detail: in words.
        outbox_id: the row that answers it or passes it on, None for none.
    """

    destination: str
    id: str
    stream: Stream
    search: str
    author: str
    name: str
    text: str | None
    created_at: datetime
    seen_at: datetime
    outcome: str
    detail: str
    outbox_id: int | None


def known_hit(row: dict[str, Any]) -> KnownHit:
    """Return the hit of a row of `hits`."""
    return KnownHit(
        destination=row["destination"],
        id=row["id"],
        stream=Stream(row["stream"]),
        search=row["search"],
        author=row["author"],
        name=row["name"],
        text=row["text"],
        created_at=known(row["created_at"]),
        seen_at=known(row["seen_at"]),
        outcome=row["outcome"],
        detail=row["detail"],
        outbox_id=row["outbox_id"],
    )
