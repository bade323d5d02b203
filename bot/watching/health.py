"""What a person should look at, and whether the bot does what it is there for: pure verdicts over facts."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.core.alerts import Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from bot.watching.facts import Facts, FeedFacts

LATEST_POLL: Final = timedelta(hours=1)
"""A thousand feeds of one host, two seconds apart, are asked within 34 minutes: what is later is not being asked."""

LONGEST_UNSURE: Final = timedelta(minutes=30)
"""A post that may have gone out is looked for 30 s, 90 s and at last 15 minutes after its claim: what is older than twice that
waits because the account cannot be read."""

UNREAD: Final = timedelta(days=1)
"""A feed that could not be read for so long is silent; shorter failures of others' servers mend themselves."""

NOTHING_NEW: Final = timedelta(days=7)
ITEMS_MISSED: Final = 20.0
"""A feed is silent when it brought nothing new for a week and for the time in which it usually brings this many items: by a
Poisson process one in 500 million such spans is empty."""

LEAST_ROOM: Final = 100_000_000
"""Bytes on the disk: less than a few months' growth, and what logs of other programs fill within hours."""

BACKUPS_MISSED: Final = 2
"""After so many spans without a backup, and the hour after which a failed one is tried again, none was made."""

PASSES: Final = timedelta(minutes=10)
"""A trouble that often mends itself, such as a rate limit or a slow disk, is told when it has lasted for so long."""


def troubles_of(facts: Facts, silent: Sequence[str], backups_every: timedelta | None = None) -> list[Trouble]:
    """Return what is wrong or waits for the owner, the gravest first.

    Args:
        facts: what the store says.
        silent: the workers that give no sign of life.
        backups_every: from one backup to the next; None where none are made.
    """
    return [
        *silences(silent),
        *_posting(facts),
        *_polling(facts),
        *_keeping(facts, backups_every),
        *(trouble for name, feed in facts.feeds.items() for trouble in _feed(name, feed, facts.at)),
        *_waiting(facts),
    ]


def silences(silent: Sequence[str]) -> list[Trouble]:
    """Return the troubles of workers that give no sign of life."""
    return [
        Trouble(key=f"worker {worker}", text=f"no sign of life from {worker}", is_fault=True)
        for worker in silent
    ]


def faults_of(troubles: Sequence[Trouble]) -> list[str]:
    """Return a sentence for each trouble that keeps the bot from what it is there for, none for a healthy one."""
    return [trouble.text for trouble in troubles if trouble.is_fault]


def _posting(facts: Facts) -> Iterator[Trouble]:
    for destination, reason in facts.pauses.items():
        yield Trouble(
            key=f"posting {destination}",
            text=f"nothing is posted to {destination}: {reason}",
            is_fault=True,
            patience=PASSES,
        )
    for destination, since in facts.unsure.items():
        if facts.at - since > LONGEST_UNSURE:
            yield Trouble(
                key=f"unsure {destination}",
                text=f"a post to {destination} of {since:%Y-%m-%d %H:%M} UTC may have gone out, and nothing else is sent"
                " there until that is known: `shinglebot status` says what keeps the account from being read",
                is_fault=True,
            )
    for destination, count in facts.undecided.items():
        yield Trouble(
            key=f"undecided {destination}",
            text=f"{_many(count, 'post')} to {destination} may or may not have gone out: look at the account, then say"
            " `shinglebot outbox sent` or `outbox requeue`",
            is_fault=False,
        )


def _polling(facts: Facts) -> Iterator[Trouble]:
    feeds = facts.feeds.values()
    due = [feed.next_poll_at for feed in feeds if feed.next_poll_at is not None and feed.gone_at is None]
    if due and facts.at - min(due) > LATEST_POLL:
        yield Trouble(
            key="polling",
            text=f"feeds that were due at {min(due):%Y-%m-%d %H:%M} UTC were not asked",
            is_fault=True,
            patience=PASSES,
        )
    if feeds and all(feed.failures > 0 for feed in feeds):
        yield Trouble(
            key="reading",
            text="no feed can be read; `shinglebot status` says why",
            is_fault=True,
            patience=PASSES,
        )


def _keeping(facts: Facts, backups_every: timedelta | None) -> Iterator[Trouble]:
    least = max(LEAST_ROOM, facts.database_bytes if backups_every is not None else 0)
    if facts.free_bytes < least:
        yield Trouble(
            key="room",
            text=f"the disk of the state directory has {facts.free_bytes / 1e6:.0f} MB left, and the bot wants"
            f" {least / 1e6:.0f}: make room, before nothing can be posted",
            is_fault=True,
            patience=PASSES,
        )
    began = facts.backed_up_at or facts.installed_at
    if backups_every is None or began is None:
        return
    if facts.at - began > BACKUPS_MISSED * backups_every + timedelta(hours=1):
        newest = (
            "none was ever made"
            if facts.backed_up_at is None
            else f"the newest is of {began:%Y-%m-%d %H:%M} UTC"
        )
        yield Trouble(
            key="backups",
            text=f"backups fail: {newest}; `shinglebot backup` says why",
            is_fault=True,
            patience=PASSES,
        )


def _feed(name: str, feed: FeedFacts, now: datetime) -> Iterator[Trouble]:
    key, text, patience = f"feed {name}", "", timedelta(0)
    if feed.gone_at is not None:
        text = f"the feed {name} is gone for good, says its server: remove it or give its new address"
    elif feed.failures > 0 and (feed.last_good_at is None or now - feed.last_good_at > UNREAD):
        since = "ever" if feed.last_good_at is None else f"since {feed.last_good_at:%Y-%m-%d %H:%M} UTC"
        text = f"the feed {name} could not be read {since}: {feed.fault or 'for reasons that are not known'}"
        patience = UNREAD if feed.last_good_at is None else timedelta(0)
    elif feed.new_per_day and feed.last_body_at is not None:
        usual = timedelta(days=min(ITEMS_MISSED / feed.new_per_day, 3650))
        if now - feed.last_body_at > max(NOTHING_NEW, usual):
            text = (
                f"the feed {name} answers and has brought nothing new since {feed.last_body_at:%Y-%m-%d}, where"
                f" {feed.new_per_day:.1f} items a day were usual: look whether it has moved"
            )
    if text:
        yield Trouble(key=key, text=text, is_fault=False, patience=patience)


def _waiting(facts: Facts) -> Iterator[Trouble]:
    for feed, count in facts.held.items():
        yield Trouble(
            key=f"held {feed}",
            text=f"{_many(count, 'entry', 'entries')} of {feed} {'is' if count == 1 else 'are'} held until you decide:"
            " `shinglebot held`",
            is_fault=False,
        )
    for destination, until in facts.limits.items():
        yield Trouble(
            key=f"budget {destination}",
            text=f"the budget is used up: posts to {destination} wait until {until:%Y-%m-%d %H:%M} UTC; `shinglebot budget`",
            is_fault=False,
            ends_unsaid=True,
        )


def _many(count: int, one: str, more: str = "") -> str:
    return f"{count} {one}" if count == 1 else f"{count} {more or one + 's'}"
