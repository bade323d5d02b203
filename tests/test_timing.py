"""What waits for its turn: quiet hours, spreading and better copies, as posted and as foreseen."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.composing import Composer
from bot.config.pacing_settings import parse_quiet
from bot.core.budget import Limits
from bot.core.pacing import Order, Pacing
from bot.core.prices import price_list
from bot.core.quiet import QuietHours
from bot.foreseeing import Foreseeing, Wait
from bot.preparing import Preparing
from bot.simulated_x import Rules, SimulatedX
from bot.spending import Spending
from bot.store import Store
from tests.publishing_desk import START, STYLE, Desk

MINUTE = timedelta(minutes=1)
NOON = START.replace(hour=12, minute=0, second=0, microsecond=0)


@pytest.fixture
def x():
    with SimulatedX(rules=Rules(duplicate_filter=False)) as made:
        yield made


@pytest.fixture
def store():
    with Store.in_memory() as made:
        yield made


def quiet(*spans: str) -> Pacing:
    hours = QuietHours(spans=tuple(map(parse_quiet, spans)))
    return Pacing(min_gap=5 * MINUTE, per_hour=100, per_day=100, quiet=hours)


def foreseen(desk: Desk, pacing: Pacing):
    spending = Spending(
        desk.store,
        destination="x",
        prices=price_list(),
        limits=Limits(daily=None, monthly=None),
        clock=lambda: desk.now,
    )
    return Foreseeing(
        "x",
        store=desk.store,
        publishing=desk.publishing,
        composer=Composer({"a": STYLE}),
        pacing=pacing,
        budget=spending,
        prices=price_list(),
        tell=lambda _: None,
    ).waiting(desk.now)


def test_what_comes_in_quiet_hours_waits_for_their_end_and_is_no_burst_then(x, store):
    pacing = quiet("11:30-14:00")
    desk = Desk(x, store, pacing)
    desk.now = NOON
    desk.queue("One", "Two", "Three")
    told = [(waiting.wait, waiting.until) for waiting in foreseen(desk, pacing)]
    two = NOON + 120 * MINUTE
    assert told == [(Wait.QUIET, two), (Wait.PACING, two + 5 * MINUTE), (Wait.PACING, two + 10 * MINUTE)]
    assert desk.publishing.drain() == 0
    assert desk.publishing.next_at(desk.now) == two
    desk.go_on(3)
    claimed = [row.claimed_at for row in reversed(store.outbox.rows())]
    assert claimed == [until for _, until in told]


def test_a_post_that_was_not_ready_before_they_began_waits_unclaimed(x, store):
    desk = Desk(x, store, quiet("12:00-13:00"))
    desk.now = NOON - MINUTE

    class Slow(Preparing):
        def prepare(self, row, entry):
            desk.now = NOON + MINUTE
            return super().prepare(row, entry)

    desk.publishing._preparing = Slow()
    desk.queue("One")
    desk.publishing.run(desk.now)
    assert desk.states() == ["queued"]
    assert store.outbox.rows()[0].attempt == 0
    assert desk.publishing.next_at(desk.now) == NOON + 60 * MINUTE


def test_what_expires_in_quiet_hours_expires_with_its_reason(x, store):
    desk = Desk(x, store, quiet("11:00-20:00"))
    desk.now = NOON
    desk.queue("Stale", max_age=timedelta(hours=2))
    desk.now += timedelta(hours=9)
    desk.publishing.drain()
    assert desk.states() == ["expired"]
    assert desk.texts() == []


def test_a_burst_goes_out_as_it_is_foreseen(x, store):
    pacing = Pacing(min_gap=MINUTE, per_hour=100, per_day=100, spread=timedelta(hours=1))
    desk = Desk(x, store, pacing)
    desk.queue(*(f"Story {number}" for number in range(6)))
    told = [waiting.until for waiting in foreseen(desk, pacing)]
    assert [b - told[0] for b in told] == [timedelta(minutes=10 * n) for n in range(6)]
    desk.go_on(6)
    assert [row.claimed_at for row in reversed(store.outbox.rows())] == told


def test_a_wait_for_a_better_copy_is_foreseen_and_holds_nobody_else_up(x, store):
    pacing = Pacing(min_gap=5 * MINUTE, per_hour=100, per_day=100)
    desk = Desk(x, store, pacing)
    desk.queue("First")
    desk.queue("Second")
    until = desk.now + 10 * MINUTE
    with store.transaction():
        store._db.execute(
            "update outbox set not_before = ?, copy_until = ?, reason = 'waits for a copy of wire' where id = 1",
            [until.timestamp(), until.timestamp()],
        )
    second, first = foreseen(desk, pacing)
    assert (second.entry.title, second.until) == ("Second", desk.now)
    assert (first.wait, first.until) == (Wait.COPY, until)
    assert first.reason.startswith("waits for a copy of wire, until about")
    desk.publishing.drain()
    assert desk.states() == ["queued", "sent"]
    desk.go_on()
    assert desk.states() == ["sent", "sent"]
    assert desk.now == until


def test_a_clock_that_was_set_back_ends_a_wait(x, store):
    desk = Desk(x, store)
    desk.queue("First")
    until = desk.now + 10 * MINUTE
    with store.transaction():
        store._db.execute(
            "update outbox set not_before = ?, copy_until = ?", [until.timestamp(), until.timestamp()]
        )
    desk.now -= timedelta(days=2)
    desk.publishing.drain()
    assert desk.states() == ["sent"]


def test_the_newest_first_where_the_owner_wants_it(x, store):
    desk = Desk(x, store, replace(quiet(), order=Order.NEWEST))
    for title in ("Old", "Middle", "New"):
        desk.queue(title)
        desk.now += MINUTE
    desk.go_on(3)
    assert [text.split()[0] for text in desk.texts()] == ["New", "Middle", "Old"]
