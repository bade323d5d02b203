"""What a person marks as seen by its text: near copies are known by it, and what is queued of it is dropped."""

from __future__ import annotations

import pytest

from bot.core.canonize import canonize
from bot.core.classic_verdict import Method
from bot.core.dedupe import SHIPPED, Level
from bot.core.shingles import token_hash
from bot.core.signature import candidate_keys, sign
from bot.marking import mark_seen
from bot.pipeline import Judge
from tests.journey import BUDGET, EDITED, FERRY, Journey, reasons


@pytest.mark.parametrize(
    "text",
    [FERRY["title"], f"{FERRY['title']}. {FERRY['summary']}", f"{FERRY['title']}\n{FERRY['summary']}"],
    ids=["title", "title and summary", "two lines"],
)
def test_near_copies_of_a_marked_text_are_not_posted(store, journey, text):
    mark_seen(store, text, ["a", "b"], journey.now)
    assert reasons(journey.poll("a", EDITED, BUDGET)) == ["new", "marked_seen"]
    assert reasons(journey.poll("b", FERRY)) != ["new"]
    assert len(store.outbox.rows()) == 1


def test_what_is_queued_in_nearly_these_words_is_dropped(store, journey):
    journey.poll("a", FERRY, BUDGET)
    said = mark_seen(store, EDITED["title"], ["a", "b"], journey.now)
    assert FERRY["title"] in said
    assert "dropped from the outbox" in said
    states = {store.entries.get(row.entry_id).entry.title: row.state for row in store.outbox.rows()}
    assert states == {FERRY["title"]: "dropped", BUDGET["title"]: "queued"}


def test_a_text_that_is_told_of_nothing_drops_nothing(store, journey):
    journey.poll("a", FERRY)
    assert "nothing is known by it yet" in mark_seen(store, BUDGET["title"], ["a"], journey.now)
    assert [row.state for row in store.outbox.rows()] == ["queued"]


def test_the_table_in_use_says_what_is_nearly_the_same(store, journey):
    journey.poll("a", FERRY)
    never = SHIPPED._replace(levels={Level.BALANCED: SHIPPED.levels[Level.BALANCED]._replace(threshold=99.0)})
    assert "nothing is known" in mark_seen(store, EDITED["title"], ["a"], journey.now, tables=never)
    assert [row.state for row in store.outbox.rows()] == ["queued"]
    assert "dropped" in mark_seen(store, EDITED["title"] + " today", ["a"], journey.now)


def test_the_classic_form_says_what_is_nearly_the_same_where_it_judges(store):
    journey = Journey(store, Judge(store, Level.BALANCED, method=Method.CLASSIC))
    journey.begin("a")
    journey.poll("a", FERRY)
    how = {"method": Method.CLASSIC}
    assert "nothing is known" in mark_seen(store, EDITED["title"], ["a"], journey.now, **how)
    whole = f"{FERRY['title']} {FERRY['summary']} It was towed in."
    assert "dropped" in mark_seen(store, whole, ["a"], journey.now, **how)


def test_a_marked_text_is_found_in_a_stream_whose_words_were_learned(store, journey):
    """Its keys are chosen and looked up under the learned order, as an entry's are."""
    common = {token_hash(word): 1 for word in canonize(FERRY["title"])[:4]}
    with store.transaction():
        store.signatures._frequencies.begin(journey.now, common, 1000)
    mark_seen(store, FERRY["title"], ["a", "b"], journey.now)
    newest = "select key from signature_keys where entry_id = (select max(entry_id) from signatures)"
    kept = {row[0] for row in store._db.execute(newest)}
    packaged = set(candidate_keys(sign("", FERRY["title"])))
    assert kept - packaged, "other pairs than under the packaged order"
    assert reasons(journey.poll("a", EDITED)) == ["marked_seen"]


def test_the_classic_form_knows_a_marked_text_too(store):
    journey = Journey(store, Judge(store, Level.BALANCED, method=Method.CLASSIC))
    journey.begin("a")
    mark_seen(store, f"{FERRY['title']} {FERRY['summary']}", ["a"], journey.now)
    again = FERRY | {"title": FERRY["title"] + " today"}
    assert reasons(journey.poll("a", again)) == ["marked_seen"]
