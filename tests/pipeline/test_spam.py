"""Spam in the bot: rejected with its score, held in the margin, and what a person says of it is a label."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.core.routes import Routes
from bot.core.spam import Margin, SpamModel
from bot.core.spam_linear import Linear
from bot.held import discard, release
from tests.journey import FERRY, reasons

MODEL = SpamModel(
    judge=Linear(weights={"free": (1.0, 2.0), "prize": (1.0, 0.5)}, base=-1.0),
    margin=Margin(low=-0.6, high=0.5),
)
SPAM = {"title": "A free cruise for every reader who calls this number tonight"}
MAYBE = {"title": "Harbour poet wins the regional prize for a book about herring"}
OTHER = {"title": "Baker in Mill Lane gives away a prize loaf on every Tuesday"}


@pytest.fixture
def polled(journey):
    return journey, journey.poll("a", SPAM, MAYBE, FERRY, OTHER, spam=MODEL)


def test_spam_is_rejected_and_what_is_unsure_is_held(polled):
    _, report = polled
    by_title = {d.entry.title: d for d in report.decisions}
    rejected = by_title[SPAM["title"]]
    assert (rejected.verdict.kind, rejected.verdict.reason) == ("rejected", "spam")
    assert "scores +1.000" in rejected.verdict.detail
    assert next(step for step in rejected.trace if step.name == "spam").numbers["score"] == 1.0
    assert by_title[MAYBE["title"]].verdict.reason == "maybe_spam"
    assert by_title[FERRY["title"]].verdict.kind == "fresh"


def test_without_a_model_nothing_is_judged(journey):
    assert set(reasons(journey.poll("a", SPAM, MAYBE))) == {"new"}


def test_the_newest_of_a_first_run_are_judged_too(journey):
    from bot.core.filters import Take, TakeKind

    report = journey.poll("new", SPAM, FERRY, spam=MODEL, first_run=Take(kind=TakeKind.ALL))
    assert sorted(reasons(report)) == ["newest_of_first_run", "spam"]


def test_release_and_discard_become_labels(polled):
    journey, _ = polled
    store = journey.store
    first, second = store.holds.waiting()
    released = release(
        store,
        first.id,
        routes=Routes(every=("x",), of={}),
        max_ages={},
        default_max_age=timedelta(days=3),
        now=journey.now,
    )
    discarded = discard(store, second.id, journey.now)
    assert store.entries.get(released[0].id).verdict == "fresh"
    assert store.entries.get(discarded[0].id).verdict == "rejected"
    assert store.spam_labels.texts() == [(released[0].entry.title, False), (discarded[0].entry.title, True)]
    assert store.spam_labels.judged() == [{"feed": "a", "rejected": 1, "held": 0, "entries": 5}]
