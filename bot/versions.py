"""Which words a row of the outbox tells: those that its feed has last, and for an answer those that correct its post.

A feed changes what it said under one guid or link; each version is an entry of its own, a duplicate of the first. What
waits goes out in the newest words. What a person released goes out as it was shown to that person.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.core.corrections import Words, says_corrected
from bot.core.model import Reason
from bot.store.outbox import State

if TYPE_CHECKING:
    from bot.core.model import Entry
    from bot.store import Store
    from bot.store.entries import StoredEntry
    from bot.store.outbox import OutboxRow


def newest(store: Store, entry_id: int) -> StoredEntry:
    """Return the version of an entry that its feed showed last; the first of those that it shows at once.

    A version under another name counts where the feed calls it corrected.
    """
    first, *later = store.entries.versions(entry_id)
    found = first
    for version in later:
        corrects = says_corrected(Words.of(version.entry))
        if (version.reason is Reason.NEAR_DUPLICATE and not corrects) or not _says_something(version.entry):
            continue
        # Two versions that stand in one body are two items, unless one is called the other's correction.
        at_once = version.entry.title == found.entry.title or corrects
        if version.last_seen_at > found.last_seen_at or (
            at_once and version.last_seen_at == found.last_seen_at
        ):
            found = version
    return found


def to_tell(store: Store, row: OutboxRow) -> StoredEntry:
    """Return the version that a row would tell now."""
    if row.reply_to is not None:
        post = store.outbox.get(row.reply_to)
        return newest(store, post.entry_id) if post is not None else store.entries.get(row.entry_id)
    stored = store.entries.get(row.entry_id)
    return stored if stored.reason is Reason.RELEASED else newest(store, row.entry_id)


def told(store: Store, row: OutboxRow) -> StoredEntry:
    """Return the version that a row has told."""
    return store.entries.get(row.told_id or row.entry_id)


def as_entry(store: Store, row: OutboxRow, version: StoredEntry) -> Entry:
    """Return a version as it is composed: the date is that of the story, and what it lacks of links the first gives.

    What a person wrote for the row takes the place of every version's words.
    """
    if row.own_text is not None:
        return replace(store.entries.get(row.entry_id).entry, own_text=row.own_text)
    if version.id == row.entry_id and row.reply_to is None:
        return version.entry
    post = store.outbox.get(row.reply_to) if row.reply_to is not None else row
    first = store.entries.get((post or row).entry_id).entry
    entry = replace(version.entry, published=first.published)
    return entry if entry.link else replace(entry, link=first.link, orig_link=first.orig_link)


def entry_to_tell(store: Store, row: OutboxRow) -> Entry:
    """Return what a row would tell now, to be composed."""
    return as_entry(store, row, to_tell(store, row))


def entry_of(store: Store, row: OutboxRow) -> Entry:
    """Return what a row told or was to tell, and where it waits what it would tell now."""
    return entry_to_tell(store, row) if row.state is State.QUEUED else told(store, row).entry


def _says_something(entry: Entry) -> bool:
    return bool(entry.title or entry.summary)
