"""Reading both lists whole, a page at a time.

    profile -> pages of followers -> pages of followed -> profile again -> judged -> accepted, or refused and why

Each page is committed with the cursor of the next one, so whatever ends the reading costs one page. Lists that are not whole
never count; a shrunken list is kept for a person who may accept it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot import logs
from bot.core.budget import in_dollars
from bot.core.follow_guards import Counts, judge_lists
from bot.errors import NotSent
from bot.store.follows import Side

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.core.follows import PeoplePage, Rules
    from bot.ports import FollowGraph
    from bot.store import Store
    from bot.store.follows import Reading

log = logging.getLogger(__name__)

STALE_PAGES: Final = 3
"""Pages in a row without anybody new before a list is taken for one that goes round in circles. One may repeat."""

LONGEST: Final = timedelta(days=2)
"""A reading that was begun so long ago is begun anew: the lists have moved on. It leaves room for a day's limit of dollars."""

TOO_MANY: Final = 1.1
"""A list that shows so many times the people that the profile counts, and a page more, does not come to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a step of a reading has come to.

    Attributes:
        reading: as it is now.
        over: whether it has ended: accepted, refused or broken off, as its state says.
    """

    reading: Reading
    over: bool


class Observing:
    """The reading of one account's lists.

    Args:
        graph: is asked.
        store: keeps what it says.
        destination: whose lists they are.
        rules: how much lists may have shrunk by.
        clock: aware UTC now.
    """

    def __init__(
        self,
        graph: FollowGraph,
        *,
        store: Store,
        destination: str,
        rules: Rules,
        clock: Callable[[], datetime],
    ) -> None:
        self._graph = graph
        self._store = store
        self._destination = destination
        self._rules = rules
        self._clock = clock

    def expected(self) -> int | None:
        """Return how many people the lists had when they were last read or begun to be, None when that is not known."""
        known = self._store.follows.open(self._destination) or self._store.follows.newest(self._destination)
        return None if known is None else known.told.followers + known.told.following

    def begin(self) -> Reading:
        """Ask for the account's counts, and begin a reading. Raises a PublishError."""
        profile = self._graph.profile()
        with self._store.transaction():
            reading = self._store.follows.begin(self._destination, profile, self._clock())
        people = profile.followers + profile.following
        logs.event(
            log,
            logging.INFO,
            "reading who follows",
            destination=self._destination,
            people=people,
            price=in_dollars(self._graph.price(people)),
        )
        return reading

    def under_way(self) -> Reading | None:
        """Return the reading to go on with; one that was begun too long ago is broken off."""
        reading = self._store.follows.open(self._destination)
        now = self._clock()
        if reading is None or reading.began_at > now - LONGEST:
            return reading
        with self._store.transaction():
            self._store.follows.end(reading, "broken", "it took longer than two days", now)
        return None

    def step(self, reading: Reading) -> Outcome:
        """Read one more page, or judge the lists when both are read.

        Raises a PublishError when the network does not answer; the reading then goes on later from where it is.
        """
        if reading.side is Side.DONE:
            return self._judge(reading)
        ask = self._graph.followers if reading.side is Side.FOLLOWERS else self._graph.following
        page = ask(reading.cursor)
        if page.cursor is not None and page.cursor == reading.cursor:
            return self._broken(reading, "the network names the same page as the next one again and again")
        with self._store.transaction():
            after = self._store.follows.take_page(reading, page)
        return self._bounded(after, page)

    def read(self, stopping: Callable[[], bool] = lambda: False) -> Outcome | None:
        """Read to the end what is under way, or begin anew; None when told to stop. Raises a PublishError."""
        reading = self.under_way() or self.begin()
        while not stopping():
            outcome = self.step(reading)
            if outcome.over:
                return outcome
            reading = outcome.reading
        return None

    def accept(self, reading: Reading) -> Reading:
        """Let a reading count that was refused and yields to a person. Raises NotSent where it does not."""
        if reading.state != "refused" or not reading.yields:
            raise NotSent("there is no reading that a person may accept")
        with self._store.transaction():
            return self._store.follows.accept(self._destination, reading, self._clock())

    def _bounded(self, reading: Reading, page: PeoplePage) -> Outcome:
        told = reading.told.followers if reading.side is Side.FOLLOWERS else reading.told.following
        if reading.stale >= STALE_PAGES:
            return self._broken(reading, "the network shows the same pages again and again")
        if (
            page.cursor is not None
            and self._store.follows.seen_so_far(reading) > told * TOO_MANY + self._graph.page
        ):
            return self._broken(
                reading, "the network shows more people than it counts, and does not come to the end"
            )
        return Outcome(reading=reading, over=False)

    def _broken(self, reading: Reading, why: str) -> Outcome:
        with self._store.transaction():
            ended = self._store.follows.end(reading, "broken", why, self._clock())
        self._tell(ended)
        return Outcome(reading=ended, over=True)

    def _judge(self, reading: Reading) -> Outcome:
        profile = self._graph.profile()
        if profile.id != reading.account:
            return self._broken(reading, "the network says now that the account is another one")
        follows, now = self._store.follows, self._clock()
        counts = reading.counts
        if counts is None:
            return self._broken(reading, "its lists were not counted")
        before = follows.newest(self._destination, reading.account, state="accepted")
        told = (reading.told, Counts(followers=profile.followers, following=profile.following))
        refusal = judge_lists(counts, told, before.counts if before else None, self._rules)
        with self._store.transaction():
            if refusal is None:
                ended = follows.accept(self._destination, reading, now)
            else:
                ended = follows.end(reading, "refused", refusal.why, now, yields=refusal.yields)
        self._tell(ended)
        return Outcome(reading=ended, over=True)

    def _tell(self, reading: Reading) -> None:
        severity = logging.INFO if reading.state == "accepted" else logging.WARNING
        logs.event(
            log,
            severity,
            "who follows was read",
            destination=self._destination,
            state=reading.state,
            followers=reading.counts.followers if reading.counts else None,
            following=reading.counts.following if reading.counts else None,
            why=reading.reason or None,
        )
