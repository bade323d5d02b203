"""What an owner is told of the bot's troubles, and when: each once when it has lasted, then rarely, and once when it is over.

    troubles now + what was told of each  ->  which to tell, which ended, what to remember

A trouble that comes back within a week of its last telling is told as one that never left: the reminders' turns count, so
that what flaps every hour is told once and not every hour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

REMINDERS: Final = (timedelta(days=1), timedelta(days=7))
"""After the first telling a day, after any later one a week."""

REMEMBERED: Final = REMINDERS[-1]
"""How long a trouble that is over is remembered after its last telling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something that a person should look at, at one moment.

    Attributes:
        key: what it is the trouble of, such as "feed BBC": the same trouble has the same key at every look.
        text: a sentence, with what to do.
        is_fault: whether the bot does not do what it is there for; else it waits for its owner, who may want it so.
        patience: how long it has to last before it is told.
        ends_unsaid: whether its end needs no telling, because its text says when it comes.
    """

    key: str
    text: str
    is_fault: bool
    patience: timedelta = timedelta(0)
    ends_unsaid: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is remembered of a trouble.

    Attributes:
        key, text, ends_unsaid: as it was last.
        since: when it was first seen, of this time.
        told_at: when it was last told, None when it never was.
        times: how often it was told.
        over: whether it is over, and that was told or needed no telling.
    """

    key: str
    text: str
    ends_unsaid: bool
    since: datetime
    told_at: datetime | None = None
    times: int = 0
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What follows from a look.

    Attributes:
        known: what is to be remembered, whether or not anything can be told.
        tell: troubles whose telling is due, in the order in which they were found.
        ended: troubles of which it was told that they began, and is to be told that they are over.
    """

    known: tuple[Known, ...]
    tell: tuple[Known, ...]
    ended: tuple[Known, ...]


def decide(troubles: Sequence[Trouble], known: Collection[Known], now: datetime) -> Decision:
    """Return what is to be told at `now`, given the troubles that there are and what was known at the last look."""
    before = {one.key: one for one in known}
    there = {trouble.key: _seen(trouble, before.get(trouble.key), now) for trouble in troubles}
    gone = [one for key, one in before.items() if key not in there and _is_remembered(one, now)]
    ended = [one for one in gone if not one.over and not one.ends_unsaid]
    rest = [one if one in ended else replace(one, over=True) for one in gone]
    return Decision(
        known=(*there.values(), *rest),
        tell=tuple(
            there[trouble.key] for trouble in troubles if _is_due(there[trouble.key], trouble.patience, now)
        ),
        ended=tuple(ended),
    )


def as_told(decision: Decision, now: datetime) -> tuple[Known, ...]:
    """Return what is to be remembered once everything that `decision` wants told was told."""
    told, ended = {one.key for one in decision.tell}, {one.key for one in decision.ended}
    return tuple(
        replace(one, told_at=now, times=one.times + 1)
        if one.key in told
        else replace(one, over=one.over or one.key in ended)
        for one in decision.known
    )


def _seen(trouble: Trouble, before: Known | None, now: datetime) -> Known:
    if before is None:
        return Known(key=trouble.key, text=trouble.text, ends_unsaid=trouble.ends_unsaid, since=now)
    since = now if before.over else min(before.since, now)
    return replace(before, text=trouble.text, ends_unsaid=trouble.ends_unsaid, since=since, over=False)


def _is_due(one: Known, patience: timedelta, now: datetime) -> bool:
    if now - one.since < patience:
        return False
    if one.told_at is None:
        return True
    waits = REMINDERS[min(one.times, len(REMINDERS)) - 1]
    return (
        not timedelta(0) <= now - one.told_at < waits
    )  # told in the future: by a clock that was set back since


def _is_remembered(one: Known, now: datetime) -> bool:
    """Return whether a trouble that is no more is kept: it was told, and not long ago."""
    return one.told_at is not None and (not one.over or now - one.told_at < REMEMBERED)
