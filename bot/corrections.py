"""What feeds change of stories that were posted: noticed, kept, and where their owner wants it answered under the post.

    look      once a minute: each post of the last days whose feed has told more than one version of it
    changed?  the newest version against what readers were told (the post, or its last answer), see `core.corrections`
    keep      one record a post; while it is not answered, further changes change it: the last words win
    answer    a row of the outbox, an answer to the post, that waits until the feed has changed nothing for ten minutes

An answer goes out like any post, and tells the newest words of that moment. It is let go when its post is gone or of
another account, and when the feed has gone back to what was told: headlines that go back and forth are only shown. Each
version is told at most once, a post has at most `MOST_ANSWERS`, and none goes out after the post's own `max_age`.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot import logs
from bot.core.corrections import ANSWERED, Change, Words, change_of
from bot.store.outbox import State
from bot.versions import newest, to_tell, told

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    from bot.store import Store
    from bot.store.corrections import Correction
    from bot.store.entries import StoredEntry
    from bot.store.outbox import OutboxRow

log = logging.getLogger(__name__)

LOOK_EVERY: Final = timedelta(minutes=1)
LOOK_BACK: Final = timedelta(days=7)
"""Older posts are looked at no more; readers have forgotten them, and their feeds do not show them."""

SETTLE: Final = timedelta(minutes=10)
"""A feed that changes a headline often changes it again at once; an answer waits so long for the last word."""

MOST_ANSWERS: Final = 2
"""To one post: a third correction of one story is a person's business."""

_UNDER_WAY: Final = frozenset({State.SENDING, State.UNKNOWN, State.UNCONFIRMED})
_OUT: Final = _UNDER_WAY | {State.SENT, State.QUEUED}


class Corrections:
    """A job of the scheduler, and what an answer asks before it goes out.

    Args:
        destination: whose posts are looked at.
        answering: the feeds whose owner wants corrections answered; those of others are only kept.
        clock: aware UTC now.
    """

    def __init__(
        self,
        store: Store,
        destination: str,
        *,
        answering: Collection[str] = (),
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._destination = destination
        self._answering = frozenset(answering)
        self._clock = clock
        self._looked_at: datetime | None = None

    def next_at(self, now: datetime) -> datetime | None:
        """Return when to look next."""
        if self._looked_at is None or self._looked_at > now:  # the clock was set back
            return now
        return self._looked_at + LOOK_EVERY

    def run(self, now: datetime) -> None:
        """Look at every post that its feed may have corrected: of its last bodies, at first of all that is kept."""
        news = self._looked_at if self._looked_at is not None and self._looked_at <= now else None
        self._looked_at = now
        for post in self._store.corrections.posts(self._destination, now - LOOK_BACK, news):
            self._look_at(post, now)

    def version_of(self, row: OutboxRow, account: str | None) -> StoredEntry | None:
        """Return the version that a queued row is to tell now; None, and let it go or wait, where an answer tells nothing.

        `account` is whose posts are sent, None where there is no account.
        """
        if row.reply_to is None:
            return to_tell(self._store, row)
        now = self._clock()
        post = self._store.outbox.get(row.reply_to)
        if post is None or (why := self._let_go(post, account)) is not None:
            self._drop(row, why if post is not None else "its post is not known any more")
            return None
        self._look_at(post, now)
        current = self._store.outbox.get(row.id)
        if current is None or current.state is not State.QUEUED or current.not_before > now:
            return None
        version = to_tell(self._store, row)
        if change_of(_words(self._said(post)), _words(version), feed=version.entry.feed) is None:
            self._drop(row, "the feed says again what readers were told")
            return None
        return version

    def remote_id_of(self, row: OutboxRow) -> str | None:
        """Return the destination's number of the post that a row answers, None where it stands alone."""
        post = self._store.outbox.get(row.reply_to) if row.reply_to is not None else None
        return post.remote_id if post is not None else None

    def _let_go(self, post: OutboxRow, account: str | None) -> str | None:
        """Return why a post is not answered any more, None where it may be."""
        feed = self._store.entries.get(post.entry_id).entry.feed
        if post.state is not State.SENT or post.remote_id is None:
            return f"row {post.id}, which it answers, is not known to be there"
        if self._store.deletions.deleted_at(post.id) is not None:
            return f"the post of row {post.id}, which it answers, was deleted"
        if post.account is not None and account is not None and post.account != account:
            return f"the post of row {post.id}, which it answers, is of another account"
        return None if feed in self._answering else f"corrections of {feed} are only shown"

    def _said(self, post: OutboxRow) -> StoredEntry:
        """Return the version that readers were told last: by an answer, or by the post."""
        sent = [row for row in self._store.corrections.answers(post.id) if row.state is State.SENT]
        return told(self._store, sent[-1] if sent else post)

    def _look_at(self, post: OutboxRow, now: datetime) -> None:
        version = newest(self._store, post.entry_id)
        records = self._store.corrections.of_post(post.id)
        record = records[-1] if records else None
        answer = None
        if record is not None and record.answer_id is not None:
            answer = self._store.outbox.get(record.answer_id)
        if answer is not None and answer.state in _UNDER_WAY:
            return
        said = self._said(post)
        feed = version.entry.feed
        if record is None or (answer is not None and answer.state is State.SENT):
            if (kind := change_of(_words(said), _words(version), feed=feed)) is not None:
                self._notice(post, said, version, kind, now)
            return
        if not record.is_back:
            before = self._store.entries.get(record.entry_id)
            if version.id == before.id or change_of(_words(before), _words(version), feed=feed) is None:
                return
        kind = change_of(_words(said), _words(version), feed=feed)
        if kind is None and record.is_back:
            return
        with self._store.transaction():
            if kind is None:
                self._store.corrections.went_back(record.id, now)
            else:
                self._store.corrections.changed(record.id, entry_id=version.id, kind=kind, now=now)
            self._change_answer(post, answer, now)

    def _notice(
        self, post: OutboxRow, said: StoredEntry, version: StoredEntry, kind: Change, now: datetime
    ) -> None:
        with self._store.transaction():
            self._store.corrections.add(post.id, said_id=said.id, entry_id=version.id, kind=kind, now=now)
            self._change_answer(post, None, now)
        logs.event(
            log,
            logging.INFO,
            "headline changed",
            feed=version.entry.feed,
            kind=str(kind),
            post=post.remote_url,
            said=said.entry.label[:100],
            now=version.entry.label[:100],
        )

    def _change_answer(self, post: OutboxRow, answer: OutboxRow | None, now: datetime) -> None:
        """Queue the answer to a post whose record has just changed, have it wait on, or let it go."""
        record = self._store.corrections.of_post(post.id)[-1]
        if answer is not None and answer.state is not State.QUEUED:
            return
        if record.is_back or record.returns or record.kind not in ANSWERED:
            if answer is not None:
                why = "the feed goes back and forth" if record.returns else "the feed has changed it again"
                self._store.outbox.settle(answer.id, State.DROPPED, why, now)
        elif answer is not None:
            self._store.outbox.put_back(answer.id, self._why(post), now + SETTLE)
        elif self._may_answer(post, record, now):
            self._store.corrections.answer(
                record.id,
                post,
                record.entry_id,
                now=now,
                not_before=now + SETTLE,
                reason=self._why(post),
            )

    def _may_answer(self, post: OutboxRow, record: Correction, now: datetime) -> bool:
        answers = [row for row in self._store.corrections.answers(post.id) if row.state in _OUT]
        return (
            record.answer_id is None
            and len(answers) < MOST_ANSWERS
            and post.expires_at > now + SETTLE
            and self._let_go(post, None) is None
        )

    @staticmethod
    def _why(post: OutboxRow) -> str:
        minutes = int(SETTLE.total_seconds() / 60)
        return f"answers row {post.id}, once its feed has changed nothing for {minutes} minutes"

    def _drop(self, row: OutboxRow, why: str | None) -> None:
        with self._store.transaction():
            self._store.outbox.settle(row.id, State.DROPPED, why, self._clock())


def _words(version: StoredEntry) -> Words:
    return Words.of(version.entry)
