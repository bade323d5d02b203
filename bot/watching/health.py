"""Whether the bot does what it is there for, and if not, why: a pure verdict over facts."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.watching.facts import Facts

LATEST_POLL: Final = timedelta(hours=1)
"""A thousand feeds of one host, two seconds apart, are asked within 34 minutes: what is later is not being asked."""


def faults_of(facts: Facts, silent: Sequence[str]) -> list[str]:
    """Return a sentence for each reason to look after the bot, none for a healthy one; `silent` are the workers that give no sign."""
    faults = [f"no sign of life from {worker}" for worker in silent]
    faults += [
        f"nothing is posted to {destination}: {reason}" for destination, reason in facts.pauses.items()
    ]
    feeds = facts.feeds.values()
    due = [feed.next_poll_at for feed in feeds if feed.next_poll_at is not None]
    if due and facts.at - min(due) > LATEST_POLL:
        faults.append(f"feeds that were due at {min(due):%Y-%m-%d %H:%M} UTC were not asked")
    if feeds and all(feed.failures > 0 for feed in feeds):
        faults.append("no feed can be read; `shinglebot status` says why")
    return faults
