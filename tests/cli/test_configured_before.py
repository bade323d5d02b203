"""A bot of before there were destinations: its configuration and its state directory go on unchanged, and may get others."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.cli import exits, main
from bot.simulated_x import SimulatedX
from tests.bluesky_logins import BlueskyLogins
from tests.feed_server import FeedServer
from tests.simulated_mastodon import SimulatedMastodon
from tests.terminal import x_environment

APP = '[account]\napi_key = "${CK}"\napi_key_secret = "${CS}"\n'
OLD = (
    'state_dir = "state"\n'
    + APP
    + '[pacing]\nmin_gap = "0s"\n[network]\nallow = ["127.0.0.0/8"]\n[[feed]]\nname = "Gazette"\nurl = "URL"\n'
    'first_run = "newest 1"\ninterval = "1m"\n'
)
ITEM = "<item><guid>g{n}</guid><link>https://gazette.example/{n}</link><title>{title}</title></item>"
FIRST = ITEM.format(n=1, title="The ferry to Gull Island is back")
SECOND = ITEM.format(n=2, title="Council votes for a second tram depot in the harbour")
THIRD = ITEM.format(n=3, title="Storm closes the northern lighthouse for a week")


@pytest.fixture
def feed():
    with FeedServer() as server:

        def holds(*items):
            body = f"<rss version='2.0'><channel><title>Gazette</title><description/>{''.join(items)}</channel></rss>"
            server.put("/rss", body.encode())
            return server.url("/rss")

        yield holds


@pytest.fixture
def x():
    with SimulatedX() as made:
        yield made


@pytest.fixture
def run(x, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, value in x_environment(x).items():
        monkeypatch.setenv(name, value)

    def do(*arguments, config):
        Path("config.toml").write_text(config)
        Path("config.toml").chmod(0o600)
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
        told = capsys.readouterr()
        return ended.value.code, told.out + told.err

    return do


def as_an_older_version_left_it(x):
    """Take what came with destinations out of the state directory, and store the tokens in the bytes of before."""
    state = Path("state")
    with closing(sqlite3.connect(state / "shinglebot.db")) as db, db:
        db.execute("alter table outbox drop column key")
        db.execute("delete from _sqlite_migrations where name = 'm016_keys'")
    keys = x.credentials()
    tokens = {
        "access_token": keys.access_token,
        "access_token_secret": keys.access_token_secret,
        "user_id": "42",
        "username": "newsbot",
    }
    (state / "x-tokens.json").write_text(json.dumps(tokens))
    (state / "x-tokens.json").chmod(0o600)


def test_an_old_configuration_and_state_directory_go_on_and_may_get_another_destination(x, run, feed):
    url = feed(FIRST)
    named = APP + 'access_token = "${AT}"\naccess_token_secret = "${AS}"\n'
    code, said = run("once", config=OLD.replace("URL", url).replace(APP, named))
    assert code == exits.OK, said
    as_an_older_version_left_it(x)

    feed(FIRST, SECOND)
    code, said = run("once", "--now", config=OLD.replace("URL", url))
    assert code == exits.OK, said
    texts = [post.text for post in x.posts()]
    assert len(texts) == 2
    assert any("second tram depot" in text for text in texts)
    assert Path("state/x-tokens.json").exists()
    assert list(Path("state").glob("destination-*")) == []

    with SimulatedMastodon() as mastodon:
        more = f'[[destination]]\ntype = "mastodon"\nserver = "{mastodon.url}"\naccess_token = "{mastodon.account()}"\n'
        feed(FIRST, SECOND, THIRD)
        code, said = run("once", "--now", config=OLD.replace("URL", url) + more)
        assert code == exits.OK, said
        assert len(x.posts()) == 3
        (text,) = mastodon.posts()
        assert text.startswith("Storm closes the northern lighthouse")


def test_without_an_account_a_bot_posts_elsewhere_and_asks_x_for_nothing(x, run, feed):
    url = feed(FIRST)
    with SimulatedMastodon() as mastodon:
        more = f'[[destination]]\ntype = "mastodon"\nserver = "{mastodon.url}"\naccess_token = "{mastodon.account()}"\n'
        config = OLD.replace("URL", url).replace(APP, "") + more
        code, said = run("once", config=config)
        assert code == exits.OK, said
        assert [text.splitlines()[0] for text in mastodon.posts()] == [
            "The ferry to Gull Island is back https://gazette.example/1"
        ]
    assert x.log == []


def test_a_destination_that_nobody_is_logged_in_to_needs_a_person(run, feed):
    with BlueskyLogins() as bluesky:
        more = f'[[destination]]\ntype = "bluesky"\nserver = "{bluesky.url}"\nhandle = "gazette.test"\n'
        code, said = run("once", config=OLD.replace("URL", feed(FIRST)).replace(APP, "") + more)
    assert code == exits.CONFIG
    assert "run `shinglebot auth bluesky`, or name app_password in its [[destination]]" in said
