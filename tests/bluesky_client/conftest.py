from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING

import pytest

from bot.http_client import HttpClient
from tests.pds_server import PdsServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def pds() -> Iterator[PdsServer]:
    """Give the one PDS of these tests; each takes an account of its own."""
    server = PdsServer()
    yield server
    server.close()


@pytest.fixture
def http() -> HttpClient:
    return HttpClient(user_agent="shinglebot-tests", allow=[ip_network("127.0.0.0/8"), ip_network("::1")])
