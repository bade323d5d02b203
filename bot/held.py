"""What a person decides about held entries: release them to the outbox, or discard them for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.core.model import Fresh, Reason, Rejected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta

    from bot.store import Store
    from bot.store.entries import StoredEntry


def release(
    store: Store,
    hold_id: int,
    *,
    destinations: Sequence[str],
    max_ages: Mapping[str, timedelta],
    default_max_age: timedelta,
    now: datetime,
) -> list[StoredEntry]:
    """Queue what waits in a hold, oldest first, and close it; return the entries released.

    An entry that became older than its feed's `max_age` while it waited is queued all the same: the person
    saw it and said yes. It then has `max_age` from now to go out.
    """
    with store.transaction():
        released = store.entries.in_hold(hold_id)
        for stored in released:
            store.entries.settle(stored.id, Fresh(reason=Reason.RELEASED))
            expires_at = now + max_ages.get(stored.entry.feed, default_max_age)
            for destination in destinations:
                store.outbox.queue(stored.id, destination, now=now, expires_at=expires_at)
        for feed in {stored.entry.feed for stored in released}:
            store.sources.allow_batch(feed, len(released))
        store.holds.resolve(hold_id, "released", now)
    return released


def discard(store: Store, hold_id: int, now: datetime) -> list[StoredEntry]:
    """Close a hold and post nothing of it; the entries stay known. Return them."""
    with store.transaction():
        discarded = store.entries.in_hold(hold_id)
        for stored in discarded:
            store.entries.settle(
                stored.id, Rejected(reason=Reason.DISCARDED, detail=f"held entry, discarded {now:%Y-%m-%d}")
            )
        store.holds.resolve(hold_id, "discarded", now)
    return discarded
