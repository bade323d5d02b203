"""What a person decides about held entries: release them to the outbox, or discard them for good.

held for          released                                   discarded
a flood, approval queued                                     rejected, and known from then on
a doubt           queued, and labelled `different`           a duplicate, and labelled so
perhaps spam      queued, and labelled `ham`                 rejected, and labelled `spam`

What was skipped or seeded is queued by the same door, where a person says that it is wanted after all (`add`).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from bot.core.classic_verdict import classic_text
from bot.core.model import BY_HAND, Duplicate, Fresh, Match, Reason, Rejected, Step
from bot.core.pacing import MIDDLE
from bot.core.signature import sign
from bot.errors import NotAddable
from bot.store.labels import Label
from bot.store.outbox import State

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime, timedelta

    from bot.core.model import Verdict
    from bot.core.routes import Routes
    from bot.store import Store
    from bot.store.entries import StoredEntry
    from bot.store.outbox import OutboxRow


NO_PRIORITIES: Final[Mapping[str, int]] = MappingProxyType({})
"""Every feed has the middle one."""


def release(
    store: Store,
    hold_id: int,
    *,
    routes: Routes,
    max_ages: Mapping[str, timedelta],
    default_max_age: timedelta,
    now: datetime,
    only: Collection[int] | None = None,
    priorities: Mapping[str, int] = NO_PRIORITIES,
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
            if stored.reason is Reason.MAYBE_SPAM:
                store.spam_labels.put(stored.id, spam=False, now=now)
            age = max_ages.get(stored.entry.feed, default_max_age)
            _queue(store, stored, routes, age, now, priorities)
        hold = store.holds.get(hold_id)
        if hold and hold.reason not in _AT_ITS_PACE:
            store.sources.allow_batch(hold.feed, len(released))
        _close(store, hold_id, "released", now)
    return released


def add(
    store: Store,
    entry_id: int,
    *,
    routes: Routes,
    max_ages: Mapping[str, timedelta],
    default_max_age: timedelta,
    now: datetime,
    priorities: Mapping[str, int] = NO_PRIORITIES,
) -> StoredEntry:
    """Queue an entry that was skipped or seeded, and return it as it was before; it has `max_age` from now to go out.

    It becomes the lead of a story, with the entries that repeat it, and its own text is what later copies of it are
    compared with. What was decided of it before stays in its trace. Raises NotAddable when it was posted, is queued or
    held, or has nothing to post; KeyError when there is no such entry.
    """
    with store.transaction():
        stored = store.entries.get(entry_id)
        if against := _against(store, stored):
            raise NotAddable(f"entry {entry_id} {against}")
        of = f" of entry {stored.of_id}" if stored.of_id is not None else ""
        said = f"queued by a person {now:%Y-%m-%d %H:%M} UTC; it was {stored.verdict}, {stored.reason}{of}"
        store.entries.keep_trace(entry_id, [*stored.trace, Step(name="by hand", outcome=said)])
        age = max_ages.get(stored.entry.feed, default_max_age)
        _queue(store, stored, routes, age, now, priorities)
        store.entries.lead_own_copies(entry_id)
        entry = stored.entry
        if store.signatures.of_entry(entry_id)[0] is None:  # of a duplicate none is kept
            signature = sign(entry.title, entry.summary, feed_title=entry.feed)
            store.signatures.add(entry_id, signature, stored.first_seen_at)
        store.checksums.add(entry_id, classic_text(entry.title, entry.summary), stored.first_seen_at)
    return stored


def is_addable(store: Store, stored: StoredEntry) -> bool:
    """Say whether `add` would queue an entry."""
    return not _against(store, stored)


def _against(store: Store, stored: StoredEntry) -> str:
    """Say why an entry cannot be queued and what can be done instead; "" when it can."""
    entry = stored.entry
    if entry.feed == BY_HAND:
        return "was brought by no feed: a person marked it as seen"
    if rows := store.outbox.of_entry(stored.id):
        return _against_again(rows[-1])
    if stored.verdict == "held":
        hold = stored.hold_id
        return f"is held: `shinglebot held release {hold} --entry {stored.id}` posts it, `held show {hold}` shows it"
    if not entry.title and not entry.summary:
        return "has neither a title nor a summary: there is nothing to post"
    return ""


def _against_again(row: OutboxRow) -> str:
    match row.state:
        case State.SENT:
            return f"was posted already: {row.remote_url or f'row {row.id} of the outbox'}"
        case State.QUEUED:
            return f"is queued already, as row {row.id} of the outbox"
        case State.SENDING | State.UNKNOWN | State.UNCONFIRMED:
            return f"may have been posted: row {row.id} of the outbox is {row.state}; look at the account"
        case _:
            return (
                f"was queued before: row {row.id} of the outbox is {row.state}; "
                f"`shinglebot outbox requeue {row.id}` queues it again"
            )


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
            if stored.reason is Reason.MAYBE_SPAM:
                store.spam_labels.put(stored.id, spam=True, now=now)
            if isinstance(verdict, Duplicate):
                store.labels.put(verdict.of.entry_id, stored.id, Label.DUPLICATE, now)
                store.entries.hand_over(stored.id, verdict.of.lead_id)
        _close(store, hold_id, "discarded", now)
    return discarded


_AT_ITS_PACE = frozenset({Reason.APPROVAL, Reason.UNSURE, Reason.MAYBE_SPAM})
"""What was held for one of these says nothing of how much the feed brings at once."""


def _queue(
    store: Store,
    stored: StoredEntry,
    routes: Routes,
    max_age: timedelta,
    now: datetime,
    priorities: Mapping[str, int],
) -> None:
    store.entries.settle(stored.id, Fresh(reason=Reason.RELEASED))
    priority = priorities.get(stored.entry.feed, MIDDLE)
    for destination in routes.to(stored.entry.feed):
        store.outbox.queue(stored.id, destination, now=now, expires_at=now + max_age, priority=priority)


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
