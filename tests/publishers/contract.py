"""The servers that publishers are proved before: each gives a publisher with an account that has no posts yet.

What a server is known to lack is named in `gaps`, and the tests of it are skipped by that name.
"""

from __future__ import annotations

import html
import importlib.util
import json
import os
import re
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
from tests.ports import free_port
from tests.simulated_mastodon import SimulatedMastodon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.pds_server import PdsServer

MOCK_ABSENT = "no mastodon-mock here: it comes with the dev extra"
MOCK_GAPS = {
    "length": "mastodon-mock counts links at full length, and takes what is longer than the instance says",
    "card": "Mastodon makes its own card of the link",
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


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What others see of a post, as the server has it.

    Attributes:
        alts: what is said to be seen on its pictures, in their order.
        links: address after address that a reader can click in it.
        card: title, address and whether it shows a picture.
        warning: what it is hidden behind.
    """

    alts: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    card: tuple[str, str, bool] | None = None
    warning: str = ""


@dataclass(kw_only=True)
class Subject:
    """A publisher and the server behind it.

    Attributes:
        publisher: before an account of its own.
        seen: asks the server itself for a post, by its id.
        gaps: what the server lacks, by what is tested, with the words for it.
    """

    publisher: Any
    seen: Callable[[str], Seen]
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
            seen=lambda number: seen_at_x(x, number),
            gaps={
                "warning": "X has no content warnings in its API",
                "card": "X makes its own card of the link",
                "keys": "X knows no keys: it says that it has the words already",
                "deletion": "`undo` deletes at X by the client itself",
            },
        )


@contextmanager
def mastodon_subject() -> Iterator[Subject]:
    """Give a publisher before the strict simulated server."""
    with SimulatedMastodon(processing=2) as server:
        yield Subject(
            publisher=at_mastodon(server.url, server.account(), Clock()),
            seen=lambda number: seen_in(next(iter(server.accounts.values())).statuses[number]),
            gaps={"card": "Mastodon makes its own card of the link"},
        )


def seen_at_x(x: SimulatedX, number: str) -> Seen:
    """Ask the simulated X."""
    (post,) = (post for post in x.posts() if post.id == number)
    return Seen(
        alts=tuple(one.alt or "" for one in post.media), links=tuple(link.expanded for link in post.links)
    )


def seen_at_mastodon(url: str, token: str, number: str) -> Seen:
    """Ask a Mastodon server for a status."""
    return seen_in(asked(f"{url}/api/v1/statuses/{number}", token))


def seen_in(said: dict[str, Any]) -> Seen:
    """Read a status as Mastodon gives it."""
    return Seen(
        alts=tuple(one["description"] or "" for one in said["media_attachments"]),
        links=tuple(html.unescape(link) for link in re.findall(r'<a href="([^"]*)"', said["content"])),
        warning=said["spoiler_text"],
    )


def seen_at_bluesky(url: str, did: str, number: str) -> Seen:
    """Ask a PDS for a record, as anybody may; the links are those whose bytes in the text name them."""
    said = asked(
        f"{url}/xrpc/com.atproto.repo.getRecord?repo={did}&collection=app.bsky.feed.post&rkey={number}"
    )["value"]
    text, links = said["text"].encode(), []
    for facet in said.get("facets", ()):
        shown = text[facet["index"]["byteStart"] : facet["index"]["byteEnd"]].decode()
        uris = [feature["uri"] for feature in facet["features"] if "uri" in feature]
        links += [uri for uri in uris if uri == shown or uri.endswith(shown.rstrip("…"))]
    embed = said.get("embed", {})
    card = embed.get("external")
    return Seen(
        alts=tuple(one["alt"] for one in embed.get("images", ())),
        links=tuple(links),
        card=None if card is None else (card["title"], card["uri"], "thumb" in card),
        warning=" ".join(one["val"] for one in said.get("labels", {}).get("values", ())),
    )


def asked(url: str, token: str = "") -> Any:
    """Return what a server on loopback answers, read as JSON."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:  # noqa: S310 - loopback
        return json.load(answer)


class MockServer:
    """mastodon-mock in a process of its own, in which every warning is an error; each account has a token."""

    def __init__(self, folder: Path, accounts: int = 40) -> None:
        if importlib.util.find_spec("mastodon_mock") is None:
            if os.environ.get("SHINGLEBOT_NEEDS_MOCK"):
                pytest.fail(MOCK_ABSENT)
            pytest.skip(MOCK_ABSENT)
        self.port = free_port()
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
            stdout=self._log, stderr=subprocess.STDOUT, cwd=folder, env={**os.environ, "TMPDIR": str(folder)},
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
