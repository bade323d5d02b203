"""Fixtures for all tests: no test reaches beyond loopback."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.store import Store
    from tests.journey import Journey

settings.register_profile("ci", max_examples=200, deadline=None, derandomize=True)
settings.register_profile("dev", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("slow", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


class ReachedBeyondLoopback(AssertionError):
    """A test tried to open a connection to another machine, or to resolve a public name."""


def _is_loopback(host: str | None) -> bool:
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(host).split("%")[0]).is_loopback
    except ValueError:
        return False


def _refuse_beyond_loopback(event: str, args: tuple[object, ...]) -> None:
    if event == "socket.connect":
        sock, address = args
        family = getattr(sock, "family", None)
        if family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(str(address[0])):  # type: ignore[index]
            raise ReachedBeyondLoopback(f"connect to {address}")
    elif event == "socket.getaddrinfo":
        host = args[0]
        name = host.decode() if isinstance(host, bytes) else host
        try:
            ipaddress.ip_address(str(name).split("%")[0])
        except ValueError:
            if not _is_loopback(name) and not str(name).endswith((".invalid", ".localhost")):  # type: ignore[arg-type]
                raise ReachedBeyondLoopback(f"look up {name}") from None


sys.addaudithook(_refuse_beyond_loopback)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--data", default=None, help="the folder of real data to measure with (write --data=DIR)"
    )


@pytest.fixture
def data(request: pytest.FixtureRequest) -> Path:
    """Give the folder of real data, or skip."""
    place = request.config.getoption("--data") or os.environ.get("SHINGLEBOT_DATA")
    if not place or not Path(place).is_dir():
        pytest.skip("no real data here: give its folder with --data=DIR or SHINGLEBOT_DATA")
    return Path(place)


@pytest.fixture
def store() -> Iterator[Store]:
    """Give an empty store in memory."""
    from bot.store import Store

    with Store.in_memory() as made:
        yield made


@pytest.fixture
def journey(store: Store) -> Journey:
    """Give the journey of three feeds, `a`, `b` and `c`, that have been seeded."""
    from bot.core.dedupe import Level
    from bot.pipeline import Judge
    from tests.journey import Journey

    made = Journey(store, Judge(store, Level.BALANCED))
    made.begin("a", "b", "c")
    return made


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("-m"):
        return
    slow = pytest.mark.skip(reason="slow: `make slow` runs it")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(slow)
