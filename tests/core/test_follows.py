"""The plan of two whole lists, and what stands against lists and plans: pure, by examples and by properties."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.follow_guards import Counts, judge_lists, judge_plan
from bot.core.follows import (
    Kind,
    Known,
    Lists,
    Person,
    Plan,
    Planned,
    Relation,
    Rules,
    Why,
    is_done,
    next_step_at,
    plan,
    still_due,
)

NOW = datetime(2026, 12, 3, 12, tzinfo=UTC)
DAY = timedelta(days=1)
LEFT = Known(
    follower_since=NOW - 90 * DAY, missing_since=NOW - 4 * DAY, misses=4, followed_since=NOW - 60 * DAY
)
ANN = Person(id="7", name="Ann")


def one(person=ANN, known=None, rules=Rules(), *, follows=False, followed=False):  # noqa: B008 - it is frozen
    lists = Lists(
        followers={person.id: person} if follows else {},
        following={person.id: person} if followed else {},
        known={person.id: known} if known else {},
        own_id="1",
    )
    made = plan(lists, rules, NOW)
    assert len(made.steps) + len(made.passed) <= 1
    return next(((each.kind, each.why) for each in (*made.steps, *made.passed)), None)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, Why.LEFT),
        ({"misses": 1}, Why.LEFT_LATELY),
        ({"missing_since": NOW - 2 * DAY}, Why.LEFT_LATELY),
        ({"followed_since": NOW - 29 * DAY}, Why.FOLLOWED_LATELY),
        ({"followed_since": None}, Why.FOLLOWED_LATELY),
        ({"refused": "no"}, Why.REFUSED),
    ],
)
def test_who_left_is_unfollowed_when_all_is_certain(change, why):
    known = Known(**{name: getattr(LEFT, name) for name in Known.__slots__} | change)
    assert one(known=known, followed=True) == (Kind.UNFOLLOW, why)


def test_nobody_who_never_followed_is_unfollowed():
    assert one(known=Known(followed_since=NOW - 900 * DAY), followed=True) is None
    assert one(followed=True) is None


@pytest.mark.parametrize("name", ["ann", "7"])
def test_the_protected_are_not_unfollowed(name):
    rules = Rules(protected=frozenset({name}))
    assert one(known=LEFT, rules=rules, followed=True) == (Kind.UNFOLLOW, Why.PROTECTED)


@pytest.mark.parametrize(
    ("person", "known", "rules", "why"),
    [
        (ANN, Known(), Rules(), Why.FOLLOWS_US),
        (ANN, Known(let_go_at=NOW - 300 * DAY), Rules(), Why.FOLLOWED_BEFORE),
        (ANN, Known(followed_since=NOW - 300 * DAY), Rules(), Why.FOLLOWED_BEFORE),
        (ANN, Known(refused="blocked"), Rules(), Why.REFUSED),
        (ANN, Known(), Rules(follow_back=False), Why.SWITCHED_OFF),
        (Person(id="7", is_private=True), Known(), Rules(), Why.PRIVATE),
        (Person(id="7", is_private=True), Known(), Rules(private=True), Why.FOLLOWS_US),
        (Person(id="7", is_suspended=True), Known(), Rules(), Why.SUSPENDED),
    ],
)
def test_who_is_followed_back(person, known, rules, why):
    assert one(person, known, rules, follows=True) == (Kind.FOLLOW, why)


def test_the_account_itself_and_mutual_follows_are_nothing_to_do():
    assert one(Person(id="1"), follows=True) is None
    assert one(Person(id="1"), LEFT, followed=True) is None
    assert one(follows=True, followed=True) is None


IDS = st.sets(st.integers(2, 40).map(str), max_size=25)


@given(IDS, IDS, IDS, IDS)
def test_a_plan_names_followers_and_former_followers_alone(followers, following, former, let_go):
    known = dict.fromkeys(former, LEFT) | {p: Known(let_go_at=NOW) for p in let_go}
    lists = Lists(
        followers={p: Person(id=p) for p in followers},
        following={p: Person(id=p) for p in following},
        known=known,
        own_id="1",
    )
    made = plan(lists, Rules(), NOW)
    assert {step.person.id for step in made.of(Kind.FOLLOW)} <= followers - following - let_go
    assert {step.person.id for step in made.of(Kind.UNFOLLOW)} <= following - followers
    assert {step.person.id for step in made.of(Kind.UNFOLLOW)} <= former - let_go
    assert len({step.person.id for step in made.steps}) == len(made.steps)
    done = Lists(
        followers=lists.followers,
        following={
            p: Person(id=p)
            for p in (following | {s.person.id for s in made.of(Kind.FOLLOW)})
            - {s.person.id for s in made.of(Kind.UNFOLLOW)}
        },
        known=known,
        own_id="1",
    )
    assert plan(done, Rules(), NOW).steps == (), "twice is not a no-op"


def test_the_last_word_is_the_networks():
    follow = Planned(kind=Kind.FOLLOW, person=ANN, why=Why.FOLLOWS_US)
    unfollow = Planned(kind=Kind.UNFOLLOW, person=ANN, why=Why.LEFT)
    assert still_due(follow, Relation(followed_by=True)) is None
    assert still_due(follow, Relation()) is Why.NOT_FOLLOWING_US
    assert still_due(follow, Relation(followed_by=True, following=True)) is Why.ALREADY
    assert still_due(follow, Relation(followed_by=True, requested=True)) is Why.ASKED
    assert still_due(follow, Relation(followed_by=True, blocked=True)) is Why.BLOCKED
    assert still_due(unfollow, Relation(following=True)) is None
    assert still_due(unfollow, Relation(following=True, followed_by=True)) is Why.FOLLOWING_US
    assert still_due(unfollow, Relation()) is Why.ALREADY
    assert still_due(unfollow, Relation(exists=False)) is Why.SUSPENDED
    assert is_done(Kind.FOLLOW, Relation(requested=True))
    assert not is_done(Kind.FOLLOW, Relation())
    assert is_done(Kind.UNFOLLOW, Relation())


def test_steps_are_apart_by_chance_and_capped_by_the_day():
    rules = Rules(spacing=timedelta(minutes=10), per_day=3)
    assert next_step_at([], rules, 0.5, NOW) == NOW
    assert next_step_at([NOW], rules, 0.5, NOW) == NOW + timedelta(minutes=15)
    assert next_step_at([NOW - timedelta(hours=1)], rules, 0.5, NOW) == NOW
    assert next_step_at([NOW - timedelta(hours=h) for h in (1, 2, 3)], rules, 0.5, NOW) == NOW + 21 * DAY / 24
    assert next_step_at([NOW + 9 * DAY], rules, 0.0, NOW) == NOW + timedelta(minutes=10), "the clock was set"


def judged(read, told, before=None, rules=Rules()):  # noqa: B008 - it is frozen
    def counts(pair):
        return Counts(followers=pair[0], following=pair[1])

    refusal = judge_lists(
        counts(read), (counts(told[0]), counts(told[1])), counts(before) if before else None, rules
    )
    return refusal and (refusal.why, refusal.yields)


@pytest.mark.parametrize(
    ("read", "told", "before", "why"),
    [
        ((20_000, 50), ((20_000, 50), (20_000, 50)), None, None),
        ((19_700, 50), ((20_000, 50), (19_900, 50)), None, None),
        ((19_000, 50), ((20_000, 50), (20_000, 50)), None, "the list of followers is not whole"),
        ((20_900, 50), ((20_000, 50), (20_000, 50)), None, "the list of followers is not whole"),
        ((20_000, 30), ((20_000, 50), (20_000, 50)), None, "the list of followed is not whole"),
        ((0, 50), ((0, 50), (0, 50)), (100, 50), "the list of followers is empty, and had 100 before"),
        ((0, 0), ((0, 0), (0, 0)), None, None),
        ((90, 50), ((90, 50), (90, 50)), (100, 50), "the list of followers has shrunk from 100 to 90"),
        ((96, 50), ((96, 50), (96, 50)), (100, 50), None),
        ((5, 1), ((5, 1), (5, 1)), (10, 1), None),
    ],
)
def test_lists_that_cannot_be_right_are_refused_and_why(read, told, before, why):
    found = judged(read, told, before)
    assert found is None if why is None else found[0].startswith(why)
    assert found is None or found[1] is ("shrunk" in found[0])


def test_a_plan_that_changes_much_waits_for_a_person():
    def made(kind, number):
        person = Person(id="7")
        return Plan(steps=(Planned(kind=kind, person=person, why=Why.LEFT),) * number, passed=())

    sizes = Counts(followers=1_000, following=200)
    assert judge_plan(made(Kind.UNFOLLOW, 10), sizes, 0, Rules()) is None
    assert judge_plan(made(Kind.UNFOLLOW, 11), sizes, 0, Rules()).yields
    assert judge_plan(made(Kind.FOLLOW, 900), sizes, 50, Rules()) is None
    assert judge_plan(made(Kind.FOLLOW, 900), sizes, 51, Rules()).yields
