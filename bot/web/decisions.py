"""What a person decides on the page: each is one short transaction, by the functions that the commands call."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.configured import routes_of
from bot.core.filters import MAX_AGE
from bot.deciding import decide, reword
from bot.deciding import move_up as move_row_up
from bot.errors import NotDecidable
from bot.held import add, discard, is_addable, release
from bot.store.labels import Label
from bot.store.outbox import State
from bot.versions import entry_of
from bot.web.pages import Refusal
from bot.web.queue import own_words
from bot.web.rendering import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from starlette.responses import Response

    from bot.store import Store
    from bot.store.entries import StoredEntry
    from bot.web.pages import Visit


def drop(visit: Visit) -> Response:
    """Do not post a queued row, or let an unconfirmed one rest."""
    return _decided(visit, State.DROPPED, {State.QUEUED, State.UNCONFIRMED}, "will not be posted")


def sent(visit: Visit) -> Response:
    """Take an unknown row for sent: the person found it on the account."""
    return _decided(visit, State.SENT, {State.UNKNOWN, State.UNCONFIRMED}, "counts as sent")


def requeue(visit: Visit) -> Response:
    """Send a row again: the person looked, and it is not on the account."""
    allowed = {State.UNKNOWN, State.UNCONFIRMED, State.REFUSED, State.EXPIRED, State.DROPPED}
    return _decided(visit, State.QUEUED, allowed, "is queued again")


def move_up(visit: Visit) -> Response:
    """Put a queued row before all others."""
    with visit.desk.deciding() as store:
        with _told_apart(store, visit.number):
            row = move_row_up(store, visit.number)
        return visit.done(f"{_named(store, row.entry_id)} goes out next.")


def edit(visit: Visit) -> Response:
    """Have a queued row go out in the person's words, or in the template's again."""
    text = visit.form.get("text", "").replace("\r\n", "\n").strip()
    with visit.desk.deciding() as store:
        if visit.form.get("as") == "template":
            with _told_apart(store, visit.number):
                row = reword(store, visit.number, None)
            return visit.done(f"{_named(store, row.entry_id)} goes out as the template makes it.")
        if not text:
            raise Refusal("A post has words: write some, or drop it.", status=400)
        # An entry that holds a secret is refused; a person's text is, too.
        if visit.desk.hide(text) != text:
            raise Refusal("This text holds a secret of the configuration; it was not kept.", status=400)
        before = store.outbox.get(visit.number)
        try:
            if before is not None:
                text = own_words(visit.desk, store, before, entry_of(store, before), text)
        except ValueError as against:
            raise Refusal(f"This text cannot go out: {against}.", status=400) from None
        with _told_apart(store, visit.number):
            row = reword(store, visit.number, text)
        return visit.done(f"{_named(store, row.entry_id)} goes out in your words.")


def release_held(visit: Visit) -> Response:
    """Queue what waits in a hold, or one entry of it."""
    config = visit.desk.config
    with visit.desk.deciding() as store:
        only = _chosen(visit, store)
        done = release(
            store,
            visit.number,
            routes=routes_of(config),
            max_ages=visit.desk.max_ages,
            default_max_age=MAX_AGE,
            now=visit.now,
            only=only,
            priorities=visit.desk.priorities,
        )
    return visit.done(f"{_count(done)} queued.")


def discard_held(visit: Visit) -> Response:
    """Drop what waits in a hold, or one entry of it."""
    with visit.desk.deciding() as store:
        only = _chosen(visit, store)
        done = discard(store, visit.number, visit.now, only)
    return visit.done(f"{_count(done)} discarded; later copies are skipped, too.")


def different(visit: Visit) -> Response:
    """Keep that an entry does not repeat another one, and post it if it is still fresh."""
    with visit.desk.deciding() as store:
        stored = _entry(store, visit.number)
        # What the page showed it beside: what it was skipped for, or its nearest miss.
        other = _other(visit, store, stored) if visit.form.get("of") else None
        other_id = other.id if other else stored.of_id
        with store.transaction():
            if other_id is not None:
                store.labels.put(stored.id, other_id, Label.DIFFERENT, visit.now)
        kept = f"Kept as a label: entry {stored.id} does not repeat entry {other_id}. " if other_id else ""
        age = visit.now - (stored.entry.published or stored.first_seen_at)
        if stored.verdict == "held" and stored.hold_id is not None:
            done = release(
                store,
                stored.hold_id,
                routes=routes_of(visit.desk.config),
                max_ages=visit.desk.max_ages,
                default_max_age=MAX_AGE,
                now=visit.now,
                only={stored.id},
                priorities=visit.desk.priorities,
            )
            return visit.done(f"{kept}{_count(done)} queued.")
        if not is_addable(store, stored) or stored.verdict == "fresh":
            return visit.done(f"{kept}It was queued or posted before, and is not posted twice.")
        if age > visit.desk.max_age(stored.entry.feed):
            return visit.done(f"{kept}It is older than its feed's max_age, so it is not posted.")
        add(
            store,
            stored.id,
            routes=routes_of(visit.desk.config),
            max_ages=visit.desk.max_ages,
            default_max_age=MAX_AGE,
            now=visit.now,
            priorities=visit.desk.priorities,
        )
        return visit.done(f"{kept}{_named(store, stored.id)} is queued.")


def duplicate(visit: Visit) -> Response:
    """Keep that an entry repeats another one; what is queued of it is dropped, what is held of it is discarded."""
    with visit.desk.deciding() as store:
        stored = _entry(store, visit.number)
        other = _other(visit, store, stored)
        with store.transaction():
            store.labels.put(stored.id, other.id, Label.DUPLICATE, visit.now)
            waits = [row for row in store.outbox.of_entry(stored.id) if row.state is State.QUEUED]
            for row in waits:
                store.outbox.settle(
                    row.id, State.DROPPED, f"marked as a repeat of entry {other.id}", visit.now
                )
        said = f"Kept as a label: entry {stored.id} repeats entry {other.id}."
        if stored.verdict == "held" and stored.hold_id is not None:
            discard(store, stored.hold_id, visit.now, {stored.id})
            said += " It is discarded."
        if waits:
            said += " It will not be posted."
        elif any(row.state is State.SENT for row in store.outbox.of_entry(stored.id)):
            said += " It was posted; `shinglebot undo` takes a post back."
        return visit.done(said)


def _decided(visit: Visit, wanted: State, allowed: Collection[State], verb: str) -> Response:
    with visit.desk.deciding() as store:
        with _told_apart(store, visit.number):
            row = decide(store, visit.number, wanted, allowed, max_ages=visit.desk.max_ages, now=visit.now)
        return visit.done(f"{_named(store, row.entry_id)} {verb}.")


@contextmanager
def _told_apart(store: Store, number: int) -> Iterator[None]:
    """Say of a row that the page showed otherwise what it is by now."""
    try:
        yield
    except NotDecidable:
        row = store.outbox.get(number)
        if row is None:
            raise
        raise Refusal(
            f"Nothing was changed: this post is {row.state} by now. It was decided elsewhere, in another tab, by a command or "
            "by the bot itself."
        ) from None


def _chosen(visit: Visit, store: Store) -> set[int] | None:
    """Return the one entry that is meant, None for all; refuse where nothing of it waits any more."""
    hold = store.holds.get(visit.number)
    if hold is None or not hold.waiting:
        said = "Nothing of this waits any more: it was decided elsewhere, in another tab or by a command."
        raise Refusal(said)
    entry = visit.form.get("entry", "")
    if not entry:
        return None
    if int(entry) not in {one.id for one in store.entries.in_hold(hold.id)} if entry.isdecimal() else True:
        raise Refusal("This entry waits no more: it was decided elsewhere, in another tab or by a command.")
    return {int(entry)}


def _other(visit: Visit, store: Store, stored: StoredEntry) -> StoredEntry:
    """Return the entry that is named beside `stored`."""
    of = visit.form.get("of", "").strip()
    if not (of.isascii() and of.isdecimal()) or len(of) > 18:  # noqa: PLR2004 - digits of a row
        raise Refusal("Say which entry it repeats: its number stands beside each title.", status=400)
    if int(of) == stored.id:
        raise Refusal("An entry does not repeat itself: give the number of another.", status=400)
    return _entry(store, int(of))


def _entry(store: Store, number: int) -> StoredEntry:
    try:
        return store.entries.get(number)
    except (KeyError, OverflowError):
        raise Refusal(f"No entry has the number {number}.", status=404) from None


def _named(store: Store, entry_id: int) -> str:
    return f"“{plain(store.entries.get(entry_id).entry.label, 80)}”"


def _count(done: list[StoredEntry]) -> str:
    return f"{len(done)} {'entry' if len(done) == 1 else 'entries'}"
