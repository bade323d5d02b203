"""`preview`: how entries would read, before anything is configured, kept or posted."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.config import load
from bot.configured import shortener_of
from bot.core.weighted_length import measure
from bot.store import StateDir, Store
from tests.feed_server import FeedServer

NOW = datetime.now(UTC)
CONFIG = """state_dir = "state"
[network]
allow = ["127.0.0.0/8"]
[[feed]]
name = "Paper"
file = "paper.xml"
hashtags = ["news"]
exclude = {{ title = ["Advertisement"] }}
[[feed]]
name = "Wire"
url = "{url}"
link = "never"
template = "{{title}}: {{summary}}"
"""
TITLES = [
    "Harbour bridge closes for repairs",
    "@mayor opens #Fair, $TSLA and $AAPL",
    "word " * 80,
    "Advertisement: buy",
]


def feed_of(titles, summary=""):
    items = "".join(
        f"<item><title>{title}</title><guid>{n}</guid><link>https://p.example.com/{n}</link>"
        f"<description>{summary}</description>"
        f"<pubDate>{NOW - n * timedelta(hours=2):%a, %d %b %Y %H:%M:%S} GMT</pubDate></item>"
        for n, title in reversed(list(enumerate(titles)))
    )
    return f'<rss version="2.0"><channel><title>P</title>{items}</channel></rss>'


@pytest.fixture
def server():
    with FeedServer() as started:
        started.put("/feed.xml", feed_of(["A"], "the summary").encode(), etag='"1"')
        yield started


@pytest.fixture
def do(tmp_path, monkeypatch, server):
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text(CONFIG.format(url=server.url("/feed.xml")))
    (tmp_path / "paper.xml").write_text(feed_of(TITLES))

    def run(*arguments: str, **how):
        return CliRunner().invoke(group, ["preview", *map(str, arguments)], catch_exceptions=False, **how)

    return run


def test_the_newest_entries_as_they_would_read(do, tmp_path):
    result = do("Paper")
    assert result.exit_code == 0
    assert "       | Harbour bridge closes for repairs https://p.example.com/0 #news\n" in result.output
    assert "       | mayor opens Fair, $TSLA and AAPL https://p.example.com/1 #news\n" in result.output
    assert "without its sign, to act on nobody: @mayor #Fair $AAPL" in result.output
    assert "cut: title" in result.output
    assert "would not be posted: excluded by title 'Advertisement'" in result.output
    assert result.output.index("Harbour") < result.output.index("mayor")
    assert not (tmp_path / "state").exists()


def test_what_programs_read(do):
    (paper,) = json.loads(do("Paper", "--json", "--count", "3").output)
    assert paper["fault"] is None
    assert [entry["weight"] for entry in paper["entries"]] == [
        measure(entry["text"]).weight for entry in paper["entries"]
    ]
    first, second, third = paper["entries"]
    assert (first["link"], first["has_link"], first["price"]) == ("https://p.example.com/0", True, "0.20")
    assert second["neutralised"] == ["@mayor", "#Fair", "$AAPL"]
    assert third["cut"] == ["title"]
    assert third["weight"] <= third["limit"] == 280


def test_a_feed_is_asked_once_and_nothing_is_remembered(do, server, tmp_path):
    for _ in range(2):
        assert "| A: the summary\n" in do("Wire").output
    asked = server.asked("/feed.xml")
    assert len(asked) == 2
    assert all("if-none-match" not in each.headers for each in asked)
    assert not (tmp_path / "state").exists()


def test_another_template_and_an_address_that_is_not_configured(do, server):
    assert "| the summary\n" in do("Wire", "--template", "{summary}").output
    bad = do("Wire", "--template", "{titel}")
    assert bad.exit_code == 2
    assert "did you mean {title}?" in bad.output


def test_a_feed_that_cannot_be_read_fails_alone(do, tmp_path):
    (tmp_path / "paper.xml").unlink()
    result = do(standalone_mode=False)
    assert result.return_value == 1
    assert "| A: the summary" in result.output
    assert "does not exist" in result.output


def test_a_long_post_says_what_shows_at_first(do, tmp_path):
    config = (tmp_path / "config.toml").read_text().replace('hashtags = ["news"]', "max_length = 1000")
    (tmp_path / "config.toml").write_text(config)
    (paper,) = json.loads(do("Paper", "--json", "--count", "3").output)
    long = paper["entries"][2]
    assert long["weight"] == 399 + 1 + 23
    assert long["limit"] == 1000
    assert measure(long["shown_at_first"]).weight <= 280
    assert "X shows at first: … " in do("Paper").output


def test_a_file_needs_no_configuration(do, tmp_path):
    (tmp_path / "config.toml").unlink()
    output = do("paper.xml", "--count", "1").output
    assert "| Harbour bridge closes for repairs https://p.example.com/0\n" in output


def test_a_short_link_is_shown_where_it_is_kept_and_nobody_is_asked_for_others(do, tmp_path, server):
    config = (tmp_path / "config.toml").read_text()
    shortener = (
        f'[shortener]\nservice = "yourls"\nurl = "{server.url("/yourls-api.php")}"\ntoken = "0123456789"\n'
    )
    (tmp_path / "config.toml").write_text(config.replace("[network]", f"{shortener}[network]", 1))
    (tmp_path / "config.toml").chmod(0o600)
    service = shortener_of(load(tmp_path / "config.toml", need_account=False))
    with Store.open(StateDir(tmp_path / "state"), NOW) as store, store.transaction():
        store.short_links.made(service.identity, "https://p.example.com/0", "https://sho.rt/x", NOW)
    output = do("Paper").output
    assert "| Harbour bridge closes for repairs https://sho.rt/x #news\n" in output
    assert "https://p.example.com/1" in output
    assert server.asked("/yourls-api.php") == []


def test_no_secret_of_the_configuration_is_printed(do, tmp_path, server):
    server.put("/secret.xml", feed_of(["Told s3cret-of-ours back"]).encode())
    config = CONFIG.format(url=server.url("/secret.xml")) + 'headers = {Key = "s3cret-of-ours"}\n'
    (tmp_path / "config.toml").write_text(config)
    (tmp_path / "config.toml").chmod(0o600)
    for arguments in (("Wire",), ("Wire", "--json")):
        output = do(*arguments).output
        assert "s3cret" not in output
        assert "Told *** back" in output
