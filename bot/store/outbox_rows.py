"""A row of the outbox: where it stands, why, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bot.core.pacing import MIDDLE
from bot.core.timing import Moment
from bot.store.times import from_seconds, known

if TYPE_CHECKING:
    from datetime import datetime


class State(StrEnum):
    """Where a row of the outbox stands."""

    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    UNKNOWN = "unknown"
    REFUSED = "refused"
    UNCONFIRMED = "unconfirmed"
    EXPIRED = "expired"
    DROPPED = "dropped"


class Cause(StrEnum):
    """Why nobody knows what became of a row."""

    CRASH = "crash"
    NO_ANSWER = "no_answer"
    DUPLICATE = "duplicate"


class WaitsFor(StrEnum):
    """What a queued row waits for, beside its turn."""

    BUDGET = "budget"
    WORDS = "words"


FINAL = frozenset({State.SENT, State.REFUSED, State.UNCONFIRMED, State.EXPIRED, State.DROPPED})
UNSAID = frozenset({State.QUEUED, State.REFUSED, State.EXPIRED, State.DROPPED})
"""States in which a row's words are on no account because of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """One story on its way to one destination.

    Attributes:
        id: its row, > 0.
        entry_id: the lead of the story.
        destination: the publisher's name.
        state: where it stands.
        reason: why, in words, None when there is nothing to say.
        queued_at: when it was accepted.
        not_before: no attempt earlier.
        expires_at: stale from then on.
        attempt: how often it was claimed.
        claimed_at, settled_at: None until then.
        text, weight, has_link: as claimed, None when it never was.
        remote_id, remote_url: as the destination answered, None until then.
        account: whose post it is or would be, None when it was never claimed or the destination has no accounts.
        since_id: the newest own post that was known at the claim, None when none was.
        moment: when it was claimed, by the clock that nobody sets, None when it never was.
        cause: why its fate was unknown last, None when it never was.
        unknown_times: how often it was, since it was queued.
        misses: readings of the timeline since the claim that did not show it; 3 after the last.
        verified: of a sent row: whether the destination named or showed the post; None in other states.
        reconciled: whether the account's own timeline settled it.
        waits_for: of a queued row, None when nothing but its turn.
        priority: 0-9, the highest goes first; higher where a person moved it up.
        sources: feeds that told the story, >= 1; kept while it is queued.
        copy_until: until when it waits for a copy of a preferred feed, None for none.
        told_id: the version of its entry that was claimed, None when it never was or told the entry's own words.
        reply_to: the row whose post it answers, None when it stands alone.
        key: what names its post towards the destination, None when it was never claimed or there are no such names.
        answers: the destination's reference of another's post that it answers, None where it answers none.
        summoned: whether whom it answers called for the bot.
        repost_of: the destination's reference of another's post that it passes on, None where it has words of its own.
        own_text: what a person wrote in place of its text, None where the template makes it.
        moved_up: whether a person put it before the others.
    """

    id: int
    entry_id: int
    destination: str
    state: State
    reason: str | None
    queued_at: datetime
    not_before: datetime
    expires_at: datetime
    attempt: int
    claimed_at: datetime | None
    settled_at: datetime | None
    text: str | None
    weight: int | None
    has_link: bool | None
    remote_id: str | None
    remote_url: str | None
    account: str | None
    since_id: str | None
    moment: Moment | None
    cause: Cause | None
    unknown_times: int
    misses: int
    verified: bool | None
    reconciled: bool
    waits_for: WaitsFor | None
    priority: int = MIDDLE
    sources: int = 1
    copy_until: datetime | None = None
    told_id: int | None = None
    reply_to: int | None = None
    key: str | None = None
    answers: str | None = None
    summoned: bool = False
    repost_of: str | None = None
    own_text: str | None = None
    moved_up: bool = False

    @property
    def answered_id(self) -> str | None:
        """The id of another's post that it answers: the first word of its reference."""
        return self.answers.split(" ")[0] if self.answers else None


def row_of(row: dict[str, Any]) -> OutboxRow:
    """Read a row of the table."""
    return OutboxRow(
        id=row["id"],
        entry_id=row["entry_id"],
        destination=row["destination"],
        state=State(row["state"]),
        reason=row["reason"],
        queued_at=known(row["queued_at"]),
        not_before=known(row["not_before"]),
        expires_at=known(row["expires_at"]),
        attempt=row["attempt"],
        claimed_at=from_seconds(row["claimed_at"]),
        settled_at=from_seconds(row["settled_at"]),
        text=row["text"],
        weight=row["weight"],
        has_link=None if row["has_link"] is None else bool(row["has_link"]),
        remote_id=row["remote_id"],
        remote_url=row["remote_url"],
        # A database that an older version left holds none of these; it is read before it is brought up to date.
        account=row.get("account"),
        since_id=row.get("since_id"),
        moment=Moment(era=row["era"], seconds=row["era_seconds"]) if row.get("era") is not None else None,
        cause=Cause(row["cause"]) if row.get("cause") else None,
        unknown_times=row.get("unknown_times", 0),
        misses=row.get("misses", 0),
        verified=None if row.get("verified") is None else bool(row["verified"]),
        reconciled=bool(row.get("reconciled")),
        waits_for=WaitsFor(row["waits_for"]) if row.get("waits_for") else None,
        priority=row.get("priority", MIDDLE),
        sources=row.get("sources", 1),
        copy_until=from_seconds(row.get("copy_until")),
        told_id=row.get("told_id"),
        reply_to=row.get("reply_to"),
        key=row.get("key"),
        answers=row.get("answers"),
        summoned=bool(row.get("summoned")),
        repost_of=row.get("repost_of"),
        own_text=row.get("own_text"),
        moved_up=bool(row.get("moved_up")),
    )
