"""Days of a bot's life in a second, by a clock that stands still in between: feeds, faults, kills, deletions and limits,
through the real client, before a simulated X that keeps an account of its own.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bot.composing import LinkUse
from bot.core.budget import DAY, Limits, day_of, month_of
from bot.core.model import Entry, Fresh
from bot.core.pacing import Pacing
from bot.core.prices import MICROS, price_list
from bot.core.timing import Moment
from bot.errors import PublishError
from bot.publishers.x import XPublisher
from bot.publishing import Publishing, Style
from bot.simulated_x import CREATE, DELETE, ME, TIMELINE
from bot.spending import Spending
from bot.store.outbox import State
from bot.undoing import newest, undo
from bot.x_client import XClient

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.preparing import Preparing
    from bot.simulated_x import SimulatedX
    from bot.store import Store

FEEDS = {
    "linked": Style(link=LinkUse.ALWAYS),
    "plain": Style(link=LinkUse.NEVER),
    "thrifty": Style(link=LinkUse.BUDGET),
}
SHARES = {
    CREATE: {
        "lost_request": 0.05,
        "lost_response": 0.05,
        "error_before": 0.04,
        "error_after": 0.04,
        "html_error_after": 0.02,
        "reset_before": 0.02,
        "reset_after": 0.02,
        "half": 0.02,
        "cut": 0.02,
        "429": 0.02,
        "429_bare": 0.02,
        "401": 0.01,
        "402": 0.01,
        "403_spend_cap": 0.01,
    },
    TIMELINE: {
        "lost_request": 0.06,
        "lost_response": 0.06,
        "error_before": 0.06,
        "error_after": 0.06,
        "reset_after": 0.04,
        "half": 0.04,
        "cut": 0.04,
        "429": 0.03,
        "402_payment": 0.01,
    },
    ME: {"lost_response": 0.2, "error_before": 0.2, "429": 0.1, "402": 0.05},
    DELETE: {
        "lost_request": 0.15,
        "lost_response": 0.15,
        "error_after": 0.1,
        "half": 0.1,
        "429": 0.1,
        "402": 0.05,
    },
}
"""Faults that end by themselves within minutes or an hour, so that there is a day to speak of."""

KILLS = (
    "in_claim",
    "after_claim",
    "before_record",
    "in_record",
    "after_record",
    "after_timeline",
    "in_reconcile",
)


class Killed(BaseException):
    """The process is gone: nothing that it would have done happens."""


@dataclass
class Life:
    """A bot, its store, and X.

    Attributes:
        now: the time of both.
        waited: rows that were put back because there was no money.
        begun: how often the bot was started.
    """

    x: SimulatedX
    store: Store
    now: datetime
    limits: Limits
    seed: int
    waited: int = 0
    begun: int = 0
    stories: int = 0
    _due: list[tuple[datetime, int, Callable[[], None]]] = field(default_factory=list)

    def plan(self, hours: float, stories: int) -> None:
        """Let so many stories come at odd times of the next hours, with a deletion, a question or a restart among them."""
        draw = self.draw = random.Random(self.seed)
        for endpoint, shares in SHARES.items():
            for name, share in shares.items():
                self.x.faults.chance(name, share, on=endpoint)
        things: list[Callable[[], None]] = [self._story] * stories
        things += [self._undo] * (stories // 10) + [self._who] * 6 + [self.start] * 4
        self._due = sorted(
            (self.now + timedelta(hours=draw.uniform(0, hours)), number, thing)
            for number, thing in enumerate(things)
        )

    def start(self) -> None:
        """Start the bot, as `app` does; one that runs is gone."""
        self.begun += 1
        self.spending = Spending(
            self.store, destination="x", prices=price_list(), limits=self.limits, clock=self.clock
        )
        self.spending.recover()
        self.client = XClient(
            self.x.credentials(),
            base_url=self.x.base_url,
            read_timeout=2,
            meter=self.spending,
            clock=self.clock,
        )
        self.publishing = Publishing(
            XPublisher(self.client),
            store=self.store,
            pacing=Pacing(min_gap=timedelta(minutes=1), per_hour=100, per_day=1000),
            styles=FEEDS,
            budget=self.spending,
            clock=self.clock,
            steady=lambda: Moment(era="one", seconds=self.now.timestamp()),
            report=self._heard,
            stop=threading.Event(),
            preparing=self.preparing(),
        )
        self.publishing.recover()

    def preparing(self) -> Preparing | None:
        """Return what gets posts ready at this start, None for nothing."""
        return None

    def clock(self) -> datetime:
        return self.now

    def live(self, until: datetime) -> None:
        """Let everything happen that is due until then."""
        while True:
            at = self.publishing.next_at(self.now)
            thing = self._due[0][0] if self._due else None
            nexts = [max(time, self.now) for time in (at, thing) if time is not None]
            if not nexts or min(nexts) > until:
                break
            self.now = min(nexts)
            try:
                if thing is not None and thing <= self.now:
                    self._due.pop(0)[2]()
                else:
                    self.publishing.run(self.now)
            except Killed:
                self.start()
            # A call takes a moment, and no two posts are made at once.
            self.now += timedelta(milliseconds=200)
        self.now = max(self.now, until)

    def settle(self) -> None:
        """Let everything go well from now on until all is known that can be."""
        self.x.faults.clear()
        for _ in range(100):
            if not self.store.outbox.counts().keys() & {State.UNKNOWN, State.SENDING}:
                break
            self.live(self.now + timedelta(minutes=10))

    def killed_at_times(self, chance: float) -> Callable[[str], None]:
        """Return a hook that kills the bot now and then."""
        draw = random.Random(self.seed + 1)

        def hook(point: str) -> None:
            if point in KILLS and draw.random() < chance:
                raise Killed(point)

        return hook

    def _heard(self, report: object) -> None:
        self.waited += "budget" in (report.row.reason or "")

    def _story(self) -> None:
        self.stories += 1
        number = self.stories
        title = f"Story {number}" + (" of README.md" if number % 7 == 0 else "")
        entry = Entry(
            feed=self.draw.choice(list(FEEDS)), title=title, link=f"https://gazette.example.com/{number}"
        )
        with self.store.transaction():
            entry_id = self.store.entries.add(entry, Fresh(), variant=number, now=self.now)
            self.store.outbox.queue(entry_id, "x", now=self.now, expires_at=self.now + 3 * DAY)

    def _undo(self) -> None:
        posts = newest(self.store, "x", 1)

        def take_back() -> None:
            list(undo(posts, store=self.store, delete=self.client.delete_post, clock=self.clock))

        self._insist(take_back)

    def _who(self) -> None:
        self._insist(lambda: self.client.me())  # noqa: PLW0108 - the client of then

    def _insist(self, command: Callable[[], object]) -> None:
        """Do what a person does who wants an answer: try again in a while."""
        try:
            command()
        except PublishError:
            again = self.now + timedelta(minutes=15)
            self._due = sorted([*self._due, (again, -len(self._due), lambda: self._insist(command))])


# --- two accounts, a day each line ----------------------------------------------------------------


def charged_by_x(x: SimulatedX) -> Counter[str]:
    """Return what X charged on each UTC day, in micro-dollars."""
    days: Counter[str] = Counter()
    for charge in x.account.charges:
        days[day_of(charge.time)] += int(charge.amount * MICROS)
    return days


def in_the_ledger(store: Store) -> tuple[Counter[str], Counter[str]]:
    """Return what the ledger says of each UTC day: all that counts, and of it what nobody knows."""
    days: Counter[str] = Counter()
    open_: Counter[str] = Counter()
    for day in {row["day"] for row in store._db.query("select distinct day from ledger")}:
        time = datetime.fromisoformat(f"{day}T00:00:00+00:00")
        for line in store.ledger.lines(time, time + DAY):
            days[day] += line.micros
            open_[day] += line.reserved + line.lost
    return +days, +open_


def calls_over(x: SimulatedX, limits: Limits) -> Counter[str]:
    """Return by how many of X's charges each day or month passed its limit; one call has one charge."""
    over: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    for charge in x.account.charges:
        for span, limit in ((day_of(charge.time), limits.daily), (month_of(charge.time), limits.monthly)):
            sums[span] += int(charge.amount * MICROS)
            if limit is not None and sums[span] > limit:
                over[span] += 1
    return over
