"""The servers that publishers are proved before: each gives a publisher with an account that has no posts yet.

What a server is known to lack is named in `gaps`, and the tests of it are skipped by that name.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from bot.bluesky_client import BlueskyClient
from bot.http_client import HttpClient
from bot.mastodon_client import MastodonClient
from bot.publishers.bluesky import BlueskyPublisher
from bot.publishers.mastodon import MastodonPublisher
from bot.publishers.x import XPublisher
from bot.simulated_x import Rules, SimulatedX
from bot.x_client import XClient
from tests.simulated_mastodon import SimulatedMastodon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.pds_server import PdsServer

MOCK_ABSENT = "no mastodon-mock here: it comes with the dev extra"
MOCK_GAPS = {
    "length": "mastodon-mock counts links at full length, and takes what is longer than the instance says",
    "answers": "mastodon-mock takes answers to what is not there",
}

_numbers = count()


class Clock:
    """Gives a later moment at each look, for posts in an order; aware UTC."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=10)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=10)
        return self.now


@dataclass(kw_only=True)
class Subject:
    """A publisher and the server behind it.

    Attributes:
        publisher: before an account of its own.
        gaps: what the server lacks, by what is tested, with the words for it.
    """

    publisher: Any
    gaps: dict[str, str] = field(default_factory=dict)

    def needs(self, what: str) -> None:
        """Skip the test where the server is known to lack `what`."""
        if what in self.gaps:
            pytest.skip(self.gaps[what])


def door(read_timeout: float = 10, total_timeout: float = 20) -> HttpClient:
    """Return a door to servers on loopback."""
    return HttpClient(
        user_agent="shinglebot-tests",
        allow=[ip_network("127.0.0.0/8"), ip_network("::1")],
        read_timeout=read_timeout,
        total_timeout=total_timeout,
    )


def at_mastodon(url: str, token: str, clock: Callable[[], datetime], **more: Any) -> MastodonPublisher:
    """Return a publisher before a Mastodon server."""
    client = MastodonClient(server=url, access_token=token, http=door(**more), clock=clock)
    stop = threading.Event()
    return MastodonPublisher(client, name="mastodon", clock=clock, pause=lambda _: stop.wait(0.01))


def at_bluesky(pds: PdsServer, clock: Callable[[], datetime], **more: Any) -> BlueskyPublisher:
    """Return a publisher before the PDS, with an account of its own."""
    handle, password = pds.account(f"proof{next(_numbers)}")
    client = BlueskyClient(
        service=more.pop("service", pds.url),
        handle=handle,
        app_password=password,
        http=door(**more),
        clock=clock,
    )
    return BlueskyPublisher(client, name="bluesky", clock=clock)


@contextmanager
def x_subject() -> Iterator[Subject]:
    """Give a publisher before the simulated X."""
    with SimulatedX(["gazette"], rules=Rules(duplicate_filter=True)) as x:
        yield Subject(
            publisher=XPublisher(XClient(x.credentials(), base_url=x.base_url)),
            gaps={
                "keys": "X knows no keys: it says that it has the words already",
                "deletion": "`undo` deletes at X by the client itself",
            },
        )


@contextmanager
def mastodon_subject() -> Iterator[Subject]:
    """Give a publisher before the strict simulated server."""
    with SimulatedMastodon(processing=2) as server:
        yield Subject(publisher=at_mastodon(server.url, server.account(), Clock()))


class MockServer:
    """mastodon-mock in a process of its own, in which every warning is an error; each account has a token."""

    def __init__(self, folder: Path, accounts: int = 40) -> None:
        if importlib.util.find_spec("mastodon_mock") is None:
            if os.environ.get("SHINGLEBOT_NEEDS_MOCK"):
                pytest.fail(MOCK_ABSENT)
            pytest.skip(MOCK_ABSENT)
        with socket.socket() as tried:
            tried.bind(("127.0.0.1", 0))
            self.port = tried.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.tokens = [f"mock-token-{number}" for number in range(accounts)]
        seeds = "".join(
            f'[[seed.accounts]]\nusername = "gazette{number}"\nbot = true\naccess_token = "{token}"\n'
            for number, token in enumerate(self.tokens)
        )
        config = folder / "mock.toml"
        config.write_text(f'[database]\npath = ":memory:"\n{seeds}')
        self._log = (folder / "mock.log").open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "mastodon_mock", "serve", "--config", str(config),
             "--host", "127.0.0.1", "--port", str(self.port), "--in-memory"],
            stdout=self._log, stderr=subprocess.STDOUT, cwd=folder,
        )  # fmt: skip
        never = threading.Event()
        for _ in range(300):
            with (
                suppress(OSError),
                urllib.request.urlopen(f"{self.url}/api/v2/instance", timeout=5) as answer,  # noqa: S310 - loopback
            ):
                json.load(answer)
                return
            if self._process.poll() is not None:
                break
            never.wait(0.1)
        self.close()
        pytest.fail("mastodon-mock did not start: " + (folder / "mock.log").read_text()[-2000:])

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        self._log.close()
