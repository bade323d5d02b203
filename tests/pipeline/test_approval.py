"""Feeds whose stories wait for approval, and feeds that likeness does not touch."""

from __future__ import annotations

from datetime import timedelta

from bot.core.dedupe import Level
from bot.core.filters import Take, TakeKind
from bot.core.model import Reason
from bot.core.routes import Routes
from bot.held import discard, release
from bot.pipeline import Judge
from tests.journey import BUDGET, EDITED, FERRY, LIBRARY, START, Journey, reasons

WORDS = "anchor barley cinder dune ember fern grove harbour islet juniper kelp lantern meadow nettle orchard pier".split()


def let_go(store, hold_id, journey, **only):
    return release(
        store,
        hold_id,
        routes=Routes(every=("x",)),
        max_ages={},
        default_max_age=timedelta(days=3),
        now=journey.now,
        **only,
    )


def test_all_that_would_be_posted_waits_each_by_itself(store, journey):
    report = journey.poll("a", FERRY, BUDGET, approval=True)
    assert reasons(report) == ["approval", "approval"]
    assert [hold.waiting for hold in store.holds.waiting()] == [1, 1]
    assert not store.outbox.rows()
    one, other = store.holds.waiting()
    released = let_go(store, one.id, journey)
    assert [stored.entry.title for stored in released] == [BUDGET["title"]], "the body's oldest comes first"
    assert [row.entry_id for row in store.outbox.rows()] == [released[0].id]
    assert [hold.id for hold in store.holds.waiting()] == [other.id]


def test_what_waits_has_no_second_candidate(store, journey):
    journey.poll("a", FERRY, approval=True)
    assert reasons(journey.poll("b", EDITED)) == ["near_duplicate"]
    assert reasons(journey.poll("a", FERRY, approval=True)) == ["same_text"]
    assert len(store.holds.waiting()) == 1
    waiting = store.entries.in_hold(store.holds.waiting()[0].id)[0]
    assert len(store.entries.story(waiting.id)) == 3


def test_what_was_discarded_stays_known(store, journey):
    journey.poll("a", FERRY, approval=True)
    discard(store, store.holds.waiting()[0].id, journey.now)
    assert reasons(journey.poll("a", EDITED, approval=True)) == ["near_duplicate"]
    assert reasons(journey.poll("b", FERRY)) == ["same_text"]
    assert not store.outbox.rows()


def test_the_newest_of_a_first_run_wait_too(store):
    journey = Journey(store, Judge(store, Level.BALANCED), first_run=Take(kind=TakeKind.NEWEST, count=1))
    assert reasons(journey.poll("a", FERRY, BUDGET, approval=True)) == ["first_run", "approval"]


def test_approval_is_the_feeds_usual_pace(store, journey):
    journey.poll("a", FERRY, BUDGET, LIBRARY, approval=True)
    assert store.sources.get("a").habit.largest_batch == 3
    for hold in store.holds.waiting():
        let_go(store, hold.id, journey)
    assert store.sources.get("a").habit.largest_batch == 3


def test_a_flood_of_a_feed_that_waits_for_approval_is_one_question(store, journey):
    items = [
        {"title": f"The {one} of the {other} is back", "summary": f"A {other} and a {one} were seen."}
        for one, other in zip(WORDS * 2, WORDS[5:] + WORDS[:5] + WORDS[9:] + WORDS[:9], strict=True)
    ]
    report = journey.poll("a", *items, approval=True)
    held = [d for d in report.decisions if d.verdict.kind == "held"]
    assert {d.verdict.reason for d in held} == {Reason.FLOOD}
    (flood,) = store.holds.waiting()
    let_go(store, flood.id, journey, only=[held[0].entry_id])
    assert store.holds.get(flood.id).waiting == len(held) - 1
    assert store.holds.get(flood.id).resolved_at is None
    let_go(store, flood.id, journey)
    assert store.holds.get(flood.id).resolved_at is not None
    assert len(store.outbox.rows(limit=1000)) == len(held)


def test_likeness_skips_nothing_of_a_feed_that_opted_out_and_others_can_repeat_it(store, journey):
    journey.poll("a", FERRY)
    report = journey.poll("b", EDITED, near_duplicates=False)
    assert reasons(report) == ["new"]
    (step,) = [step for step in report.decisions[0].trace if step.name == "near-duplicates"]
    assert "near_duplicates is false" in step.outcome
    assert reasons(
        journey.poll(
            "b", FERRY | {"guid": "b-100", "link": "https://b.example/x"}, BUDGET, near_duplicates=False
        )
    ) == [
        "new",
        "same_text",
    ], "keys still identify its entries"
    journey.poll("b", LIBRARY, near_duplicates=False)
    again = LIBRARY | {"title": LIBRARY["title"].replace("opens", "has opened")}
    assert reasons(journey.poll("a", again)) == ["near_duplicate"]


def test_the_start_is_what_the_tests_think_it_is(journey):
    assert journey.now == START + timedelta(hours=1)
