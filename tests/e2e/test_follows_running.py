"""The bot at work keeps followers in step beside its posts: with Mastodon applied, with X only reported, and off where nothing is said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from bot.simulated_x import SimulatedX
from tests.e2e.test_lanes import wait
from tests.simulated_mastodon import SimulatedMastodon
from tests.terminal import ROOT, x_environment

SCOPES = "read:accounts read:statuses write:statuses write:media read:follows write:follows"
CONFIG = """
state_dir = "state"
[account]
api_key = "${CK}"
api_key_secret = "${CS}"
access_token = "${AT}"
access_token_secret = "${AS}"
[network]
allow = ["127.0.0.0/8"]
[follows]
mode = "MODE"
[[destination]]
type = "mastodon"
server = "SERVER"
access_token = "${TOKEN}"
follows = {OWN}
[[feed]]
name = "Gazette"
file = "feed.xml"
first_run = "newest 1"
"""
FEED = (
    "<rss version='2.0'><channel><title>Gazette</title><link>https://gazette.example/</link>"
    "<item><link>https://gazette.example/1</link><title>The ferry to Gull Island is back</title></item></channel></rss>"
)


@pytest.mark.parametrize("mode", ["report", "off"])
def test_the_running_bot_does_what_it_was_told_and_no_more(tmp_path, mode):
    with SimulatedX() as x, SimulatedMastodon() as mastodon:
        x.follows.open = True
        x.follows.come(x.user().id, x.follows.add(7))
        token = mastodon.account("gazette", SCOPES)
        world = next(iter(mastodon.accounts.values())).follows
        world.come(world.add(3))
        own = 'mode = "apply"' if mode == "report" else ""
        (tmp_path / "feed.xml").write_text(FEED)
        (tmp_path / "config.toml").write_text(
            CONFIG.replace("SERVER", mastodon.url).replace("MODE", mode).replace("OWN", own)
        )
        log = tmp_path / "log"
        with log.open("w") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "bot", "run"],
                cwd=tmp_path,
                env={**os.environ, "PYTHONPATH": str(ROOT), "TOKEN": token, **x_environment(x)},
                stdout=said,
                stderr=said,
            )
        try:
            if mode == "report":
                wait(lambda: sum(world.made.values()) == 1)
                wait(lambda: log.read_text().count("follow plan") == 2)
            else:
                wait(lambda: mastodon.posts() and x.posts())
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) == 0, log.read_text()
        assert not x.follows.arrived, "at X it was to be reported alone"
        if mode == "off":
            assert not [seen for seen in mastodon.log if "follow" in seen.path]
            assert not [request for request in x.log if "follow" in request.path]
        else:
            assert sum(world.made.values()) == 1, "the second step waits for its turn"
