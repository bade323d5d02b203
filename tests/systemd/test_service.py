"""The shipped units under a real systemd: start, credentials, reload, crash, hang, end, and what the operator does meanwhile.

One small machine serves all tests of this file; none depends on another, as each has an instance of its own. Skipped, loudly, where no systemd can be booted; with SHINGLEBOT_NEEDS_SYSTEMD set that is a failure.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.systemd.machine import InsideX, Machine, why_not

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow  # 45 s on an idle machine, most of it the bot's own starts

UNITS = Path(__file__).parents[2] / "systemd"
CONFIG = """
[account]
api_key = "${X_API_KEY}"
api_key_secret = "${X_API_KEY_SECRET}"
access_token = "${X_ACCESS_TOKEN}"
access_token_secret = "${X_ACCESS_TOKEN_SECRET}"
[pacing]
min_gap = "0s"
"""
FEED = """
[[feed]]
name = "NAME"
file = "/etc/shinglebot/feeds/NAME.xml"
first_run = "all"
"""
BODY = """<rss version="2.0"><channel><title>NAME</title><link>https://NAME.example/</link><description/>
<item><guid>1</guid><link>https://NAME.example/1</link><title>TITLE</title></item></channel></rss>"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory) -> Iterator[Machine]:
    if reason := why_not():
        said = f"no systemd can be booted here, so the units are not tried: {reason}"
        if os.environ.get("SHINGLEBOT_NEEDS_SYSTEMD"):
            pytest.fail(said)
        pytest.skip(said)
    with Machine(tmp_path_factory.mktemp("machine")) as made:
        for unit in sorted(UNITS.iterdir()):
            if unit.is_file():
                made.write(f"/etc/systemd/system/{unit.name}", unit.read_text())
        made.do("systemctl", "daemon-reload")
        yield made


@pytest.fixture(scope="module")
def x(machine) -> InsideX:
    return InsideX(machine)


class Instance:
    """An instance of the unit that is set up and not started."""

    def __init__(
        self, machine: Machine, x: InsideX, name: str, *, user: str = "newsbot", sealed: bool = False
    ):
        self.machine, self.x, self.name = machine, x, name
        self.unit = f"shinglebot@{name}"
        self.user = user
        keys = x.credentials[user]
        secrets = {
            "X_API_KEY": keys["consumer_key"],
            "X_API_KEY_SECRET": keys["consumer_secret"],
            "X_ACCESS_TOKEN": keys["access_token"],
            "X_ACCESS_TOKEN_SECRET": keys["access_token_secret"],
        }
        self.secrets = tuple(secrets.values())
        etc = f"/etc/shinglebot/{name}"
        machine.do("mkdir", "-p", "-m", "0700", f"{etc}.credentials", f"{etc}.encrypted")
        for key, value in secrets.items():
            if sealed:
                machine.do(
                    *("systemd-creds", "encrypt", "--with-key=host", f"--name=sealed_{key}"),
                    *("-", f"{etc}.encrypted/{key}"),
                    typed=value,
                )
            else:
                machine.write(f"{etc}.credentials/{key}", value + "\n", "0600")
        machine.write(f"{etc}.env", f"SHINGLEBOT_X_BASE_URL={x.base_url}\n", "0600")
        self.configure()

    def configure(self, *feeds: str, more: str = "") -> None:
        for feed in feeds:
            body = BODY.replace("NAME", feed).replace("TITLE", f"{feed.title()} has a story of {self.name}")
            self.machine.write(f"/etc/shinglebot/feeds/{feed}.xml", body)
        text = CONFIG + "".join(FEED.replace("NAME", feed) for feed in feeds) + more
        self.machine.write(f"/etc/shinglebot/{self.name}.toml", text)

    def drop_in(self, text: str) -> None:
        self.machine.write(f"/etc/systemd/system/{self.unit}.service.d/test.conf", text)
        self.machine.do("systemctl", "daemon-reload")

    def start(self) -> None:
        self.machine.do("systemctl", "start", self.unit)

    def stop(self) -> None:
        self.machine.do("systemctl", "stop", self.unit)

    def now(self, *properties: str) -> dict[str, str]:
        return self.machine.show(self.unit, *properties)

    def posts(self) -> list[str]:
        mine = (post for post in self.x.posts() if post["post_id"])
        return [text for post in mine if f"of {self.name}" in (text := str(post["text"]))]

    def signal(self, number: signal.Signals) -> None:
        self.machine.do("systemctl", "kill", "--kill-whom=main", f"--signal={number.name}", self.unit)


def test_it_starts_ready_posts_with_its_credentials_and_stops_clean(machine, x):
    bot = Instance(machine, x, "news")
    bot.configure("gazette")
    bot.start()
    now = bot.now("ActiveState", "StatusText", "MainPID", "Type", "WatchdogUSec", "UID")
    assert (now["ActiveState"], now["StatusText"], now["Type"]) == ("active", "at work", "notify")
    assert now["WatchdogUSec"] == "5min"
    machine.wait(lambda: len(bot.posts()) == 1)

    pid = now["MainPID"]
    assert machine.do("stat", "--format=%U %a %F", "/var/lib/private/shinglebot/news").split(maxsplit=1)[
        1
    ] == ("700 directory\n")
    assert machine.do("stat", "--format=%u", "/var/lib/private/shinglebot/news").strip() == now["UID"] != "0"
    for place in ("environ", "cmdline"):
        seen = machine.do("cat", f"/proc/{pid}/{place}")
        assert not any(secret in seen for secret in bot.secrets)
    within = ("nsenter", f"--target={pid}", "--mount", "--")
    files = machine.do(*within, "find", "/run/credentials", "-type", "f", "-printf", "%f %m %U\n")
    assert sorted(files.split("\n"))[1:] == sorted(
        f"shinglebot_{key} 400 {now['UID']}"
        for key in ("X_API_KEY", "X_API_KEY_SECRET", "X_ACCESS_TOKEN", "X_ACCESS_TOKEN_SECRET")
    )

    bot.stop()
    assert bot.now("ActiveState", "Result", "ExecMainStatus") == {
        "ActiveState": "inactive",
        "Result": "success",
        "ExecMainStatus": "0",
    }
    bot.start()  # what it knows is still there: the story is not posted again
    said = machine.do("journalctl", "--no-pager", "--output=cat", "-u", bot.unit)
    assert not any(secret in said for secret in bot.secrets)
    bot.stop()
    assert len(bot.posts()) == 1


def test_two_instances_work_side_by_side_and_one_has_its_credentials_sealed(machine, x):
    one = Instance(machine, x, "one")
    two = Instance(machine, x, "two", user="sportsbot", sealed=True)
    one.configure("harbour")
    two.configure("stadium")
    one.start()
    two.start()
    machine.wait(lambda: len(one.posts()) == 1 and len(two.posts()) == 1)
    users = {post["user"] for post in x.posts() if "of two" in str(post["text"])}
    assert users == {"sportsbot"}
    assert one.now("UID") != two.now("UID")
    one.stop()
    assert two.now("ActiveState") == {"ActiveState": "active"}
    two.stop()


def test_a_reload_takes_up_a_valid_configuration_and_keeps_the_old_one_before_a_faulty_one(machine, x):
    bot = Instance(machine, x, "reloaded")
    bot.configure("herald")
    bot.start()
    machine.wait(lambda: len(bot.posts()) == 1)
    pid = bot.now("MainPID")
    bot.configure("herald", "courier", more="[nonsense]\n")
    machine.do("systemctl", "reload", bot.unit)
    machine.wait(lambda: "the earlier one stays" in bot.now("StatusText")["StatusText"])
    assert len(bot.posts()) == 1
    bot.configure("herald", "courier")
    machine.do("systemctl", "reload", bot.unit)
    machine.wait(lambda: len(bot.posts()) == 2)
    assert bot.now("MainPID", "NRestarts") == {**pid, "NRestarts": "0"}
    bot.stop()


def test_a_killed_bot_is_started_again_and_posts_nothing_twice(machine, x):
    bot = Instance(machine, x, "killed")
    bot.configure("tribune")
    bot.drop_in("[Service]\nRestartSec=100ms\n")
    bot.start()
    machine.wait(lambda: len(bot.posts()) == 1)
    bot.signal(signal.SIGKILL)
    machine.wait(lambda: bot.now("NRestarts", "ActiveState") == {"NRestarts": "1", "ActiveState": "active"})
    bot.configure("tribune", "mercury")
    machine.do("systemctl", "reload", bot.unit)
    machine.wait(lambda: len(bot.posts()) == 2)
    assert len(set(bot.posts())) == 2
    bot.stop()


def test_a_bot_that_hangs_is_ended_by_the_watchdog_and_started_again(machine, x):
    bot = Instance(machine, x, "hung")
    bot.configure("beacon")
    bot.drop_in("[Service]\nWatchdogSec=3\nRestartSec=100ms\nTimeoutAbortSec=5\n")
    bot.start()
    machine.wait(lambda: len(bot.posts()) == 1)
    pid = bot.now("MainPID")["MainPID"]
    machine.wait(lambda: int(bot.now("WatchdogTimestampMonotonic")["WatchdogTimestampMonotonic"]) > 0)
    assert bot.now("NRestarts") == {"NRestarts": "0"}
    machine.do("kill", "-STOP", pid)
    machine.wait(lambda: bot.now("NRestarts", "ActiveState") == {"NRestarts": "1", "ActiveState": "active"})
    assert "Watchdog timeout" in machine.journal("-u", bot.unit)
    bot.stop()
    assert len(bot.posts()) == 1


def test_a_bot_that_fails_again_and_again_is_left_to_a_person(machine, x):
    bot = Instance(machine, x, "failing")
    bot.configure("echo")
    bot.drop_in(
        "[Unit]\nStartLimitBurst=2\n[Service]\nRestartSec=100ms\nExecStart=\nExecStart=/bin/sh -c 'exit 1'\n"
    )
    machine.run("systemctl", "start", bot.unit)
    machine.wait(
        lambda: bot.now("ActiveState", "SubState") == {"ActiveState": "failed", "SubState": "failed"}
    )
    assert bot.now("NRestarts") == {"NRestarts": "2"}
    assert "repeated too quickly" in machine.journal("-u", bot.unit)


def test_a_faulty_configuration_is_no_reason_to_start_again(machine, x):
    bot = Instance(machine, x, "faulty")
    bot.configure("echo", more="[nonsense]\n")
    assert machine.run("systemctl", "start", bot.unit).returncode != 0
    assert bot.now("ActiveState", "ExecMainStatus", "NRestarts") == {
        "ActiveState": "failed",
        "ExecMainStatus": "78",
        "NRestarts": "0",
    }
    assert "nonsense" in machine.journal("-u", bot.unit)


def test_without_its_credentials_it_does_not_start(machine, x):
    bot = Instance(machine, x, "bare")
    bot.configure("echo")
    bot.drop_in("[Service]\nRestart=no\n")
    machine.do("rm", "-r", "/etc/shinglebot/bare.credentials")
    assert machine.run("systemctl", "start", bot.unit).returncode != 0
    assert bot.posts() == []


def test_the_timer_runs_one_round(machine, x):
    bot = Instance(machine, x, "hourly")
    bot.configure("planet")
    machine.do("systemctl", "start", "shinglebot-once@hourly.service")
    assert len(bot.posts()) == 1
    machine.do("systemctl", "start", "shinglebot-once@hourly.timer")
    assert machine.show("shinglebot-once@hourly.timer", "ActiveState") == {"ActiveState": "active"}
    machine.do("systemctl", "stop", "shinglebot-once@hourly.timer")


def test_the_operators_commands_run_as_the_owner_while_the_bot_works(machine, x):
    bot = Instance(machine, x, "operated")
    bot.configure("ledger")
    bot.start()
    machine.wait(lambda: len(bot.posts()) == 1)
    operator = ("shinglebot", "-i", "operated")
    assert ": sent https://" in machine.do(*operator, "why", "ledger has a story")
    machine.do(*operator, "status")
    machine.do(*operator, "check", "--online")
    machine.do(*operator, "backup")
    owner = bot.now("UID")["UID"]
    state = "/var/lib/private/shinglebot/operated"
    assert set(machine.do("find", state, "-printf", "%U\n").split()) == {owner}
    assert machine.do("find", state, "-path", "*backup*", "-name", "*.db*").strip()
    assert bot.now("NRestarts", "ActiveState") == {"NRestarts": "0", "ActiveState": "active"}
    wrong = machine.run("shinglebot", "-i", "nobody", "status")
    assert wrong.returncode == 78
    assert "there is no instance nobody" in wrong.stderr
    bot.stop()
    machine.do(*operator, "status")  # at rest, too


def test_an_installed_instance_runs(machine, x):
    bot = Instance(machine, x, "template")
    bot.configure("chronicle")
    keys = {
        key: machine.do("cat", f"/etc/shinglebot/template.credentials/{key}").strip()
        for key in ("X_API_KEY", "X_API_KEY_SECRET", "X_ACCESS_TOKEN", "X_ACCESS_TOKEN_SECRET")
    }
    machine.do("mv", "/etc/shinglebot/template.toml", "/root/draft.toml")
    said = machine.do(
        *("env", *(f"{key}={value}" for key, value in keys.items())),
        *("shinglebot", "service", "install", "--instance", "installed", "--from", "/root/draft.toml"),
        *("--executable", "/opt/shinglebot/bin/shinglebot"),
    )
    assert not any(value in said for value in keys.values())
    machine.write("/etc/shinglebot/installed.env", f"SHINGLEBOT_X_BASE_URL={x.base_url}\n", "0600")
    machine.do("systemctl", "enable", "--now", "shinglebot@installed")
    machine.wait(lambda: len(bot.posts()) == 1)
    machine.do("systemctl", "disable", "--now", "shinglebot@installed")
