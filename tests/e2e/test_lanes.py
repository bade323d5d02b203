"""The bot at work with several destinations: one that hangs keeps no other waiting, and the end waits for no more than it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

from bot.simulated_x import SimulatedX
from tests.simulated_mastodon import Fault, SimulatedMastodon
from tests.terminal import ROOT, x_environment

if TYPE_CHECKING:
    from pathlib import Path

FEED = """<rss version="2.0"><channel><title>Gazette</title><link>https://gazette.example/</link><description/>
<item><guid>1</guid><link>https://gazette.example/1</link><title>The ferry to Gull Island is back</title></item>
<item><guid>2</guid><link>https://gazette.example/2</link><title>Council votes for the new bridge at last</title></item>
<item><guid>3</guid><link>https://gazette.example/3</link><title>A diary from 1887 was found behind a wall</title></item>
</channel></rss>"""

CONFIG = """
state_dir = "state"
[account]
api_key = "${CK}"
api_key_secret = "${CS}"
access_token = "${AT}"
access_token_secret = "${AS}"
[pacing]
min_gap = "0s"
[network]
allow = ["127.0.0.0/8"]
[[destination]]
type = "mastodon"
server = "SERVER"
access_token = "${TOKEN}"
[[destination]]
type = "stdout"
[[feed]]
name = "Gazette"
file = "feed.xml"
first_run = "newest 3"
"""


def test_a_server_that_hangs_delays_no_other_destination(tmp_path):
    with SimulatedX() as x, SimulatedMastodon() as mastodon:
        token = mastodon.account()
        mastodon.faults.append(
            Fault(method="POST", path="/api/v1/statuses", kind="hang", seconds=12, times=1)
        )
        (tmp_path / "feed.xml").write_text(FEED)
        (tmp_path / "config.toml").write_text(CONFIG.replace("SERVER", mastodon.url))
        out, log = tmp_path / "out", tmp_path / "log"
        with out.open("w") as shown, log.open("w") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "bot", "run"],
                cwd=tmp_path,
                env={**os.environ, "PYTHONPATH": str(ROOT), "TOKEN": token, **x_environment(x)},
                stdout=shown,
                stderr=said,
            )
        try:
            wait(lambda: bool(mastodon.accounts) and any_status(mastodon))
            wait(lambda: len(x.posts()) == 3 and told(out) == 3)
            answered = [seen for seen in mastodon.log if seen.method == "POST"]
            assert answered == [], "the others were done while Mastodon still hung"
            wait(lambda: len(mastodon.posts()) == 3, seconds=90)
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) == 0, log.read_text()
    assert sorted(mastodon.posts()) == sorted(set(mastodon.posts()))


def any_status(mastodon: SimulatedMastodon) -> bool:
    """Say whether a status has come, answered or not."""
    return any(account.statuses for account in mastodon.accounts.values())


def told(out: Path) -> int:
    """Return how many stories stand on the standard output."""
    return out.read_text().count("https://gazette.example/")


def wait(until, seconds: float = 60) -> None:
    ends = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < ends, "it did not come to that"
        threading.Event().wait(0.05)
