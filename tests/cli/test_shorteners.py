"""What people are told of the shortener of links."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from bot.cli import exits, group
from bot.simulated_x import SimulatedX
from bot.store import StateDir, Store
from bot.store.short_links import Trouble
from tests.shortener_server import TOKEN, UNAUTHORIZED, ShortenerServer, problem, told
from tests.terminal import x_environment

CONFIG = """
state_dir = "state"
[account]
api_key = "${{CK}}"
api_key_secret = "${{CS}}"
access_token = "${{AT}}"
access_token_secret = "${{AS}}"
[network]
allow = ["127.0.0.0/8"]
[shortener]
service = "{service}"
token = "${{SHORTENER_TOKEN}}"
url = "{url}"
{more}
[[feed]]
name = "a"
url = "https://a.invalid/"
utm = {{source = "x"}}
"""
TRIAL = "/rest/v3/short-urls?itemsPerPage=1"


@pytest.fixture
def x():
    with SimulatedX() as made:
        yield made


@pytest.fixture
def server():
    with ShortenerServer("shlink") as made:
        made.put(TRIAL, told(200, {"shortUrls": {"data": []}}))
        yield made


@pytest.fixture
def run(tmp_path, x, server, monkeypatch):
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.chdir(tmp_path)
    for name, value in x_environment(x).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SHORTENER_TOKEN", TOKEN)

    def do(*arguments: str, service: str = "shlink", more: str = ""):
        text = CONFIG.format(service=service, url=server.wanted.url, more=more)
        (tmp_path / "config.toml").write_text(text)
        return CliRunner().invoke(group, list(arguments))

    return do


def test_check_names_it(run, server):
    said = run("check").output
    assert f"links are made short by shlink {server.wanted.url}" in said
    assert "utm source=x" in said
    assert TOKEN not in said
    facts = json.loads(run("check", "--json").output)
    assert facts["shortener"] == f"Links are made short by shlink {server.wanted.url}"
    assert facts["feeds"][0]["utm"] == {"source": "x"}
    assert server.asked == [], "nobody is asked without --online"


def test_check_online_tries_the_key_and_makes_no_link(run, server):
    result = run("check", "--online")
    assert result.exit_code == exits.OK, result.output
    assert f"Shortener shlink {server.wanted.url}: the key is taken" in result.output
    assert server.made == {}


def test_a_key_that_is_not_taken_wants_a_person(run, server):
    server.put(TRIAL, UNAUTHORIZED["shlink"])
    result = run("check", "--online")
    assert result.exit_code == exits.CONFIG
    assert "Provided API key does not exist or is invalid" in result.output
    assert TOKEN not in result.output
    online = json.loads(run("check", "--online", "--json").output)["online"]
    assert online["ok"] is online["shortener"]["ok"] is False


def test_a_shortener_that_is_down_may_be_asked_later(run, server):
    server.put(TRIAL, problem("internal", "Error", "Unexpected error", 500))
    assert run("check", "--online").exit_code == exits.FAILED


def test_a_key_that_cannot_be_tried_is_untested(run):
    more = 'path = "link"\nbody = "{url}"'
    result = run("check", "--online", service="json", more=more)
    assert result.exit_code == exits.OK, result.output
    assert "without making a link: untested" in result.output


def test_status_shows_one_that_fails(run, tmp_path):
    now = datetime.now(UTC)
    with Store.open(StateDir(tmp_path / "state"), now) as store, store.transaction():
        store.short_links.failed(
            "shlink", Trouble.DOWN, "no answer", now, closed_until=now + timedelta(hours=1)
        )
    assert "The shortener shlink fails since" in run("status").output
    (fact,) = json.loads(run("status", "--json").output)["failing_shorteners"]
    assert (fact["service"], fact["cause"], fact["reason"]) == ("shlink", "down", "no answer")
    with Store.open(StateDir(tmp_path / "state"), now) as store, store.transaction():
        store.short_links.works("shlink")
    assert "shortener" not in run("status").output


def test_a_database_of_before_can_be_looked_at(run, tmp_path):
    with Store.open(StateDir(tmp_path / "state"), datetime.now(UTC)) as store:
        for table in ("short_links", "shorteners"):
            store._db.execute(f"drop table {table}")
    result = run("status")
    assert result.exit_code == exits.OK, result.output


def test_once_posts_short_links_and_keeps_secrets_out_of_its_log(run, server, x, tmp_path):
    feed = tmp_path / "feed.xml"
    items = (
        "<item><guid>1</guid><link>https://gazette.com/2026/the-ferry</link><title>The ferry</title></item>"
    )
    feed.write_text(f"<rss version='2.0'><channel><title>A</title>{items}</channel></rss>")
    run("check")
    path = tmp_path / "config.toml"
    text = path.read_text().replace('url = "https://a.invalid/"', f'file = "{feed}"\nfirst_run = "all"')
    path.write_text(text)
    result = CliRunner().invoke(group, ["once", "--now"])
    assert result.exit_code == exits.OK, result.output
    assert [post.text for post in x.posts()] == ["The ferry https://s.gazette.com/x1"]
    assert server.links() == ["https://gazette.com/2026/the-ferry?utm_source=x"]
    assert TOKEN not in result.output
    shown = CliRunner().invoke(group, ["once", "--dry-run"]).output
    assert TOKEN not in shown
