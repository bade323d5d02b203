"""What a person decides about held entries: release them to the outbox, or discard them for good.

held for          released                                   discarded
a flood, approval queued                                     rejected, and known from then on
a doubt           queued, and labelled `different`           a duplicate, and labelled so
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bot.core.model import Duplicate, Fresh, Match, Reason, Rejected
from bot.store.labels import Label

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime, timedelta

    from bot.core.model import Verdict
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
    only: Collection[int] | None = None,
) -> list[StoredEntry]:
    """Queue what waits in a hold, oldest first, and return it; the hold is closed once nothing waits in it.

    An entry that became older than its feed's `max_age` while it waited is queued all the same: the person
    saw it and said yes. It then has `max_age` from now to go out. With `only`, the entries of these rows alone
    are released.
    """
    with store.transaction():
        released = _chosen(store, hold_id, only)
        for stored in released:
            if stored.reason is Reason.UNSURE and stored.of_id is not None:
                store.labels.put(stored.of_id, stored.id, Label.DIFFERENT, now)
            store.entries.settle(stored.id, Fresh(reason=Reason.RELEASED))
            expires_at = now + max_ages.get(stored.entry.feed, default_max_age)
            for destination in destinations:
                store.outbox.queue(stored.id, destination, now=now, expires_at=expires_at)
        hold = store.holds.get(hold_id)
        if hold and hold.reason not in _AT_ITS_PACE:
            store.sources.allow_batch(hold.feed, len(released))
        _close(store, hold_id, "released", now)
    return released


def discard(
    store: Store, hold_id: int, now: datetime, only: Collection[int] | None = None
) -> list[StoredEntry]:
    """Post nothing of what waits in a hold, and return it; the hold is closed once nothing waits in it.

    The entries stay known, so that they do not come back. With `only`, those of these rows alone are discarded.
    """
    with store.transaction():
        discarded = _chosen(store, hold_id, only)
        for stored in discarded:
            verdict = _verdict_of_discarded(store, stored, now)
            store.entries.settle(stored.id, verdict)
            if isinstance(verdict, Duplicate):
                store.labels.put(verdict.of.entry_id, stored.id, Label.DUPLICATE, now)
                store.entries.hand_over(stored.id, verdict.of.lead_id)
        _close(store, hold_id, "discarded", now)
    return discarded


_AT_ITS_PACE = frozenset({Reason.APPROVAL, Reason.UNSURE})
"""What was held for one of these says nothing of how much the feed brings at once."""


def _chosen(store: Store, hold_id: int, only: Collection[int] | None) -> list[StoredEntry]:
    return [stored for stored in store.entries.in_hold(hold_id) if only is None or stored.id in only]


def _close(store: Store, hold_id: int, resolution: Literal["released", "discarded"], now: datetime) -> None:
    if not store.entries.in_hold(hold_id):
        store.holds.resolve(hold_id, resolution, now)


def _verdict_of_discarded(store: Store, stored: StoredEntry, now: datetime) -> Verdict:
    if stored.reason is not Reason.UNSURE or stored.of_id is None:
        return Rejected(reason=Reason.DISCARDED, detail=f"held entry, discarded {now:%Y-%m-%d}")
    of = store.entries.get(stored.of_id).match()
    return Duplicate(
        reason=Reason.MARKED_DUPLICATE,
        of=Match(
            entry_id=of.entry_id,
            lead_id=of.lead_id,
            feed=of.feed,
            title=of.title,
            link=of.link,
            seen_at=of.seen_at,
            resemblance=stored.resemblance,
        ),
    )
