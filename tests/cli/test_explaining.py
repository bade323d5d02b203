"""`why` and `status`: what decided each kind of verdict, and the stories that were told most."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.core.dedupe import Level
from bot.pipeline import Judge
from bot.store import StateDir, Store
from tests.journey import BUDGET, EDITED, FERRY, LIBRARY, Journey

MISS = {
    "title": "Skerry trawler owners sue the insurer over last year's losses",
    "summary": "The fishermen want three millions for the gear.",
}


@pytest.fixture
def place(tmp_path):
    (tmp_path / "feed.xml").write_text("<rss/>")
    (tmp_path / "config.toml").write_text('state_dir = "state"\n[[feed]]\nname = "a"\nfile = "feed.xml"\n')
    with Store.open(StateDir(tmp_path / "state"), datetime.now(UTC)) as store:
        journey = Journey(store, Judge(store, Level.BALANCED))
        journey.now = datetime.now(UTC) - timedelta(hours=10)
        journey.begin("a", "b", "c", "d")
        journey.poll("a", FERRY | {"link": "https://a.example/ferry"})
        journey.poll("b", EDITED)
        journey.poll("c", EDITED | {"link": "https://a.example/ferry"})
        journey.poll("a", BUDGET | {"guid": "budget"})
        journey.poll("a", BUDGET | {"guid": "budget", "title": BUDGET["title"] + ", again"})
        journey.poll("d", MISS)
        journey.poll("d", LIBRARY, approval=True)
    return tmp_path


def do(place, *arguments: str) -> str:
    done = CliRunner().invoke(
        group, ["--config", str(place / "config.toml"), *arguments], standalone_mode=False
    )
    if done.exception:
        raise done.exception
    return done.output


def why(place, what):
    return json.loads(do(place, "why", what, "--json"))[0]


def test_a_near_duplicate_is_explained_in_full(place):
    copies = json.loads(do(place, "why", EDITED["title"], "--json"))
    (found,) = [copy for copy in copies if copy["reason"] == "near_duplicate"]
    explained = found["explained"]
    assert explained["nearest"] == found["lead"] == found["of"]["entry"]
    assert explained["points"] >= explained["threshold"]
    assert explained["weighed"]
    numbers = next(step["numbers"] for step in found["trace"] if step["step"] == "near-duplicates")
    assert "hailed" in numbers["only_here"]
    assert "praised" in numbers["only_there"]
    assert any(name.startswith("score.") for name in numbers)
    told = do(place, "why", EDITED["title"])
    assert "points where" in told
    assert "weighed most:" in told
    assert "repeats entry" in told
    assert "score." in do(place, "-v", "why", EDITED["title"])


def test_a_story_names_its_lead_copies_times_and_sources(place):
    found = why(place, FERRY["title"])
    assert found["sources"] == ["a", "b", "c"]
    assert [(m["feed"], m["verdict"], m["reason"]) for m in found["story"]] == [
        ("a", "fresh", "new"),
        ("b", "duplicate", "near_duplicate"),
        ("c", "duplicate", "same_link"),
    ]
    told = do(place, "why", FERRY["title"])
    assert "story: 3 entries from 3 sources" in told
    assert "h ago, b: entry" in told


def test_a_fresh_entry_is_explained_by_its_nearest_miss(place):
    found = why(place, MISS["title"])
    assert found["verdict"] == "fresh"
    assert found["explained"]["nearest_title"] == FERRY["title"]
    assert found["explained"]["points"] < found["explained"]["threshold"]
    assert "nearest miss" in do(place, "why", MISS["title"])


def test_an_edit_is_explained_by_its_key(place):
    found = why(place, BUDGET["title"] + ", again")
    assert (found["reason"], found["explained"]["by"], found["explained"]["key"]) == (
        "same_guid",
        "known by guid",
        "budget",
    )


def test_what_is_held_says_for_what(place):
    assert "waits for approval" in do(place, "why", LIBRARY["title"])


def test_status_tells_the_most_copied_stories_by_their_sources(place):
    stories = json.loads(do(place, "status", "--json"))["stories"]
    assert [(s["title"], s["sources"], s["copies"], s["feeds"]) for s in stories] == [
        (FERRY["title"], 3, 2, ["a", "b", "c"]),
        (BUDGET["title"], 1, 1, ["a"]),
    ]
    told = do(place, "status")
    assert "Most-copied stories of the last day" in told
    assert "a, b, c" in told
    assert "Held: 1 entry of d for approval" in told


MOVED = BUDGET | {"guid": "budget", "title": BUDGET["title"] + ", at last", "link": "https://a.example/moved"}


@pytest.fixture
def moved(place):
    """Give a bot that knows an edited entry under a new link, which leads to its lead."""
    with Store.open(StateDir(place / "state"), datetime.now(UTC)) as store:
        journey = Journey(store, Judge(store, Level.BALANCED))
        journey.now = datetime.now(UTC)
        journey.poll("a", MOVED)
    return place


@pytest.mark.parametrize("link", [MOVED["link"], MOVED["link"].replace("https", "http") + "?utm_source=x"])
def test_of_several_entries_the_one_that_has_the_very_link_comes_first(moved, link):
    found = json.loads(do(moved, "why", link, "--json"))
    assert found[0]["title"] == MOVED["title"]
    assert BUDGET["title"] in [entry["title"] for entry in found[1:]]


def test_a_pair_is_marked_by_the_entries_that_have_the_links(moved):
    said = do(moved, "mark", "different", why(moved, BUDGET["title"] + ", again")["link"], MOVED["link"])
    entries = [
        f"entry {why(moved, title)['entry']}," for title in (BUDGET["title"] + ", again", MOVED["title"])
    ]
    assert all(entry in said for entry in entries)


def test_a_link_that_several_have_is_first_that_of_the_one_it_is_known_by(place):
    found = json.loads(do(place, "why", "https://a.example/ferry", "--json"))
    assert [entry["feed"] for entry in found] == ["a", "c"]
