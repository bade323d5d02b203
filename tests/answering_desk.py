"""A bot that hears and answers on the simulated X, with a clock that the test moves, for X and its people alike."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Self

from bot.answering import Answering, Judged
from bot.core.answers import AnswerRule
from bot.core.budget import Limits
from bot.core.hits import Stream
from bot.core.pacing import Pacing
from bot.core.prices import micros_of, price_list
from bot.core.timing import Moment
from bot.networks.conversations import XTalk
from bot.publishers.x import XPublisher
from bot.publishing import Publishing
from bot.simulated_x import SimulatedX
from bot.spending import Spending
from bot.store import Store
from bot.x_client import XClient

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
AT_ONCE = Pacing(min_gap=timedelta(0), per_hour=1000, per_day=1000)
WEATHER = AnswerRule(
    name="weather",
    query='weather OR "will it rain"',
    stream=Stream.MENTIONS,
    answers=("See the sky, it tells {author}", "The forecast is read out at noon"),
    exclude=("giveaway",),
)
SEARCHED = AnswerRule(
    name="found", query="#rain lang:en", stream=Stream.SEARCH, answers=("An umbrella helps",)
)


class AnsweringDesk:
    """See the module. The store may be a file, so that the bot can be started anew over it."""

    def __init__(
        self,
        people: Sequence[str] = ("ann", "bob", "cleo"),
        rules: Sequence[AnswerRule] = (WEATHER,),
        *,
        daily: str = "1.00",
        store: Store | None = None,
        stop_words: Sequence[str] = (),
    ) -> None:
        self.now = START
        self.x = SimulatedX(["newsbot", *people], clock=lambda: self.now)
        self.store = store or Store.in_memory()
        self.rules = tuple(rules)
        self.daily, self.stop_words = daily, stop_words
        self.judged: list[Judged] = []

    def __enter__(self) -> Self:
        self.x.__enter__()
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.x.__exit__(None, None, None)
        self.store.close()

    def start(self) -> None:
        """Begin as a process does: with nothing but the store."""
        limits = Limits(daily=micros_of(Decimal(self.daily)), monthly=None)
        spending = Spending(
            self.store, destination="x", prices=price_list(), limits=limits, clock=lambda: self.now
        )
        spending.recover()
        client = XClient(
            self.x.credentials("newsbot"),
            base_url=self.x.base_url,
            meter=spending,
            read_timeout=0.3,
            clock=lambda: self.now,
        )
        self.answering = Answering(
            XTalk(client, price_list()),
            store=self.store,
            destination="x",
            rules=self.rules,
            stop_words=self.stop_words,
            clock=lambda: self.now,
            report=self.judged.append,
        )
        self.publishing = Publishing(
            XPublisher(client, username="newsbot"),
            store=self.store,
            pacing=AT_ONCE,
            styles={},
            budget=spending,
            clock=lambda: self.now,
            steady=lambda: Moment(era="one", seconds=(self.now - START).total_seconds()),
            report=lambda _: None,
            stop=threading.Event(),
        )
        self.publishing.recover()

    def go(self, span: timedelta = timedelta(minutes=6), step: timedelta = timedelta(minutes=1)) -> None:
        """Let time pass, and do what is due in it."""
        until = self.now + span
        while self.now < until:
            self.now = min(self.now + step, until)
            for job in (self.answering, self.publishing):
                at = job.next_at(self.now)
                if at is not None and at <= self.now:
                    job.run(self.now)

    def answers(self) -> list[tuple[str, str]]:
        """Return what the bot has answered at X: the posts' ids and its words."""
        return [(post.reply_to, post.text) for post in self.x.posts("newsbot") if post.reply_to is not None]

    def outcomes(self) -> dict[str, str]:
        """Return what became of each hit, by its id."""
        return {hit.id: hit.outcome for hit in self.store.hits.newest(10_000)}


def file_store(folder: Path) -> Store:
    """Return a store in a file, to be opened anew."""
    from bot.store.state_dir import StateDir

    return Store.open(StateDir(folder), START)
