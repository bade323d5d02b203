"""Entries that came before a judge did are known to it: after a new version, and after a change of method."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.core.classic_verdict import Method
from bot.core.dedupe import Level
from bot.core.signature import SIGNATURE_VERSION
from bot.marking import mark_seen
from bot.pipeline import Judge, recollect
from bot.pipeline.recollecting import AT_A_TIME
from tests.journey import BUDGET, FERRY, LIBRARY, Journey, reasons

EDITED = FERRY | {"title": FERRY["title"] + " today"}
LONG_AGO = timedelta(days=15)


def never() -> bool:
    return False


@pytest.fixture
def old(store):
    made = Journey(store, Judge(store, Level.BALANCED))
    made.begin("a", "b")
    return made


def later(store, old, **how) -> tuple[Journey, int]:
    """Give the journey of another judge over the same store, and how many entries it was told of."""
    judge = Judge(store, Level.BALANCED, **how)
    again = Journey(store, judge)
    again.now, again._number = old.now, 1000
    return again, recollect(store, judge, old.now, never)


def age_signatures(store) -> None:
    with store.transaction():
        store._db.execute("update signatures set version = ?, body = x'00'", [SIGNATURE_VERSION - 1])


def test_the_classic_form_knows_what_the_table_judged(store, old):
    old.poll("a", FERRY, BUDGET)
    journey, told = later(store, old, method=Method.CLASSIC)
    assert told == 4
    assert reasons(journey.poll("b", EDITED)) == ["near_duplicate"]


def test_the_table_knows_what_the_classic_form_judged(store):
    old = Journey(store, Judge(store, Level.BALANCED, method=Method.CLASSIC))
    old.begin("a", "b")
    old.poll("a", FERRY)
    journey, told = later(store, old)
    assert told == 0, "it signed them all the same"
    assert reasons(journey.poll("b", EDITED)) == ["near_duplicate"]


def test_a_new_version_knows_what_the_one_before_signed(store, old):
    old.poll("a", FERRY, BUDGET)
    age_signatures(store)
    another = BUDGET | {"title": BUDGET["title"] + " today"}
    assert reasons(old.poll("b", another)) == ["new"], "which is what this is for"
    journey, told = later(store, old)
    assert told >= 4
    report = journey.poll("b", EDITED)
    assert reasons(report) == ["near_duplicate"]
    lead = store.entries.get(report.decisions[0].verdict.of.entry_id)
    assert (lead.entry.title, lead.entry.feed) == (FERRY["title"], "a")


def test_the_classic_form_keeps_its_sums_over_a_new_version(store):
    old = Journey(store, Judge(store, Level.BALANCED, method=Method.CLASSIC))
    old.begin("a", "b")
    old.poll("a", FERRY, {"title": "!!!"})
    age_signatures(store)
    journey, told = later(store, old, method=Method.CLASSIC)
    assert told > 0
    assert later(store, old, method=Method.CLASSIC)[1] == 0, "a text without a word is not told of for ever"
    assert reasons(journey.poll("b", EDITED)) == ["near_duplicate"]


def test_bodies_outlive_what_is_signed_again(store, old):
    words = " ".join(f"harbour{number}" for number in range(300))
    old.poll("a", {"title": "A report on the quay", "summary": words})
    row = next(
        e.id for e in store.entries.seen_since(old.now - LONG_AGO) if e.entry.title == "A report on the quay"
    )
    before = store.signatures.of_entry(row)
    age_signatures(store)
    later(store, old)
    assert store.signatures.of_entry(row)[1] == before[1] is not None


def test_a_second_time_there_is_nothing_to_do(store, old):
    old.poll("a", FERRY, BUDGET, LIBRARY)
    age_signatures(store)
    assert later(store, old)[1] > 0
    assert later(store, old)[1] == 0
    kept = store._db.execute("select count(*) from signature_keys").fetchone()
    age_signatures(store)
    later(store, old)
    assert store._db.execute("select count(*) from signature_keys").fetchone() == kept


def test_what_is_older_than_the_window_is_left_alone(store, old):
    old.poll("a", FERRY)
    old.now += LONG_AGO
    assert later(store, old, method=Method.CLASSIC)[1] == 0


def test_what_repeats_another_is_left_alone(store, old):
    old.poll("a", FERRY)
    assert reasons(old.poll("b", EDITED)) == ["near_duplicate"]
    assert later(store, old, method=Method.CLASSIC)[1] == 3


def test_what_a_person_marked_as_seen_stays_so(store, old):
    mark_seen(store, FERRY["title"], ["a", "b"], old.now)
    mark_seen(store, "https://a.example/marked", ["a", "b"], old.now)
    age_signatures(store)
    journey, _ = later(store, old)
    assert reasons(journey.poll("a", EDITED)) == ["marked_seen"]


def test_it_stops_when_it_is_told_to_and_goes_on_the_next_time(store, old):
    items = [{"title": f"Ferry number {n} leaves the quay of Gull Island"} for n in range(AT_A_TIME + 20)]
    old.poll("a", *items, near_duplicates=False)
    age_signatures(store)
    calls = iter([False, True])
    judge = Judge(store, Level.BALANCED)
    assert recollect(store, judge, old.now, lambda: next(calls)) == AT_A_TIME
    assert 0 < recollect(store, judge, old.now, never) < AT_A_TIME
