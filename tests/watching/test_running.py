"""The running bot answers monitors for as long as it works, and works without where the port is taken."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from tests.ports import free_port

ROOT = Path(__file__).parents[2]

FEED = """<rss version="2.0"><channel><title>Gazette</title><link>https://gazette.example/</link><description/>
<item><guid>1</guid><link>https://gazette.example/1</link><title>The ferry to Gull Island is back</title></item>
</channel></rss>"""

CONFIG = """state_dir = "state"
[[destination]]
type = "stdout"
[[feed]]
name = "Gazette"
file = "feed.xml"
first_run = "newest 1"
"""


def start(folder, number):
    (folder / "feed.xml").write_text(FEED)
    (folder / "config.toml").write_text(CONFIG)
    with (folder / "out").open("w") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "bot", "run", "--watch", str(number)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=out,
            stderr=subprocess.STDOUT,
        )


def wait(process, folder, until):
    deadline = time.monotonic() + 30
    while not until():
        assert process.poll() is None, (folder / "out").read_text()
        assert time.monotonic() < deadline, (folder / "out").read_text()
        time.sleep(0.1)  # noqa: TID251 - a test waits for a process


def fetched(number, path):
    try:
        with urlopen(f"http://127.0.0.1:{number}{path}", timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def posts_sent(text):
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "shinglebot_posts" and sample.labels["state"] == "sent"
    )


def test_a_running_bot_tells_monitors_of_its_post_and_ends_in_time(tmp_path):
    number = free_port()
    process = start(tmp_path, number)
    try:
        wait(process, tmp_path, lambda: posts_sent(fetched(number, "/metrics")) == 1)
        assert json.loads(fetched(number, "/healthz")) == {"healthy": True, "reasons": []}
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
        assert fetched(number, "/healthz") == ""
    finally:
        process.kill()
        process.wait()


def test_a_port_that_is_taken_costs_no_post(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = start(tmp_path, taken.getsockname()[1])
        try:
            wait(process, tmp_path, lambda: "state=sent" in (tmp_path / "out").read_text())
            assert "choose another port" in (tmp_path / "out").read_text()
        finally:
            process.kill()
            process.wait()
