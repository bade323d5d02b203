"""Steps, one by one: asked about, written down, made, written down.

    the network's word on this one person -> against it? skipped, and why
    begun    COMMITTED before the call
    call     once
    settled  done | refused (never again) | undone (certain that nothing happened) | left begun where nobody knows

A step that is left begun, by a crash or a lost answer, is settled by the network's word a little later, before any other step is
made: so nobody is followed or unfollowed twice.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot import logs
from bot.core.follows import DAY, Kind, is_done, next_step_at, still_due
from bot.errors import (
    NotOnThisPlan,
    OutcomeUnknown,
    OutOfBudget,
    PublishError,
    RateLimited,
    Refused,
    Unauthorized,
)
from bot.store.follow_steps import StepState, StopKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.core.follows import Planned, Rules
    from bot.ports import FollowGraph
    from bot.store import Store
    from bot.store.follow_steps import FollowStop, Step

log = logging.getLogger(__name__)

SETTLES: Final = timedelta(minutes=2)
"""So long after a step of unknown outcome the network is believed to show it. Mastodon and a Bluesky repository know at once; how
far X lags is not documented."""

ASK_AGAIN: Final = timedelta(days=1)
"""After a network has said that the plan holds no such call, or that it does not know the bot, it is asked so often."""

AFTER_TROUBLE: Final = timedelta(minutes=15)
"""When a network could not be asked, the next step waits so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What one step has come to.

    Attributes:
        step: as it is written down.
        error: what the network said, None where all went well or the step was skipped.
        wait_until: nothing more is done before; None: the spacing alone counts.
    """

    step: Step | None
    error: PublishError | None = None
    wait_until: datetime | None = None

    @property
    def ends(self) -> bool:
        """Whether nothing more can be done now."""
        return self.wait_until is not None


class Applying:
    """Makes the steps of one account.

    Args:
        graph: does them.
        store: has each written down.
        destination: where.
        rules: whose spacing and caps count.
        clock: aware UTC now.
        draw: a number from 0 to 1, by chance.
    """

    def __init__(
        self,
        graph: FollowGraph,
        *,
        store: Store,
        destination: str,
        rules: Rules,
        clock: Callable[[], datetime],
        draw: Callable[[], float],
    ) -> None:
        self._graph = graph
        self._store = store
        self._destination = destination
        self._rules = rules
        self._clock = clock
        self._draw = draw

    @property
    def stop(self) -> FollowStop | None:
        """What stands against steps, None where nothing does."""
        return self._store.follow_steps.stop(self._destination)

    def stopped_until(self) -> datetime | None:
        """Return when the network may be asked again after it has closed itself to the bot, None where it has not."""
        stop, now = self.stop, self._clock()
        if stop is None:
            return None
        until = (
            min(stop.asked_at, now) + ASK_AGAIN
        )  # a note from ahead was made before the clock was set back
        return until if until > now else None

    def next_at(self) -> datetime:
        """Return when the next step may be made, by spacing and the day's cap."""
        now = self._clock()
        made = self._store.follow_steps.made_since(self._destination, now - DAY)
        return next_step_at(made, self._rules, self._draw(), now)

    def settle(self, account: str) -> datetime | None:
        """Settle what nobody knows the outcome of; return when to come back for what is too young, None when all is known.

        Raises a PublishError when the network does not tell.
        """
        now = self._clock()
        for step in self._store.follow_steps.begun(self._destination, account):
            ready = min(step.begun_at, now) + SETTLES
            if ready > now:
                return ready
            relation = self._graph.relation(step.person, step.key)
            done = is_done(step.kind, relation)
            state = StepState.DONE if done else StepState.UNDONE
            said = "" if done else "its outcome was unknown, and it is not so"
            self._settled(account, step, state, said)
        return None

    def apply(self, account: str, planned: Planned) -> Applied:
        """Make one step, or skip it with a reason."""
        try:
            relation = self._graph.relation(planned.person.id)
        except PublishError as error:
            return self._in_vain(None, error)
        against = still_due(planned, relation)
        if against is not None:
            with self._store.transaction():
                step = self._store.follow_steps.skip(
                    self._destination, account, planned, against, self._clock()
                )
            return Applied(step=step)
        now = self._clock()
        key = self._graph.key(planned.person.id, now) if planned.kind is Kind.FOLLOW else None
        with self._store.transaction():
            step = self._store.follow_steps.begin(self._destination, account, planned, key, now)
        try:
            if planned.kind is Kind.FOLLOW:
                self._graph.follow(planned.person.id, key)
            else:
                self._graph.unfollow(planned.person.id)
        except OutcomeUnknown as error:
            return Applied(step=step, error=error, wait_until=self._clock() + SETTLES)
        except Refused as error:
            return Applied(step=self._settled(account, step, StepState.REFUSED, str(error)), error=error)
        except PublishError as error:
            return self._in_vain(self._settled(account, step, StepState.UNDONE, str(error)), error)
        settled = self._settled(account, step, StepState.DONE, "")
        with self._store.transaction():
            if self._store.follow_steps.end_stop(self._destination):
                logs.event(log, logging.INFO, "follows are possible again", destination=self._destination)
        return Applied(step=settled)

    def note(self, error: PublishError, *, reading: bool = False) -> datetime:
        """Take note of why the network could not be asked, tell of it once where that lasts; return when to come back.

        `reading`: what was asked were the lists, without which nothing goes on.
        """
        now = self._clock()
        match error:
            case NotOnThisPlan() if not reading:
                kind, remedy = StopKind.NOT_ON_PLAN, "reports go on; it is asked again once a day"
            case NotOnThisPlan() | Unauthorized():
                kind, remedy = StopKind.UNAUTHORIZED, "see `shinglebot check --online`, and mend the login"
            case RateLimited(retry_at=at) | OutOfBudget(retry_at=at):
                return max(at, now)
            case _:
                return now + AFTER_TROUBLE
        with self._store.transaction():
            news = self._store.follow_steps.put_stop(self._destination, kind, str(error), now)
        if news:
            logs.event(
                log,
                logging.ERROR,
                "follows are stopped",
                destination=self._destination,
                why=str(error),
                remedy=remedy,
            )
        return now + ASK_AGAIN

    def let_in(self) -> None:
        """The network has answered: a stop because it did not know the bot is over."""
        stop = self.stop
        if stop is not None and stop.kind is StopKind.UNAUTHORIZED:
            with self._store.transaction():
                self._store.follow_steps.end_stop(self._destination)
            logs.event(log, logging.INFO, "follows go on", destination=self._destination)

    def _in_vain(self, step: Step | None, error: PublishError) -> Applied:
        return Applied(step=step, error=error, wait_until=self.note(error))

    def _settled(self, account: str, step: Step, state: StepState, said: str) -> Step:
        with self._store.transaction():
            settled = self._store.follow_steps.settle(
                self._destination, account, step, state, said, self._clock()
            )
        logs.event(
            log,
            logging.INFO if state is StepState.DONE else logging.WARNING,
            step.kind,
            destination=self._destination,
            person=step.name or step.person,
            state=state,
            said=said or None,
        )
        return settled
