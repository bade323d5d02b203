"""`replies`: what would be said to a text, what stands against it, and what was heard."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import click
import pytest
from click.testing import CliRunner

from bot.cli import group
from bot.core.answers import Skip
from bot.core.hits import Hit, Stream
from bot.store import StateDir, Store

NOW = datetime.now(UTC)
CONFIG = """
state_dir = "state"
[account]
api_key = "${ABSENT_KEY}"
api_key_secret = "${ABSENT_KEY_SECRET}"
access_token = "${ABSENT_TOKEN}"
access_token_secret = "${ABSENT_TOKEN_SECRET}"
[[destination]]
type = "mastodon"
server = "https://social.example.org"
access_token = "${ABSENT_MASTODON}"
[[search]]
name = "weather"
query = 'weather OR "will it rain"'
answers = ["The forecast of today is read out at noon"]
exclude = ["giveaway"]
[[search]]
name = "bridge"
query = "bridge min_likes:3"
destinations = ["x"]
post = true
[[feed]]
name = "a"
file = "feed.xml"
"""


def hit(number: str, author: str, text: str) -> Hit:
    return Hit(
        id=number,
        reference=number,
        author=author,
        text=text,
        created_at=NOW,
        conversation=number,
        mentions_us=True,
    )


@pytest.fixture
def place(tmp_path):
    (tmp_path / "feed.xml").write_text("<rss/>")
    (tmp_path / "config.toml").write_text(CONFIG)
    (tmp_path / "config.toml").chmod(0o600)
    with Store.open(StateDir(tmp_path / "state"), NOW) as store, store.transaction():
        store.hits.begin("x", Stream.MENTIONS, "", NOW - timedelta(days=1), NOW)
        store.hits.queue(
            "x",
            hit("11", "7", "@newsbot weather?"),
            Stream.MENTIONS,
            "weather",
            text="At noon",
            repost=False,
            signature=None,
            now=NOW,
            not_before=NOW,
            expires_at=NOW + timedelta(hours=1),
        )
        stop = hit("12", "8", "@newsbot stop")
        store.hits.skip("x", stop, Stream.MENTIONS, "", Skip.SAYS_STOP, "its author says stop", NOW)
        store.hits.stop("x", stop, NOW)
    return tmp_path


def do(place, *arguments: str) -> str:
    command = ["--config", str(place / "config.toml"), *arguments]
    done = CliRunner().invoke(group, command, standalone_mode=False)
    if isinstance(done.exception, click.ClickException):
        return done.exception.format_message()
    if done.exception:
        raise done.exception
    return done.output


def test_a_text_that_is_answered_shows_the_words_the_rule_and_the_network_s_rules(place):
    said = do(place, "replies", "test", "Will it rain on Monday?", "--name", "ann@far.example")
    assert "x, a mention: answered by weather" in said
    assert "The forecast of today is read out at noon" in said
    assert "2026-02-23" in said
    assert "@ann@far.example The forecast" in said  # at Mastodon


def test_what_stands_against_an_answer_is_said(place):
    assert "not answered (excluded): weather leaves out" in do(
        place, "replies", "test", "weather giveaway", "--at", "x"
    )
    assert "not answered (no_match)" in do(place, "replies", "test", "hello there", "--at", "mastodon")
    assert "not answered (stopped)" in do(place, "replies", "test", "weather?", "--author", "8", "--at", "x")
    assert "not answered (cooldown)" in do(place, "replies", "test", "weather?", "--author", "7", "--at", "x")
    assert "not answered (not_summoned)" in do(place, "replies", "test", "weather?", "--unnamed", "--at", "x")


def test_facts_for_programs(place):
    facts = json.loads(do(place, "replies", "test", "The old bridge and the weather", "--json", "--at", "x"))
    assert [(fact["stream"], fact["rule"], fact["repost"]) for fact in facts] == [
        ("mentions", "weather", False),
        ("search", "bridge", True),
    ]
    assert facts[0]["answer"]
    assert facts[0]["weight"] <= facts[0]["limit"] == 280


def test_the_log_says_what_was_heard_and_what_became_of_it(place):
    said = do(place, "replies", "log")
    assert "answered" in said
    assert "says_stop" in said
    assert "1 account said stop" in said
    assert "x mentions: not read yet" in said
    told = json.loads(do(place, "replies", "log", "--json", "--answered"))
    assert [(one["id"], one["outcome"], one["state"]) for one in told["hits"]] == [
        ("11", "answered", "queued")
    ]
    assert told["stopped"] == 1


def test_without_a_search_the_way_to_one_is_said(place):
    text = (place / "config.toml").read_text()
    (place / "config.toml").write_text(
        text[: text.index("[[search]]")] + '[[feed]]\nname = "a"\nfile = "feed.xml"\n'
    )
    assert "[[search]]" in do(place, "replies", "test", "weather?")
