"""`init` asks what a day may cost, and writes what was answered."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import exits, group
from bot.config import load
from tests.terminal import at_a_terminal

ROOT = Path(__file__).parents[2]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    return CliRunner().invoke(group, ["init", *arguments], catch_exceptions=False)


def limit(path="config.toml"):
    return load(path, env={}, need_account=False).budget.daily


@pytest.mark.usefixtures("here")
def test_a_person_is_asked_until_the_answer_can_be_a_limit():
    code, said = at_a_terminal("\nplenty\n0\n1e9\n0.0000001\n$2.5\n", "init")
    assert code == exits.OK, said
    assert "X charges $0.20 for a post with a link and $0.015 for one without" in said
    assert said.count('allowed: dollars above 0, such as "1.00", or "none"') == 4
    assert limit() == Decimal("2.50")
    assert 'daily = "2.50"' in Path("config.toml").read_text()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("typed", "wanted"), [("\n\n", Decimal("1.00")), ("\nnone\n", None)])
def test_enter_takes_the_dollar_and_none_is_no_limit(typed, wanted):
    assert at_a_terminal(typed, "init")[0] == exits.OK
    assert limit() == wanted


@pytest.mark.usefixtures("here")
def test_nobody_is_asked_about_a_file_that_will_not_be_written():
    Path("config.toml").write_text("mine")
    code, said = at_a_terminal("2\n", "init")
    assert code == exits.FAILED
    assert "The most dollars" not in said


@pytest.mark.usefixtures("here")
def test_a_person_who_breaks_off_has_no_file():
    assert at_a_terminal("\x04", "init")[0] == exits.FAILED
    assert not Path("config.toml").exists()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("full", [(), ("--full",)])
def test_without_a_terminal_the_default_is_written_and_an_option_says_another(full):
    assert run(*full).exit_code == exits.OK
    assert limit() == Decimal("1.00")
    assert run(*full, "--daily", "0.75", "-c", "other.toml").exit_code == exits.OK
    assert limit("other.toml") == Decimal("0.75")
    assert run(*full, "--daily", "none", "-c", "third.toml").exit_code == exits.OK
    assert limit("third.toml") is None


@pytest.mark.usefixtures("here")
def test_an_option_that_is_no_limit_is_refused():
    refused = run("--daily", "a lot")
    assert refused.exit_code == exits.USAGE
    assert 'allowed: dollars above 0, such as "1.00", or "none"' in refused.output
    assert not Path("config.toml").exists()
    assert run("--daily", "1", "--new-store").exit_code == exits.USAGE
