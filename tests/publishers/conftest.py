from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from tests.pds_server import PdsServer
from tests.publishers.contract import (
    MOCK_GAPS,
    Clock,
    MockServer,
    Subject,
    at_bluesky,
    at_mastodon,
    mastodon_subject,
    seen_at_bluesky,
    seen_at_mastodon,
    x_subject,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def pds() -> Iterator[PdsServer]:
    """Give the one PDS of these tests; each takes an account of its own."""
    server = PdsServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def mock(tmp_path_factory) -> Iterator[MockServer]:
    """Give the one mastodon-mock of these tests; each takes an account of its own."""
    server = MockServer(tmp_path_factory.mktemp("mock"))
    yield server
    server.close()


@pytest.fixture(params=["x", "mastodon", "mastodon-mock", "bluesky"])
def subject(request) -> Iterator[Subject]:
    """Give each publisher before its server."""
    match request.param:
        case "x":
            made = x_subject()
        case "mastodon":
            made = mastodon_subject()
        case "mastodon-mock":
            server = request.getfixturevalue("mock")
            token = server.tokens.pop()
            made = nullcontext(
                Subject(
                    publisher=at_mastodon(server.url, token, Clock()),
                    seen=lambda number: seen_at_mastodon(server.url, token, number),
                    gaps=MOCK_GAPS,
                )
            )
        case _:
            pds = request.getfixturevalue("pds")
            publisher = at_bluesky(pds, Clock())
            made = nullcontext(
                Subject(
                    publisher=publisher,
                    seen=lambda number: seen_at_bluesky(pds.url, publisher.account(), number),
                )
            )
    with made as subject:
        yield subject
