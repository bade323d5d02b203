"""`once` hears and answers, and its dry run shows what would be said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.simulated_x import SimulatedX
from bot.store import StateDir, Store
from tests.terminal import x_environment

CONFIG = """
state_dir = "state"
[account]
api_key = "${CK}"
api_key_secret = "${CS}"
access_token = "${AT}"
access_token_secret = "${AS}"
[pacing]
min_gap = "0s"
[[search]]
name = "weather"
query = "weather"
answers = ["The forecast is read out at noon"]
[[feed]]
name = "a"
file = "feed.xml"
"""
FEED = "<rss version='2.0'><channel><title>A</title><link>https://a.example/</link><description/></channel></rss>"


@pytest.fixture
def x():
    with SimulatedX(["newsbot", "ann"]) as made:
        yield made


@pytest.fixture
def place(tmp_path):
    (tmp_path / "feed.xml").write_text(FEED)
    (tmp_path / "config.toml").write_text(CONFIG)
    return tmp_path


def once(place, x, *more: str) -> str:
    command = ["--config", str(place / "config.toml"), "once", *more]
    done = CliRunner().invoke(group, command, env=x_environment(x), standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.output


def let_a_day_pass(place) -> None:
    """Have the streams due, as if the first look had been earlier."""
    with Store.open(StateDir(place / "state"), datetime.now(UTC)) as store, store.transaction():
        earlier = (datetime.now(UTC) - timedelta(hours=1)).timestamp()
        store._db.execute("update hit_readings set not_before = ?, since_at = ?", [earlier, earlier])


def test_a_dry_run_shows_the_answer_and_the_next_round_gives_it(place, x):
    once(place, x)
    asked = x.put("@newsbot weather?", "ann")
    let_a_day_pass(place)
    assert "The forecast is read out at noon" in once(place, x, "--dry-run")
    assert x.posts("newsbot") == []
    once(place, x)
    assert [(post.reply_to, post.text) for post in x.posts("newsbot")] == [
        (asked.id, "The forecast is read out at noon")
    ]
    let_a_day_pass(place)
    once(place, x)
    assert len(x.posts("newsbot")) == 1


def test_a_rehearsal_hears_nobody(place, x):
    once(place, x)
    x.put("@newsbot weather?", "ann")
    let_a_day_pass(place)
    before = len(x.log)
    once(place, x, "--simulate")
    assert len(x.log) == before
