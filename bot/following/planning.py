"""The plan of the newest lists that count, and what stands against it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.core.follow_guards import Counts, Refusal, judge_plan
from bot.core.follows import Plan, plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.core.follows import Rules
    from bot.store import Store
    from bot.store.follows import Reading

FRESH_FOR: Final = timedelta(days=2)
"""Lists older than that are read anew before anything is done by them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What may be done.

    Attributes:
        reading: whose lists the plan was made of.
        plan: all of it, without what was tried since that reading and not done.
        refusal: what stands against all of it, None where nothing does.
        fresh: whether the lists are young enough to act by.
    """

    reading: Reading
    plan: Plan
    refusal: Refusal | None
    fresh: bool


class Planning:
    """Plans for one account.

    Args:
        store: has the lists.
        destination: whose they are.
        rules: the owner's.
        clock: aware UTC now.
    """

    def __init__(
        self, store: Store, *, destination: str, rules: Rules, clock: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._destination = destination
        self._rules = rules
        self._clock = clock

    def propose(self) -> Proposal | None:
        """Return what the newest lists that count call for, None where there are none."""
        follows, now = self._store.follows, self._clock()
        newest = follows.newest(self._destination)
        if newest is None:
            return None
        reading = follows.newest(self._destination, newest.account, state="accepted")
        if reading is None or reading.counts is None:
            return None
        lists = follows.lists(self._destination, reading)
        made = plan(lists, self._rules, now)
        tried = self._store.follow_steps.tried_since(self._destination, reading.began_at)
        made = Plan(
            steps=tuple(step for step in made.steps if step.person.id not in tried), passed=made.passed
        )
        new = follows.newcomers(self._destination, reading.account) & {step.person.id for step in made.steps}
        sizes = Counts(followers=len(lists.followers), following=len(lists.following))
        refusal = judge_plan(made, sizes, len(new), self._rules)
        if newest.state == "refused":
            # The lists of before are no ground to act on while the newest ones look wrong.
            refusal = Refusal(why=newest.reason, yields=newest.yields)
        return Proposal(reading=reading, plan=made, refusal=refusal, fresh=reading.began_at > now - FRESH_FOR)
