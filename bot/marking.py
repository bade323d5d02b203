"""What a person tells the bot about entries: this one is known, whatever the feeds say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.core.classic_verdict import Method, classic_text, judge_classic
from bot.core.dedupe import SHIPPED, WINDOW, Level, judge_near
from bot.core.identity import DedupKey, Trust, fold, variant
from bot.core.model import BY_HAND, Entry, Key, KeyKind, Reason, Seeded
from bot.core.signature import sign
from bot.core.urls import link_key
from bot.store.outbox import State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.core.classic_verdict import ClassicVerdict
    from bot.core.dedupe import NearVerdict, Tables
    from bot.store import Store
    from bot.store.entries import StoredEntry

ENTRIES_OF_ONE_NAME: Final = 5
"""Entries with one link or guid whose posts are dropped: an edited story has a row for each of its headlines."""


def mark_seen(
    store: Store,
    what: str,
    feeds: Sequence[str],
    now: datetime,
    level: Level = Level.BALANCED,
    *,
    tables: Tables = SHIPPED,
    method: Method = Method.TABLE,
) -> str:
    """Make an entry known by `what`, a link, guid or text, and return what was done, in words.

    A text is signed like an entry's, so that what tells the same in nearly the same words is known by it, too, for
    as long as signatures are kept. An entry that is known already, by `what` itself or because a text is so near to
    its own by what judges in this bot (`level`, `tables` and `method`), and waits in the outbox is dropped from it.
    """
    what = what.strip()
    with store.transaction():
        known = store.find(what, ENTRIES_OF_ONE_NAME, exactly=True) or _alike(
            store, what, level, tables, method, now
        )
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
            if entry.link is None:
                store.signatures.add(entry_id, sign("", what), now)
                store.checksums.add(entry_id, classic_text(what, ""), now)
    if not known:
        return f"marked as seen: {what}; nothing is known by it yet, and what comes by it will not be posted"
    said = f"marked as seen: {what}, which is entry {known[0].id}, “{known[0].entry.label}”"
    return f"{said}; dropped from the outbox: row {', '.join(map(str, dropped))}" if dropped else said


def _alike(
    store: Store, text: str, level: Level, tables: Tables, method: Method, now: datetime
) -> list[StoredEntry]:
    """Return the entry that a text repeats in nearly the same words, nothing for a link or without one."""
    if link_key(text):
        return []
    since = now - WINDOW
    found: ClassicVerdict | NearVerdict
    if method is Method.CLASSIC:
        sums = classic_text(text, "")
        found = judge_classic(sums, store.checksums.candidates(sums, since))
    else:
        signature = sign("", text)
        candidates = store.signatures.candidates(signature, since)
        found = judge_near(
            signature, candidates, level=level, feed=BY_HAND, now=now, published=None, tables=tables
        )
    return [store.entries.get(found.candidate.entry_id)] if found.is_duplicate and found.candidate else []


def _keys(what: str, feeds: Sequence[str]) -> list[Key]:
    link = link_key(what)
    keys = [Key(kind=KeyKind.GUID, scope=feed, value=link_key(what, anchored=True) or what) for feed in feeds]
    if link:
        keys.append(Key(kind=KeyKind.LINK, scope="", value=link))
    else:
        keys.extend(Key(kind=KeyKind.TEXT, scope=feed, value=fold(what)) for feed in feeds)
        keys.append(Key(kind=KeyKind.TEXT, scope="", value=fold(what)))
    return keys
