"""`auth` and `check --online`, as an owner meets them, before a simulated X."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import urllib.request
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from bot.cli import exits, main
from bot.simulated_x import ME, Rules, SimulatedUser, SimulatedX
from bot.store import StateDir, Store
from tests.terminal import x_environment

APP = '[account]\napi_key = "${CK}"\napi_key_secret = "${CS}"\n'
TOKENS = 'access_token = "${AT}"\naccess_token_secret = "${AS}"\n'
REST = '[[feed]]\nname = "News"\nurl = "https://news.invalid/feed.xml"\n'


@pytest.fixture
def x():
    users = [
        SimulatedUser(username="gazette", name="The Gazette", id="42"),
        SimulatedUser(username="reader", id="43", may_write=False),
    ]
    with SimulatedX(users) as made:
        yield made


class Owner:
    """Sits at the keyboard: opens the page of the newest request token, and types the PIN as told."""

    def __init__(self, x: SimulatedX, user: str = "gazette", typed: str | None = None) -> None:
        self._x, self._user, self._typed = x, user, typed
        self.looks: list[str] = []

    def isatty(self):
        return False

    def readline(self):
        if self._typed is not None:
            return self._typed
        token = list(self._x._desk._requests)[-1]
        return f"{self._x.allow(token, self._user)}\n"


@pytest.fixture
def run(x, tmp_path, monkeypatch, capsys):
    """Run the program in a directory of its own with a configuration; return exit code and what was said."""
    monkeypatch.chdir(tmp_path)
    for name, value in x_environment(x).items():
        monkeypatch.setenv(name, value)

    def do(*arguments, account=APP, stdin=None):
        Path("config.toml").write_text(f'state_dir = "state"\n{account}{REST}')
        monkeypatch.setattr("sys.stdin", stdin or Owner(x))
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        told = capsys.readouterr()
        return ended.value.code, told.out + told.err

    return do


def tokens_file() -> Path:
    return Path("state/x-tokens.json")


def test_auth_stores_tokens_that_only_the_owner_may_read(x, run):
    code, said = run("auth")
    assert code == exits.OK, said
    assert "The bot may act for @gazette (id 42)" in said
    assert "It may post (read-write). Asking that cost $0.01." in said
    assert f"{x.base_url}/oauth/authorize?oauth_token=" in said
    assert stat.S_IMODE(tokens_file().stat().st_mode) == 0o600
    kept = json.loads(tokens_file().read_text())
    assert kept["access_token"] == x.credentials().access_token
    assert (kept["user_id"], kept["username"]) == ("42", "gazette")
    for secret in (kept["access_token"], kept["access_token_secret"], x.credentials().consumer_secret):
        assert secret not in said


def test_the_bot_posts_with_stored_tokens(x, run, tmp_path):
    from bot.account import open_client
    from bot.config import load

    assert run("auth")[0] == exits.OK
    client = open_client(load("config.toml", need_account=True))
    client.create_post("One")
    assert [post.author.username for post in x.posts()] == ["gazette"]


def test_without_tokens_each_command_says_what_to_do(run):
    for command in (("check", "--need-account"), ("check", "--online"), ("once",)):
        code, said = run(*command)
        assert code == exits.CONFIG
        assert "run `shinglebot auth`" in said
    code, said = run("check")
    assert code == exits.OK
    assert "tokens: none yet: run `shinglebot auth`" in said
    run("auth")
    code, said = run("check", "--need-account")
    assert code == exits.OK
    assert "tokens: of @gazette (id 42), stored by `shinglebot auth`" in said


def test_tokens_of_the_configuration_count_more_and_auth_says_so(x, run):
    code, said = run("auth", account=APP + TOKENS)
    assert code == exits.CONFIG
    assert "take access_token and access_token_secret out of it first" in said
    assert x.log == []


def test_auth_without_an_account_section(run):
    code, said = run("auth", account="")
    assert code == exits.CONFIG
    assert "fill in the [account] section" in said


def test_stored_tokens_are_replaced_only_when_that_is_meant(x, run):
    assert run("auth")[0] == exits.OK
    asked = len(x.log)
    code, said = run("auth")
    assert code == exits.USAGE
    assert "the tokens of @gazette (id 42) are stored already; say --force to replace them" in said
    assert len(x.log) == asked
    before = tokens_file().read_bytes()
    code, said = run("auth", "--force", stdin=Owner(x, typed="0000000\n"))
    assert code == exits.FAILED
    assert "not the PIN" in said
    assert tokens_file().read_bytes() == before
    assert run("auth", "--force")[0] == exits.OK


@pytest.mark.parametrize("typed", ["", "\n", "  \n", "12\n", "what?\n", "0" * 99 + "\n"])
def test_what_is_no_pin_is_not_sent(x, run, typed):
    code, said = run("auth", stdin=Owner(x, typed=typed))
    assert code == exits.FAILED
    assert "nothing was changed" in said
    assert [request.path for request in x.log] == ["/oauth/request_token"]
    assert not tokens_file().exists()


def test_a_pin_may_be_typed_with_blanks(x, run):
    class Spaced(Owner):
        def readline(self):
            return " ".join(super().readline())

    assert run("auth", stdin=Spaced(x))[0] == exits.OK


def test_tokens_that_may_only_read_are_not_stored(x, run):
    code, said = run("auth", stdin=Owner(x, "reader"))
    assert code == exits.FAILED
    assert "may only read, so they were not stored" in said
    assert "Read and write" in said
    assert not tokens_file().exists()


@pytest.mark.parametrize("fault", ["402", "error_before", "lost_response", "429"])
def test_tokens_are_stored_though_x_does_not_say_what_they_may_do(x, run, fault):
    x.faults.next(fault, on=ME)
    code, said = run("auth")
    assert code == exits.OK
    assert "Whether it may post could not be seen" in said
    assert tokens_file().exists()


def test_an_app_without_a_callback_url(x, run):
    x.rules = Rules(callback_set=False)
    code, said = run("auth")
    assert code == exits.FAILED
    assert "wants a callback URL" in said


def test_a_401_of_the_running_bot_leaves_the_tokens_alone(x, run):
    run("auth")
    before = tokens_file().read_bytes()
    x.faults.next("401", on=ME)
    assert run("check", "--online")[0] == exits.CONFIG
    assert tokens_file().read_bytes() == before
    assert run("check", "--online")[0] == exits.OK


def test_the_whole_way_by_keyboard_and_browser(x, tmp_path):
    """A process of its own: read the address, open it, type the PIN."""
    keys = x.credentials()
    (tmp_path / "config.toml").write_text(f'state_dir = "state"\n{APP}{REST}')
    environment = {
        **os.environ,
        "SHINGLEBOT_X_BASE_URL": x.base_url,
        "CK": keys.consumer_key,
        "CS": keys.consumer_secret,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "auth", "-c", "config.toml"],
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        address = next(line.strip() for line in process.stdout if "oauth_token=" in line)
        with urllib.request.urlopen(address, timeout=5) as page:  # noqa: S310 - on this machine
            pin = re.search(r"<code>(\d+)</code>", page.read().decode())[1]
        out, errors = process.communicate(f"{pin}\n", timeout=20)
    assert process.returncode == 0, out + errors
    assert "@gazette" in out


# ---- check --online --------------------------------------------------------------------------------------


def test_check_online_says_who_it_is_what_it_may_and_what_that_costs(x, run):
    code, said = run("check", "--online", account=APP + TOKENS)
    assert code == exits.OK, said
    for words in (
        "X: the bot is @gazette (id 42), “The Gazette”",
        "It may post (read-write)",
        "The question cost $0.01, a user read",
        "Automation",
        "in the account's bio",
        "spending limit",
        "Read and write",
    ):
        assert words in said
    assert x.account.spent == Decimal("0.010")


def test_check_online_without_a_store_says_that_its_cost_stands_in_no_ledger(x, run):
    assert "stands in no ledger" in run("check", "--online", account=APP + TOKENS)[1]
    online = json.loads(run("check", "--online", "--json", account=APP + TOKENS)[1])["online"]
    assert (online["price"], online["in_ledger"], online.get("cost")) == ("$0.01", False, None)


def test_check_online_charges_the_ledger_once_a_day_and_says_when_it_was_free(x, run):
    assert run("init", "--new-store", account=APP + TOKENS)[0] == exits.OK
    assert "cost $0.01" in run("check", "--online", account=APP + TOKENS)[1]
    again = run("check", "--online", account=APP + TOKENS)[1]
    assert "The question cost $0: the account was read before on this UTC day" in again
    online = json.loads(run("check", "--online", "--json", account=APP + TOKENS)[1])["online"]
    assert (online["price"], online["in_ledger"], online["cost"]) == ("$0.01", True, "$0.00")
    with Store.alongside(StateDir(Path("state"))) as store:
        assert store.ledger.spent(datetime.now(UTC)).day == 10_000
    assert x.account.spent == Decimal("0.010")


def test_check_online_for_programs(x, run):
    code, said = run("check", "--online", "--json", account=APP + TOKENS)
    online = json.loads(said)["online"]
    assert code == exits.OK
    assert (online["ok"], online["username"], online["id"]) == (True, "gazette", "42")
    assert (online["access_level"], online["may_post"], online["price"]) == ("read-write", True, "$0.01")
    assert len(online["owner"]) == 4


def test_tokens_that_may_only_read_are_told(x, run, monkeypatch):
    keys = x.credentials("reader")
    monkeypatch.setenv("AT", keys.access_token)
    monkeypatch.setenv("AS", keys.access_token_secret)
    code, said = run("check", "--online", account=APP + TOKENS)
    assert code == exits.CONFIG
    assert "It may NOT post (read)" in said
    assert json.loads(run("check", "--online", "--json", account=APP + TOKENS)[1])["ok"] is False


CODES = {
    "401": exits.CONFIG,
    "402": exits.CONFIG,
    "402_payment": exits.CONFIG,
    "403_spend_cap": exits.CONFIG,
    "403_plan": exits.CONFIG,
    "403_not_enrolled": exits.CONFIG,
    "403_suspended": exits.CONFIG,
    "429_bare": exits.FAILED,
    "error_before": exits.FAILED,
    "lost_request": exits.FAILED,
    "cut": exits.FAILED,
}


@pytest.mark.parametrize("fault", CODES)
def test_what_goes_wrong_has_the_exit_code_of_its_remedy(x, run, fault):
    x.faults.next(fault, on=ME)
    code, said = run("check", "--online", account=APP + TOKENS)
    assert code == CODES[fault]
    assert "X: " in said
    assert "config.toml is ok" in said


def test_without_online_x_is_asked_nothing(x, run):
    assert run("check", "--need-account", account=APP + TOKENS)[0] == exits.OK
    assert x.log == []


def test_the_question_stands_in_the_ledger_of_a_bot_that_has_one(x, run):
    code, _ = run("check", "--online", account=APP + TOKENS)
    assert code == exits.OK
    assert not Path("state").exists()  # nothing was made for it
    from bot.app import utc_now
    from bot.store import StateDir, Store

    state = StateDir(Path("state").absolute())
    with state.lock():
        Store.open(state, utc_now()).close()
    assert run("check", "--online", account=APP + TOKENS)[0] == exits.OK
    with Store.read_only(state) as store:
        rows = list(store._db.query("select * from ledger"))
    assert [row["item"] for row in rows] == ["read user"]
