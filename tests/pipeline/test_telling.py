"""One line a decision: the lead, what decided, the number, and the nearest miss of what is fresh."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from bot.core.classic_verdict import Method
from bot.core.dedupe import Level
from bot.core.filters import Patterns
from bot.pipeline import Judge
from bot.pipeline.telling import STRONGEST, explained, judged, number_in_words
from bot.store import Store
from tests.journey import EDITED, FERRY, LIBRARY, Journey

OTHER = {
    "title": "Skerry trawler owners sue the insurer over last year's losses",
    "summary": "The fishermen want three millions for the gear.",
}


@pytest.fixture
def journey():
    with Store.in_memory() as store:
        made = Journey(store, Judge(store, Level.BALANCED))
        made.begin("a", "b")
        made.poll("a", FERRY)
        yield made


def fields(report):
    return {name: value for name, value in judged(report.decisions[0]).items() if value is not None}


def test_a_near_duplicate_names_its_lead_the_points_and_what_weighed(journey):
    told = fields(journey.poll("b", EDITED))
    assert told["lead"] == told["of"]
    assert told["of_title"] == FERRY["title"]
    assert told["points"] >= told["threshold"]
    assert told["weighed"].count(",") == STRONGEST - 1
    assert "nearest" not in told, "the match is named once"


def test_a_fresh_entry_names_its_nearest_miss(journey):
    told = fields(journey.poll("b", OTHER))
    assert told["verdict"] == "fresh"
    assert told["nearest_title"] == FERRY["title"]
    assert told["points"] < told["threshold"]
    assert told["weighed"]


def test_a_fresh_entry_like_nothing_says_so(journey):
    told = fields(journey.poll("b", {"title": "Zinc prices", "summary": "Quarterly figures."}))
    assert told["by"] == "nothing alike in the window"
    assert "nearest" not in told


def test_a_known_key_is_named(journey):
    told = fields(journey.poll("b", LIBRARY | {"link": "https://a.example/3"}))
    assert (told["reason"], told["by"], told["of_title"]) == (
        "same_link",
        "known by link",
        FERRY["title"],
    )
    assert "a.example/3" in told["key"]


def test_the_classic_form_tells_percent_and_runs():
    with Store.in_memory() as store:
        journey = Journey(store, Judge(store, Level.BALANCED, method=Method.CLASSIC))
        journey.begin("a", "b")
        journey.poll("a", FERRY)
        report = journey.poll("b", FERRY | {"title": FERRY["title"] + " today"})
        told = fields(report)
        assert told["percent"] > told["percent_needed"]
        assert told["shingles_in_common"] > 0
        assert "percent where more than 50" in number_in_words(explained(report.decisions[0].trace))


def test_what_the_rules_reject_is_told_by_their_words_with_its_nearest_miss(journey):
    told = fields(
        journey.poll("b", OTHER, max_age=timedelta(hours=1), exclude=Patterns(title=(re.compile("Skerry"),)))
    )
    assert (told["verdict"], told["reason"]) == ("rejected", "filtered")
    assert told["detail"].startswith("excluded by")
    assert "by" not in told
    assert told["nearest_title"] == FERRY["title"]


def test_a_feed_that_gave_new_names_is_told_as_such(journey):
    stories = [{"title": title} for title in ("Bridge opens", "Zinc rises", "Choir on tour", "Owls return")]
    journey.poll("c", *stories)
    report = journey.poll("c", *stories)
    told = [judged(decision) for decision in report.decisions]
    assert [str(line["reason"]) for line in told] == ["feed_renumbered"] * 4
    assert all("new names" in line["by"] for line in told)
