"""When the next post goes out and what it waits for, by the same functions as the bot's own; and who waits for a better copy."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.cli.words import iso, one_line
from bot.config.pacing_settings import spell_zone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from bot.config import Config
    from bot.store import Store
    from bot.store.outbox import OutboxRow


def next_post(store: Store, config: Config | None, now: datetime) -> dict[str, Any] | None:
    """Return when the next queued post may go out, and why not before; None where none waits or it cannot be known.

    It cannot without a sound configuration, nor while a pause says itself until when it lasts.
    """
    from bot.configured import pacing_of
    from bot.publishers import DESTINATION

    ready = store.outbox.next_not_before(DESTINATION)
    pause = store.outbox.paused(DESTINATION)
    if config is None or ready is None or (pause is not None and pause[0] > now):
        return None
    pacing = pacing_of(config.pacing)
    claims = store.outbox.claimed_since(DESTINATION, now - timedelta(days=1))
    queue = store.outbox.shape(DESTINATION, now)
    begin = max(ready, now)
    paced = pacing.unless_quiet(claims, begin, queue)
    at = pacing.quiet.opens(paced)
    why = "its turn"
    if at > paced:
        local = at.astimezone(pacing.quiet.zone)
        why = f"quiet hours, until {local:%H:%M} in {spell_zone(pacing.quiet.zone)}"
    elif paced > begin:
        why = "the pacing"
    elif ready > now:
        why = "what each of the queued posts waits for: `shinglebot outbox` says it"
    return {"at": iso(at), "waits_for": why}


def waiting_for_copies(store: Store, now: datetime) -> list[dict[str, Any]]:
    """Return the queued stories that wait for the copy of a preferred feed, the one that waits least first."""
    from bot.publishers import DESTINATION

    return [
        {
            "outbox": row.id,
            "entry": row.entry_id,
            "title": store.entries.get(row.entry_id).entry.label,
            "until": iso(row.copy_until),
            "reason": row.reason,
        }
        for row in store.better_copies.waiting(DESTINATION, now)
    ]


COPIES_SHOWN = 5


def lines(facts: dict[str, Any], when: str) -> Iterator[str]:
    """Yield what `status` says of both; `when` is the next post's time, as people say it."""
    if facts["next_post"]:
        yield f"  next post {when}, waits for {facts['next_post']['waits_for']}"
    copies = facts["waiting_for_copies"]
    for copy in copies[:COPIES_SHOWN]:
        yield f"  “{one_line(copy['title'], 80)}” {copy['reason']}"
    if len(copies) > COPIES_SHOWN:
        yield f"  and {len(copies) - COPIES_SHOWN} more wait for a better copy"


def reason_of(row: OutboxRow, now: datetime) -> str | None:
    """Return why a row is where it is, as of now: a wait for a better copy that is over is told as such."""
    if row.state == "queued" and row.copy_until is not None and row.copy_until <= now:
        return "no better copy came in time"
    return row.reason
