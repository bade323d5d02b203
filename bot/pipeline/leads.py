"""Which entry of a story is posted: the first that came, or the copy of a preferred feed that comes before it is posted.

    fresh, settle    queued, and waits so long for a copy of a preferred feed
    a copy comes     the story is told by one feed more: it goes first among equals
    ... preferred    it takes the lead: the queued row becomes its row and waits no more, the earlier entry its duplicate

What may have gone out keeps its lead: its post is known by its words and its link. So does what waits for a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.core.filters import reject
from bot.core.model import Duplicate, Fresh, Match, Reason, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from bot.core.model import Entry
    from bot.pipeline.bounds import Pending
    from bot.pipeline.judge import Judge
    from bot.pipeline.rules import FeedRules
    from bot.store import Store
    from bot.store.entries import StoredEntry
    from bot.store.sources import SourceState

STEP: Final = "preferred"

NAMED: Final = 3
"""Preferred feeds that a reason names; who has more of them knows them."""


class Leads:
    """The stories of one body, for one transaction.

    Args:
        destinations: where fresh stories are queued.
        before: the feed as it stood before this poll.
    """

    def __init__(
        self,
        store: Store,
        judge: Judge,
        destinations: Sequence[str],
        rules: FeedRules,
        before: SourceState,
        now: datetime,
    ) -> None:
        self._store = store
        self._judge = judge
        self._destinations = destinations
        self._rules = rules
        self._before = before
        self._now = now

    def settle(self, decisions: Iterable[Pending], *, feed_title: str) -> None:
        """Queue what is fresh, and note which queued stories were told again; what was decided of each is kept already."""
        for pending in decisions:
            match pending.verdict:
                case Fresh():
                    self._queue(pending)
                case Duplicate(of=of) if of.feed != pending.entry.feed:
                    self._told_again(pending, feed_title)
                case _:
                    pass

    def _queue(self, pending: Pending) -> None:
        rules, expires_at = self._rules, self._expires_at(pending.entry)
        until, reason = None, None
        waits = rules.settle and rules.preferred and not rules.is_preferred
        if waits and self._now + rules.settle < expires_at:  # what would expire meanwhile goes at once
            until = self._now + rules.settle
            reason = f"waits until {until:%H:%M} UTC for a copy of {_names(rules.preferred)}"
        for destination in self._destinations:
            self._store.outbox.queue(
                pending.entry_id,
                destination,
                now=self._now,
                expires_at=expires_at,
                priority=rules.priority,
                copy_until=until,
                reason=reason,
            )

    def _told_again(self, pending: Pending, feed_title: str) -> None:
        lead_id = self._store.entries.get(pending.entry_id).lead_id  # it may have changed within this body
        if lead_id is None:
            return
        self._store.better_copies.told_again(lead_id)
        self._queue_elsewhere(pending, lead_id)
        rules = self._rules
        if not rules.is_preferred or rules.approval or self._before.seeded_at is None:
            return
        rows = self._store.better_copies.replaceable(lead_id)
        if not rows or not self._is_wanted(pending.entry):
            return
        lead = self._store.entries.get(lead_id)
        if lead.entry.feed in rules.preferred:
            return
        self._take_the_lead(pending, lead, feed_title)
        reason = f"told by {rules.name}, in the place of entry {lead.id} of {lead.entry.feed}"
        for row in rows:
            self._store.better_copies.replace(
                row,
                pending.entry_id,
                priority=rules.priority,
                expires_at=self._expires_at(pending.entry),
                reason=reason,
                now=self._now,
            )

    def _queue_elsewhere(self, pending: Pending, lead_id: int) -> None:
        """Queue a copy where its feed goes and its story does not: the feeds that told it before go elsewhere."""
        reached = self._store.outbox.destinations_of(lead_id)
        if not reached or self._rules.approval or self._before.seeded_at is None:
            return  # held, seeded or refused: where the story itself was not queued, its copies are not
        missing = [name for name in self._destinations if name not in reached]
        if not missing or not self._is_wanted(pending.entry):
            return
        for destination in missing:
            self._store.outbox.queue(
                pending.entry_id,
                destination,
                now=self._now,
                expires_at=self._expires_at(pending.entry),
                priority=self._rules.priority,
            )

    def _take_the_lead(self, pending: Pending, lead: StoredEntry, feed_title: str) -> None:
        """Make an entry the lead of its story, and the one that led it its duplicate."""
        entries, entry = self._store.entries, pending.entry
        entries.hand_over(lead.id, pending.entry_id)
        pending.decide(
            Fresh(reason=Reason.PREFERRED_COPY),
            Step(name=STEP, outcome=f"posted in the place of entry {lead.id} of {lead.entry.feed}"),
        )
        entries.settle(pending.entry_id, pending.verdict)
        entries.keep_trace(pending.entry_id, pending.trace)
        own = Match(
            entry_id=pending.entry_id,
            lead_id=pending.entry_id,
            feed=entry.feed,
            title=entry.label,
            link=entry.link,
            seen_at=self._now,
        )
        entries.settle(lead.id, Duplicate(reason=Reason.BETTER_COPY, of=own))
        said = f"entry {pending.entry_id} of {entry.feed}, a preferred feed, is posted in its place"
        entries.keep_trace(lead.id, [*lead.trace, Step(name=STEP, outcome=said)])
        # Of a duplicate nothing was kept for comparison; of the earlier lead all stays, and leads to this one.
        self._judge.keep(
            pending.entry_id, entry, self._judge.signature(entry, feed_title=feed_title), self._now
        )

    def _is_wanted(self, entry: Entry) -> bool:
        """Say whether the feed's own rules would post a copy: those of a duplicate were not asked."""
        rules = self._rules
        return (
            reject(
                entry,
                include=rules.include,
                exclude=rules.exclude,
                max_age=rules.max_age,
                floor=self._before.floor_at,
                now=self._now,
            )
            is None
        )

    def _expires_at(self, entry: Entry) -> datetime:
        born = min(entry.published or self._now, self._now)
        return born + self._rules.max_age


def _names(feeds: Sequence[str]) -> str:
    named = list(feeds[:NAMED])
    if len(feeds) > NAMED:
        return f"{', '.join(named)} or {len(feeds) - NAMED} more"
    return " or ".join(filter(None, (", ".join(named[:-1]), named[-1])))
