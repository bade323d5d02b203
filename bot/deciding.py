"""What a person decides about rows of the outbox: drop one, say that it went out, send it again, move it up, reword it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.core.model import Receipt
from bot.errors import NotDecidable
from bot.store.outbox import State

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime, timedelta

    from bot.store import Store
    from bot.store.outbox import OutboxRow


def decide(
    store: Store,
    row_id: int,
    wanted: State,
    allowed: Collection[State],
    *,
    max_ages: Mapping[str, timedelta],
    now: datetime,
    remote_id: str | None = None,
) -> OutboxRow:
    """Put a row that stands in one of the `allowed` states into the `wanted` one; return it as it was before.

    What is queued again has its feed's `max_ages` from now to go out. `remote_id` is the post that a person found.
    Raises NotDecidable when there is no such row or it stands elsewhere by now.
    """
    with store.transaction():
        row = _row(store, row_id, allowed)
        if wanted is State.QUEUED:
            age = max_ages.get(store.entries.get(row.entry_id).entry.feed)
            store.outbox.requeue(row_id, "queued again by hand", now=now, max_age=age)
        elif wanted is State.SENT and remote_id:
            store.outbox.settle_sent(row_id, Receipt(remote_id=remote_id), now)
        else:
            store.outbox.settle(row_id, wanted, "decided by hand", now)
    return row


def move_up(store: Store, row_id: int) -> OutboxRow:
    """Put a queued row before all others of its destination; it stays there through restarts. Raises as `decide` does."""
    with store.transaction():
        row = _row(store, row_id, {State.QUEUED})
        store.outbox.move_up(row_id)
    return row


def reword(store: Store, row_id: int, text: str | None) -> OutboxRow:
    """Have a queued row go out as `text`, link and all, or as the template makes it for None. Raises as `decide` does."""
    with store.transaction():
        row = _row(store, row_id, {State.QUEUED})
        store.outbox.reword(row_id, text)
    return row


def _row(store: Store, row_id: int, allowed: Collection[State]) -> OutboxRow:
    row = store.outbox.get(row_id)
    if row is None:
        raise NotDecidable(f"the outbox has no row {row_id}; `shinglebot outbox` lists them")
    if row.state not in allowed:
        raise NotDecidable(
            f"row {row_id} is {row.state}; this works on rows that are {', '.join(sorted(allowed))}"
        )
    return row
