"""`init` and `check`, as a person or a program meets them."""

from __future__ import annotations

import json
import os
import re
import stat
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import exit_code, exits, group
from bot.config import load
from bot.config.settings import Account
from bot.errors import ConfigError, StateError

KEYS = {f"X_{key.upper()}": f"sekrit-{key}" for key in Account.model_fields}
FEED = '[[feed]]\nname = "News"\nurl = "https://news.invalid/feed.xml?token=sekrit"\n'


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the program in an empty directory, with a state directory that can be made in it."""
    monkeypatch.chdir(tmp_path)
    for name in (*KEYS, "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))

    def do(*arguments, env=None):
        return CliRunner().invoke(group, [str(a) for a in arguments], env=env, catch_exceptions=False)

    return do


@contextmanager
def as_nobody():
    """Be a user who owns nothing, where the tests run as root, to whom permission bits say nothing."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


# ---- init ------------------------------------------------------------------------------------------------


def test_init_writes_a_file_that_only_its_owner_may_read(run):
    result = run("init")
    assert result.exit_code == exits.OK
    assert stat.S_IMODE(Path("config.toml").stat().st_mode) == 0o600
    for step in (
        "put your feed's address into it",
        "shinglebot check",
        "shinglebot once --dry-run",
        "shinglebot run",
    ):
        assert step in result.output


def test_init_makes_the_directory_and_names_the_file_in_the_next_steps(run):
    for number, arguments in enumerate((("-c", "PATH", "init"), ("init", "--config", "PATH"))):
        path = f"deep/{number}/bot.toml"
        result = run(*(path if a == "PATH" else a for a in arguments))
        assert result.exit_code == exits.OK
        assert Path(path).is_file()
        assert f"shinglebot -c {path} check" in result.output


def test_init_leaves_what_is_there(run):
    Path("config.toml").write_text("mine")
    result = run("init")
    assert result.exit_code == exits.FAILED
    assert "config.toml is there already and was left as it is" in result.output
    assert Path("config.toml").read_text() == "mine"


def test_init_does_not_write_through_a_link(run):
    Path("config.toml").symlink_to("elsewhere")
    assert run("init").exit_code == exits.FAILED
    assert not Path("elsewhere").exists()


def test_init_says_where_it_cannot_write(run):
    Path("file").write_text("x")
    for place in ("file/config.toml", "x" * 300):
        result = run("init", "--config", place)
        assert result.exit_code == exits.FAILED
        assert re.fullmatch(
            r".* cannot be written \(.*\): name another place with --config\.\n", result.output
        )


def test_the_starter_passes_as_it_is_but_for_its_address(run):
    run("init")
    result = run("check")
    assert result.exit_code == exits.OK
    assert "this host exists in examples only" in result.output
    edited = Path("config.toml").read_text().replace("www.example.org", "news.invalid")
    Path("config.toml").write_text(edited)
    result = run("check", "--need-account", env=KEYS)
    assert result.exit_code == exits.OK
    assert "config.toml is ok\n" in result.output


def test_the_starter_states_defaults_only(run):
    run("init")
    config = load("config.toml", env={}, need_account=False)
    Path("short.toml").write_text('[[feed]]\nname = "News"\nurl = "https://www.example.org/feed.xml"\n')
    short = load("short.toml", env={}, need_account=False)
    assert (config.feeds, config.pacing, config.dedup) == (short.feeds, short.pacing, short.dedup)


def test_the_starter_with_what_it_leaves_out(run):
    run("init")
    text = Path("config.toml").read_text()
    Path("config.toml").write_text(re.sub(r"(?m)^# (\w+ = |\[)", r"\1", text))
    config = load("config.toml", env={}, need_account=False)
    assert config.feeds[0].exclude.patterns.title[0].search("Sponsored: buy")
    assert config.state_dir == Path.cwd() / "state"


def test_a_person_decides_about_a_lost_database(run):
    Path("config.toml").write_text('state_dir = "state"\n' + FEED)
    assert run("init", "--new-store", "--adopt-store").exit_code == exits.USAGE
    first = run("init", "--new-store")
    assert first.exit_code == exits.OK
    assert "has a new, empty database" in first.output
    assert "limits of [budget] may be spent again in this UTC day" in first.output
    assert "lower daily" in first.output
    assert run("check").exit_code == exits.OK
    (database,) = Path("state").glob("*.db")
    database.unlink()
    for trace in Path("state").glob("*.db-*"):
        trace.unlink()
    lost = run("check")
    assert lost.exit_code == exits.CONFIG
    assert "is missing or empty: put it back from a backup" in lost.output
    assert run("init", "--new-store").exit_code == exits.OK
    assert run("check").exit_code == exits.OK
    assert run("init", "--adopt-store").exit_code == exits.OK


def test_without_limits_nothing_is_said_of_money_spent_twice(run):
    Path("config.toml").write_text('state_dir = "state"\n[budget]\ndaily = "none"\n' + FEED)
    assert "spent" not in run("init", "--new-store").output


def test_init_says_when_the_usual_state_directory_is_in_use(run):
    home = {"XDG_STATE_HOME": str(Path.cwd() / "home")}
    assert "keeps its state" not in run("init", "--config", "first.toml", env=home).output
    assert run("init", "--new-store", "--config", "first.toml", env=home).exit_code == exits.OK
    second = run("init", "--config", "second.toml", env=home).output
    assert f"A bot keeps its state in {Path.cwd() / 'home' / 'shinglebot'} already" in second
    text = Path("second.toml").read_text().replace("# state_dir", "state_dir")
    Path("second.toml").write_text(text)
    assert load("second.toml", env=home, need_account=False).state_dir == Path.cwd() / "state"


def test_a_decision_about_the_database_needs_a_configuration(run):
    with pytest.raises(ConfigError, match=r"there is no configuration config\.toml"):
        run("init", "--new-store")


# ---- check -----------------------------------------------------------------------------------------------


def test_check_lists_all_faults(run):
    Path("config.toml").write_text(FEED + 'interval = "1s"\nmax_aeg = "3d"\n')
    result = run("check")
    assert result.exit_code == exits.CONFIG
    assert result.output.splitlines()[0] == "config.toml has 2 faults; lists count from 1:"
    assert (
        'feed[1].interval ("News"): found "1s"; allowed: "auto" or a duration from 1m to 7d' in result.output
    )
    assert 'did you mean "max_age"?' in result.output


def test_check_lists_all_faults_for_programs(run):
    Path("config.toml").write_text(FEED + 'interval = "1s"\nmax_aeg = "3d"\n')
    result = run("check", "--json")
    assert result.exit_code == exits.CONFIG
    said = json.loads(result.output)
    assert said["ok"] is False
    assert said["config"] == "config.toml"
    assert [fault["path"] for fault in said["faults"]] == [
        'feed[1].interval ("News")',
        'feed[1].max_aeg ("News")',
    ]
    assert said["faults"][0] == {
        "path": 'feed[1].interval ("News")',
        "found": '"1s"',
        "allowed": '"auto" or a duration from 1m to 7d, such as "30m"',
        "hint": None,
    }


@pytest.mark.parametrize("text", [None, "a = nothing\n"])
def test_check_of_what_cannot_be_read(text, run):
    if text is not None:
        Path("config.toml").write_text(text)
    result = run("check")
    assert result.exit_code == exits.CONFIG
    assert len(result.output.splitlines()) == 1
    said = json.loads(run("check", "--json").output)
    assert (said["ok"], said["faults"]) == (False, [])
    assert said["message"] == result.output.rstrip("\n")


def test_check_shows_the_settings_in_force(run):
    Path("config.toml").write_text(
        '[defaults]\ninterval = "1h30m"\n' + FEED + 'hashtags = ["news"]\nfirst_run = "newest 3"\n'
        "[feed.exclude]\ntitle = ['horo[bold]scope']\n"
    )
    result = run("check", env={"COLUMNS": "200"})
    assert result.exit_code == exits.OK
    assert result.output.startswith("config.toml is ok\n")
    for shown in (
        "News",
        "https://news.invalid/feed.xml?…",
        "1h30m",
        "newest 3",
        "newest 25",
        "3d",
        "any",
        "none",
    ):
        assert shown in result.output
    assert "exclude title: horo[bold]scope" in result.output
    assert "#news" in result.output
    assert "Account: none; the bot runs with --dry-run and --simulate" in result.output
    assert "sekrit" not in result.output


def test_check_shows_the_settings_in_force_to_programs(run, tmp_path):
    Path("config.toml").write_text(
        '[network]\nallow = ["10.0.0.0/8"]\n'
        + FEED
        + "headers = {X-Token = \"${X_API_KEY}\"}\n[feed.include]\nlink = ['a']\n"
    )
    result = run("check", "--json", env=KEYS)
    assert result.exit_code == exits.OK
    assert "sekrit" not in result.output
    said = json.loads(result.output)
    assert (said["ok"], said["faults"], said["warnings"]) == (True, [], [])
    assert said["network"] == {"allow": ["10.0.0.0/8"], "contact": None}
    assert said["pacing"] == {
        "min_gap": "5m",
        "posts_per_hour": 12,
        "posts_per_day": 50,
        "spread": "0s",
        "order": "oldest",
        "quiet": [],
        "zone": "UTC",
    }
    assert said["state_dir"]["path"] == str(tmp_path / ".local/state/shinglebot")
    assert said["account"] == {"complete": False, "tokens": None, "secrets": []}
    (feed,) = said["feeds"]
    assert (feed["headers"], feed["basic_auth"]) == (["X-Token"], False)
    assert (feed["include"], feed["exclude"]) == ({"link": ["a"]}, {})
    assert (feed["first_run"], feed["catch_up"], feed["repost_after"]) == ("seed", "newest 25", "none")


def test_check_says_which_secrets_were_found_and_where(run):
    run("init")
    env = {name: value for name, value in KEYS.items() if name != "X_ACCESS_TOKEN"}
    result = run("check", env=env)
    assert result.exit_code == exits.OK
    assert "Account: 3 of 4 secrets found" in result.output
    assert "account.api_key: from the environment variable X_API_KEY" in result.output
    assert "account.access_token: not found, looked for ${X_ACCESS_TOKEN}" in result.output
    assert "sekrit" not in result.output
    needed = run("check", "--need-account", env=env)
    assert needed.exit_code == exits.CONFIG
    assert "account.access_token: found no value for ${X_ACCESS_TOKEN}" in needed.output
    secrets = json.loads(run("check", "--json", env=env).output)["account"]["secrets"]
    assert [secret["found_in"] is not None for secret in secrets] == [True, True, False, True]


def test_check_changes_nothing(run, tmp_path):
    run("init")
    before = sorted(tmp_path.rglob("*"))
    run("check")
    assert sorted(tmp_path.rglob("*")) == before


def test_check_of_a_state_directory_that_cannot_be_used(run):
    Path("file").write_text("x")
    Path("gone").symlink_to("nowhere")
    for place, said in (
        ("file", "is no directory: name another with state_dir"),
        ("file/state", "cannot be made, for .*file is not to be written"),
        ("gone", "is no directory"),
        ("x" * 300, "cannot be looked at|cannot be made"),
    ):
        Path("config.toml").write_text(f'state_dir = "{place}"\n{FEED}')
        result = run("check")
        assert result.exit_code == exits.CONFIG, place
        (line,) = [line for line in result.output.splitlines() if line.startswith("State directory: ")]
        assert re.search(said, line)
        assert json.loads(run("check", "--json").output)["ok"] is False


def test_check_of_a_state_directory_of_somebody_else(run, tmp_path):
    open_to_others(tmp_path)
    state = Path("state").absolute()
    state.mkdir()
    for mode, name, said in (
        (0o700, "shinglebot.db", "state may not be read and written by this user: chown it"),
        (0o000, None, "state may not be read and written by this user: chown it"),
        (
            0o777,
            "shinglebot.db",
            "shinglebot.db may not be read and written by this user: it was made by another",
        ),
    ):
        if os.geteuid() != 0 and mode == 0o700:
            continue  # only root can make a directory of somebody else
        state.chmod(0o700)
        if name:
            (state / name).write_text("x")
            (state / name).chmod(0o400 if os.geteuid() == 0 else 0o000)
        state.chmod(mode)
        Path("config.toml").write_text(f'state_dir = "{state}"\n{FEED}')
        Path("config.toml").chmod(0o644)
        with as_nobody():
            result = run("check")
        assert result.exit_code == exits.CONFIG
        assert said in result.output
    state.chmod(0o700)


def open_to_others(tmp_path):
    ours = (tmp_path, *(parent for parent in tmp_path.parents if "pytest-" in str(parent)))
    for parent in ours:  # pytest's own directories are closed to others
        parent.chmod(parent.stat().st_mode | 0o011)


@pytest.mark.parametrize(
    "command",
    [
        ("status",),
        ("feeds",),
        ("budget",),
        ("held",),
        ("undo", "--last", "1", "--yes"),
        ("once", "--dry-run"),
        ("once",),
    ],
    ids=" ".join,
)
def test_a_state_directory_of_somebody_else_needs_a_person(command, run, tmp_path):
    open_to_others(tmp_path)
    state = Path("state").absolute()
    state.mkdir()
    (state / "shinglebot.db").write_text("x")
    keys = "[account]\n" + "".join(f'{key} = "${{X_{key.upper()}}}"\n' for key in Account.model_fields)
    Path("config.toml").write_text(f'state_dir = "{state}"\n{keys}{FEED}')
    Path("config.toml").chmod(0o644)
    state.chmod(0o000)
    try:
        with (
            as_nobody(),
            pytest.raises(
                StateError, match="cannot be read and written by this user; mend its owner"
            ) as told,
        ):
            run(*command, env=KEYS)
    finally:
        state.chmod(0o700)
    assert exit_code(told.value) == exits.CONFIG


def test_a_configuration_that_may_not_be_read_needs_a_person(run, tmp_path):
    open_to_others(tmp_path)
    Path("config.toml").write_text(FEED)
    Path("config.toml").chmod(0o000)
    with as_nobody():
        result = run("--config", "config.toml", "check")
        assert result.exit_code == exits.CONFIG
        assert "give that user the right to read it" in result.output
        result = run("check", "-c", "config.toml")
    assert result.exit_code == exits.CONFIG


@pytest.mark.parametrize("name", ["shinglebot.db", "installed.json", "lock"])
def test_check_of_a_directory_in_the_place_of_a_file(name, run):
    (Path("state") / name).mkdir(parents=True)
    Path("config.toml").write_text('state_dir = "state"\n' + FEED)
    result = run("check")
    assert result.exit_code == exits.CONFIG
    assert f"{name} is a directory, and has to be a file" in result.output


def test_check_of_a_damaged_database(run):
    Path("state").mkdir()
    (Path("state") / "shinglebot.db").write_bytes(b"this is no database" * 100)
    Path("config.toml").write_text('state_dir = "state"\n' + FEED)
    result = run("check")
    assert result.exit_code == exits.CONFIG
    assert "shinglebot.db" in result.output
    assert "Traceback" not in result.output


def test_both_commands_have_help(run):
    for command in ("init", "check"):
        result = run(command, "--help")
        assert result.exit_code == exits.OK
        assert "--config" in result.output
