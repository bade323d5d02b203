"""Copies are recognised whatever dates their feeds give, and whatever the bot learned or was told in between."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.core.canonize import canonize
from bot.core.dedupe import SHIPPED, Level
from bot.core.shingles import token_hash
from bot.pipeline import Judge
from tests.journey import BUDGET, EDITED, FERRY, Journey, reasons

EDITED_AGAIN = {
    "title": EDITED["title"].replace("hailed", "lauded").replace("rescuing", "saving"),
    "summary": FERRY["summary"].replace("turned back in", "came about through"),
}
NOON = "Mon, 30 Nov 2026 12:00:00 GMT"
FAR_FUTURE = "Fri, 01 Jan 2100 00:00:00 GMT"
FAR_PAST = "Thu, 01 Jan 1970 00:00:00 GMT"
SOON = "Mon, 30 Nov 2026 23:00:00 GMT"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (NOON, FAR_FUTURE),
        (FAR_FUTURE, NOON),
        (FAR_FUTURE, FAR_FUTURE),
        (SOON, NOON),
        (NOON, FAR_PAST),
        (FAR_PAST, NOON),
        (NOON, ""),
        ("", FAR_FUTURE),
        ("", ""),
        (NOON, "next Tuesday"),
    ],
)
def test_a_wrong_date_hides_no_copy(journey, one, other):
    first = journey.poll("a", FERRY | {"date": one})
    assert first.decisions[0].verdict.kind in {"fresh", "rejected"}
    assert reasons(journey.poll("b", EDITED | {"date": other})) == ["near_duplicate"]


def test_a_third_copy_nearer_to_the_second_joins_the_story_of_the_lead(store, journey):
    lead = journey.poll("a", FERRY).decisions[0].entry_id
    assert reasons(journey.poll("b", EDITED)) == ["near_duplicate"]
    of = journey.poll("c", EDITED_AGAIN).decisions[0].verdict.of
    assert of.entry_id == of.lead_id == lead, "it is compared with the lead, not with the copy"
    assert [member.entry.feed for member in store.entries.story(lead)] == ["a", "b", "c"]


def test_copies_are_found_however_often_the_bot_learns_in_between(store, journey):
    journey.poll("a", FERRY, BUDGET)
    words = canonize(f"{FERRY['title']} {FERRY['summary']}")
    for epoch in range(5):
        with store.transaction():
            store.signatures._frequencies.begin(
                journey.now, {token_hash(word): 1 for word in words[epoch : epoch + 6]}, 1000
            )
    assert reasons(journey.poll("b", EDITED)) == ["near_duplicate"]


@pytest.mark.parametrize("before", Level)
@pytest.mark.parametrize("after", Level)
def test_another_level_knows_what_came_before(store, before, after):
    old = Journey(store, Judge(store, before))
    old.begin("a", "b")
    old.poll("a", FERRY)
    journey = Journey(store, Judge(store, after))
    journey.now, journey._number = old.now, 100
    assert reasons(journey.poll("b", EDITED)) == ["near_duplicate"]


def test_another_table_holds_from_the_next_entry_on(store):
    tables = [SHIPPED]
    journey = Journey(store, Judge(store, Level.BALANCED, lambda: tables[-1]))
    journey.begin("a", "b", "c")
    journey.poll("a", FERRY)
    never = SHIPPED.levels[Level.BALANCED]._replace(threshold=99.0)
    tables.append(SHIPPED._replace(levels=SHIPPED.levels | {Level.BALANCED: never}))
    assert reasons(journey.poll("b", EDITED)) == ["new"]
    tables.pop()
    journey.now += timedelta(minutes=1)
    assert reasons(journey.poll("c", FERRY | {"title": FERRY["title"] + " today"})) == ["near_duplicate"]


def test_an_edited_entry_is_not_compared_with_itself(store, journey):
    """Its own feed has it by its guid; nothing is skipped for being like its own earlier words."""
    journey.poll("a", FERRY | {"guid": "ferry"})
    report = journey.poll("a", EDITED | {"guid": "ferry"})
    assert reasons(report) == ["same_guid"]
    assert len(store.outbox.rows()) == 1
