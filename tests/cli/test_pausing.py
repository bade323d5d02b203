"""A bot that cannot send says why: `once` for cron, `run` in its log, `outbox` and `status` to whoever looks."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.cli import exits, main
from bot.cli.pausing import Pause
from bot.simulated_x import CREATE, TIMELINE, SimulatedX
from tests.terminal import x_environment

CONFIG = """
state_dir = "state"
[account]
api_key = "${CK}"
api_key_secret = "${CS}"
access_token = "${AT}"
access_token_secret = "${AS}"
[[feed]]
name = "News"
file = "feed.xml"
first_run = "newest 1"
"""
FEED = (
    '<rss version="2.0"><channel><title>News</title><item><guid>1</guid><title>Council opens the bridge</title>'
    "<link>https://news.example.com/1</link></item></channel></rss>"
)


@pytest.fixture
def x():
    with SimulatedX(["gazette"]) as made:
        yield made


@pytest.fixture
def run(x, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, value in x_environment(x).items():
        monkeypatch.setenv(name, value)
    Path("feed.xml").write_text(FEED)

    def do(*arguments, more=""):
        Path("config.toml").write_text(CONFIG + more)
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        told = capsys.readouterr()
        return ended.value.code, told.out, told.err

    return do


def test_refused_keys_are_a_fault_of_once_each_time_until_it_is_mended(run, x, monkeypatch):
    monkeypatch.setenv("AT", "42-wrong")
    for _ in range(2):  # the second time within the pause, without another call
        code, said, _ = run("once")
        assert code == exits.FAILED
        assert "FAULT  Posting is paused, the next try is in 60 min: " in said
        assert "`shinglebot outbox resume` tries at once" in said
    line = next(line for line in run("status")[1].splitlines() if line.startswith("Posting is paused"))
    assert line.split("min: ")[1] in said
    (row,) = json.loads(run("outbox", "--json")[1])
    assert row["state"] == "queued"
    assert row["reason"].split("min: ")[1] == line.split("min: ")[1]
    code, said, _ = run("once", "--json")
    fault = json.loads(said.splitlines()[-1])
    assert (code, fault["event"]) == (exits.FAILED, "fault")
    assert fault["reason"] == line.split("min: ")[1]
    assert datetime.fromisoformat(fault["until"]) > datetime.now(UTC)
    monkeypatch.setenv("AT", x.credentials().access_token)
    run("outbox", "resume")
    code, said, _ = run("once")
    assert (code, len(x.posts())) == (exits.OK, 1)
    assert "FAULT" not in said


def test_without_network_once_fails_and_says_so(run, x, monkeypatch):
    monkeypatch.setenv("SHINGLEBOT_X_BASE_URL", "http://127.0.0.1:9")
    code, said, _ = run("once")
    assert code == exits.FAILED
    assert "FAULT  Posting is paused, the next try is in" in said


@pytest.mark.parametrize("on", [TIMELINE, CREATE])
def test_no_credit_is_a_fault(run, x, on):
    x.faults.next("402", on=on)
    code, said, _ = run("once")
    assert code == exits.FAILED
    assert "FAULT  Posting is paused" in said


def test_the_owners_own_limit_is_told_and_is_no_fault(run, x):
    code, said, _ = run("once", more='[budget]\ndaily = "0.0005"\n')
    assert code == exits.OK
    assert "NOTE   Posting is paused" in said
    assert "reading the account's posts waits until" in said
    assert x.log == []
    assert not Pause(until=datetime(2026, 12, 3, 0, 30, tzinfo=UTC), reason="", destination="x").is_own_limit


def test_a_pause_of_the_real_account_binds_no_rehearsal(run, monkeypatch):
    monkeypatch.setenv("AT", "42-wrong")
    assert run("once")[0] == exits.FAILED
    code, said, _ = run("once", "--simulate")
    assert code == exits.OK
    assert "posted to the simulated X" in said


def test_run_logs_once_why_nothing_is_sent(run, monkeypatch):
    monkeypatch.setenv("AT", "42-wrong")
    run("once")

    def ends_soon(jobs, *, stop, clock, **_) -> None:
        now = clock()
        for each in (now, now + timedelta(seconds=5)):
            for job in jobs:
                job.next_at(each)

    monkeypatch.setattr("bot.scheduler.loop", ends_soon)
    code, _, log = run("run")
    assert code == exits.OK
    assert log.count("nothing is sent yet") == 1
    assert "could not be read" in log
