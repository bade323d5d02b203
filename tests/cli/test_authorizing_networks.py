"""`auth`, `check` and `check --online` with destinations beside X, as an owner meets them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot.cli import exits, main
from bot.simulated_x import SimulatedX
from tests.bluesky_logins import BlueskyLogins
from tests.pds_server import PdsServer
from tests.simulated_mastodon import Fault, SimulatedMastodon
from tests.terminal import at_a_terminal_when_asked, x_environment

HANDLE = "gazette.test"
ACCOUNT = '[account]\napi_key = "${CK}"\napi_key_secret = "${CS}"\naccess_token = "${AT}"\naccess_token_secret = "${AS}"\n'
REST = '[network]\nallow = ["127.0.0.0/8", "::1"]\n[[feed]]\nname = "News"\nurl = "https://news.invalid/feed.xml"\n'


@pytest.fixture
def bluesky():
    with BlueskyLogins() as server:
        yield server


@pytest.fixture
def mastodon():
    with SimulatedMastodon() as server:
        yield server


class Owner:
    """Sits at the keyboard, which is no terminal: reads what the program says, and types what follows from it."""

    def __init__(self, answer):
        self._answer = answer

    def isatty(self):
        return False

    def readline(self):
        return f"{self._answer()}\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the program in a directory of its own with a configuration; return exit code and what was said."""
    monkeypatch.chdir(tmp_path)

    def do(*arguments, config, typed=None):
        Path("config.toml").write_text('state_dir = "state"\n' + config + REST)
        Path("config.toml").chmod(0o600)
        said = []

        def answer():
            said.append(capsys.readouterr().out)
            return typed(said[0]) if callable(typed) else typed or ""

        monkeypatch.setattr("sys.stdin", Owner(answer))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        told = capsys.readouterr()
        return ended.value.code, "".join(said) + told.out + told.err

    return do


def bluesky_at(server, extra=""):
    return f'[[destination]]\ntype = "bluesky"\nserver = "{server.url}"\nhandle = "{HANDLE}"\npicture = "page"\n{extra}'


def mastodon_at(server, extra=""):
    return f'[[destination]]\ntype = "mastodon"\nserver = "{server.url}"\n{extra}'


def allowing(server, name="gazette"):
    """Be an owner who opens the address that the program prints, and types the code."""

    def typed(said):
        found = re.search(r"^  (http\S+)$", said, re.MULTILINE)
        assert found is not None
        return server.allow(found[1], name)

    return typed


def test_an_app_password_is_typed_and_stored(run, bluesky):
    password = bluesky.account(HANDLE)
    code, said = run("auth", config=bluesky_at(bluesky), typed=password)
    assert code == exits.OK, said
    assert f"The bot may act for {HANDLE} (did:plc:" in said
    assert "https://bsky.app/settings/app-passwords" in said
    assert "does not look like" not in said
    assert password not in said
    assert json.loads(Path("state/destination-bluesky.json").read_text())["app_password"] == password


def test_no_terminal_shows_it(run, bluesky):
    password = bluesky.account(HANDLE)
    run("check", config=bluesky_at(bluesky))
    code, said, shown = at_a_terminal_when_asked("App password: ", f"{password}\n", "auth", "bluesky")
    assert code == exits.OK, said
    assert password not in said
    assert password not in shown
    assert "The bot may act for" in said


def test_what_looks_like_the_accounts_own_password_is_told(run, bluesky):
    bluesky.account(HANDLE)
    bluesky.accounts[HANDLE] = ("did:plc:abcabcabcabc", "Correct-Horse-7")
    code, said = run("auth", "bluesky", config=bluesky_at(bluesky), typed="Correct-Horse-7")
    assert code == exits.OK
    assert "This does not look like an app password (xxxx-xxxx-xxxx-xxxx)" in said
    assert "shinglebot auth bluesky --force" in said


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "no app password was typed"),
        ("two words", "that is no app password"),
        ("пароль-пароль", "that is no app password"),
        ("abcd-abcd-abcd-abcd", "the server does not accept the handle or the app password"),
    ],
)
def test_what_does_not_open_the_account_is_not_stored(run, bluesky, typed, words):
    bluesky.account(HANDLE)
    code, said = run("auth", config=bluesky_at(bluesky), typed=typed)
    assert code == exits.FAILED
    assert words in said
    assert not Path("state").exists()


def test_what_is_stored_is_replaced_only_when_that_is_meant(run, bluesky):
    password = bluesky.account(HANDLE)
    run("auth", config=bluesky_at(bluesky), typed=password)
    code, said = run("auth", config=bluesky_at(bluesky), typed=password)
    assert code == exits.USAGE
    assert f"the app password of {HANDLE} is stored already; say --force to replace them" in said
    assert run("auth", "--force", config=bluesky_at(bluesky), typed=password)[0] == exits.OK


def test_a_code_is_typed_and_a_token_stored(run, mastodon):
    code, said = run("auth", config=mastodon_at(mastodon), typed=allowing(mastodon))
    assert code == exits.OK, said
    assert re.search(r"The bot may act for @gazette@127\.0\.0\.1:\d+ from its next start on", said)
    assert "does not say that it is a bot" not in said
    assert json.loads(Path("state/destination-mastodon.json").read_text())["access_token"] in mastodon.tokens


def test_an_account_that_does_not_say_that_it_is_a_bot_is_told(run, mastodon):
    mastodon.account()
    next(iter(mastodon.accounts.values())).bot = False
    _, said = run("auth", config=mastodon_at(mastodon), typed=allowing(mastodon))
    assert "The account does not say that it is a bot: switch on “This is an automated account”" in said
    code, said = run("check", "--online", config=mastodon_at(mastodon))
    assert code == exits.OK
    assert "does not say that it is a bot" in said


def test_a_wrong_code_says_what_to_do(run, mastodon):
    code, said = run("auth", config=mastodon_at(mastodon), typed="nonsense")
    assert code == exits.FAILED
    assert "Nothing was changed; run `shinglebot auth mastodon` again" in said
    assert "no code was typed" in run("auth", config=mastodon_at(mastodon), typed="")[1]
    assert len(mastodon.apps) == 1


def test_several_destinations_are_listed_and_one_is_named(run, bluesky, mastodon):
    config = (
        bluesky_at(bluesky)
        + mastodon_at(mastodon, 'name = "social"\n')
        + '[[destination]]\ntype = "stdout"\n'
    )
    code, said = run("auth", config=config)
    assert code == exits.OK
    assert f"  shinglebot auth bluesky\n      {HANDLE} at {bluesky.url}, app password: none yet" in said
    assert "  shinglebot auth social\n" in said
    assert "stdout" not in said
    code, said = run("auth", "socail", config=config)
    assert code == exits.USAGE
    assert "did you mean social?" in said
    assert "nobody has to log in there" in run("auth", "stdout", config=config)[1]
    assert run("auth", "social", config=config, typed=allowing(mastodon))[0] == exits.OK
    assert "access token of gazette@127.0.0.1" in run("auth", config=config)[1]


def test_x_is_listed_beside_the_others(run, bluesky, monkeypatch):
    with SimulatedX() as x:
        for name, value in x_environment(x).items():
            monkeypatch.setenv(name, value)
        code, said = run("auth", config=ACCOUNT + bluesky_at(bluesky))
        assert code == exits.OK
        assert "  shinglebot auth x\n      X, its tokens stand in the configuration" in said
        code, said = run("auth", "x", config=ACCOUNT + bluesky_at(bluesky))
        assert code == exits.CONFIG
        assert "take access_token and access_token_secret out of it first" in said


def test_without_a_login_each_command_says_what_to_do(run, bluesky, mastodon):
    for config, name in ((bluesky_at(bluesky), "bluesky"), (mastodon_at(mastodon), "mastodon")):
        for command in (("check", "--need-account"), ("check", "--online")):
            code, said = run(*command, config=config)
            assert code == exits.CONFIG
            assert f"run `shinglebot auth {name}`" in said
        code, said = run("check", config=config)
        assert code == exits.OK
        assert f"none yet: run `shinglebot auth {name}`" in said
        assert "Account at X: none, and nothing goes there" in said


def test_check_shows_the_settings_of_each_destination(run, bluesky, mastodon, monkeypatch):
    monkeypatch.setenv("WORD", "sekrit-word")
    config = (
        "[pacing]\nmin_gap = '7m'\n"
        + bluesky_at(bluesky, 'app_password = "${WORD}"\nhashtags = ["ferry"]\nlanguages = ["uk", "en"]\n')
        + mastodon_at(
            mastodon,
            'feeds = ["News"]\npacing = {posts_per_day = 9}\nvisibility = "unlisted"\n'
            "warnings = [{text = \"Violence\", title = ['shelling'], category = ['^war$']}]\n",
        )
    )
    code, said = run("check", config=config)
    assert code == exits.OK
    plain = " ".join(said.split())
    for words in (
        f"bluesky: {HANDLE} at {bluesky.url}, app_password: from the environment variable WORD",
        "pacing posts_per_day 9",
        "pacing as [pacing] says",
        "hashtags #ferry",
        "languages uk and en",
        "visibility unlisted",
        "warnings “Violence” for title shelling, category ^war$",
    ):
        assert words in plain, words
    assert "sekrit" not in said
    told = json.loads(run("check", "--json", config=config)[1])["destinations"]
    assert [each["name"] for each in told] == ["bluesky", "mastodon"]
    assert told[0]["login"] == {
        "key": "app_password",
        "name": "WORD",
        "found_in": "the environment variable WORD",
        "message": "app_password: from the environment variable WORD",
    }
    assert told[1]["pacing"]["posts_per_day"] == 9
    assert told[1]["warnings"] == [{"text": "Violence", "title": ["shelling"], "category": ["^war$"]}]
    assert told[1]["template"] is None


def test_a_configuration_of_before_shows_no_destinations(run, monkeypatch):
    with SimulatedX() as x:
        for name, value in x_environment(x).items():
            monkeypatch.setenv(name, value)
        _, said = run("check", config=ACCOUNT)
        assert "Destination" not in said
        assert "Account: 4 of 4 secrets found" in said
        code, said = run("check", "--online", "--json", config=ACCOUNT)
        assert code == exits.OK
        assert "destinations" not in json.loads(said)["online"]


def test_online_each_is_asked_who_the_bot_is_and_what_it_takes(run, bluesky, mastodon):
    config = bluesky_at(bluesky) + mastodon_at(mastodon)
    run("auth", "bluesky", config=config, typed=bluesky.account(HANDLE))
    run("auth", "mastodon", config=config, typed=allowing(mastodon))
    code, said = run("check", "--online", config=config)
    assert code == exits.OK, said
    assert f"bluesky: the bot is {HANDLE} (did:plc:" in said
    assert "It takes posts of 300 characters" in said
    assert "mastodon: the bot is @gazette@127.0.0.1" in said
    assert "It takes posts of 500 characters, of which a link counts 23" in said
    assert "X: " not in said.replace("at X: none", "")
    online = json.loads(run("check", "--online", "--json", config=config)[1])["online"]
    assert online["ok"] is True
    assert online["destinations"]["mastodon"]["limits"]["characters"] == 500
    assert online["destinations"]["bluesky"]["name"] == HANDLE


def test_online_a_refusal_needs_a_person_and_a_server_that_is_down_may_be_asked_again(run, bluesky, mastodon):
    config = bluesky_at(bluesky) + mastodon_at(mastodon)
    run("auth", "bluesky", config=config, typed=bluesky.account(HANDLE))
    run("auth", "mastodon", config=config, typed=allowing(mastodon))
    mastodon.faults.append(Fault(method="GET", path="/api/v1/accounts", kind="500"))
    code, said = run("check", "--online", config=config)
    assert code == exits.FAILED
    assert "mastodon: the server has a fault of its own (HTTP 500)" in said
    assert f"bluesky: the bot is {HANDLE}" in said
    bluesky.down = True
    mastodon.tokens.clear()
    code, said = run("check", "--online", config=config)
    assert code == exits.CONFIG
    assert "mastodon: the server does not accept the access token (any more)" in said
    assert "bluesky: the server has a fault of its own" in said
    told = json.loads(run("check", "--online", "--json", config=config)[1])
    assert told["ok"] is False
    assert [each["ok"] for each in told["online"]["destinations"].values()] == [False, False]


def test_online_x_is_asked_as_before_beside_the_others(run, bluesky, monkeypatch):
    with SimulatedX() as x:
        for name, value in x_environment(x).items():
            monkeypatch.setenv(name, value)
        config = ACCOUNT + bluesky_at(bluesky)
        run("auth", "bluesky", config=config, typed=bluesky.account(HANDLE))
        code, said = run("check", "--online", config=config)
        assert code == exits.OK
        assert "X: the bot is @" in said
        assert "bluesky: the bot is" in said


def test_no_secret_is_in_what_is_said_or_kept_in_the_store_however_much_is_told(run, bluesky, mastodon):
    config = bluesky_at(bluesky) + mastodon_at(mastodon)
    password = bluesky.account(HANDLE)
    said = run("-vv", "auth", "bluesky", config=config, typed=password)[1]
    said += run("-vv", "auth", "mastodon", config=config, typed=allowing(mastodon))[1]
    said += run("-vv", "check", "--online", config=config)[1]
    said += run("-vv", "check", "--json", config=config)[1]
    said += run("-vv", "once", config=config)[1]
    bluesky.accounts[HANDLE] = (bluesky.accounts[HANDLE][0], "another-password")
    bluesky.forget()
    mastodon.tokens.clear()
    said += run("-vv", "check", "--online", config=config)[1]
    kept = [json.loads(path.read_text()) for path in Path("state").glob("destination-*.json")]
    assert len(kept) == 2
    secrets = [
        each[key] for each in kept for key in ("app_password", "access_token", "client_secret") if key in each
    ]
    assert len(secrets) == 3
    stored = b"".join(path.read_bytes() for path in Path("state").glob("shinglebot.db*"))
    assert stored
    for secret in secrets:
        assert secret not in said
        assert secret.encode() not in stored
    assert "eyJ" not in said
    assert b"eyJ" not in stored


def test_an_app_password_of_the_real_server(run):
    pds = PdsServer()
    try:
        handle, password = pds.account("gazette")
        assert handle == HANDLE
        code, said = run("auth", config=bluesky_at(pds), typed=password)
        assert code == exits.OK, said
        assert "does not look like" not in said
        code, said = run("check", "--online", config=bluesky_at(pds))
        assert code == exits.OK
        assert f"bluesky: the bot is {HANDLE} (did:plc:" in said
        code, said = run("auth", "--force", config=bluesky_at(pds), typed="abcd-abcd-abcd-abcd")
        assert code == exits.FAILED
        assert "the server does not accept the handle or the app password" in said
        assert run("check", "--online", config=bluesky_at(pds))[0] == exits.OK
    finally:
        pds.close()
