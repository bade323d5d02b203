"""What a person marks as seen by its text: near copies are known by it, and what is queued of it is dropped."""

from __future__ import annotations

import pytest

from bot.core.classic_verdict import Method
from bot.core.dedupe import Level
from bot.marking import mark_seen
from bot.pipeline import Judge
from bot.store import Store
from tests.journey import BUDGET, FERRY, Journey, reasons

EDITED = FERRY | {"title": FERRY["title"].replace("praised", "hailed")}


@pytest.fixture
def store():
    with Store.in_memory() as made:
        yield made


@pytest.fixture
def journey(store):
    made = Journey(store, Judge(store, Level.BALANCED))
    made.begin("a", "b")
    return made


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


def test_the_classic_form_knows_a_marked_text_too(store):
    journey = Journey(store, Judge(store, Level.BALANCED, method=Method.CLASSIC))
    journey.begin("a")
    mark_seen(store, f"{FERRY['title']} {FERRY['summary']}", ["a"], journey.now)
    again = FERRY | {"title": FERRY["title"] + " today"}
    assert reasons(journey.poll("a", again)) == ["marked_seen"]
