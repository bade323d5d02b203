"""Follow and unfollow: what two whole lists call for, decided for each person with a reason. Nothing is asked or done here.

    whole lists + what is remembered -> plan -> (just before each step: the network's word on that person) -> still_due

A step is planned only for somebody who follows (follow back), or who did and left (unfollow). Nobody who never followed is
ever unfollowed, and nobody is followed a second time: whoever let go, the bot, its owner or the network, meant it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEAST_MISSES: Final = 2
"""Whole observations that have to miss a follower before they may be taken to have left: one reading may miss somebody
when others leave while it is read, and everybody behind them moves up."""

DAY: Final = timedelta(days=1)


class Kind(StrEnum):
    """What a step does."""

    FOLLOW = "follow"
    UNFOLLOW = "unfollow"


class Why(StrEnum):
    """Why somebody is followed or unfollowed, or left alone."""

    FOLLOWS_US = "follows the account"
    LEFT = "followed the account, and left"

    SWITCHED_OFF = "switched off in the configuration"
    PROTECTED = "protected"
    FOLLOWED_BEFORE = "was followed before, and is not followed again"
    REFUSED = "the network refused it for good"
    PRIVATE = "private: a follow would be a request"
    SUSPENDED = "suspended or closed: nobody knows what they want"
    LEFT_LATELY = "left only lately, and may be back"
    FOLLOWED_LATELY = "followed for too short a time"

    NOT_FOLLOWING_US = "does not follow the account, now that it was asked"
    FOLLOWING_US = "follows the account after all, now that it was asked"
    ALREADY = "done already"
    ASKED = "a request waits there already"
    BLOCKED = "blocks the account, or is blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An account as a list shows it.

    Attributes:
        id: the network's own, which stays when the name changes.
        name: as people write it, without `@`; "" where a list does not tell.
        is_private: whether a follow of it is a request.
        is_suspended: whether the network says that it is suspended or closed.
    """

    id: str
    name: str = ""
    is_private: bool = False
    is_suspended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The account itself, as the network tells of it.

    Attributes:
        id: the network's own.
        name: without `@`.
        followers, following: how many, as the network counts them.
    """

    id: str
    name: str
    followers: int
    following: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PeoplePage:
    """One page of a list, and the cursor of the next, None on the last."""

    people: tuple[Person, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is remembered of a person. None: never.

    Attributes:
        follower_since: when a whole observation first showed them among the followers.
        missing_since: when one first did not any more; None while they follow.
        misses: how many in a row did not, >= 0.
        followed_since: when the account was first seen to follow them, or the bot followed them.
        let_go_at: when the bot unfollowed them, or the account was first seen to follow them no more.
        refused: the network's words when it refused the step for good, "" where it did not.
    """

    follower_since: datetime | None = None
    missing_since: datetime | None = None
    misses: int = 0
    followed_since: datetime | None = None
    let_go_at: datetime | None = None
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What the owner allows.

    Attributes:
        follow_back, unfollow: whether such steps are planned at all.
        protected: names in small letters without `@`, or ids: never unfollowed.
        min_age: how long somebody has to have been followed before they may be unfollowed.
        gone_for: how long somebody has to have been missing before they count as having left.
        private: whether private accounts are followed, by a request.
        per_run, per_day: steps, > 0: of one plan, and in any 24 hours.
        spacing: the least time between two steps; the most is twice that.
        max_change: percent, 1 to 100: what a list may have shrunk by, and what share a plan may change.
    """

    follow_back: bool = True
    unfollow: bool = True
    protected: frozenset[str] = frozenset()
    min_age: timedelta = timedelta(days=30)
    gone_for: timedelta = timedelta(days=3)
    private: bool = False
    per_run: int = 20
    per_day: int = 40
    spacing: timedelta = timedelta(minutes=3)
    max_change: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """Two whole lists, by id, and what is remembered of those in them or once in them."""

    followers: Mapping[str, Person]
    following: Mapping[str, Person]
    known: Mapping[str, Known] = field(default_factory=dict)
    own_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Somebody to follow or unfollow, and why."""

    kind: Kind
    person: Person
    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """Somebody whom a step would be about, and why there is none."""

    kind: Kind
    person: Person
    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done, unfollows first and each kind longest due first, and what is not and why."""

    steps: tuple[Planned, ...]
    passed: tuple[Passed, ...]

    def of(self, kind: Kind) -> list[Planned]:
        """Return the steps of one kind."""
        return [step for step in self.steps if step.kind is kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What the network says of one person just now.

    Attributes:
        exists: False for one that is suspended, closed or unknown.
        following: whether the account follows them.
        requested: whether a request of the account waits there.
        followed_by: whether they follow the account.
        blocked: whether either blocks the other.
    """

    exists: bool = True
    following: bool = False
    requested: bool = False
    followed_by: bool = False
    blocked: bool = False


def plan(lists: Lists, rules: Rules, now: datetime) -> Plan:
    """Say what two whole lists call for.

    A list that is not whole must not come here: whoever is missing from it would count as having left.
    """
    steps: list[tuple[datetime, Planned]] = []
    passed: list[Passed] = []
    nobody = Known()
    for person in lists.following.values():
        known = lists.known.get(person.id, nobody)
        if person.id in lists.followers or person.id == lists.own_id or known.follower_since is None:
            continue
        against = _against_unfollow(person, known, rules, now)
        if against is not None:
            passed.append(Passed(kind=Kind.UNFOLLOW, person=person, why=against))
            continue
        step = Planned(kind=Kind.UNFOLLOW, person=person, why=Why.LEFT)
        steps.append((known.missing_since or now, step))
    unfollows = _in_order(steps)
    steps.clear()
    for person in lists.followers.values():
        if person.id in lists.following or person.id == lists.own_id:
            continue
        known = lists.known.get(person.id, nobody)
        against = _against_follow(person, known, rules)
        if against is not None:
            passed.append(Passed(kind=Kind.FOLLOW, person=person, why=against))
            continue
        step = Planned(kind=Kind.FOLLOW, person=person, why=Why.FOLLOWS_US)
        steps.append((known.follower_since or now, step))
    passed.sort(key=lambda one: (one.kind, one.why, one.person.id))
    return Plan(steps=(*unfollows, *_in_order(steps)), passed=tuple(passed))


def still_due(step: Planned, relation: Relation) -> Why | None:  # noqa: PLR0911 - a list of reasons
    """Return what stands against a step now that the network was asked about this one person, None where nothing does."""
    if not relation.exists:
        return Why.SUSPENDED
    if step.kind is Kind.UNFOLLOW:
        if not relation.following:
            return Why.ALREADY
        return Why.FOLLOWING_US if relation.followed_by else None
    if relation.following:
        return Why.ALREADY
    if relation.requested:
        return Why.ASKED
    if relation.blocked:
        return Why.BLOCKED
    return None if relation.followed_by else Why.NOT_FOLLOWING_US


def is_done(kind: Kind, relation: Relation) -> bool:
    """Return whether what a step was to do is so, for a step of which nobody knows whether it arrived."""
    if kind is Kind.FOLLOW:
        return relation.following or relation.requested
    return not relation.following


def next_step_at(done: Sequence[datetime], rules: Rules, draw: float, now: datetime) -> datetime:
    """Return when the next step may be made: `now` or later.

    Args:
        done: when steps were begun in the last day, in any order.
        rules: whose spacing and daily cap count.
        draw: from 0 to 1, by chance: how much of the spacing is added to it.
        now: the time.
    """
    lately = sorted(at for at in done if at > now - DAY)
    if not lately:
        return now
    # A step that seems to lie ahead was made before the clock was set back.
    at = min(lately[-1], now) + rules.spacing * (1 + draw)
    if len(lately) >= rules.per_day:
        at = max(at, lately[-rules.per_day] + DAY)
    return max(at, now)


def is_protected(person: Person, protected: frozenset[str]) -> bool:
    """Return whether the owner has named a person, by name in any case or by id."""
    return person.id in protected or (bool(person.name) and person.name.casefold() in protected)


def _against_unfollow(  # noqa: PLR0911 - a list of reasons
    person: Person, known: Known, rules: Rules, now: datetime
) -> Why | None:
    if not rules.unfollow:
        return Why.SWITCHED_OFF
    if is_protected(person, rules.protected):
        return Why.PROTECTED
    if known.refused:
        return Why.REFUSED
    if person.is_suspended:
        return Why.SUSPENDED
    missing = known.missing_since
    if missing is None or known.misses < LEAST_MISSES or now - missing < rules.gone_for:
        return Why.LEFT_LATELY
    if known.followed_since is None or now - known.followed_since < rules.min_age:
        return Why.FOLLOWED_LATELY
    return None


def _against_follow(person: Person, known: Known, rules: Rules) -> Why | None:
    if not rules.follow_back:
        return Why.SWITCHED_OFF
    if known.followed_since is not None or known.let_go_at is not None:
        return Why.FOLLOWED_BEFORE
    if known.refused:
        return Why.REFUSED
    if person.is_suspended:
        return Why.SUSPENDED
    if person.is_private and not rules.private:
        return Why.PRIVATE
    return None


def _in_order(steps: list[tuple[datetime, Planned]]) -> list[Planned]:
    return [step for _, step in sorted(steps, key=lambda each: (each[0], each[1].person.id))]
