"""`init` asks where posts are to go, and writes a starter for it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import exits, group
from bot.config import load
from bot.config.settings import Account
from tests.terminal import at_a_terminal

KEYS = {f"X_{key.upper()}": f"sekrit-{key}" for key in Account.model_fields}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def run(*arguments):
    return CliRunner().invoke(group, [*arguments], catch_exceptions=False)


def destinations(env=None):
    return load("config.toml", env=env or {}, need_account=False).destinations


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("to", "names"),
    [
        ("x", ["x"]),
        ("bluesky", ["bluesky"]),
        ("mastodon", ["mastodon"]),
        ("Mastodon, bluesky", ["bluesky", "mastodon"]),
        ("mastodon,x", ["x", "mastodon"]),
    ],
)
def test_an_option_says_where_posts_are_to_go(to, names):
    told = run("init", "--to", to)
    assert told.exit_code == exits.OK
    assert [each.name for each in destinations()] == names
    assert ("budget" in tomllib.loads(Path("config.toml").read_text())) == ("x" in names)
    for network in ("bluesky", "mastodon"):
        assert (f"shinglebot auth {network}" in told.output) == (network in names)
    checked = run("check")
    assert checked.exit_code == exits.OK, checked.output
    edited = Path("config.toml").read_text()
    for example in ("www.example.org", "gazette.example.org", "social.example.org"):
        edited = edited.replace(example, "gazette.invalid")
    Path("config.toml").write_text(edited)
    assert load("config.toml", env=KEYS, need_account=True).warnings == ()


@pytest.mark.usefixtures("here")
def test_what_is_to_be_filled_in_is_warned_of():
    run("init", "--to", "bluesky,mastodon")
    said = run("check").output
    assert said.count("exists in examples only: put yours there") == 2


@pytest.mark.usefixtures("here")
def test_x_alone_is_the_starter_as_it_was():
    from importlib import resources

    run("init")
    assert (
        Path("config.toml").read_bytes()
        == resources.files("bot.config").joinpath("starter.toml").read_bytes()
    )


@pytest.mark.usefixtures("here")
def test_a_person_is_asked_once_and_without_x_not_for_money():
    code, said = at_a_terminal("twitter\nbluesky\n", "init")
    assert code == exits.OK, said
    assert "allowed: x, bluesky, mastodon, or several with commas between" in said
    assert "The most dollars" not in said
    assert [each.name for each in destinations()] == ["bluesky"]


@pytest.mark.usefixtures("here")
def test_with_x_among_them_the_limit_is_asked_for():
    code, said = at_a_terminal("x, mastodon\n3\n", "init")
    assert code == exits.OK, said
    assert [each.name for each in destinations()] == ["x", "mastodon"]
    assert 'daily = "3.00"' in Path("config.toml").read_text()
    assert "put your feed's address and your account's server into it" in said


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--to", "facebook"), "allowed: x, bluesky, mastodon"),
        (("--to", ""), "allowed: x, bluesky, mastodon"),
        (("--to", "bluesky", "--daily", "2"), "--daily is for X"),
        (("--to", "bluesky", "--full"), "--full writes the keys of every network"),
        (("--to", "bluesky", "--new-store"), "--to is for a new configuration"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments, said):
    refused = run("init", *arguments)
    assert refused.exit_code == exits.USAGE
    assert said in refused.output
    assert not Path("config.toml").exists()
