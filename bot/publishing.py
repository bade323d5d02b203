"""A story's journey out.

    look      what is not known of the account is read first, see `bot.reconciling`; what was given up, in passing
    due       the queued row whose turn it is, when the pacing allows one, see `bot.core.pacing`
    told?     somebody posted it already: it is sent, and that is that
    words     the newest that its feed has for it; an answer that has nothing to tell any more is let go
    prepare   what its post needs and others make, see `bot.preparing`; while that takes, others have their turn
    compose   its text, measured by the destination
    words?    the same words within 24 hours: it waits
    money?    no room for its price: it waits
    claim     the row is `sending` and its price set aside, and that is COMMITTED
    publish   the one call; nothing retries inside it
    settle    sent | refused | unknown | queued again

A cap defers, it never drops. What waits longer than its `max_age` expires, with the reason. What may have
gone out is `unknown`, and nothing else is sent until the account's own posts have been read for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot import kill_points
from bot.composing import PLAIN, Composer, Manner, Style
from bot.core.model import Receipt
from bot.core.pacing import ONE
from bot.core.timing import LONGEST_PAUSE
from bot.corrections import Corrections
from bot.errors import (
    NotSent,
    OutOfBudget,
    OutOfCredit,
    PictureRefused,
    PublishError,
    RateLimited,
    Refused,
    SaidDuplicate,
    Unauthorized,
)
from bot.preparing import NotYet, Preparing
from bot.reconciling import FIRST_RETRY, LOCKED_OUT, LONGEST_RETRY, Reconciling
from bot.store.outbox import SAME_WORDS_AFTER, Cause, OutboxRow, State, WaitsFor
from bot.versions import as_entry, entry_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from bot.core.model import Entry, Post
    from bot.core.pacing import Pacing
    from bot.core.timing import Moment
    from bot.ports import Budget, Publisher
    from bot.store import Store
    from bot.store.entries import StoredEntry

SHORTEST_PAUSE: Final = timedelta(seconds=1)
"""A destination that says "later" and names a time that is over is not asked again at once."""

__all__ = ["FIRST_RETRY", "LOCKED_OUT", "PostReport", "Publishing", "Style"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostReport:
    """What came of one row of the outbox.

    Attributes:
        row: as it stands now.
        entry: what it told or would tell: the lead of the story, in its newest words.
        post: what was or would have been sent, None when it was not composed.
    """

    row: OutboxRow
    entry: Entry
    post: Post | None


class Publishing:
    """A job of the scheduler: send one post when one is due.

    Args:
        publisher: the destination.
        pacing: how fast it is fed.
        styles: how posts read, by the feed's name.
        manner: what is the destination's own, beside the text.
        preparing: gets ready what posts need; nothing unless it is given.
        corrections: says what an answer tells; nothing is answered unless it is given.
        budget: what posts may cost; it is told of every claim and what came of it.
        clock: aware UTC now.
        steady: the clock that nobody sets.
        report: is told of every row that was tried, settled or let go.
        stop: ends a `drain`.
    """

    def __init__(  # noqa: PLR0913 - wired once, each by its name
        self,
        publisher: Publisher,
        *,
        store: Store,
        pacing: Pacing,
        styles: Mapping[str, Style],
        manner: Manner = PLAIN,
        budget: Budget,
        clock: Callable[[], datetime],
        steady: Callable[[], Moment],
        report: Callable[[PostReport], None],
        stop: threading.Event,
        preparing: Preparing | None = None,
        corrections: Corrections | None = None,
    ) -> None:
        self._publisher = publisher
        self._store = store
        self._pacing = pacing
        self._preparing = preparing or Preparing()
        self._corrections = corrections or Corrections(store, publisher.name, clock=clock)
        self._composer = Composer(styles, ruler=publisher.ruler, manner=manner, known=self._preparing.known)
        self._budget = budget
        self._clock = clock
        self._steady = steady
        self._report = report
        self._stop = stop
        self._reconciling = Reconciling(
            publisher,
            store=store,
            composer=self._composer,
            budget=budget,
            clock=clock,
            steady=steady,
            settled=lambda row_id: self._tell(row_id, None),
        )

    def recover(self) -> list[int]:
        """Begin: make what a crash interrupted unknown, and let what waited for money ask again; return the former."""
        interrupted = self._reconciling.recover()
        self._preparing.recover()
        with self._store.transaction():
            self._store.outbox.wait_no_more(self._publisher.name, WaitsFor.BUDGET, self._clock())
        return interrupted

    def next_at(self, now: datetime) -> datetime | None:
        """Return when the next post may be tried or looked for, None when there is nothing to do."""
        outbox = self._store.outbox
        if self._store.later_dates.ahead(self._publisher.name, now):
            return now
        waiting = outbox.next_not_before(self._publisher.name)
        last = self._reconciling.last_look_at(now)
        if last is not None:
            last = max(last, self._pause_ends(now))
        nothing_open = waiting is None and not self._store.unknowns.waiting(self._publisher.name)
        if nothing_open and (last is None or last > now):
            return last
        look = self._reconciling.next_at(now)
        if look is not None:
            return max(look, self._pause_ends(now))
        if waiting is None:
            return last
        at = max(min(waiting, now + LONGEST_PAUSE), self._earliest(now))
        return at if last is None else min(at, last)

    def run(self, now: datetime) -> None:
        """Let stale rows go, look at the account where that is due, and send at most one post."""
        self._step(now)

    def drain(self) -> int:
        """Send what may be sent now, until the stop event is set; return how many rows were tried."""
        tried = 0
        while not self._stop.is_set():
            now = self._clock()
            at = self.next_at(now)
            if at is None or at > now:
                self.expire(now)
                break
            tried += self._step(now)
        return tried

    def _step(self, now: datetime) -> bool:
        """Do what `run` does; return whether a row was tried."""
        if self._store.later_dates.ahead(self._publisher.name, now):
            with self._store.transaction():
                self._store.later_dates.take_as_of(self._publisher.name, now)
        self.expire(now)
        at = self.next_at(now)
        if at is None or at > now:
            return False
        if self._reconciling.next_at(now) is not None:
            self._reconciling.look()
            if self._reconciling.next_at(now) is not None:
                return False
        last = self._reconciling.last_look_at(now)
        if last is not None and last <= now:
            self._reconciling.look_at_last()
        if self._earliest(now) > now:
            return False
        row = self._store.outbox.due(self._publisher.name, now, self._pacing.order)
        if row is not None:
            self._send(row)
        return row is not None

    def preview(self, entry: Entry) -> Post | None:
        """Return how `entry` would read, None when no post can be made of it."""
        try:
            return self._composer.forms(entry)[0]
        except ValueError:
            return None

    def expire(self, now: datetime) -> None:
        """Let go what has waited too long."""
        with self._store.transaction():
            stale = self._store.outbox.expire(self._publisher.name, now)
        for row in stale:
            self._tell(row.id, None)

    def _earliest(self, now: datetime) -> datetime:
        claims = self._store.outbox.claimed_since(self._publisher.name, now - timedelta(days=1))
        queue = self._store.outbox.shape(self._publisher.name, now) if self._pacing.spread else ONE
        return self._pacing.quiet.opens(max(self._pacing.earliest(claims, now, queue), self._pause_ends(now)))

    def _pause_ends(self, now: datetime) -> datetime:
        pause = self._store.outbox.paused(self._publisher.name)
        # A pause of longer than any that is asked for was written by a clock that has been set back since.
        return now if pause is None else min(pause[0], now + LONGEST_PAUSE)

    def _send(self, row: OutboxRow) -> None:
        if self._reconciling.told_before(row):
            return
        version = self._corrections.version_of(row, self._reconciling.account)
        if version is None:
            self._tell(row.id, None)
            return
        entry = as_entry(self._store, row, version)
        prepared = self._preparing.prepare(row, entry)
        if isinstance(prepared, NotYet):
            self._defer(row, prepared.reason, prepared.until)
            return
        # A short link that was made just now may stand on the account: a database that was put back knows it only now.
        if prepared.link is not None and self._reconciling.told_before(row):
            return
        try:
            forms = self._composer.forms(entry, prepared, corrects=row.reply_to is not None)
            forms = tuple(self._directed(post, row) for post in forms)
        except ValueError as error:
            with self._store.transaction():
                refused = self._store.outbox.refuse(row, f"no post can be made of it: {error}", self._clock())
            if refused:
                self._tell(row.id, None)
            return
        post = self._affordable(row, forms)
        if post is None or self._waits_for_its_words(row, post):
            return
        if self._claim(row, version, post):
            self._publish(row, replace(post, key=self._key_of(row)))

    def _directed(self, post: Post, row: OutboxRow) -> Post:
        """Return `post` with what it answers, or passes on."""
        if row.repost_of is not None:
            return replace(post, repost_of=row.repost_of, has_link=False)
        if row.answers is not None:
            return replace(post, reply_to=row.answers, summoned=row.summoned)
        return replace(post, reply_to=self._corrections.remote_id_of(row))

    def _affordable(self, row: OutboxRow, forms: tuple[Post, ...]) -> Post | None:
        """Return the first form that there is money for; let the row wait and return None when there is for none."""
        now = self._clock()
        waits = []
        for post in forms:
            at = self._budget.allowed_at(post, now)
            if at <= now:
                return post
            waits.append(at)
        at = min(*waits, now + LONGEST_PAUSE)
        why = f"the budget has no room for it before {min(waits):%Y-%m-%d %H:%M} UTC"
        self._defer(row, why, at, WaitsFor.BUDGET)
        return None

    def _waits_for_its_words(self, row: OutboxRow, post: Post) -> bool:
        """Let a row wait whose very words went out, or may have, within 24 hours; return whether that is so."""
        now = self._clock()
        said = self._store.outbox.said_lately(row, post, now, account=self._reconciling.account)
        if said is None:
            return False
        at = min(said[1], now) + SAME_WORDS_AFTER
        why = f"the same words went out as row {said[0]}; they may be said again at {at:%Y-%m-%d %H:%M} UTC"
        self._defer(row, why, at, WaitsFor.WORDS)
        return True

    def _defer(self, row: OutboxRow, why: str, until: datetime, waits_for: WaitsFor | None = None) -> None:
        """Let a row wait; one that became another entry's meanwhile, or a person decided, is left as it is."""
        with self._store.transaction():
            deferred = self._store.outbox.defer(row, why, until, waits_for)
        if deferred:
            self._tell(row.id, None)

    def _claim(self, row: OutboxRow, version: StoredEntry, post: Post) -> bool:
        if kill_points.hook is not None:
            kill_points.hook("before_claim")
        now = self._clock()
        if self._pacing.quiet.opens(now) > now:  # the quiet hours began while the post was got ready
            return False
        known = self._store.own_posts.account(self._publisher.name)
        with self._store.transaction():
            claimed = self._store.outbox.claim(
                row,
                post,
                now,
                account=self._reconciling.account,
                since_id=known.newest_id if known else None,
                moment=self._steady(),
                key=self._publisher.key(row.id, now, known.newest_id if known else None),
            )
            if claimed:
                self._store.corrections.told(row.id, version.id)
                self._budget.reserve(row.id, version.entry.feed, post, now)
            if kill_points.hook is not None:
                kill_points.hook("in_claim")
        if claimed:
            self._store.claims(self._publisher.name).note()
        if kill_points.hook is not None:
            kill_points.hook("after_claim")
        return claimed

    def _key_of(self, row: OutboxRow) -> str | None:
        """Return the key that the row was claimed with, which may be that of an earlier claim."""
        claimed = self._store.outbox.get(row.id)
        return claimed.key if claimed is not None else None

    def _publish(self, row: OutboxRow, post: Post) -> None:
        outcome: Receipt | PublishError
        try:
            outcome = self._publisher.publish(post)
        except PublishError as error:
            outcome = error
        if kill_points.hook is not None:
            kill_points.hook("after_http")
            kill_points.hook("before_record")
        # What went out is written down also on a full disk, into the room that was kept for it.
        self._store.surely(lambda: self._record(row, outcome, self._clock()))
        if kill_points.hook is not None:
            kill_points.hook("after_record")
        self._tell(row.id, post)

    def _record(self, row: OutboxRow, outcome: Receipt | PublishError, now: datetime) -> None:
        """Write down what came of a post, in the caller's transaction."""
        outbox, name = self._store.outbox, self._publisher.name
        match outcome:
            case Receipt():
                outbox.settle_sent(row.id, outcome, now)
                outbox.end_pause(name)
                if row.repost_of is None:  # a repost stands in no timeline that is read
                    self._store.own_posts.newest_is(name, outcome.remote_id)
                self._budget.charge(row.id, now)
            case NotSent():
                outbox.put_back(row.id, str(outcome), now)
                # What stands against one post stands against all; this one stays the first in the queue.
                outbox.pause(name, self._try_again_at(outcome, row, now), str(outcome))
                self._budget.release(row.id, now)
            case PictureRefused():
                # Nothing went out, and nothing stands against the post itself: it is sent once more, without.
                self._preparing.without_picture(row.id, str(outcome))
                outbox.put_back(row.id, str(outcome), now)
                self._budget.release(row.id, now)
            case Refused():
                outbox.settle(row.id, State.REFUSED, str(outcome), now)
                self._budget.release(row.id, now)
            case SaidDuplicate():
                said = f"it says that it has this post already: {outcome}"
                self._store.unknowns.add(row.id, Cause.DUPLICATE, said)
            case _:
                # What was set aside stays so until somebody knows.
                self._store.unknowns.add(row.id, Cause.NO_ANSWER, str(outcome))
        if kill_points.hook is not None:
            kill_points.hook("in_record")

    @staticmethod
    def _try_again_at(error: NotSent, row: OutboxRow, now: datetime) -> datetime:
        match error:
            case RateLimited():
                return max(error.retry_at, now + SHORTEST_PAUSE)
            case OutOfBudget():
                return max(error.retry_at, now + SHORTEST_PAUSE)
            case Unauthorized() | OutOfCredit():
                return now + LOCKED_OUT
            case _:
                return now + min(FIRST_RETRY * (1 << min(row.attempt, 10)), LONGEST_RETRY)

    def _tell(self, row_id: int, post: Post | None) -> None:
        row = self._store.outbox.get(row_id)
        if row is not None:
            self._report(PostReport(row=row, entry=entry_of(self._store, row), post=post))
