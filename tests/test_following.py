"""Followers kept in step before the simulated X: 20,000 of them, the money, a plan without follows, and a token that is taken away."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from bot.core.budget import Limits
from bot.core.follows import Kind, Rules
from bot.core.prices import Item, price_list
from bot.errors import NotOnThisPlan, OutcomeUnknown, OutOfBudget, PublishError, Unauthorized
from bot.following import Applying, FollowMode, FollowsJob, Observing, Planning, Terms
from bot.networks.follow_graphs import XFollows
from bot.simulated_x import FOLLOW, FOLLOWERS, FOLLOWING, ME, UNFOLLOW, USER, SimulatedX, answering
from bot.spending import Spending
from bot.store.follow_steps import StepState, StopKind
from bot.x_client import XClient

if TYPE_CHECKING:
    from bot.store import Store

BEGIN = datetime(2026, 12, 3, 12, tzinfo=UTC)
DAY = timedelta(days=1)
RULES = Rules(min_age=2 * DAY, gone_for=2 * DAY, per_day=400, spacing=timedelta(seconds=30))


@dataclass
class Desk:
    """A bot's follows before a simulated X, with a clock that is moved by hand."""

    x: SimulatedX
    store: Store
    rules: Rules = RULES
    daily: int | None = None
    now: datetime = BEGIN

    def __post_init__(self):
        self.start()

    @property
    def me(self):
        return self.x.user().id

    def start(self):
        """Make the rooms, as a start of the process does."""
        spending = Spending(
            self.store,
            destination="x",
            prices=price_list(),
            limits=Limits(daily=self.daily, monthly=None),
            clock=lambda: self.now,
        )
        client = XClient(
            self.x.credentials(), base_url=self.x.base_url, meter=spending, clock=lambda: self.now
        )
        self.graph = XFollows(client, price_list())
        names = {"store": self.store, "destination": "x", "rules": self.rules, "clock": lambda: self.now}
        self.observing = Observing(self.graph, **names)
        self.planning = Planning(**names)
        self.applying = Applying(self.graph, **names, draw=lambda: 0.0)

    def job(self, mode=FollowMode.APPLY, max_price=None):
        return FollowsJob(
            observing=self.observing,
            planning=self.planning,
            applying=self.applying,
            store=self.store,
            destination="x",
            terms=Terms(mode=mode, every=DAY, max_price=max_price, per_run=self.rules.per_run),
            price=self.graph.price,
        )

    def run(self, job, until):
        """Run a job as the loop does, with waits that take no time."""
        while (at := job.next_at(self.now)) is not None and max(at, self.now) <= until:
            self.now = max(at, self.now)
            job.run(self.now)
        self.now = until

    def reading(self):
        return self.observing.read().reading

    def read(self, *, every=DAY):
        """Read, and let the time go on to the next reading."""
        reading = self.reading()
        self.now += every
        return reading

    def made(self, kind):
        return {person for (_, what, person), times in self.x.follows.made.items() if what == kind and times}


@pytest.fixture
def desk(store):
    with SimulatedX(clock=lambda: made.now) as x:
        x.follows.open = True
        made = Desk.__new__(Desk)
        made.now = BEGIN
        made.__init__(x, store)
        yield made


def test_twenty_thousand_followers_are_read_whole_and_only_who_left_is_unfollowed(desk):
    follows = desk.x.follows
    people = follows.add(20_000)
    follows.come(desk.me, people)
    follows.follow(desk.me, people[:500])
    assert desk.read().counts.followers == 20_000
    left = people[100:110]
    for person in left:
        follows.leave(desk.me, person)
    # Somebody leaves while each page is read, and whoever is next moves up unseen.
    desk.x.faults.clear()
    shifting = iter(people[-1:-400:-20])
    reading = desk.observing.begin()
    outcome = None
    while outcome is None or not outcome.over:
        outcome = desk.observing.step(outcome.reading if outcome else reading)
        if outcome.reading.side == "followers":
            follows.leave(desk.me, next(shifting))
    assert outcome.reading.state == "accepted"
    moved_up = 20_000 - 10 - outcome.reading.counts.followers
    assert moved_up > 10, "the list did not lack anybody who follows"
    desk.now += 2 * DAY
    desk.reading()
    proposal = desk.planning.propose()
    assert proposal.refusal is None
    assert {step.person.id for step in proposal.plan.of(Kind.UNFOLLOW)} == set(left)
    desk.run(desk.job(), desk.now + timedelta(hours=3))
    assert desk.made("unfollow") == set(left)


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("ends", "the list of followers is not whole: it has 1,000, and the profile says 3,000"),
        ("repeats", "the list of followers is not whole: it has 2,000, and the profile says 3,000"),
        ("empty", "the list of followers is not whole: it has 0, and the profile says 3,000"),
        ("circles", "the network names the same page as the next one again and again"),
    ],
)
def test_a_list_that_is_not_whole_never_counts_and_says_why(desk, what, why):
    follows = desk.x.follows
    people = follows.add(3_000)
    follows.come(desk.me, people)
    follows.follow(desk.me, people[:50])
    desk.read()
    first = [{"id": p, "name": "n", "username": "u"} for p in list(reversed(people))[:1000]]
    pages = {
        "ends": {"data": first, "meta": {"result_count": 1000}},
        "repeats": {"data": first, "meta": {"result_count": 1000, "next_token": "page2000"}},
        "empty": {"meta": {"result_count": 0}},
        "circles": {"data": first, "meta": {"result_count": 1000, "next_token": "page1000"}},
    }
    number = {"ends": 0, "empty": 0}.get(what, 1)
    asked = sum(1 for r in desk.x.log if "/followers" in r.path)
    desk.x.faults.at(asked + 1 + number, answering(200, pages[what]), on=FOLLOWERS)
    reading = desk.reading()
    assert reading.state in {"refused", "broken"}
    assert reading.reason == why
    assert not reading.yields
    proposal = desk.planning.propose()
    if reading.state == "refused":
        assert proposal.refusal.why == why
    assert all(known.misses == 0 for known in desk.store.follows.lists("x", proposal.reading).known.values())


@pytest.mark.parametrize(
    "fault", ["error_before", "lost_request", "half", "cut", "reset_after", "429", "402", "lost_response"]
)
def test_a_page_that_fails_is_asked_for_again_from_the_same_place(desk, fault):
    follows = desk.x.follows
    follows.come(desk.me, follows.add(3_500))
    desk.x.faults.at(3, fault, on=FOLLOWERS)
    with pytest.raises(PublishError):
        desk.reading()
    pages = sum(1 for request in desk.x.log if "/followers" in request.path)
    assert pages == 3
    desk.now += timedelta(hours=2)
    desk.start()
    reading = desk.reading()
    assert (reading.state, reading.counts.followers) == ("accepted", 3_500)
    assert sum(1 for request in desk.x.log if "/followers" in request.path) == pages + 2


def test_a_page_with_errors_beside_the_people_is_no_page(desk):
    desk.x.follows.come(desk.me, desk.x.follows.add(10))
    person = {"id": "2000000001", "username": "u", "name": "n"}
    page = {"data": [person], "meta": {"result_count": 1}, "errors": [{"title": "Over capacity"}]}
    desk.x.faults.next(answering(200, page), on=FOLLOWERS)
    with pytest.raises(PublishError, match="errors beside the people"):
        desk.reading()
    assert desk.reading().counts.followers == 10


def test_a_shrunken_list_waits_for_a_person_who_may_accept_it(desk):
    follows = desk.x.follows
    people = follows.add(100)
    follows.come(desk.me, people)
    follows.follow(desk.me, people)
    desk.read()
    for person in people[:10]:
        follows.leave(desk.me, person)
    reading = desk.read()
    assert (reading.state, reading.yields) == ("refused", True)
    assert reading.reason == "the list of followers has shrunk from 100 to 90, by more than 5 %"
    assert desk.planning.propose().refusal.why == reading.reason
    assert desk.observing.accept(reading).state == "accepted"
    assert desk.planning.propose().refusal is None
    with pytest.raises(PublishError):
        desk.observing.accept(desk.store.follows.newest("x"))


def test_a_plan_that_would_unfollow_much_is_refused(desk):
    follows = desk.x.follows
    people = follows.add(40)
    follows.come(desk.me, people)
    follows.follow(desk.me, people)
    desk.read()
    for group in (people[:4], people[4:8]):
        for person in group:
            follows.leave(desk.me, person)
        desk.read()
    for _ in range(3):
        desk.read()
    refusal = desk.planning.propose().refusal
    assert (refusal.why, refusal.yields) == ("the plan would unfollow 8 of 40, more than 5 %", True)
    desk.run(desk.job(), desk.now + 2 * DAY)
    assert desk.made("unfollow") == set()


def test_many_new_followers_at_once_wait_for_a_person_until_one_has_looked(desk):
    follows = desk.x.follows
    follows.come(desk.me, follows.add(100))
    desk.rules = Rules(per_run=100, per_day=400, spacing=timedelta(seconds=30))
    desk.start()
    desk.run(desk.job(), desk.now + timedelta(hours=20))
    assert len(desk.made("follow")) == 100, "those of the first list are no newcomers"
    follows.come(desk.me, follows.add(30))
    desk.run(desk.job(), desk.now + 4 * DAY)
    assert len(desk.made("follow")) == 100
    assert desk.planning.propose().refusal.why.startswith("the plan would follow 30 new followers of 130")


def test_caps_of_a_run_and_of_a_day_and_the_spacing_hold(desk):
    follows = desk.x.follows
    follows.come(desk.me, follows.add(60))
    desk.rules = Rules(per_run=7, per_day=10, spacing=timedelta(minutes=10))
    desk.start()
    job = desk.job()
    desk.run(job, BEGIN + DAY - timedelta(minutes=1))
    assert len(desk.made("follow")) == 7
    desk.run(job, BEGIN + 4 * DAY)
    times = [r.time for r in desk.x.log if r.method == "POST" and r.path.endswith("/following")]
    assert len(times) > 20
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert min(gaps) >= timedelta(minutes=10)
    for at in times:
        assert sum(at - DAY < other <= at for other in times) <= 10


def test_what_the_plan_does_not_hold_turns_to_reports_is_told_once_and_asked_once_a_day(desk, caplog):
    follows = desk.x.follows
    follows.open = False
    follows.come(desk.me, follows.add(30))
    desk.run(desk.job(), BEGIN + 5 * DAY)
    asked = [r.time for r in desk.x.log if r.method == "POST"]
    assert 4 <= len(asked) <= 6
    assert all(later - earlier >= DAY for earlier, later in itertools.pairwise(asked))
    assert sum(record.message == "follows are stopped" for record in caplog.records) == 1
    assert desk.applying.stop.kind is StopKind.NOT_ON_PLAN
    assert "not permitted to access this feature" in desk.applying.stop.reason
    readings = sum(1 for r in desk.x.log if "/followers" in r.path)
    assert readings >= 5, "reports go on"
    follows.open = True
    desk.run(desk.job(), desk.now + 4 * DAY)
    assert desk.applying.stop is None
    assert len(desk.made("follow")) == 30


def test_a_token_that_is_revoked_in_the_middle_stops_all_at_once(desk, caplog):
    follows = desk.x.follows
    follows.come(desk.me, follows.add(30))
    desk.x.faults.at(4, "401", on=FOLLOW)
    job = desk.job()
    desk.run(job, BEGIN + timedelta(hours=3))
    assert len(desk.made("follow")) == 3
    assert desk.applying.stop.kind is StopKind.UNAUTHORIZED
    requests = len(desk.x.log)
    desk.start()
    desk.run(desk.job(), BEGIN + timedelta(hours=20))
    assert len(desk.x.log) == requests, "it was asked before the day was over"
    assert sum(record.message == "follows are stopped" for record in caplog.records) == 1
    desk.run(desk.job(), BEGIN + 3 * DAY)
    assert len(desk.made("follow")) == 30
    assert desk.applying.stop is None


def test_a_token_that_is_revoked_while_pages_are_read_stops_the_reading(desk):
    follows = desk.x.follows
    follows.come(desk.me, follows.add(3_000))
    desk.x.faults.at(2, "401", on=FOLLOWERS)
    job = desk.job()
    desk.run(job, BEGIN + timedelta(hours=5))
    assert sum(1 for r in desk.x.log if "/followers" in r.path) == 2
    assert desk.applying.stop.kind is StopKind.UNAUTHORIZED
    desk.run(job, BEGIN + 2 * DAY)
    assert desk.store.follows.newest("x").state == "accepted"


@pytest.mark.parametrize("kind", [Kind.FOLLOW, Kind.UNFOLLOW])
@pytest.mark.parametrize("fault", ["lost_response", "lost_request", "error_after", "reset_after", "half"])
def test_a_step_whose_answer_is_lost_is_settled_by_the_truth_and_made_once(desk, kind, fault):
    follows = desk.x.follows
    people = follows.add(3)
    follows.come(desk.me, people)
    if kind is Kind.UNFOLLOW:
        follows.follow(desk.me, people)
        desk.read()
        follows.leave(desk.me, people[0])
        desk.read()
        desk.read()
    desk.x.faults.next(fault, on=FOLLOW if kind is Kind.FOLLOW else UNFOLLOW)
    desk.run(desk.job(), desk.now + 5 * DAY)
    expected = set(people) if kind is Kind.FOLLOW else {people[0]}
    assert desk.made(kind) == expected
    assert all(times == 1 for times in follows.made.values())
    assert all(times == 1 for times in follows.arrived.values())
    assert not desk.store.follow_steps.begun("x", desk.me)


def test_nobody_else_is_touched_while_a_step_is_in_doubt(desk):
    follows = desk.x.follows
    follows.come(desk.me, follows.add(3))
    desk.x.faults.next("lost_response", on=FOLLOW)
    desk.read(every=timedelta(0))
    steps = desk.planning.propose().plan.steps
    applied = desk.applying.apply(desk.me, steps[0])
    assert isinstance(applied.error, OutcomeUnknown)
    assert desk.applying.settle(desk.me) == desk.now + timedelta(minutes=2)
    desk.now += timedelta(minutes=2)
    assert desk.applying.settle(desk.me) is None
    assert desk.store.follow_steps.newest("x", 1)[0].state is StepState.DONE


def test_private_suspended_and_blocking_people(desk):
    follows = desk.x.follows
    usual, private, blocks, suspended = follows.add(4)
    follows.change(private, protected=True)
    follows.change(blocks, blocks=True)
    follows.come(desk.me, [usual, private, blocks, suspended])
    desk.read(every=timedelta(0))
    follows.change(suspended, suspended=True)
    desk.run(desk.job(), desk.now + 3 * DAY)
    assert desk.made("follow") == {usual}
    states = {step.person: (step.state, step.said) for step in desk.store.follow_steps.newest("x", 10)}
    assert states[blocks][0] is StepState.REFUSED
    assert states[suspended] == (StepState.SKIPPED, "suspended or closed: nobody knows what they want")
    assert private not in states
    assert sum(step.person == blocks for step in desk.store.follow_steps.newest("x", 50)) == 1
    desk.rules = Rules(private=True, spacing=timedelta(seconds=30))
    desk.start()
    desk.run(desk.job(), desk.now + 3 * DAY)
    assert follows.requested[desk.me] == [private]
    assert follows.made[desk.me, "follow", private] == 1, "a request is made once"


def test_a_suspended_follower_is_not_taken_to_have_left(desk):
    follows = desk.x.follows
    people = follows.add(20)
    follows.come(desk.me, people)
    follows.follow(desk.me, people)
    desk.read()
    follows.change(people[0], suspended=True)
    for _ in range(5):
        desk.read()
    desk.run(desk.job(), desk.now + DAY)
    follows.change(people[0], suspended=False)
    desk.run(desk.job(), desk.now + DAY)
    assert desk.made("unfollow") == set()
    assert desk.made("follow") == set()


def test_reading_is_paid_by_the_day_and_goes_on_when_there_is_money_again(desk):
    follows = desk.x.follows
    follows.come(desk.me, follows.add(2_500))
    desk.daily = 2_000_000
    desk.start()
    with pytest.raises(OutOfBudget) as error:
        desk.reading()
    assert error.value.retry_at == datetime(2026, 12, 4, tzinfo=UTC)
    desk.now = error.value.retry_at
    assert desk.reading().counts.followers == 2_500
    spent = sum(
        (charge.amount for charge in desk.x.account.charges if charge.item is Item.READ_OWN_FOLLOW),
        Decimal(0),
    )
    assert spent == Decimal("2.500")


def test_a_reading_that_would_cost_too_much_is_not_begun(desk, caplog):
    follows = desk.x.follows
    follows.come(desk.me, follows.add(1_200))
    desk.run(desk.job(max_price=500_000), BEGIN + 3 * DAY)
    assert not [r for r in desk.x.log if "/followers" in r.path]
    assert desk.x.account.spent <= Decimal("0.04")
    assert any("would cost too much" in record.message for record in caplog.records)


def test_a_reading_that_took_too_long_is_begun_anew(desk):
    follows = desk.x.follows
    follows.come(desk.me, follows.add(3_000))
    desk.x.faults.at(2, "error_before", on=FOLLOWERS)
    with pytest.raises(PublishError):
        desk.reading()
    desk.now += 3 * DAY
    assert desk.reading().counts.followers == 3_000
    assert sum(1 for r in desk.x.log if "/followers" in r.path) == 2 + 3


def test_another_account_is_another_history(desk, store):
    follows = desk.x.follows
    people = follows.add(5)
    follows.come(desk.me, people)
    follows.follow(desk.me, people)
    desk.read()
    other = {"id": "77", "username": "other", "name": "o"}
    metrics = {"public_metrics": {"followers_count": 5, "following_count": 5}}
    desk.x.faults.at(4, answering(200, {"data": other | metrics}), on=ME)
    desk.observing.begin()
    reading = desk.reading()
    assert (reading.state, reading.reason) == (
        "broken",
        "the network says now that the account is another one",
    )


def test_errors_of_follows_are_told_apart(desk):
    person = desk.x.follows.add()[0]
    graph = desk.graph
    for fault, kind in [
        ("403_feature", NotOnThisPlan),
        ("403_plan", NotOnThisPlan),
        ("401", Unauthorized),
        ("403_suspended", Unauthorized),
    ]:
        desk.x.faults.next(fault, on=FOLLOW)
        with pytest.raises(kind):
            graph.follow(person, None)


def test_days_with_every_fault_at_once_end_as_the_truth_wants_it(desk):
    follows, draw = desk.x.follows, random.Random(3)
    people = follows.add(200)
    follows.come(desk.me, people)
    follows.follow(desk.me, people[:120])
    desk.rules = Rules(
        min_age=2 * DAY, gone_for=2 * DAY, per_run=30, per_day=400, spacing=timedelta(seconds=30)
    )
    desk.start()
    desk.read()
    for on in (FOLLOWERS, FOLLOWING, FOLLOW, UNFOLLOW, USER, ME):
        for fault in ("error_before", "lost_response", "reset_before", "half"):
            desk.x.faults.chance(fault, 0.03, on=on)
    left = set(draw.sample(people[:120], 5))
    for day in range(8):
        for person in list(left)[day : day + 1]:
            follows.leave(desk.me, person)
        desk.start()
        desk.run(desk.job(), desk.now + DAY)
    assert desk.made("unfollow") <= left
    desk.x.faults.clear()
    desk.run(desk.job(), desk.now + 8 * DAY)
    assert desk.made("unfollow") == left
    assert desk.made("follow") == set(people[120:])
    assert all(times == 1 for times in follows.made.values())
    assert all(times == 1 for times in follows.arrived.values())
    requests = sum(r.method != "GET" for r in desk.x.log)
    desk.run(desk.job(), desk.now + 3 * DAY)
    assert sum(r.method != "GET" for r in desk.x.log) == requests, "twice is not a no-op"
