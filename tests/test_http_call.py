"""Single calls of services through the guarded door."""

from __future__ import annotations

from datetime import UTC, datetime
from ipaddress import ip_network

import pytest

from bot.errors import FetchForbidden, FetchTooLarge, FetchUnavailable
from bot.http_client import HttpClient
from tests.feed_server import Answer, FeedServer, redirect


@pytest.fixture
def server():
    with FeedServer() as made:
        yield made


@pytest.fixture
def client():
    return HttpClient(
        user_agent="shinglebot/test",
        allow=[ip_network("127.0.0.0/8")],
        read_timeout=0.3,
        total_timeout=0.5,
        wire_cap=1000,
        decoded_cap=1000,
    )


@pytest.mark.parametrize("method", ["POST", "PUT", "GET"])
def test_what_is_sent_arrives(method, server, client):
    url = server.put("/api?key=1", Answer(status=201, body=b"made"))
    body = None if method == "GET" else "ї=1".encode()
    called = client.call(method, url, headers={"X-Api-Key": "k", "content-type": "text/x"}, body=body)
    assert (called.status, called.body, called.retry_at) == (201, b"made", None)
    (asked,) = server.log
    assert (asked.method, asked.path, asked.body) == (method, "/api?key=1", body or b"")
    assert asked.headers["x-api-key"] == "k"
    assert asked.headers["content-type"] == "text/x"
    assert asked.headers["user-agent"] == "shinglebot/test"
    assert asked.headers["accept"] == "*/*"
    assert asked.headers["connection"] == "close"


@pytest.mark.parametrize("status", [200, 204, 302, 304, 400, 403, 404, 429, 500, 503])
def test_every_status_is_an_answer(status, server, client):
    called = client.call(
        "POST", server.put("/", Answer(status=status, body=b"" if status in {204, 304} else b"{}"))
    )
    assert called.status == status


def test_no_redirect_is_followed(server, client):
    server.put("/there", b"secret")
    called = client.call("POST", server.put("/here", redirect("/there", status=307)), body=b"x")
    assert called.status == 307
    assert [asked.path for asked in server.log] == ["/here"]


def test_retry_after_is_read(server, client):
    url = server.put("/", Answer(status=429, headers=(("Retry-After", "20"),)))
    wait = client.call("POST", url).retry_at - datetime.now(UTC)
    assert 18 <= wait.total_seconds() <= 20


def test_limits_hold(server, client):
    with pytest.raises(FetchTooLarge):
        client.call("POST", server.put("/large", b"x" * 2000))
    with pytest.raises(FetchUnavailable):
        client.call("POST", server.put("/silent", Answer(hang=True)))
    with pytest.raises(FetchUnavailable):
        client.call("POST", server.put("/slow", Answer(body=b"x" * 100, drip_body=0.1)))


def test_the_guard_holds(server, client):
    with pytest.raises(FetchForbidden, match=r"network\.allow"):
        HttpClient(user_agent="test").call("POST", server.url("/"))
    with pytest.raises(FetchForbidden, match="user name or password"):
        client.call("POST", server.url("/").replace("://", "://me:pw@"))
    with pytest.raises(FetchForbidden, match="does not allow"):
        client.call("POST", server.url("/"), headers={"X-Key": "a\r\nB: c"})
    assert server.log == []
