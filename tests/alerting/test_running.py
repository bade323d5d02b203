"""A bot that runs with [watch] and [alerts] pings, tells and is asked, by its configuration alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

from tests.alerting.receiver import Receiver
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
TOKEN = "t0k3n-of-the-owner"

FEED = """<rss version="2.0"><channel><title>Gazette</title><link>https://gazette.example/</link><description/>
<item><guid>1</guid><link>https://gazette.example/1</link><title>The ferry to Gull Island is back</title></item>
</channel></rss>"""

CONFIG = """state_dir = "state"
[watch]
port = {watched}
ping = "${{PING_URL}}"
[alerts]
to = ["${{ALERT_URL}}"]
[[destination]]
type = "stdout"
[[feed]]
name = "Gazette"
file = "feed.xml"
first_run = "newest 1"
approval = "all"
"""


def bot(folder, receiver, *arguments):
    with (folder / "out").open("a") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "bot", "-c", "news.toml", *arguments],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "PING_URL": f"http://127.0.0.1:{receiver.port}/{TOKEN}",
                "ALERT_URL": f"json://127.0.0.1:{receiver.port}/{TOKEN}",
            },
            stdout=out,
            stderr=subprocess.STDOUT,
        )


def wait(process, folder, until):
    deadline = time.monotonic() + 60
    while not until():
        assert process.poll() is None, (folder / "out").read_text()
        assert time.monotonic() < deadline, (folder / "out").read_text()
        time.sleep(0.1)  # noqa: TID251 - a test waits for a process


def commanded(folder, receiver, *arguments):
    process = bot(folder, receiver, *arguments)
    code = process.wait(timeout=60)
    return code, (folder / "out").read_text()


def test_a_running_bot_pings_and_tells_once(tmp_path):
    (tmp_path / "feed.xml").write_text(FEED)
    watched = free_port()
    (tmp_path / "news.toml").write_text(CONFIG.format(watched=watched))
    with Receiver() as receiver:
        assert commanded(tmp_path, receiver, "alerts", "test")[0] == 0
        assert receiver.messages.pop()["title"] == "shinglebot news: a test"
        assert commanded(tmp_path, receiver, "once")[0] == 0
        for _ in range(2):
            process = bot(tmp_path, receiver, "run")
            try:
                pings = len(receiver.pings)
                wait(process, tmp_path, lambda pings=pings: len(receiver.pings) > pings)
                with urlopen(f"http://127.0.0.1:{watched}/healthz", timeout=5) as answer:
                    assert json.load(answer)["healthy"]
                wait(process, tmp_path, lambda: receiver.messages)
            finally:
                process.send_signal(signal.SIGTERM)
                assert process.wait(timeout=60) == 0
        (said,) = receiver.messages
        assert said["message"] == "- 1 entry of Gazette is held until you decide: `shinglebot held`"
        code, out = commanded(tmp_path, receiver, "alerts", "--json")
        assert (code, json.loads(out[out.rindex("[\n") :])[0]["key"]) == (0, "held Gazette")
        receiver.status = 500
        code, out = commanded(tmp_path, receiver, "alerts", "test")
        assert (code, "address 1 of alerts.to: it took no message" in out) == (1, True)
    assert TOKEN not in (tmp_path / "out").read_text()
    for path in (tmp_path / "state").iterdir():
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes()


def test_a_dry_run_tells_nobody(tmp_path):
    (tmp_path / "feed.xml").write_text(FEED)
    (tmp_path / "news.toml").write_text(CONFIG.format(watched=free_port()))
    with Receiver() as receiver:
        process = bot(tmp_path, receiver, "run", "--dry-run")
        try:
            wait(process, tmp_path, lambda: "ferry" in (tmp_path / "out").read_text())
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) == 0
    assert receiver.pings == receiver.messages == []


def test_a_ping_needs_no_alerts(tmp_path):
    (tmp_path / "feed.xml").write_text(FEED)
    config = CONFIG.format(watched=free_port()).replace('[alerts]\nto = ["${ALERT_URL}"]\n', "")
    (tmp_path / "news.toml").write_text(config)
    with Receiver() as receiver:
        process = bot(tmp_path, receiver, "run")
        try:
            wait(process, tmp_path, lambda: receiver.pings)
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) == 0
    assert receiver.messages == []
