"""Days with X and two Mastodon servers, of which one fails in turn: the other two are on time, and nothing is lost or there twice."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.model import Entry, Fresh
from bot.core.pacing import Pacing
from bot.core.timing import Moment
from bot.errors import NotSent, OutOfBudget, RateLimited, Unauthorized
from bot.publishers.x import XPublisher
from bot.publishing import Publishing, Style
from bot.simulated_x import Rules, SimulatedX
from bot.spending import Free
from bot.store import StateDir, Store
from bot.x_client import XClient
from tests.publishers.contract import at_mastodon
from tests.simulated_mastodon import SimulatedMastodon

START = datetime.now(UTC).replace(microsecond=0)
STORIES = 24
EVERY = timedelta(hours=1)
PACING = Pacing(min_gap=timedelta(minutes=2), per_hour=30, per_day=300)
NAMES = ("x", "one", "two")
ON_TIME = timedelta(minutes=3)
"""The gap of two minutes, and the minute at which the day is looked at."""


class Failing:
    """A publisher that fails while its destination does, and is the real one otherwise."""

    def __init__(self, real, name, day):
        self._real, self.name, self._day, self.ruler = real, name, day, real.ruler

    def __getattr__(self, name):
        return getattr(self._real, name)

    def publish(self, post):
        self._day.meet(self.name)
        return self._real.publish(post)


class NoRoom(Free):
    """A budget with no room while its destination is out of it."""

    def __init__(self, name, day):
        self._name, self._day = name, day

    def allowed_at(self, _post, now):
        return self._day.until if self._day.fails(self._name, "out of budget") else now


class Day:
    """Three lanes over one store in simulated time; each has a connection of its own, as in the running bot."""

    def __init__(self, store, publishers, failing, how):
        self.store, self.now, self.failing, self.how = store, START, failing, how
        self.until = START + timedelta(hours=14)
        self.met = Counter()
        self.stores = [store, store.another(), store.another()]
        self.lanes = {
            name: Publishing(
                Failing(real, name, self),
                store=self.stores[number],
                pacing=PACING,
                styles={"a": Style(template="{title} {link}")},
                budget=NoRoom(name, self),
                clock=lambda: self.now,
                steady=lambda: Moment(era="one", seconds=(self.now - START).total_seconds()),
                report=lambda _: None,
                stop=threading.Event(),
            )
            for number, (name, real) in enumerate(publishers.items())
        }

    def fails(self, name, how):
        return (
            name == self.failing and how == self.how and START + timedelta(hours=4) <= self.now < self.until
        )

    def meet(self, name):
        if name != self.failing or not START + timedelta(hours=4) <= self.now < self.until:
            return
        self.met[self.how] += 1
        match self.how:
            case "down":
                raise NotSent("the server could not be asked")
            case "suspended":
                raise Unauthorized("the account is suspended")
            case "slow":
                raise RateLimited("asked too often", retry_at=self.now + timedelta(minutes=20))
            case "limit":
                raise OutOfBudget("no room", retry_at=self.until)

    def run(self):
        for lane in self.lanes.values():
            lane.recover()
        for minute in range(30 * 60):
            self.now = START + timedelta(minutes=minute)
            if minute % 60 == 0 and minute < STORIES * 60:
                self.queue(minute // 60)
            for lane in self.lanes.values():
                lane.drain()
        for each in self.stores[1:]:
            each.close()

    def queue(self, number):
        with self.store.transaction():
            entry = Entry(feed="a", title=f"Story {number}", link=f"https://example.com/{number}")
            entry_id = self.store.entries.add(entry, Fresh(), variant=number, now=self.now)
            for name in self.lanes:
                self.store.outbox.queue(entry_id, name, now=self.now, expires_at=self.now + timedelta(days=3))

    def waits(self, name):
        rows = [row for row in self.store.outbox.rows(limit=1000) if row.destination == name]
        return sorted(row.settled_at - row.queued_at for row in rows if row.state == "sent")


@pytest.mark.parametrize("how", ["down", "suspended", "slow", "out of budget"])
@pytest.mark.parametrize("failing", NAMES)
def test_one_fails_and_the_other_two_are_on_time(tmp_path, failing, how, record_property):
    with (
        SimulatedX(["gazette"], rules=Rules(duplicate_filter=True)) as x,
        SimulatedMastodon(requests_allowed=10_000) as one,
        SimulatedMastodon(requests_allowed=10_000) as two,
        Store.open(StateDir(tmp_path), START) as store,
    ):
        day = None

        def clock():
            return day.now if day else START

        publishers = {
            "x": XPublisher(XClient(x.credentials(), base_url=x.base_url)),
            "one": at_mastodon(one.url, one.account(), clock),
            "two": at_mastodon(two.url, two.account(), clock),
        }
        day = Day(store, publishers, failing, how)
        day.run()
        made = {
            "x": [post.text for post in x.posts()],
            "one": one.posts(),
            "two": two.posts(),
        }
        for name in NAMES:
            waits = day.waits(name)
            record_property(f"longest wait at {name}", str(waits[-1]))
            assert Counter(made[name]) == {f"Story {n} https://example.com/{n}": 1 for n in range(STORIES)}
            assert len(waits) == STORIES
            if name == failing:
                assert timedelta(hours=9) < waits[-1] < timedelta(hours=12)
            else:
                assert waits[-1] <= ON_TIME
        assert how == "out of budget" or day.met[how] > 0
