"""When a feed is asked next, from what is stored of it and what its last poll said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.core.politeness import Rhythm, next_poll, own_interval

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from bot.pipeline.rules import FeedRules
    from bot.sources.collect import Failed
    from bot.store.sources import SourceState

WATCHED_HOURS = 24.0
"""Before that, what came is the first body's own dates over again, or chance."""


def interval_of(state: SourceState, interval: timedelta | None, now: datetime) -> timedelta:
    """Return how often a feed is asked while all is well: the owner's interval, or its own."""
    if interval is not None:
        return interval
    habit = state.habit
    return own_interval(
        Rhythm(gap=state.rhythm.gap, newest=state.rhythm.newest or state.last_body_at),
        habit.new / habit.hours if habit.hours >= WATCHED_HOURS else 0.0,
        now,
    )


def after_good(
    state: SourceState, rules: FeedRules, now: datetime, draw: float, retry_at: datetime | None
) -> SourceState:
    """Return `state` after an answer that could be read, with its next poll."""
    return replace(
        state,
        failures=0,
        fault=None,
        gone_at=None,
        last_attempt_at=now,
        last_good_at=now,
        first_good_at=state.first_good_at or now,
        next_poll_at=next_poll(
            now,
            interval_of(state, rules.interval, now),
            failures=0,
            draw=draw,
            retry_at=retry_at,
            fresh_for=state.fresh_for,
            pace=state.pace,
        ),
    )


def after_failure(
    state: SourceState, rules: FeedRules, failed: Failed, now: datetime, draw: float
) -> SourceState:
    """Return `state` after a poll that failed, with its next poll.

    What lies on this machine's side lengthens no wait, so that all is asked again within a cycle once it is mended.
    """
    failures = max(state.failures, 1) if failed.near else state.failures + 1
    return replace(
        state,
        failures=failures,
        fault=failed.fault,
        gone_at=now if failed.gone else None,
        last_attempt_at=now,
        next_poll_at=next_poll(
            now,
            interval_of(state, rules.interval, now),
            failures=0 if failed.near else failures,
            draw=draw,
            retry_at=failed.retry_at,
            pace=state.pace,
        ),
    )
