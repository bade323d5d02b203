"""When the next post goes out and what it waits for, by the same functions as the bot's own; and who waits for a better copy."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.cli.words import iso, one_line
from bot.config.pacing_settings import spell_zone

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from bot.config import Destination
    from bot.store import Store
    from bot.store.outbox import OutboxRow


def next_post(store: Store, destination: Destination, now: datetime) -> dict[str, Any] | None:
    """Return when the next post that is queued there may go out, and why not before; None where none waits.

    Nor is it known while a pause says itself until when it lasts.
    """
    from bot.configured import pacing_of

    name = destination.name
    ready = store.outbox.next_not_before(name)
    pause = store.outbox.paused(name)
    if ready is None or (pause is not None and pause[0] > now):
        return None
    pacing = pacing_of(destination.pacing)
    claims = store.outbox.claimed_since(name, now - timedelta(days=1))
    queue = store.outbox.shape(name, now)
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
    return {"destination": name, "at": iso(at), "waits_for": why}


def waiting_for_copies(store: Store, names: Iterable[str], now: datetime) -> list[dict[str, Any]]:
    """Return the queued stories that wait for the copy of a preferred feed, each once; the one that waits least first."""
    waiting = {row.entry_id: row for name in names for row in store.better_copies.waiting(name, now)}
    return [
        {
            "outbox": row.id,
            "entry": row.entry_id,
            "title": store.entries.get(row.entry_id).entry.label,
            "until": iso(row.copy_until),
            "reason": row.reason,
        }
        for row in sorted(waiting.values(), key=lambda row: row.not_before)
    ]


COPIES_SHOWN = 5


def lines(facts: dict[str, Any], when: str) -> Iterator[str]:
    """Yield what `status` says of both; `when` is the next post's time, as people say it, "" where a table has it."""
    if when:
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
