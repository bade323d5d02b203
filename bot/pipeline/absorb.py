"""Taking in what a poll brought, all or nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from bot.core.politeness import ANY_PACE, MOVED_FOR, Rhythm, rhythm_of
from bot.pipeline.intake import Intake, hours_since_good
from bot.pipeline.leaks import NO_SECRETS, Leaks
from bot.pipeline.rules import FeedRules, PollReport
from bot.pipeline.waiting import after_failure, after_good
from bot.sources.collect import Body, Collected, Failed, Unchanged
from bot.store.sources import SourceState

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from bot.pipeline.judge import Judge
    from bot.store import Store


class Pipeline:
    """Takes in what polls bring."""

    def __init__(
        self,
        store: Store,
        judge: Judge,
        destinations: Sequence[str],
        stopping: Callable[[], bool] = lambda: False,
        leaks: Leaks = NO_SECRETS,
    ) -> None:
        self._leaks = leaks
        self._stopping = stopping
        self._store = store
        self._judge = judge
        self._destinations = tuple(destinations)

    def absorb(self, rules: FeedRules, collected: Collected, now: datetime, draw: float = 0.5) -> PollReport:
        """Judge and keep what a poll brought, all or nothing.

        Args:
            rules: what the owner wants of the feed.
            collected: what came.
            now: the time of the poll; earlier than the feed's last one only when the clock was set back.
            draw: a random number, 0-1, for the jitter of the next poll.

        Raises Interrupted when the bot is to stop meanwhile; nothing of the poll is then kept.
        """
        with self._store.transaction():
            before = _at_its_place(self._store.sources.get(rules.name), rules, now)
            match collected:
                case Failed(fault=fault, limiting_host=host):
                    after = after_failure(before, rules, collected, now, draw)
                    if host is not None:
                        self._store.hosts.close(host, after.next_poll_at, now)
                    report = PollReport(feed=rules.name, at=now, fault=fault)
                case Unchanged(validators=validators, whole=whole, moved_to=moved_to, wishes=wishes):
                    after = replace(
                        before,
                        etag=validators.etag,
                        last_modified=validators.last_modified,
                        habit=before.habit.after(
                            new=0, body=0, hours=hours_since_good(before, now), let_through=False
                        ),
                        whole_at=now if whole else before.whole_at,
                        # A 304 without a word of it leaves in force what was said before (RFC 9111, 3.2).
                        fresh_for=wishes.fresh_for if whole or wishes.fresh_for else before.fresh_for,
                    )
                    after = after_good(after, rules, now, draw, wishes.retry_at)
                    after = _moved(after, moved_to, now)
                    report = PollReport(feed=rules.name, at=now, notices=_notice(before, moved_to))
                case Body(parsed=parsed, validators=validators, moved_to=moved_to, wishes=wishes):
                    there = self._destinations if rules.destinations is None else rules.destinations
                    report, after = Intake(
                        self._store, self._judge, there, rules, before, now, self._leaks
                    ).take(parsed, self._stopping)
                    after = replace(
                        after,
                        etag=validators.etag,
                        last_modified=validators.last_modified,
                        body_hash=validators.body_hash,
                        last_body_at=now,
                        whole_at=now,
                        rhythm=rhythm_of([e.published for e in parsed.entries if e.published], now),
                        pace=parsed.pace,
                        fresh_for=wishes.fresh_for,
                    )
                    after = after_good(after, rules, now, draw, wishes.retry_at)
                    after = _moved(after, moved_to, now)
                    report = replace(report, notices=(*report.notices, *_notice(before, moved_to)))
                case _:
                    assert_never(collected)
            self._store.sources.save(after)
            self._store.sources.add_faults(rules.name, (*report.faults, *report.notices), now)
        return replace(report, after=after)


def _at_its_place(stored: SourceState | None, rules: FeedRules, now: datetime) -> SourceState:
    """Return what is known of a feed; of one that its owner moved, nothing that the old place said of its bodies."""
    if stored is None:
        return SourceState(name=rules.name, url=rules.url, next_poll_at=now)
    if stored.url == rules.url:
        return stored
    return replace(
        stored,
        url=rules.url,
        etag=None,
        last_modified=None,
        body_hash=None,
        whole_at=None,
        moved_to=None,
        moved_since=None,
        failures=0,
        rhythm=Rhythm(),
        pace=ANY_PACE,
        fresh_for=None,
        gone_at=None,
    )


def _moved(state: SourceState, moved_to: str | None, now: datetime) -> SourceState:
    """Remember where permanent redirects lead, and since when they have led there without a break."""
    if moved_to == state.moved_to:
        return state
    return replace(state, moved_to=moved_to, moved_since=now if moved_to else None)


def _notice(before: SourceState, moved_to: str | None) -> tuple[str, ...]:
    if moved_to is None or moved_to == before.moved_to:
        return ()
    place, _, query = moved_to.partition("?")  # which may hold a key
    notice = (
        f"it has moved for good to {place}{'?...' if query else ''}: put that address into the configuration; "
        f"if its server still says so in {MOVED_FOR.days} days, it is asked there"
    )
    return (notice,)
