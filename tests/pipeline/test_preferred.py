"""A story waits for the copy of a preferred feed, and is posted as that tells it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.core.dedupe import Level
from bot.core.filters import Patterns
from bot.core.model import Post, Receipt
from bot.pipeline import Judge
from bot.store import Store
from bot.store.outbox import Cause
from tests.journey import BUDGET, EDITED, FERRY, Journey, reasons

TEN = timedelta(minutes=10)
POST = Post(text="Ferry", weight=5, limit=280, has_link=False)


@pytest.fixture
def store():
    with Store.in_memory() as made:
        yield made


@pytest.fixture
def journey(store):
    made = Journey(store, Judge(store, Level.BALANCED), settle=TEN, preferred=("wire",))
    made.begin("blog", "wire", "paper")
    return made


def the_row(store):
    (row,) = store.outbox.rows()
    return row


def lead_of(store):
    return store.entries.get(the_row(store).entry_id).entry.feed


def test_a_story_waits_for_the_better_copy_and_says_so(store, journey):
    at = journey.now
    journey.poll("blog", FERRY, hours=0)
    row = the_row(store)
    assert (row.not_before, row.copy_until) == (at + TEN, at + TEN)
    assert row.reason == f"waits until {at + TEN:%H:%M} UTC for a copy of wire"
    assert store.outbox.due("x", at) is None
    assert store.better_copies.waiting("x", at) == [row]
    assert store.outbox.due("x", at + TEN).id == row.id, "it comes or it does not: the story goes out"
    assert store.better_copies.waiting("x", at + TEN) == []


def test_the_preferred_feeds_own_story_waits_for_nothing(store, journey):
    journey.poll("wire", FERRY, hours=0)
    assert store.outbox.due("x", journey.now) is not None
    assert the_row(store).copy_until is None


@pytest.mark.parametrize(
    "copy", [EDITED, FERRY, {"title": "Captain praised", "link": "https://blog.example/77"}]
)
def test_the_better_copy_takes_the_lead_and_ends_the_wait(store, journey, copy):
    journey.poll("blog", FERRY | {"link": "https://blog.example/77"}, hours=0)
    before = the_row(store)
    journey.now += timedelta(minutes=3)
    report = journey.poll("wire", copy, hours=0)
    assert reasons(report) == ["preferred_copy"]
    row = the_row(store)
    assert (row.id, row.queued_at) == (before.id, before.queued_at)
    assert (row.not_before, row.copy_until) == (journey.now, None)
    assert lead_of(store) == "wire"
    assert row.reason == f"told by wire, in the place of entry {before.entry_id} of blog"
    earlier = store.entries.get(before.entry_id)
    assert (earlier.verdict, str(earlier.reason), earlier.of_id, earlier.lead_id) == (
        "duplicate",
        "better_copy",
        row.entry_id,
        row.entry_id,
    )
    assert "posted in its place" in earlier.trace[-1].outcome
    assert store.entries.get(row.entry_id).trace[-1].name == "preferred"
    assert len(store.entries.story(row.entry_id)) == 2


def test_what_comes_after_repeats_the_new_lead(store, journey):
    journey.poll("blog", FERRY, hours=0)
    journey.poll("wire", EDITED, hours=0)
    lead = the_row(store).entry_id
    for feed in ("paper", "blog", "wire"):
        report = journey.poll(feed, FERRY | {"title": FERRY["title"] + " at dusk"}, hours=0)
        assert report.decisions[0].verdict.of.lead_id == lead
    assert len(store.outbox.rows()) == 1
    assert the_row(store).sources == 3


def test_a_feed_that_tells_it_twice_at_once_leads_by_the_first(store, journey):
    journey.poll("blog", FERRY, hours=0)
    report = journey.poll("wire", FERRY, EDITED, hours=0)
    assert sorted(reasons(report)) == ["preferred_copy", "same_text"]
    assert lead_of(store) == "wire"
    assert len(store.entries.story(the_row(store).entry_id)) == 3
    assert the_row(store).sources == 2


@pytest.mark.parametrize("state", ["sent", "sending", "unknown again"])
def test_what_went_out_or_may_have_keeps_its_lead(store, journey, state):
    journey.poll("blog", FERRY)
    row = store.outbox.due("x", journey.now)
    with store.transaction():
        assert store.outbox.claim(row, POST, journey.now)
        if state == "sent":
            store.outbox.settle_sent(row.id, Receipt(remote_id="7"), journey.now)
        elif state == "unknown again":
            store.unknowns.add(row.id, Cause.NO_ANSWER, "no answer")
            store.unknowns.is_not_there(row.id, "not on the account", journey.now)
    assert reasons(journey.poll("wire", EDITED)) == ["near_duplicate"]
    assert lead_of(store) == "blog"


def test_where_one_destination_has_it_the_others_get_the_same(store, journey):
    journey.poll("blog", FERRY, hours=0)
    row = the_row(store)
    with store.transaction():
        store.outbox.queue(row.entry_id, "elsewhere", now=journey.now, expires_at=row.expires_at)
        store.outbox.claim(store.outbox.get(2), POST, journey.now)
        store.outbox.settle_sent(2, Receipt(remote_id="7"), journey.now)
    journey.poll("wire", EDITED)
    assert {r.entry_id for r in store.outbox.rows()} == {row.entry_id}


@pytest.mark.parametrize(
    "rules",
    [
        {"approval": True},
        {"exclude": Patterns(title=(__import__("re").compile("ferry", 2),))},
        {"preferred": ()},
        {"preferred": ("blog", "wire")},
    ],
)
def test_a_copy_that_its_own_feed_would_not_post_takes_no_lead(store, journey, rules):
    journey.poll("blog", FERRY, hours=0)
    assert reasons(journey.poll("wire", EDITED, hours=0, **rules)) == ["near_duplicate"]
    assert lead_of(store) == "blog"
    assert the_row(store).sources == 2


def test_the_first_body_of_a_preferred_feed_takes_no_lead(store):
    journey = Journey(store, Judge(store, Level.BALANCED), settle=TEN, preferred=("wire",))
    journey.begin("blog")
    journey.poll("blog", FERRY, hours=0)
    journey.poll("wire", EDITED, hours=0)
    assert lead_of(store) == "blog"


def test_what_would_expire_meanwhile_waits_for_nothing(store, journey):
    journey.poll("blog", FERRY, hours=0, max_age=timedelta(minutes=9))
    assert store.outbox.due("x", journey.now) is not None


def test_more_sources_go_first_among_equals_and_a_higher_priority_before_them(store, journey):
    journey.poll("blog", BUDGET, hours=0)
    journey.poll("blog", FERRY, hours=0)
    journey.now += TEN
    assert store.entries.get(store.outbox.due("x", journey.now).entry_id).entry.title == BUDGET["title"]
    journey.poll("paper", EDITED, hours=0)
    assert store.entries.get(store.outbox.due("x", journey.now).entry_id).entry.title == FERRY["title"]
    journey.poll(
        "paper", {"title": "Library opens its reading room"}, hours=0, priority=6, settle=timedelta(0)
    )
    assert store.entries.get(store.outbox.due("x", journey.now).entry_id).entry.feed == "paper"
    with store.transaction():
        store.outbox.set_priorities({"paper": 4})
    assert store.entries.get(store.outbox.due("x", journey.now).entry_id).entry.title == FERRY["title"]
