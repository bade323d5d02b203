"""Taking posts back: which ones, one by one, each written down when the destination says that it is gone.

A deletion may be repeated: a post that is gone already is no fault. So an answer that was lost costs nothing but
another try, and a second run of the same command does nothing. The story stays known and is not posted again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from bot.publishers import DESTINATION
from bot.store.outbox import State
from bot.versions import entry_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from bot.core.model import Entry
    from bot.store import Store
    from bot.store.outbox import OutboxRow

STORIES_NAMED: Final = 5
"""Entries that words may name before they are too many to choose from."""

_ON_X: Final = re.compile(r"https?://(?:www\.|mobile\.)?(?:x|twitter)\.com/(?:\w+/)+(\d{1,19})\b")
_ON_BLUESKY: Final = re.compile(r"https?://bsky\.app/profile/[^/\s]+/post/([a-z2-7]{13})\b")
_ON_MASTODON: Final = re.compile(
    r"https?://([^/\s]+)/(?:@[^/@\s]+|users/[^/\s]+/statuses)/(\d{1,20})(?![\w-])"
)


class NotUndoable(Exception):
    """There is nothing to take back by what was named; the value says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A post that went out.

    Attributes:
        row: of the outbox; it is sent.
        entry: what it told.
        deleted_at: None while it stands.
    """

    row: OutboxRow
    entry: Entry
    deleted_at: datetime | None

    @property
    def deletable(self) -> bool:
        """Whether it stands, and its number at the destination is known."""
        return self.deleted_at is None and self.row.remote_id is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """A post that is gone; `was_gone` when the destination did not know it any more."""

    sent: Sent
    was_gone: bool


def newest(store: Store, destination: str | None, count: int) -> list[Sent]:
    """Return the newest `count` posts at a destination, or at all, newest first, those that were deleted among them: twice is once."""
    return [_sent(store, row_id) for row_id in store.deletions.newest_sent(destination, count)]


def of_row(store: Store, row_id: int) -> list[Sent]:
    """Return the post of a row, after those that answer it. Raises NotUndoable when it was not sent."""
    row = store.outbox.get(row_id)
    if row is None:
        raise NotUndoable(f"the outbox has no row {row_id}; `shinglebot outbox` lists them")
    if row.state is not State.SENT:
        raise NotUndoable(_why_not(row))
    answers = [row.id for row in store.corrections.answers(row_id) if row.state is State.SENT]
    return [_sent(store, number) for number in (*reversed(answers), row_id)]


def of_story(store: Store, destination: str | None, what: str) -> list[Sent]:
    """Return the posts of the one story that `what` names, as `why` takes it, or the one by the address of a post.

    Those at a destination, or at all of them.

    Raises:
        NotUndoable: it names no story or several, or nothing of it was sent.
    """
    if (at := _by_address(store, destination, what)) is not None:
        return of_row(store, at)
    found = store.find(what, STORIES_NAMED)
    leads = list(dict.fromkeys(entry.lead_id or entry.id for entry in found))
    if not leads:
        raise NotUndoable("no entry is known by that link, guid, number or text")
    if len(leads) > 1:
        raise NotUndoable(
            f"that names {len(leads)} stories (entries {', '.join(map(str, leads))}): name one by its entry's number"
        )
    # The lead of a story may have changed since it was posted.
    rows = [
        row
        for entry in store.entries.story(leads[0])
        for row in store.outbox.of_entry(entry.id)
        if destination is None or row.destination == destination
    ]
    rows.sort(key=lambda row: row.reply_to is None)  # an answer goes before the post that it stands under
    sent = [_sent(store, row.id) for row in rows if row.state is State.SENT]
    if not sent:
        raise NotUndoable(_why_not(rows[-1]) if rows else "that story was never to be posted")
    return sent


def undo(
    posts: Iterable[Sent], *, store: Store, delete: Callable[[str], bool], clock: Callable[[], datetime]
) -> Iterator[Gone]:
    """Delete the posts that can be, one by one, and give each when it is written down.

    Args:
        posts: those that stand are deleted, in their order.
        store: takes the note.
        delete: deletes a post by its number; returns False when it is not there any more.
        clock: aware UTC now.

    Raises whatever `delete` raises; what was given before stays done.
    """
    for sent in posts:
        if sent.deleted_at is not None or sent.row.remote_id is None:
            continue
        was_gone = not delete(sent.row.remote_id)
        with store.transaction():
            store.deletions.add(sent.row.id, was_gone=was_gone, now=clock())
        yield Gone(sent=sent, was_gone=was_gone)


def _by_address(store: Store, destination: str | None, what: str) -> int | None:
    """Return the row whose post is at an address, None where `what` is none; raise NotUndoable when no row made it."""
    host = None
    if on_x := _ON_X.match(what):
        number, where = on_x[1], "on x.com"
    elif on_bluesky := _ON_BLUESKY.match(what):
        number, where = on_bluesky[1], "on Bluesky"
    elif on_mastodon := _ON_MASTODON.match(what):
        host, number = on_mastodon[1].casefold(), on_mastodon[2]
        where = f"on {host}"
    else:
        return None
    for row in store.deletions.rows_of(number):
        # X's own numbers are as long as those of Mastodon's servers.
        is_there = (row.destination == DESTINATION) == (on_x is not None)
        if host is not None:
            is_there &= row.remote_url is not None and urlsplit(row.remote_url).netloc.casefold() == host
        if is_there and destination in {None, row.destination}:
            return row.id
    if host is not None and store.find(what, 1):  # a site whose articles have such addresses
        return None
    raise NotUndoable(f"no row of the outbox made the post {number}; delete it {where}")


def _sent(store: Store, row_id: int) -> Sent:
    row = store.outbox.get(row_id)
    if row is None:
        raise LookupError(f"no row {row_id}")
    return Sent(
        row=row,
        entry=entry_of(store, row),
        deleted_at=store.deletions.deleted_at(row_id),
    )


def _why_not(row: OutboxRow) -> str:
    match row.state:
        case State.QUEUED:
            return f"row {row.id} is queued and not posted; `shinglebot outbox drop {row.id}` keeps it so"
        case State.UNKNOWN | State.UNCONFIRMED | State.SENDING:
            return (
                f"nobody knows yet whether row {row.id} was posted ({row.state}): run the bot, which looks on the "
                f"account, or look there and say `shinglebot outbox sent {row.id} POST-NUMBER` first"
            )
        case _:
            return f"row {row.id} was not posted, it is {row.state}"
