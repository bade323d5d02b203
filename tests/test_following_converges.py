"""Whatever befalls lists and steps: nobody is unfollowed whom the full truth does not give away, and the plan converges."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bot.core.follows import Rules
from bot.errors import PublishError
from bot.following import Applying, Observing, Planning
from bot.store import Store
from tests.follow_world import AsGraph, FollowWorld, Killed

PEOPLE = 70
RULES = Rules(
    protected=frozenset({"p3", "p4"}),
    min_age=timedelta(days=2),
    gone_for=timedelta(days=1),
    per_day=400,
    spacing=timedelta(seconds=30),
    max_change=50,
)
FAULTS = ("fails", "repeats", "circles", "ends", "empty", "half", "killed")
PERSON = st.integers(0, PEOPLE - 1).map(str)


class Bot:
    """The rooms over one store, made anew at each start."""

    def __init__(self, world: FollowWorld, store: Store, clock) -> None:
        graph = AsGraph(world)
        self.store = store
        self.observing = Observing(graph, store=store, destination="x", rules=RULES, clock=clock)
        self.planning = Planning(store, destination="x", rules=RULES, clock=clock)
        self.applying = Applying(
            graph, store=store, destination="x", rules=RULES, clock=clock, draw=lambda: 0.5
        )

    def read(self):
        try:
            return self.observing.read()
        except (PublishError, Killed):
            return None

    def step(self) -> bool:
        """Make one step, if there is one; return whether there may be more."""
        try:
            if self.applying.settle("own") is not None:
                return False
            proposal = self.planning.propose()
            if proposal is None or proposal.refusal or not proposal.fresh or not proposal.plan.steps:
                return False
            return not self.applying.apply("own", proposal.plan.steps[0]).ends
        except (PublishError, Killed):
            return False


class Following(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 12, 3, 12, tzinfo=UTC)
        self.store = Store.in_memory()
        self.world = FollowWorld(page=9)
        self.world.protected = set(RULES.protected)
        self.by_hand: set[str] = set()

    def bot(self) -> Bot:
        return Bot(self.world, self.store, lambda: self.now)

    @initialize(follow=st.lists(PERSON, max_size=30, unique=True))
    def begin(self, follow):
        for number in range(40):
            self.world.join(str(number))
        self.world.following = list(follow)

    @rule(person=PERSON)
    def join(self, person):
        self.world.join(person)

    @rule(people=st.lists(PERSON, min_size=1, max_size=8))
    def leave(self, people):
        for person in people:
            self.world.leave(person)

    @rule(person=PERSON)
    def by_hand_follow(self, person):
        if person not in self.world.following:
            self.world.following.insert(0, person)
            self.by_hand.add(person)

    @rule(person=PERSON)
    def by_hand_unfollow(self, person):
        if person in self.world.following:
            self.world.following.remove(person)

    @rule(person=PERSON)
    def suspend(self, person):
        self.world.gone ^= {person}

    @rule(hours=st.integers(1, 100))
    def wait(self, hours):
        self.now += timedelta(hours=hours)

    @rule(
        faults=st.dictionaries(st.integers(1, 14), st.sampled_from(FAULTS), max_size=3),
        shifts=st.lists(PERSON, max_size=4),
    )
    def read(self, faults, shifts):
        world = self.world
        world.faults = {world.pages + number: fault for number, fault in faults.items()}
        world.while_reading = [lambda person=person: world.leave(person) for person in shifts]
        self.bot().read()
        world.faults, world.while_reading = {}, []

    @rule()
    def read_well(self):
        self.bot().read()

    @rule(fate=st.sampled_from(["", "", "lost", "lost_after", "killed", "killed_after"]))
    def step(self, fate):
        self.world.next_step = fate
        self.bot().step()
        self.world.next_step = ""
        self.now += timedelta(minutes=3)

    @rule()
    def steps(self):
        bot = self.bot()
        while bot.step():
            self.now += timedelta(minutes=3)

    @invariant()
    def nothing_the_truth_does_not_justify(self):
        assert self.world.wrong == []

    @invariant()
    def nobody_is_followed_twice(self):
        assert all(times <= 1 for (kind, _), times in self.world.made.items() if kind == "follow"), (
            self.world.made
        )

    def teardown(self):
        """All goes well from here: the plan converges, and twice is a no-op."""
        world, bot = self.world, self.bot()
        world.gone = set()
        for _ in range(6):
            self.now += timedelta(days=3)
            bot.read()
            while bot.step():
                self.now += timedelta(minutes=3)
        newest = self.store.follows.newest("x")
        assert newest is not None
        if newest.state == "accepted":
            proposal = bot.planning.propose()
            assert proposal.refusal is None
            assert proposal.plan.steps == ()
            for person in world.followers:
                known = self.store.follows.lists("x", proposal.reading).known[person]
                assert person in world.following or known.followed_since is not None
            left = {p for p in world.following if p in world.ever and p not in world.followers}
            known = self.store.follows.lists("x", proposal.reading).known
            assert {p for p in left if known[p].follower_since is not None} <= {"3", "4"}
            before = world.writes
            bot.read()
            assert not bot.step()
            assert world.writes == before
        assert world.wrong == []
        self.store.close()


Following.TestCase.settings = settings(max_examples=20, stateful_step_count=25, deadline=None)
TestFollowing = Following.TestCase
