"""`held`: list, show, release and discard, by number, by feed, by entry and all."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import click
import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.core.dedupe import Level
from bot.pipeline import Judge
from bot.store import StateDir, Store
from tests.journey import BUDGET, FERRY, LIBRARY, Journey, reasons


@pytest.fixture
def place(tmp_path):
    (tmp_path / "feed.xml").write_text("<rss/>")
    (tmp_path / "config.toml").write_text(
        'state_dir = "state"\n[[feed]]\nname = "a"\nfile = "feed.xml"\napproval = "all"\n'
    )
    with Store.open(StateDir(tmp_path / "state"), datetime.now(UTC)) as store:
        journey = Journey(store, Judge(store, Level.BALANCED))
        journey.begin("a", "b")
        journey.poll("a", LIBRARY, BUDGET, FERRY, approval=True)
        journey.poll("b", FERRY | {"title": FERRY["title"].replace("praised", "hailed")})
    return tmp_path


def do(place, *arguments: str, code: int = 0) -> str:
    command = ["--config", str(place / "config.toml"), *arguments]
    done = CliRunner().invoke(group, command, standalone_mode=False)
    if isinstance(done.exception, click.ClickException):
        assert done.exception.exit_code == code, done.exception.format_message()
        return done.output + done.exception.format_message()
    if done.exception:
        raise done.exception
    assert (done.return_value or 0) == code, done.output
    return done.output


def holds(place) -> dict[str, int]:
    return {hold["titles"][0]: hold["id"] for hold in json.loads(do(place, "held", "--json"))}


def test_one_story_is_released_and_another_discarded(place):
    listed = do(place, "held")
    assert "3 entries wait for approval" in listed
    ids = holds(place)
    assert "1 entry queued" in do(place, "held", "release", str(ids[FERRY["title"]]))
    done = do(place, "held", "discard", str(ids[BUDGET["title"]]), str(ids[LIBRARY["title"]]))
    assert done.count("1 entry discarded; later copies are skipped, too") == 2
    assert "nothing is held" in do(place, "held")
    (row,) = json.loads(do(place, "outbox", "--json"))
    assert row["title"] == FERRY["title"]
    assert "discarded" in do(place, "why", BUDGET["title"])


def test_a_later_copy_of_what_was_discarded_is_skipped(place):
    do(place, "held", "discard", str(holds(place)[BUDGET["title"]]))
    with Store.open(StateDir(place / "state"), datetime.now(UTC)) as store:
        journey = Journey(store, Judge(store, Level.BALANCED))
        journey.now += timedelta(hours=9)
        report = journey.poll("b", BUDGET | {"title": BUDGET["title"].replace("single", "lone")})
    assert reasons(report) == ["near_duplicate"]


def test_show_tells_the_text_and_the_copies(place):
    ids = holds(place)
    shown = do(place, "held", "show", str(ids[FERRY["title"]]))
    assert FERRY["summary"] in shown
    assert "copy: entry" in shown
    assert "of b" in shown
    (facts,) = json.loads(do(place, "held", "show", "--json", str(ids[FERRY["title"]])))
    assert (facts["entries"][0]["copies"], facts["entries"][0]["summary"]) == (1, FERRY["summary"])


def test_all_and_feeds_and_entries(place):
    entry = json.loads(do(place, "held", "--json"))[0]["entries"][0]["entry"]
    assert "1 entry queued" in do(place, "held", "release", "--entry", str(entry))
    assert "waits in none of these" in do(place, "held", "release", "--entry", str(entry), code=1)
    assert do(place, "held", "release", "--all").count("1 entry queued") == 2
    assert "no hold is a" in do(place, "held", "release", "a", code=1)


def test_releasing_nothing_in_particular_is_wrong_usage(place):
    assert "say which" in do(place, "held", "release", code=2)
    assert "no hold is nonsense" in do(place, "held", "discard", "nonsense", code=1)
    assert len(holds(place)) == 3
