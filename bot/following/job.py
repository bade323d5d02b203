"""When what is due, for the loop: a page, a step or nothing at each turn, so that posts never wait for followers."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot import logs
from bot.core.budget import in_dollars
from bot.core.follows import DAY, Kind
from bot.errors import PublishError
from bot.following.planning import FRESH_FOR
from bot.store.follow_steps import StopKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from bot.core.follows import Planned
    from bot.following.applying import Applying
    from bot.following.observing import Observing
    from bot.following.planning import Planning
    from bot.store import Store
    from bot.store.follows import Reading

log = logging.getLogger(__name__)

FURTHEST: Final = 8 * DAY
"""Nothing is due later than the rarest reading allows; a date further off was made before the clock was set back."""


class FollowMode(StrEnum):
    """What is done by itself: nothing, readings and their plans, or the steps as well."""

    OFF = "off"
    REPORT = "report"
    APPLY = "apply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How far the job goes by itself.

    Attributes:
        mode: REPORT or APPLY.
        every: from the beginning of one reading to that of the next.
        max_price: the most that one reading may cost, in micro-dollars; None: as much as it takes.
        per_run: steps of one plan, those that were skipped among them.
    """

    mode: FollowMode
    every: timedelta
    max_price: int | None
    per_run: int


class FollowsJob:
    """Keeps one account's follows in step. A job of the scheduler.

    Args:
        observing, planning, applying: its work.
        store: knows what was read last.
        destination: where.
        terms: how far it goes by itself.
        price: what reading so many people costs, in micro-dollars.
    """

    def __init__(
        self,
        *,
        observing: Observing,
        planning: Planning,
        applying: Applying,
        store: Store,
        destination: str,
        terms: Terms,
        price: Callable[[int], int],
    ) -> None:
        self._observing = observing
        self._planning = planning
        self._applying = applying
        self._store = store
        self._destination = destination
        self._terms = terms
        self._price = price
        self._due: datetime | None = None
        self._turn: datetime | None = None
        # To plan for 20,000 people takes half a second: once for each pair of lists, not for each step.
        self._planned: tuple[int, list[Planned]] | None = None

    def next_at(self, now: datetime) -> datetime | None:
        """Return when there is something to do."""
        return now if self._due is None or self._due > now + FURTHEST else self._due

    def run(self, now: datetime) -> None:
        """Read a page, make a step, or find out when there is something to do."""
        stop = self._applying.stop
        until = self._applying.stopped_until()
        if stop is not None and stop.kind is StopKind.UNAUTHORIZED and until is not None:
            self._due = until
            return
        try:
            self._due = self._read(now)
        except PublishError as error:
            self._due = self._applying.note(error, reading=True)
            return
        if self._due is not None or self._terms.mode is not FollowMode.APPLY:
            self._due = self._due or self._next_reading(now)
            return
        try:
            self._due = self._step(now) or self._next_reading(now)
        except PublishError as error:
            self._due = self._applying.note(error)

    def _read(self, now: datetime) -> datetime | None:
        """Go on with a reading, or begin one that is due; return when to come back, None when none is due."""
        reading = self._observing.under_way()
        if reading is not None:
            outcome = self._observing.step(reading)
            self._applying.let_in()
            if outcome.over:
                self._turn = None
                self._tell(outcome.reading)
            return now
        if self._next_reading(now) > now:
            return None
        people = self._observing.expected()
        if people is not None and self._is_too_dear(people):
            return now + self._terms.every
        begun = self._observing.begin()
        self._applying.let_in()
        people = begun.told.followers + begun.told.following
        if self._is_too_dear(people):
            with self._store.transaction():
                self._store.follows.end(begun, "broken", "it would cost more than follows.max_price", now)
        return now

    def _next_reading(self, now: datetime) -> datetime:
        newest = self._store.follows.newest(self._destination)
        return now if newest is None else min(newest.began_at, now) + self._terms.every

    def _is_too_dear(self, people: int) -> bool:
        price = self._price(people)
        if self._terms.max_price is None or price <= self._terms.max_price:
            return False
        logs.event(
            log,
            logging.WARNING,
            "who follows is not read: it would cost too much",
            destination=self._destination,
            people=people,
            price=in_dollars(price),
            limit=in_dollars(self._terms.max_price),
            remedy="raise max_price in [follows], or read less often",
        )
        return True

    def _step(self, now: datetime) -> datetime | None:  # noqa: PLR0911 - a list of what may stand against it
        """Make one step when its turn has come; return when to come back, None when nothing is left of this plan."""
        if self._applying.stopped_until() is not None:
            return None
        newest = self._store.follows.newest(self._destination)
        if newest is None:
            return None
        if (ready := self._applying.settle(newest.account)) is not None:
            return ready
        steps = self._steps(newest, now)
        if not steps:
            return None
        made = self._store.follow_steps.count_since(self._destination, newest.began_at)
        if made >= self._terms.per_run:
            return None
        if self._turn is None or self._turn > now + FURTHEST:
            self._turn = self._applying.next_at()
        if self._turn > now:
            return self._turn
        self._turn = None
        applied = self._applying.apply(newest.account, steps.pop(0))
        return applied.wait_until or now

    def _steps(self, newest: Reading, now: datetime) -> list[Planned]:
        """Return what is left to do by the newest lists; nothing where they do not count, or something stands against it."""
        if newest.state != "accepted" or newest.began_at < now - FRESH_FOR:
            return []
        if self._planned is None or self._planned[0] != newest.id:
            proposal = self._planning.propose()
            may = proposal is not None and proposal.refusal is None and proposal.reading.id == newest.id
            self._planned = newest.id, list(proposal.plan.steps) if proposal is not None and may else []
        return self._planned[1]

    def _tell(self, reading: Reading) -> None:
        proposal = self._planning.propose() if reading.state != "broken" else None
        if proposal is None:
            return
        refusal = proposal.refusal
        logs.event(
            log,
            logging.WARNING if refusal else logging.INFO,
            "follow plan",
            destination=self._destination,
            follow=len(proposal.plan.of(Kind.FOLLOW)),
            unfollow=len(proposal.plan.of(Kind.UNFOLLOW)),
            left_alone=len(proposal.plan.passed),
            refused=refusal.why if refusal else None,
            see="shinglebot follows plan --stored",
        )
