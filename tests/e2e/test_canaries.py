"""No secret is written anywhere but into the file of tokens, whatever X answers and however much is logged.

The keys of the simulated X are the canaries: it takes no others. It repeats the signed header of a request among its words,
as careless servers do, and everything that the bot says and keeps is searched for them.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.parse import quote

import pytest

from bot.simulated_x import ACCESS_TOKEN, CREATE, DELETE, ME, REQUEST_TOKEN, TIMELINE, SimulatedX
from bot.simulated_x.authorizing import PinDesk
from tests.feed_server import FeedServer
from tests.terminal import x_environment

ROOT = Path(__file__).parents[2]
ECHOES = ("401_echo", "403_echo", "500_echo")

FEED = """<rss version="2.0"><channel><title>News</title><link>https://news.example/</link><description/>
<item><guid>g{0}</guid><link>https://news.example/{0}</link><title>Story number {0} about {1}</title></item>
</channel></rss>"""
WORDS = (
    "ferries and fog",
    "a new bridge",
    "the harvest of plums",
    "rails under the sea",
    "an owl in the tower",
    "snow",
)

BROKEN = """
import sys
from bot.cli import main
from bot.x_client.client import XClient

def me(self):
    keys = self._asking._tweepy
    raise RuntimeError(f"broken with {keys.access_token} and {keys.consumer_secret}")

XClient.me = me
main(sys.argv[1:])
"""


class Scene:
    """A bot in a folder of its own, and everything that it has said so far."""

    def __init__(self, folder: Path, x: SimulatedX) -> None:
        self.folder, self.x = folder, x
        self.said = ""
        (folder / "tmp").mkdir()
        self.env = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(folder / "tmp"),
            **x_environment(x),
        }

    def configure(self, feed: str, *, tokens: bool) -> None:
        named = 'access_token = "${AT}"\naccess_token_secret = "${AS}"\n' if tokens else ""
        (self.folder / "config.toml").write_text(
            f'state_dir = "state"\n[account]\napi_key = "${{CK}}"\napi_key_secret = "${{CS}}"\n{named}'
            f'[pacing]\nmin_gap = "0s"\n[network]\nallow = ["127.0.0.0/8"]\n'
            f'[[feed]]\nname = "News"\nurl = "{feed}"\nfirst_run = "newest 1"\n'
        )

    def run(self, *arguments: str, python: tuple[str, ...] = ("-m", "bot")) -> int:
        done = subprocess.run(
            [sys.executable, *python, "-vv", *arguments],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.said += done.stdout + done.stderr
        return done.returncode

    def authorize(self, *arguments: str) -> int:
        with subprocess.Popen(
            [sys.executable, "-m", "bot", "-vv", "auth", *arguments],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            pin = ""
            for line in process.stdout:
                if "oauth_token=" in line:
                    with urllib.request.urlopen(line.strip(), timeout=5) as page:  # noqa: S310 - on this machine
                        pin = re.search(r"<code>(\d+)</code>", page.read().decode())[1]
                    break
                self.said += line
            out, errors = process.communicate(f"{pin}\n" if pin else "", timeout=30)
        self.said += out + errors
        return process.returncode

    def written(self) -> str:
        files = [path for path in self.folder.rglob("*") if path.is_file() and path.name != "x-tokens.json"]
        assert any(path.name == "shinglebot.db" for path in files)
        return self.said + "".join(path.read_bytes().decode("latin-1") for path in files)


def forms_of(secret: str) -> set[str]:
    raw = secret.encode()
    return {
        secret,
        secret.upper(),
        quote(secret, safe=""),
        base64.b64encode(raw).decode().rstrip("="),
        raw.hex(),
    }


@pytest.fixture
def secrets_made(monkeypatch):
    """Every secret that the desk of the simulated X has handed out."""
    made: list[str] = []
    make_up = PinDesk._made_up

    def noted(self, kind):
        secret = make_up(self, kind)
        if kind == "request secret":
            made.append(secret)
        return secret

    monkeypatch.setattr(PinDesk, "_made_up", noted)
    return made


def _get_tokens(scene: Scene, echoes) -> None:
    for fault in echoes:
        for endpoint in (REQUEST_TOKEN, ACCESS_TOKEN):
            scene.x.faults.next(fault, on=endpoint)
            assert scene.authorize() == 1
    scene.x.faults.next("401_echo", on=ME)
    assert scene.authorize() == 0


def _look_at_the_account(scene: Scene, echoes) -> None:
    for fault in echoes:
        scene.x.faults.next(fault, on=ME)
        assert scene.run("check", "--online") != 0
    assert scene.run("check", "--online") == 0
    assert scene.run("check", "--online", python=("-c", BROKEN)) not in {0, 78}


def _post(scene: Scene, feeds: FeedServer, echoes) -> None:
    for number, fault in enumerate((*echoes, None)):
        feeds.put("/rss", FEED.format(number, WORDS[number]).encode())
        for endpoint in (CREATE, TIMELINE) if fault else ():
            scene.x.faults.next(fault, on=endpoint)
        scene.run("once", "--now")
        scene.run("outbox", "resume")
        scene.x.faults.clear()
    assert scene.run("once", "--now") == 0
    assert scene.x.posts()


def _take_back(scene: Scene, echoes) -> None:
    for fault in echoes:
        scene.x.faults.next(fault, on=DELETE)
        assert scene.run("undo", "--last", "1", "--yes") == 1
    assert scene.run("undo", "--last", "1", "--yes") == 0


@pytest.mark.parametrize("tokens", [False, True], ids=["stored", "named"])
@pytest.mark.parametrize(
    "echoes", [ECHOES[:1], pytest.param(ECHOES, marks=pytest.mark.slow)], ids=["one", "all"]
)
def test_no_secret_is_written_anywhere(tmp_path, secrets_made, echoes, tokens):
    with SimulatedX(["gazette"]) as x, FeedServer() as feeds:
        scene = Scene(tmp_path, x)
        scene.configure(feeds.url("/rss"), tokens=tokens)
        if not tokens:
            _get_tokens(scene, echoes)
        _look_at_the_account(scene, echoes)
        _post(scene, feeds, echoes)
        _take_back(scene, echoes)
        for look in (("status",), ("outbox", "--json"), ("why", "Story")):
            scene.run(*look)
    written = scene.written()
    assert "Traceback" in scene.said
    assert "broken with ***" in scene.said
    assert "X said 401" in scene.said
    assert [request for request in x.log if request.method == "DELETE" and request.status == 200]
    keys = x.credentials()
    secrets = {keys.consumer_key, keys.consumer_secret, keys.access_token, keys.access_token_secret}
    if not tokens:
        stored = json.loads((tmp_path / "state" / "x-tokens.json").read_text())
        assert {stored["access_token"], stored["access_token_secret"]} < secrets
        assert secrets_made
    for secret in (*secrets, *secrets_made):
        for form in forms_of(secret):
            assert form not in written
    # What signs once is worth nothing afterwards, and is still shown to nobody.
    assert not re.search(
        r'oauth_(?:signature|nonce|consumer_key|verifier)["\']?\s*[=:]\s*["\']?[^*\s]', written
    )
