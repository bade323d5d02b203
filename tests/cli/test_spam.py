"""`spam train`, `check`, `report`, and `mark spam` and `ham`."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import click
import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.core.dedupe import Level
from bot.errors import ConfigError
from bot.pipeline import Judge
from bot.store import StateDir, Store
from tests.journey import BUDGET, FERRY, LIBRARY, Journey
from tests.spam.texts import HAM, LINES, SPAM


@pytest.fixture
def place(tmp_path):
    (tmp_path / "feed.xml").write_text("<rss/>")
    (tmp_path / "config.toml").write_text(
        'state_dir = "state"\n[spam]\nmodel = "m"\n[[feed]]\nname = "a"\nfile = "feed.xml"\n'
    )
    (tmp_path / "labelled.tsv").write_text(LINES)
    with Store.open(StateDir(tmp_path / "state"), datetime.now(UTC)) as store:
        journey = Journey(store, Judge(store, Level.BALANCED))
        journey.begin("a")
        journey.poll("a", LIBRARY, BUDGET, FERRY)
    return tmp_path


def do(place, *arguments: str) -> str:
    command = ["--config", str(place / "config.toml"), *arguments]
    done = CliRunner().invoke(group, command, standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.output


def train(place, *more: str) -> str:
    return do(place, "spam", "train", str(place / "labelled.tsv"), "-o", str(place / "m"), *more)


def test_training_tells_figures_and_words_and_the_model_is_asked(place):
    said = train(place, "--method", "article")
    assert "five-fold, 12 spam and 12 ham" in said
    assert "speaks for spam: " in said
    assert "'free'" in said
    assert do(place, "spam", "check", SPAM[0]).split()[0] == "spam"
    assert do(place, "spam", "check", HAM[0]).split()[0] == "ham"


def test_an_archive_is_checked_line_by_line(place):
    train(place, "--method", "article")
    archive = place / "archive.ndjson"
    rows = [{"title": SPAM[1]}, {"title": HAM[1], "summary": HAM[2]}]
    archive.write_text("".join(json.dumps(row) + "\n" for row in rows) + f"{SPAM[2]}\n{{broken\n")
    found = [json.loads(line) for line in do(place, "spam", "check", "--json", str(archive)).splitlines()]
    assert [row["verdict"] for row in found[:3]] == ["spam", "ham", "spam"]
    assert len(found) == 4


def test_marks_are_kept_reported_and_learnt_from(place):
    do(place, "mark", "spam", BUDGET["title"])
    do(place, "mark", "ham", BUDGET["title"])
    assert "marked spam: entry" in do(place, "mark", "spam", FERRY["title"])
    assert "labels: 1 spam, 1 ham" in do(place, "spam", "report")
    assert json.loads(do(place, "spam", "report", "--json")) == {"feeds": [], "labels": {"spam": 1, "ham": 1}}
    assert "13 spam and 13 ham" in train(place, "--method", "article", "--labels")


def test_the_bot_does_not_begin_with_a_model_that_is_none(place):
    from bot.config import load
    from bot.configured import feeds_of

    (place / "m").write_text("nonsense")
    config = load(place / "config.toml", need_account=False)
    with pytest.raises(ConfigError, match="no model of this bot"):
        feeds_of(config)
    train(place, "--method", "article")
    (feed,) = feeds_of(config)
    assert feed.rules.spam is not None


def test_without_labels_or_file_it_is_wrong_usage(place):
    with pytest.raises(click.UsageError, match="--labels"):
        do(place, "spam", "train")
