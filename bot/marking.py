"""What a person tells the bot about entries: this one is known, whatever the feeds say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.core.identity import DedupKey, Trust, fold, variant
from bot.core.model import Entry, Key, KeyKind, Reason, Seeded
from bot.core.urls import link_key
from bot.store.outbox import State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.store import Store

BY_HAND = "(marked by hand)"
"""The feed of entries that no feed brought."""

ENTRIES_OF_ONE_NAME: Final = 5
"""Entries with one link or guid whose posts are dropped: an edited story has a row for each of its headlines."""


def mark_seen(store: Store, what: str, feeds: Sequence[str], now: datetime) -> str:
    """Make an entry known by `what`, a link, guid or text, and return what was done, in words.

    An entry that is known already and waits in the outbox is dropped from it.
    """
    what = what.strip()
    with store.transaction():
        known = store.find(what, ENTRIES_OF_ONE_NAME, exactly=True)
        waiting = [row for found in known for row in store.outbox.of_entry(found.lead_id or found.id)]
        dropped = [row.id for row in waiting if row.state is State.QUEUED]
        for row_id in dropped:
            store.outbox.settle(row_id, State.DROPPED, "marked as seen by hand", now)
        keys = _keys(what, feeds)
        entry = Entry(feed=BY_HAND, guid=what, link=what if link_key(what) else None, title=what)
        number = variant(entry, trust=Trust(), dedup_key=DedupKey.ANY)
        if not store.entries.touch(BY_HAND, [number], now):
            entry_id = store.entries.add(entry, Seeded(reason=Reason.MARKED_SEEN), variant=number, now=now)
            store.entries.learn_keys(keys, entry_id, now)
    if not known:
        return f"marked as seen: {what}; nothing is known by it yet, and what comes by it will not be posted"
    said = f"marked as seen: {what}, which is entry {known[0].id}, “{known[0].entry.label}”"
    return f"{said}; dropped from the outbox: row {', '.join(map(str, dropped))}" if dropped else said


def _keys(what: str, feeds: Sequence[str]) -> list[Key]:
    link = link_key(what)
    keys = [Key(kind=KeyKind.GUID, scope=feed, value=link_key(what, anchored=True) or what) for feed in feeds]
    if link:
        keys.append(Key(kind=KeyKind.LINK, scope="", value=link))
    else:
        keys.extend(Key(kind=KeyKind.TEXT, scope=feed, value=fold(what)) for feed in feeds)
        keys.append(Key(kind=KeyKind.TEXT, scope="", value=fold(what)))
    return keys
