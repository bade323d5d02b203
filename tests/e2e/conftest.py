"""A bot as its user runs it: a configuration, feeds on loopback, a simulated X in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.feed_server import FeedServer

ACCOUNTS = [f"newsbot{n}" for n in range(8)]
KILL_AT = Path(__file__).with_name("kill_at.py")


@dataclass
class Bot:
    """One bot in one folder, and the X that it posts to."""

    folder: Path
    feeds: FeedServer
    env: dict[str, str] = field(default_factory=dict)
    accounts: list[dict[str, str]] = field(default_factory=list)

    def use_account(self, number: int) -> None:
        """Post as another account from now on: X takes 100 posts of one in 15 minutes, and so does the simulated X."""
        keys = self.accounts[number % len(self.accounts)]
        names = {
            "CK": "consumer_key",
            "CS": "consumer_secret",
            "AT": "access_token",
            "AS": "access_token_secret",
        }
        self.env |= {name: keys[key] for name, key in names.items()}

    def configure(self, text: str) -> None:
        account = '[account]\napi_key = "${CK}"\napi_key_secret = "${CS}"\naccess_token = "${AT}"\naccess_token_secret = "${AS}"\n'
        head = f'state_dir = "state"\n{account}[network]\nallow = ["127.0.0.0/8"]\n'
        (self.folder / "config.toml").write_text(head + text)

    def run(
        self, *arguments: str, python: tuple[str, ...] = ("-m", "bot")
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *python, "--config", str(self.folder / "config.toml"), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, env=self.env, cwd=self.folder
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "bot", "--config", str(self.folder / "config.toml"), *arguments]
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.env,
            cwd=self.folder,
        )

    def run_killed_at(self, step: int, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command and kill it at that step; 0 kills nothing, and counts the steps into the file `steps`."""
        return self.run(*arguments, python=(str(KILL_AT), str(step), str(self.folder / "steps")))

    def outbox(self) -> list[dict[str, object]]:
        done = self.run("outbox", "--json", "--limit", "1000")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def stored_posts(self) -> Counter[str]:
        """What the simulated X stored, by text, from its own log."""
        log = self.folder / "x.log"
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        return Counter(line["text"] for line in lines if line["post_id"] and line["method"] == "POST")


@pytest.fixture
def feeds():
    with FeedServer() as server:
        yield server


@pytest.fixture
def bot(tmp_path, feeds):
    command = [
        sys.executable,
        "-m",
        "bot.simulated_x",
        "--log",
        str(tmp_path / "x.log"),
        "--no-duplicate-filter",
        *(argument for name in ACCOUNTS for argument in ("--user", name)),
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        started = json.loads(server.stdout.readline())
        made = Bot(
            folder=tmp_path,
            feeds=feeds,
            env={**os.environ, "SHINGLEBOT_X_BASE_URL": started["base_url"]},
            accounts=list(started["credentials"].values()),
        )
        made.use_account(0)
        yield made
    finally:
        server.terminate()
        server.wait(timeout=10)
        server.stdout.close()
