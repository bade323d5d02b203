"""`feeds`: the table, the doctor, and lists in and out, as a person or a program meets them."""

from __future__ import annotations

import json
import tomllib
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.core.politeness import Pace, Rhythm
from bot.store import StateDir, Store
from bot.store.sources import SourceState
from tests.feed_server import FeedServer

NOW = datetime.now(UTC)
HOUR = timedelta(hours=1)
CONFIG = """state_dir = "state"
[network]
allow = ["127.0.0.0/8"]
[[feed]]
name = "Good"
url = "https://good.example/f?key=s3cret"
[[feed]]
name = "Dead"
url = "https://dead.example/"
[[feed]]
name = "Tired"
url = "https://tired.example/"
[[feed]]
name = "Paper"
file = "paper.xml"
link = "never"
[[feed]]
name = "New"
url = "https://new.example/"
"""


@pytest.fixture
def do(tmp_path, monkeypatch):
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text(CONFIG)
    items = "".join(
        f"<item><title>S {n}</title><guid>{n}</guid><link>https://p.example/{n}</link><pubDate>{NOW - 2 * n * HOUR:%a, %d %b %Y %H:%M:%S} GMT</pubDate></item>"
        for n in range(1, 25)
    )
    (tmp_path / "paper.xml").write_text(
        f'<rss version="2.0"><channel><title>P</title>{items}</channel></rss>'
    )

    def run(*arguments: str):
        return CliRunner().invoke(group, [str(a) for a in arguments], catch_exceptions=False)

    return run


@pytest.fixture
def watched(tmp_path, do):
    with Store.open(StateDir(tmp_path / "state"), NOW) as store, store.transaction():
        good = SourceState(
            name="Good",
            url="https://good.example/f?key=s3cret",
            next_poll_at=NOW + HOUR,
            last_attempt_at=NOW - HOUR,
            last_good_at=NOW - HOUR,
            rhythm=Rhythm(gap=4 * HOUR, newest=NOW - 2 * HOUR),
            pace=Pace(wait=HOUR, skip_hours=frozenset({1, 23}), skip_days=frozenset({6})),
            fresh_for=HOUR / 2,
        )
        store.sources.save(good)
        assert store.sources.get("Good") == good, "what is kept of a feed comes back whole"
        dead = SourceState(
            name="Dead", url="https://dead.example/", next_poll_at=NOW, failures=1, fault="410", gone_at=NOW
        )
        store.sources.save(dead)
        store.sources.save(
            SourceState(
                name="Tired",
                url="https://tired.example/",
                next_poll_at=NOW,
                failures=1,
                fault="it answered 429",
            )
        )
        store.hosts.close("tired.example", NOW + 5 * HOUR, NOW)
    return do


def test_each_feeds_health_and_next_poll(watched):
    found = {fact["feed"]: fact for fact in json.loads(watched("feeds", "--json").stdout)}
    assert {name: fact["health"] for name, fact in found.items()} == {
        "Good": "ok",
        "Dead": "gone",
        "Tired": "fails",
        "Paper": "new",
        "New": "new",
    }
    good = found["Good"]
    assert (good["waits_minutes"], good["gap_minutes"], good["asks_to_wait_minutes"]) == (120, 240, 60)
    assert found["Dead"]["next_poll"] is None
    assert datetime.fromisoformat(found["Tired"]["next_poll"]) - NOW > 4 * HOUR


def test_the_table_says_what_to_do(watched):
    output = watched("feeds").stdout
    assert "Dead is gone for good" in output
    assert "Tired: its host is asked too often (429)" in output
    assert "s3cret" not in output


def test_a_local_feed_is_examined_by_its_name(do):
    result = do("feeds", "check", "Paper")
    assert "RSS 2.0, 24 items" in result.output
    assert "posts a day" in result.output
    assert "without a link" in result.output


def test_an_address_is_examined_under_the_owners_network_rules(do):
    with FeedServer() as server:
        url = server.put("/f", b"<html><body>none</body></html>", content_type="text/html")
        (found,) = json.loads(do("feeds", "check", url, "--json").stdout)
    assert found["readable"] is False
    assert "web page" in found["findings"][0]["says"]


def test_a_list_comes_in_beside_what_is_there_and_nothing_is_written(do, tmp_path):
    (tmp_path / "list.opml").write_text(
        '<opml><body><outline text="good" xmlUrl="https://new.example/x"/><outline text="x" xmlUrl="https://dead.example"/></body></opml>'
    )
    result = do("feeds", "import", "list.opml")
    assert tomllib.loads(result.stdout)["feed"] == [{"name": "good 2", "url": "https://new.example/x"}]
    assert "1 to paste into config.toml, 1 left out; nothing was written" in result.stderr
    assert (tmp_path / "config.toml").read_text() == CONFIG
    assert do("--config", "config.toml", "check").exit_code == 0
    (tmp_path / "config.toml").write_text(CONFIG + result.stdout)
    assert "is ok" in do("check").output


def test_the_feeds_go_out_as_opml(do, tmp_path):
    result = do("feeds", "export")
    assert 'xmlUrl="https://good.example/f?key=s3cret"' in result.stdout
    assert "Paper is a file of this machine" in result.stderr
    (tmp_path / "out.opml").write_text(result.stdout)
    assert "0 to paste into config.toml, 4 left out" in do("feeds", "import", "out.opml").stderr
