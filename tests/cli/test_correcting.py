"""Corrections of posted stories, as `status` and `why` show them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.core.dedupe import Level
from bot.core.model import Receipt
from bot.corrections import Corrections
from bot.pipeline import Judge
from bot.store import StateDir, Store
from tests.journey import Journey

CONFIG = 'state_dir = "state"\n[[feed]]\nname = "a"\nurl = "https://a.invalid/"\n'
MILL = {"guid": "mill", "link": "https://a.example/mill"}
WRONG = MILL | {"title": "Three people killed in a fire at the Skerry Point mill"}
RIGHT = MILL | {"title": "Five people killed in a fire at the Skerry Point mill"}


@pytest.fixture
def state(tmp_path):
    """Make a store in which a posted story was corrected, and an answer waits."""
    now = datetime.now(UTC)
    with Store.open(StateDir(tmp_path / "state"), now) as store:
        feed = Journey(store, Judge(store, Level.BALANCED))
        feed.now = now
        feed.poll("a", {"title": "Zinc up"}, hours=0)
        feed.poll("a", WRONG, hours=0)
        row = store.outbox.rows()[0]
        with store.transaction():
            store.outbox.settle_sent(row.id, Receipt(remote_id="17", url="https://x.com/a/status/17"), now)
            store._db.execute("update outbox set claimed_at = ?", [now.timestamp()])
        feed.now += timedelta(seconds=1)
        feed.poll("a", RIGHT, hours=0)
        Corrections(store, "x", answering=["a"], clock=lambda: now).run(now)
    (tmp_path / "config.toml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def do(state, monkeypatch):
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.setenv("COLUMNS", "300")
    return lambda *words: CliRunner().invoke(group, ["--config", str(state / "config.toml"), *words])


def test_status_shows_what_was_posted_what_is_true_and_the_answer(do):
    shown = do("status")
    assert shown.exception is None
    assert "Corrected by their feeds after they were posted" in shown.output
    for words in ("substance", WRONG["title"], RIGHT["title"], "https://x.com/a/status/17", "queued"):
        assert words in shown.output


def test_status_gives_the_same_to_programs(do):
    [fact] = json.loads(do("status", "--json").stdout)["corrections"]
    assert (fact["said"], fact["now"], fact["kind"]) == (WRONG["title"], RIGHT["title"], "substance")
    assert fact["url"] == "https://x.com/a/status/17"
    assert fact["answer"]["state"] == "queued"


def test_why_says_it_of_the_posted_entry_and_of_its_later_version(do):
    for named in (WRONG["title"], RIGHT["title"]):
        said = do("why", named).output
        assert f"“{WRONG['title']}” is now “{RIGHT['title']}”" in said
        assert "answered by outbox 2: queued answers row 1" in said
        [found] = json.loads(do("why", named, "--json").stdout)
        assert found["outbox"][0]["corrections"][0]["kind"] == "substance"


def test_a_database_of_before_can_still_be_looked_at(do, state):
    with Store.alongside(StateDir(state / "state")) as store:
        store._db.execute("drop table corrections")
    assert do("status").exception is None
    assert do("why", RIGHT["title"]).exception is None
