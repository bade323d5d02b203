"""What becomes of rows when an account's own posts have been read: recognised, missed, or left to a person.

Every method that settles is called in the caller's transaction, and returns the numbers of the rows that it settled.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot import kill_points
from bot.composing import Prepared
from bot.core.recognition import Sought, link_keys, links_in, recognize, words_hash
from bot.store.outbox import Cause, OutboxRow
from bot.versions import as_entry, to_tell, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from bot.composing import Composer
    from bot.core.recognition import Found, OwnPost
    from bot.ports import Budget
    from bot.store import Store

LOOKS: Final = (timedelta(seconds=30), timedelta(seconds=90))
"""How long after the claim a reading that does not show the post counts; X's timelines lag by up to a minute."""

LAST_LOOK: Final = LOOKS[-1] + timedelta(minutes=15)
"""How long after the claim a row that was given up is looked for once more, by when X's worst lags are over."""

MOST_TRIES: Final = 3
"""Times that the fate of one row may become unknown; then a person decides."""


class Settling:
    """Settles the rows of one destination by what stands on the account.

    Args:
        destination: the publisher's name.
        composer: says how a queued row would read.
        budget: is told what became of what was set aside for a row.
        clock: aware UTC now.

    Attributes:
        account: whose posts they are, None until it is known.
    """

    def __init__(
        self,
        store: Store,
        destination: str,
        *,
        composer: Composer,
        budget: Budget,
        clock: Callable[[], datetime],
    ) -> None:
        self.account: str | None = None
        self._store = store
        self._destination = destination
        self._composer = composer
        self._budget = budget
        self._clock = clock

    def told_before(self, row: OutboxRow) -> list[int]:
        """Settle a queued row whose story is among the noted posts."""
        posts = self._noted()
        found = recognize([self._sought(row)], posts) if posts else {}
        return [row_id for row_id, what in found.items() if self._found(row, what)]

    def absorb(self, posts: Sequence[OwnPost]) -> tuple[list[int], list[OwnPost]]:
        """Settle the rows that are among `posts` or the noted ones, and note the rest; return both.

        `posts` are of `account`, as they were read; the rest are those that the store has not seen before.
        """
        account = self.account or ""
        if kill_points.hook is not None:
            kill_points.hook("in_reconcile")
        strangers = self._store.own_posts.unknown_among(self._destination, posts)
        noted = {post.id for post in self._noted()}
        unclaimed = [post for post in posts if post.id in noted]
        lost = {row.id: row for row in self._store.unknowns.findable(self._destination, account)}
        found = recognize([self._sought(row, sent=True) for row in lost.values()], [*strangers, *unclaimed])
        settled = [row_id for row_id, what in found.items() if self._found(lost[row_id], what)]
        taken = {found[row_id].post.id for row_id in settled}
        strangers = [post for post in strangers if post.id not in taken]
        self._store.own_posts.note(self._destination, account, strangers, self._clock())
        if strangers:
            queued = {row.id: row for row in self._store.unknowns.queued(self._destination)}
            found = recognize([self._sought(row) for row in queued.values()], self._noted())
            settled += [row_id for row_id, what in found.items() if self._found(queued[row_id], what)]
        return settled, strangers

    def _found(self, row: OutboxRow, what: Found) -> bool:
        now, post = self._clock(), what.post
        by = "words" if what.by == "words" else "link"
        reason = f"found on the account by its {by}, made {post.created_at:%Y-%m-%d %H:%M} UTC" + (
            f"; before: {row.reason}" if row.reason else ""
        )
        done = self._store.unknowns.found(
            row.id, remote_id=post.id, url=post.url, account=self.account, reason=reason, now=now
        )
        if done:
            self._store.own_posts.belongs_to(self._destination, post.id, row.id)
            self._budget.charge(row.id, now)
        return done

    def missed(self, row: OutboxRow) -> list[int]:
        """Count a reading that did not show `row`; after the second, decide. Return the row when it was decided."""
        unknowns, now = self._store.unknowns, self._clock()
        unknowns.missed(row.id, now)
        if row.misses + 1 < len(LOOKS):
            return []
        if row.cause is Cause.DUPLICATE:
            why = f"{row.reason}; the account's own posts did not show it twice: taken as sent, not verified"
            done = unknowns.taken_at_its_word(row.id, why, now)
            if row.unknown_times > 1:
                self._budget.charge(row.id, now)  # an attempt before this one may have made the post
            else:
                self._budget.release(row.id, now)
        elif row.unknown_times < MOST_TRIES:
            done = unknowns.is_not_there(row.id, f"{row.reason}; not on the account, so sent again", now)
            self._budget.release(row.id, now)
        else:
            why = f"{row.reason}; tried {row.unknown_times} times and not seen on the account: look there"
            done = unknowns.give_up(row.id, why, now)  # what is set aside for it stays so until the last look
        return [row.id] if done else []

    def missed_at_last(self, row: OutboxRow) -> None:
        """Note that the last look did not show a row that was given up: whether it went out is left to a person."""
        now = self._clock()
        why = f"{row.reason}; nor was it there at {now:%Y-%m-%d %H:%M} UTC"
        if self._store.unknowns.looked_for_last(row, why):
            self._budget.release(row.id, now)

    def leave_behind(self) -> list[int]:
        """Leave to a person what may have gone out to another account than the one that is read: it cannot be read any more."""
        now = self._clock()
        left = []
        for row in self._store.unknowns.waiting(self._destination):
            if row.account is not None and row.account != self.account:
                why = f"{row.reason}; it may be on account {row.account}, and the credentials now act for {self.account}: look there"
                if self._store.unknowns.give_up(row.id, why, now):
                    self._budget.charge(row.id, now)
                    left.append(row.id)
        return left

    def _noted(self) -> list[OwnPost]:
        return self._store.own_posts.unclaimed(self._destination, self.account or "")

    def _sought(self, row: OutboxRow, *, sent: bool = False) -> Sought:
        """Say what a row's post is known by; of one that was `sent`, what was claimed."""
        version = told(self._store, row) if sent else to_tell(self._store, row)
        entry = as_entry(self._store, row, version)
        source = self._store.sources.get(entry.feed)
        anchored = source is not None and source.trust.anchored
        trusted = source is None or source.trust.link
        texts = {row.text} if row.text is not None else set()
        if not sent:
            for ready in (None, Prepared()):  # with its short link, if there is one, and without
                with suppress(ValueError):  # no post can be made of it: its link may still be found
                    texts |= {
                        post.text
                        for post in self._composer.forms(entry, ready, corrects=row.reply_to is not None)
                    }
        first = self._store.entries.get(row.entry_id).entry
        links = [entry.link, entry.orig_link, first.link, first.orig_link, *links_in(row.text or "")]
        links += self._store.short_links.leading_to([entry.link, entry.orig_link])
        if row.reply_to is not None and not sent:
            trusted = False  # its post bears the same link: before it was begun, its words alone tell it
        return Sought(
            row_id=row.id,
            words=frozenset(map(words_hash, texts)),
            links=link_keys(links, anchored=anchored) if trusted else frozenset(),
            anchored=anchored,
            since_id=row.since_id if sent else None,
            told_from=None if sent else entry.published,
            answers=row.answered_id,
        )
