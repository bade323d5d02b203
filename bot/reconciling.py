"""Looking back: what may have gone out is looked for among the account's own posts before anything else is sent.

    start, or a pause of over an hour   the newest own posts are read; nothing is sent before
        a row is among them             it is sent, whatever its state was
        nobody knows them               they are noted: a row that says the same, now or later, is settled by them
                                        instead of posted. Where the history was known before, they are evidence of a
                                        restored database (or of a person's hand): read once more 90 seconds later,
                                        as always where more was begun here than the database knows of
    unknown                             nothing else is sent there; its posts since the claim are read
        found                           sent
        not found, 30 and 90 s after    queued again, at most twice; then unconfirmed, and the others go on
        ... and X said "duplicate"      sent, unverified: it is never sent again
        unreadable until it expires     unconfirmed: a person decides
    unconfirmed, or sent unverified     looked for once more, 15 minutes later, while others are sent

Why 30 and 90 seconds: a timeline may lag behind by up to a minute. They are counted by a clock that nobody sets.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot import kill_points, logs
from bot.errors import OutOfBudget, OutOfCredit, PublishError, RateLimited, TooManyPosts, Unauthorized
from bot.settling import LAST_LOOK, LOOKS, Settling

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.composing import Composer
    from bot.core.recognition import OwnPost
    from bot.core.timing import Moment
    from bot.ports import Budget, Publisher
    from bot.store import Store
    from bot.store.outbox import OutboxRow

log = logging.getLogger(__name__)

GAP: Final = timedelta(hours=1)
"""A longer pause, or a clock that was set by more: others may have posted, and the newest own posts are read again."""

FIRST_READING: Final = 100
"""Own posts of an account that was never read: ten cents at X, once."""

MOST_READ: Final = 500
"""Own posts in one reading: X gives 100 on a page, and nobody posts more in the days that an entry is news."""

FIRST_RETRY: Final = timedelta(minutes=1)
LONGEST_RETRY: Final = timedelta(hours=1)
"""A timeline that could not be read is asked for again after 1, 2, 4 ... minutes, at most an hour."""

LAST_CHANCE: Final = timedelta(days=1)
"""What was given up is looked for once more when the account can be read; later than that it is not."""

LOCKED_OUT: Final = timedelta(hours=1)
"""Without valid credentials or credit, the account is asked again so often: a person has to act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Again:
    """A second reading that is due: of everything after `since_id`, so long after `first`."""

    since_id: str | None
    first: Moment


class Reconciling:
    """Reads an account's own posts when something is not known, and settles what it finds.

    Args:
        publisher: knows the account; one without an account has nothing to look back at.
        budget: is told what became of what was set aside for a row.
        steady: the clock that nobody sets.
        settled: is called with the number of each row that was settled, after that is written down.
    """

    def __init__(
        self,
        publisher: Publisher,
        *,
        store: Store,
        composer: Composer,
        budget: Budget,
        clock: Callable[[], datetime],
        steady: Callable[[], Moment],
        settled: Callable[[int], None],
    ) -> None:
        self._publisher = publisher
        self._destination = publisher.name
        self._store = store
        self._claims = store.claims(publisher.name)
        self._settling = Settling(store, publisher.name, composer=composer, budget=budget, clock=clock)
        self._budget = budget
        self._clock = clock
        self._steady = steady
        self._settled = settled
        self._has_account = True
        self._checked = False
        self._again: _Again | None = None
        self._turn: datetime | None = None
        self._failures = 0
        self._not_before: datetime | None = None

    def recover(self) -> list[int]:
        """Make what a crash interrupted unknown, once, at the start; return the rows' numbers."""
        with self._store.transaction():
            interrupted = self._store.unknowns.recover(self._destination, self._clock())
            if kill_points.hook is not None and interrupted:
                kill_points.hook("in_recover")
        if kill_points.hook is not None and interrupted:
            kill_points.hook("after_recover")
        return interrupted

    @property
    def account(self) -> str | None:
        """Whose posts they are, None where there is no account or it has not been read yet."""
        return self._settling.account

    def next_at(self, now: datetime) -> datetime | None:
        """Return when to look next, None when nothing stands in the way of sending."""
        if not self._has_account:
            return None
        if self._turn is not None and abs(now - self._turn) > GAP:
            self._checked, self._again = False, None
        self._turn = now
        if not self._checked:
            return now
        unknown = self._store.unknowns.waiting(self._destination)
        waits = [self._wait(row) for row in unknown]
        if self._again is not None:
            waits.append(LOOKS[-1] - self._steady().since(self._again.first))
        return now + max(min(waits), timedelta(0)) if waits else None

    def look(self) -> None:
        """Read the account's own posts for what is due, and settle what can be settled.

        What cannot be read pauses the destination, with the reason.
        """
        try:
            if not self._checked:
                self._check()
            elif self._again is not None and self._steady().since(self._again.first) >= LOOKS[-1]:
                self._check_again(self._again)
            else:
                self._look_for_unknown()
        except PublishError as error:
            self._could_not_read(error)
        else:
            self._failures = 0

    def last_look_at(self, now: datetime) -> datetime | None:
        """Return when a row that was given up is looked for once more, None when none is. Nothing waits for that."""
        waits = [self._wait_for_last(row) for row in self._given_up(now)] if self._has_account else []
        if not waits:
            return None
        at = now + max(min(waits), timedelta(0))
        return at if self._not_before is None else max(at, min(self._not_before, now + LONGEST_RETRY))

    def look_at_last(self) -> None:
        """Look once more for the row that was given up first; what cannot be read is asked for again later."""
        now = self._clock()
        due = [row for row in self._given_up(now) if not self._wait_for_last(row)]
        if not due:
            return
        row = due[0]
        try:
            posts, _ = self._posts_since(row)
        except PublishError as error:
            self._failures += 1
            self._not_before = self._ask_again_at(error, now)
            return
        self._failures, self._not_before = 0, None
        with self._store.transaction():
            settled, _ = self._settling.absorb(posts)
            if row.id not in settled:
                self._settling.missed_at_last(row)
        if kill_points.hook is not None:
            kill_points.hook("after_reconcile")
        self._tell(settled)

    def _given_up(self, now: datetime) -> list[OutboxRow]:
        rows = self._store.unknowns.given_up(self._destination, now - LAST_CHANCE)
        # Whose account it is, is known when it was read: before that, any may be of it.
        return [row for row in rows if not self._checked or row.account in {None, self.account}]

    def _wait_for_last(self, row: OutboxRow) -> timedelta:
        passed = self._steady().since(row.moment) if row.moment is not None else LAST_LOOK
        return max(LAST_LOOK - passed, timedelta(0))

    def told_before(self, row: OutboxRow) -> bool:
        """Settle a queued row whose story somebody has posted already; return whether that was so."""
        with self._store.transaction():
            settled = self._settling.told_before(row)
        self._tell(settled)
        return bool(settled)

    # Reading

    def _check(self) -> None:
        """Read the newest own posts, so that nothing is sent that somebody sent before."""
        account = self._publisher.account()
        if account is None:
            self._has_account, self._checked = False, True
            return
        self._settling.account = account
        known = self._store.own_posts.account(self._destination)
        if known is not None and known.id != account:
            logs.event(
                log,
                logging.WARNING,
                "another account",
                destination=self._destination,
                before=known.id,
                now=account,
                what="the credentials act for another account than before; its newest posts are read first",
            )
        same = known is not None and known.id == account
        since = known.newest_id if known is not None and same else None
        posts = self._newest_since(since)
        with self._store.transaction():
            lost = [] if same or known is None else self._settling.leave_behind()
            settled, strangers = self._settling.absorb(posts)
            behind = self._claims.is_behind()
            again = self._second_reading(since) if behind or (same and strangers) else None
            # Until the second reading is done, by this process or the next, what came after `since` is not all known.
            newest = posts[0].id if posts and again is None else since
            self._store.own_posts.checked(self._destination, account, newest, self._clock())
        if kill_points.hook is not None:
            kill_points.hook("after_reconcile")
        self._checked, self._again = True, again
        if behind and again is None:
            self._claims.agree()
        self._say_what_was_found(strangers, settled, same=same, behind=behind)
        self._tell(lost + settled)

    def _second_reading(self, since: str | None) -> _Again | None:
        """Return the second reading that is due, None when an earlier process did the first one long enough ago."""
        now = self._steady()
        if not self._claims.is_behind():
            return _Again(since_id=since, first=now)
        first = self._claims.first_look()
        if first is None:
            self._claims.looked(now)
        elif now.since(first) >= LOOKS[-1]:
            return None
        return _Again(since_id=since, first=first or now)

    def _check_again(self, again: _Again) -> None:
        """Read a second time: the newest posts of a lost history may not have shown at the first."""
        posts = self._newest_since(again.since_id)
        account = self.account or ""
        with self._store.transaction():
            settled, strangers = self._settling.absorb(posts)
            if posts:
                self._store.own_posts.checked(self._destination, account, posts[0].id, self._clock())
        if kill_points.hook is not None:
            kill_points.hook("after_reconcile")
        self._again = None
        self._claims.agree()
        self._say_what_was_found(strangers, settled, same=True)
        self._tell(settled)

    def _newest_since(self, since_id: str | None) -> list[OwnPost]:
        """Read what came after a post; the newest where there are too many, for older ones are no news."""
        try:
            posts = self._publisher.own_posts(since_id, MOST_READ if since_id else FIRST_READING)
        except TooManyPosts:
            posts = self._publisher.own_posts(None, MOST_READ)
        if kill_points.hook is not None:
            kill_points.hook("after_timeline")
        return posts

    def _look_for_unknown(self) -> None:
        """Look for the unknown row that is due first."""
        due = [row for row in self._store.unknowns.waiting(self._destination) if not self._wait(row)]
        if not due:
            return
        row = due[0]
        if row.account is not None and row.account != self.account:
            with self._store.transaction():
                settled = self._settling.leave_behind()
            self._tell(settled)
            return
        posts, whole = self._posts_since(row)
        with self._store.transaction():
            settled, _ = self._settling.absorb(posts)
            if row.id not in settled and whole:
                settled += self._settling.missed(row)
        if kill_points.hook is not None:
            kill_points.hook("after_reconcile")
        self._tell(settled)
        if not whole and row.id not in settled:
            raise TooManyPosts(
                f"too many posts were made since row {row.id} was sent to look through them all"
            )

    def _posts_since(self, row: OutboxRow) -> tuple[list[OwnPost], bool]:
        """Read what came after a row's claim; return it, and whether it is all: the newest where there is too much."""
        whole = True
        try:
            posts = self._publisher.own_posts(row.since_id, MOST_READ)
        except TooManyPosts:
            whole = row.since_id is None
            posts = self._publisher.own_posts(None, MOST_READ)
        if kill_points.hook is not None:
            kill_points.hook("after_timeline")
        return posts, whole

    def _wait(self, row: OutboxRow) -> timedelta:
        """Return how long the next look for an unknown row has to wait, 0 when it is due."""
        if row.account is not None and row.account != self.account:
            return timedelta(0)
        # A row without a moment was claimed by a version that noted none, before this process began.
        passed = self._steady().since(row.moment) if row.moment is not None else LOOKS[-1]
        return max(LOOKS[min(row.misses, len(LOOKS) - 1)] - passed, timedelta(0))

    def _could_not_read(self, error: PublishError) -> None:
        now = self._clock()
        self._failures += 1
        until = self._ask_again_at(error, now)
        reason = f"the account's own posts could not be read, and nothing is sent before: {error}"
        gone = [r for r in self._store.unknowns.waiting(self._destination) if r.expires_at <= now]
        with self._store.transaction():
            self._store.outbox.pause(self._destination, until, reason)
            for row in gone:
                why = f"{row.reason}; the account could not be read before it was stale ({error}): look there"
                if self._store.unknowns.give_up(row.id, why, now):
                    self._budget.charge(row.id, now)  # it may have cost: a limit counts the dearer case
        logs.event(
            log, logging.WARNING, "timeline unreadable", destination=self._destination, reason=str(error)
        )
        self._tell([row.id for row in gone])

    def _ask_again_at(self, error: PublishError, now: datetime) -> datetime:
        match error:
            case RateLimited() | OutOfBudget():
                return max(error.retry_at, now + timedelta(seconds=1))
            case Unauthorized() | OutOfCredit():
                return now + LOCKED_OUT
            case _:
                return now + min(FIRST_RETRY * (1 << min(self._failures - 1, 10)), LONGEST_RETRY)

    # Telling

    def _tell(self, rows: list[int]) -> None:
        for row_id in rows:
            self._settled(row_id)

    def _say_what_was_found(
        self, strangers: list[OwnPost], settled: list[int], *, same: bool, behind: bool = False
    ) -> None:
        if behind:
            logs.event(
                log,
                logging.WARNING,
                "old database",
                destination=self._destination,
                what="more posts were begun here than the database knows of: it was put back from a backup; "
                "the account is read twice before anything is sent",
            )
        if not strangers and not settled:
            return
        logs.event(
            log,
            logging.WARNING if same else logging.INFO,
            "own posts read",
            destination=self._destination,
            unknown_to_the_store=len(strangers),
            rows_settled=len(settled),
            what="posts that this database does not know: it was put back from a backup, or a person posted; "
            "what says the same is not posted again"
            if same and strangers
            else None,
        )
