"""A story's journey out.

    due       the oldest queued row that may be tried now, within the pacing
    compose   its text, measured by the destination
    claim     the row is `sending`, and that is COMMITTED
    publish   the one call; nothing retries inside it
    settle    sent | refused | unknown | queued again

A cap defers, it never drops. What waits longer than its `max_age` expires, with the reason. What may have
gone out is `unknown` and is not sent again by itself.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.core.compose import DEFAULT_TEMPLATE, compose
from bot.core.timing import LONGEST_PAUSE
from bot.errors import NotSent, OutcomeUnknown, OutOfCredit, RateLimited, Refused, SaidDuplicate, Unauthorized
from bot.store.outbox import OutboxRow, State

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from bot.core.model import Entry, Post
    from bot.ports import Publisher
    from bot.store import Store

log = logging.getLogger(__name__)

FIRST_RETRY: Final = timedelta(minutes=1)
LONGEST_RETRY: Final = timedelta(hours=1)
"""A destination that could not be reached is tried again after 1, 2, 4 ... minutes, at most an hour."""

LOCKED_OUT: Final = timedelta(hours=1)
"""Without valid credentials or credit, the account is asked again so often: a person has to act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """How fast a destination is fed.

    Attributes:
        min_gap: between two posts, >= 0.
        per_hour, per_day: most posts within any 60 minutes and any 24 hours, >= 1.
    """

    min_gap: timedelta
    per_hour: int
    per_day: int

    def earliest(self, claims: list[datetime], now: datetime) -> datetime:
        """Return when the next post may go out, given when the last day's posts did (oldest first)."""
        # A claim in the future was made before the clock was set back: it counts as made now.
        claims = [min(claim, now) for claim in claims]
        earliest = now
        if claims:
            earliest = max(earliest, claims[-1] + self.min_gap)
        for count, span in ((self.per_hour, timedelta(hours=1)), (self.per_day, timedelta(days=1))):
            if len(claims) >= count:
                earliest = max(earliest, claims[-count] + span)
        return earliest


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a feed's posts read: a template with named fields, and hashtags that are always offered to it."""

    template: str = DEFAULT_TEMPLATE
    hashtags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PostReport:
    """What came of one row of the outbox.

    Attributes:
        row: as it stands now.
        entry: the lead of the story.
        post: what was or would have been sent, None when it was not composed.
    """

    row: OutboxRow
    entry: Entry
    post: Post | None


class Publishing:
    """A job of the scheduler: send one post when one is due."""

    def __init__(
        self,
        publisher: Publisher,
        *,
        store: Store,
        pacing: Pacing,
        styles: Mapping[str, Style],
        clock: Callable[[], datetime],
        report: Callable[[PostReport], None],
        stop: threading.Event,
    ) -> None:
        self._publisher = publisher
        self._store = store
        self._pacing = pacing
        self._styles = styles
        self._clock = clock
        self._report = report
        self._stop = stop

    def next_at(self, now: datetime) -> datetime | None:
        """Return when the next post may be tried, None when none is queued."""
        waiting = self._store.outbox.next_not_before(self._publisher.name)
        if waiting is None:
            return None
        return max(min(waiting, now + LONGEST_PAUSE), self._earliest(now))

    def run(self, now: datetime) -> None:
        """Let stale rows go and send at most one post."""
        self.expire(now)
        if self._earliest(now) > now:
            return
        row = self._store.outbox.due(self._publisher.name, now)
        if row is not None:
            self._send(row)

    def drain(self) -> int:
        """Send what may be sent now, until the stop event is set; return how many rows were tried."""
        tried = 0
        while not self._stop.is_set():
            now = self._clock()
            at = self.next_at(now)
            if at is None or at > now:
                self.expire(now)
                break
            self.run(now)
            tried += 1
        return tried

    def preview(self, entry: Entry) -> Post | None:
        """Return how `entry` would read, None when no post can be made of it."""
        try:
            return self._compose(entry)
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
        earliest = self._pacing.earliest(claims, now)
        pause = self._store.outbox.paused(self._publisher.name)
        if pause is None:
            return earliest
        # A pause of longer than any that is asked for was written by a clock that has been set back since.
        return max(earliest, min(pause[0], now + LONGEST_PAUSE))

    def _send(self, row: OutboxRow) -> None:
        entry = self._store.entries.get(row.entry_id).entry
        try:
            post = self._compose(entry)
        except ValueError as error:
            with self._store.transaction():
                self._store.outbox.settle(
                    row.id, State.REFUSED, f"no post can be made of it: {error}", self._clock()
                )
            self._tell(row.id, None)
            return
        with self._store.transaction():
            claimed = self._store.outbox.claim(row, post, self._clock())
        if claimed:
            self._publish(row, post)

    def _compose(self, entry: Entry) -> Post:
        style = self._styles.get(entry.feed, Style())
        return compose(
            entry,
            template=style.template,
            hashtags=style.hashtags,
            limit=self._publisher.limit,
            link=entry.orig_link or entry.link,
        )

    def _publish(self, row: OutboxRow, post: Post) -> None:
        outbox = self._store.outbox
        try:
            receipt = self._publisher.publish(post)
        except NotSent as error:
            now = self._clock()
            match error:
                case RateLimited(retry_at=retry_at):
                    pause_until = retry_at
                case Unauthorized() | OutOfCredit():
                    pause_until = now + LOCKED_OUT
                case _:
                    pause_until = now + min(FIRST_RETRY * 2 ** min(row.attempt, 10), LONGEST_RETRY)
            with self._store.transaction():
                outbox.put_back(row.id, str(error), now)
                # What stands against one post stands against all; this one stays the first in the queue.
                outbox.pause(self._publisher.name, pause_until, str(error))
        except Refused as error:
            with self._store.transaction():
                outbox.settle(row.id, State.REFUSED, str(error), self._clock())
        except OutcomeUnknown as error:
            said = "it says that it has this post already: " if isinstance(error, SaidDuplicate) else ""
            with self._store.transaction():
                outbox.settle(row.id, State.UNKNOWN, f"{said}{error}", self._clock())
        else:
            with self._store.transaction():
                outbox.settle_sent(row.id, receipt, self._clock())
                outbox.end_pause(self._publisher.name)
        self._tell(row.id, post)

    def _tell(self, row_id: int, post: Post | None) -> None:
        row = self._store.outbox.get(row_id)
        if row is not None:
            self._report(PostReport(row=row, entry=self._store.entries.get(row.entry_id).entry, post=post))
