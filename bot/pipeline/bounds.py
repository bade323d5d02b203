"""What stands between an entry that nothing speaks against and the outbox: the first run, a pause, a flood."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.core.filters import PAUSE, reject
from bot.core.model import Entry, Fresh, Held, Key, Match, Reason, Rejected, Seeded, Step, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.pipeline.rules import FeedRules
    from bot.store import Store
    from bot.store.sources import SourceState


FLOODS = frozenset({Reason.FLOOD, Reason.FEED_RENUMBERED})
"""Held for one of these, entries came beyond the feed's habit; what is held for another came within it."""

RENUMBERED_AGAIN = timedelta(days=7)
"""A feed that gives new names twice within a week does so by habit, and is not held for it again."""


@dataclass(slots=True, kw_only=True)
class Pending:
    """An entry of the body that is judged, and what is decided of it so far.

    Attributes:
        entry, entry_id, keys: what it is.
        verdict: may still change.
        trace: the steps so far.
        maybe_spam: what a person is to be told who decides whether it is spam, "" where nobody is to.
        doubt: the earlier entry that it may repeat, where the judgement is unsure and a person is to say; else None.
    """

    entry: Entry
    entry_id: int
    keys: tuple[Key, ...]
    verdict: Verdict
    trace: list[Step]
    doubt: Match | None = None
    maybe_spam: str = ""

    def decide(self, verdict: Verdict, step: Step) -> None:
        """Change the verdict, and keep why."""
        self.verdict = verdict
        self.trace.append(step)


class Bounds:
    """The bounds of one body, for one transaction: each changes the verdicts of the entries that it stops.

    Attributes:
        notices: what the feed's owner should know, in sentences.
    """

    def __init__(self, store: Store, rules: FeedRules, before: SourceState, now: datetime) -> None:
        self._store = store
        self._rules = rules
        self._before = before
        self._now = now
        self.notices: list[str] = []

    def seed(self, candidates: list[Pending]) -> None:
        """Make the first items known; post only the newest few, if asked for, and what is newer than an empty first answer."""
        wanted = [p for p in candidates if not self._unwanted(p)]
        newest = list(reversed(wanted))
        limit = 0 if self._before.seed_silently else self._rules.first_run.limit(len(newest))
        taken = {id(p) for p in newest[:limit]}
        empty_since = self._before.first_good_at
        for pending in candidates:
            published = pending.entry.published
            if id(pending) in taken:
                pending.decide(
                    Fresh(reason=Reason.NEWEST_OF_FIRST_RUN),
                    Step(name="first run", outcome="among the newest asked for"),
                )
            elif empty_since and published and published > empty_since and not self._unwanted(pending):
                pending.decide(
                    Fresh(), Step(name="first run", outcome="newer than the feed's first, empty answer")
                )
            else:
                pending.decide(
                    Seeded(), Step(name="first run", outcome="the feed is new: made known, not posted")
                )

    def _unwanted(self, pending: Pending) -> Rejected | None:
        rules = self._rules
        return reject(
            pending.entry,
            include=rules.include,
            exclude=rules.exclude,
            max_age=rules.max_age,
            floor=None,
            now=self._now,
        )

    def catch_up(self, candidates: list[Pending]) -> None:
        """Reject, after a pause, all but what `catch_up` takes."""
        last = self._before.last_good_at
        if last is None or self._now - last < PAUSE:
            return
        days = (self._now - last).total_seconds() / 86400
        limit = self._rules.catch_up.limit(len(candidates))
        for pending in candidates[: len(candidates) - limit]:
            detail = f"after a pause of {days:.1f} days catch_up takes {limit} of {len(candidates)}"
            pending.decide(
                Rejected(reason=Reason.CATCH_UP, detail=detail),
                Step(name="catch-up", outcome=detail, numbers={"days": round(days, 2)}),
            )

    def hold(self, candidates: list[Pending], *, hours: float, renamed: Sequence[str] | None) -> None:
        """Hold what is more than the feed's habit, or what came while it gave new names to its stories.

        Args:
            candidates: what nothing else stands against.
            hours: since the last good poll, >= 0.
            renamed: the titles that came back under new names, None where the feed did not do that.
        """
        # The newest of a first run were asked for, by number.
        waiting = [
            p
            for p in candidates
            if isinstance(p.verdict, Fresh) and p.verdict.reason is not Reason.NEWEST_OF_FIRST_RUN
        ]
        allowed = self._before.habit.allowed(hours)
        numbers: dict[str, float | str] = {
            "new": len(waiting),
            "within_habit": allowed,
            "hours": round(hours, 2),
        }
        again = (
            self._before.renumbered_at is not None
            and self._now - self._before.renumbered_at < RENUMBERED_AGAIN
        )
        if renamed is not None:
            detail = f"all its guids and links changed while {len(renamed)} titles stayed; these were taken for the known ones"
            if not again:
                others = f", and {len(waiting)} others are held" if waiting else ""
                self.notices.append(f"{detail}{others}: {_quoted(renamed)}")
        elif len(waiting) > allowed:
            detail = (
                f"{len(waiting)} new entries at once, {_span(hours)} after the last good poll, "
                f"where up to {allowed} are within its habit"
            )
            self.notices.append(f"held: {detail}; see `shinglebot held`")
        else:
            for pending in waiting:
                pending.trace.append(Step(name="flood", outcome="within the feed's habit", numbers=numbers))
            return
        # A doubt is a question of its own, which a release of the whole batch must not answer.
        waiting = [p for p in waiting if p.doubt is None and not p.maybe_spam]
        if not waiting or (renamed is not None and again):
            return
        reason = Reason.FEED_RENUMBERED if renamed is not None else Reason.FLOOD
        hold_id = self._store.holds.add(self._rules.name, reason, detail, self._now)
        for pending in waiting:
            pending.decide(
                Held(reason=reason, detail=detail, hold_id=hold_id),
                Step(name="flood", outcome=detail, numbers=numbers),
            )

    def ask(self, candidates: list[Pending]) -> None:
        """Hold for a person, each entry by itself, what may be a repeat, and all that wants approval.

        What a flood took is not asked for again: a person looks at it anyway.
        """
        for pending in candidates:
            if not isinstance(pending.verdict, Fresh):
                continue
            if pending.doubt is not None:
                detail = f"it may repeat entry {pending.doubt.entry_id}: the judgement is unsure"
                self._hold_one(pending, Reason.UNSURE, detail, Step(name="doubt", outcome=detail))
            elif pending.maybe_spam:
                step = Step(name="margin", outcome=pending.maybe_spam)
                self._hold_one(pending, Reason.MAYBE_SPAM, pending.maybe_spam, step)
            elif self._rules.approval:
                detail = "every story of this feed waits for approval"
                self._hold_one(pending, Reason.APPROVAL, detail, Step(name="approval", outcome=detail))

    def _hold_one(self, pending: Pending, reason: Reason, detail: str, step: Step) -> None:
        hold_id = self._store.holds.add(self._rules.name, reason, detail, self._now)
        pending.decide(Held(reason=reason, detail=detail, hold_id=hold_id, of=pending.doubt), step)


NAMED_IN_A_NOTICE = 5
"""Titles: enough to recognise what was kept back; all of them are in the store."""


def _quoted(titles: Sequence[str]) -> str:
    named = ", ".join(f"“{title[:60]}”" for title in titles[:NAMED_IN_A_NOTICE])
    more = len(titles) - NAMED_IN_A_NOTICE
    return f"{named} and {more} more" if more > 0 else named


def _span(hours: float) -> str:
    return f"{hours:.1f} hours" if hours >= 1 else f"{hours * 60:.0f} minutes"
