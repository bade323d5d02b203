"""The door to X: the real tweepy against a real server, and every failure one error of ours."""

from __future__ import annotations

import inspect
import json
import logging
import pickle
import socket
import ssl
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests
import tweepy
import urllib3.exceptions
from hypothesis import given
from hypothesis import strategies as st

from bot import errors
from bot.errors import (
    ConfigError,
    NotSent,
    OutcomeUnknown,
    OutOfCredit,
    PublishError,
    RateLimited,
    Refused,
    SaidDuplicate,
    TooManyPosts,
    Unauthorized,
)
from bot.simulated_x import CREATE, DELETE, ME, TIMELINE, Rules, SimulatedUser, SimulatedX, answering
from bot.x_client import XClient, XCredentials
from bot.x_client.failures import error_for
from bot.x_client.limits import LONGEST, WINDOW
from bot.x_client.outcomes import Answer, error_from
from bot.x_client.posts import NotUnderstood, created_id, page_from, user_from, was_deleted
from bot.x_client.wire import TALKATIVE, Wire, X, attempt, cap_loggers

ANSWERS = json.loads((Path(__file__).parent / "data" / "x_client" / "answers.json").read_text("utf-8"))
NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)
CANARY = "CANARYcanaryCANARY"


def client_of(x: SimulatedX, **options) -> XClient:
    return XClient(x.credentials(), base_url=x.base_url, connect_timeout=2, read_timeout=2, **options)


@pytest.fixture
def x():
    with SimulatedX() as server:
        yield server


@pytest.fixture
def client(x):
    return client_of(x)


@pytest.fixture(scope="module")
def lasting():
    with SimulatedX() as server:
        server.windows.limits = dict.fromkeys(server.windows.limits, 10**6)
        yield server


@pytest.fixture
def bulk(lasting):
    """One server for the tables, as if it were new: what went wrong before is forgotten."""
    lasting.faults.clear()
    return lasting


def error_of(call) -> PublishError:
    with pytest.raises(PublishError) as caught:
        call()
    return caught.value


# What goes well


def test_a_post_is_made_and_read_back(x, client):
    sent = 'One & <two> "three" https://example.com/a?b=1&c=2'
    receipt = client.create_post(sent)
    assert receipt.url == f"https://x.com/i/web/status/{receipt.remote_id}"
    assert [post.text for post in x.posts()] == [sent]
    (read,) = client.own_posts()
    assert (read.id, read.text, read.urls) == (receipt.remote_id, sent, ("https://example.com/a?b=1&c=2",))
    assert read.created_at == x.posts()[0].created_at.replace(microsecond=0)


def test_the_account_says_who_it_is():
    user = SimulatedUser(username="gazette", name="The Gazette & Co", id="42")
    with SimulatedX([user]) as x:
        me = client_of(x).me()
    assert (me.id, me.username, me.name) == ("42", "gazette", "The Gazette & Co")


def test_reading_costs_no_look_up_of_the_account(x, client):
    client.own_posts()
    assert [request.path.partition("?")[0] for request in x.log] == [f"/2/users/{x.user().id}/tweets"]


def test_a_token_without_an_id_costs_one_look_up(x, client):
    client._id = None
    client.own_posts()
    client.own_posts()
    assert [request.path.partition("?")[0] for request in x.log].count("/2/users/me") == 1


def test_a_post_is_deleted_once(x, client):
    receipt = client.create_post("One")
    assert client.delete_post(receipt.remote_id)
    assert not client.delete_post(receipt.remote_id)
    assert x.posts() == []


def test_rate_limits_are_kept_by_endpoint(x, client):
    client.create_post("One")
    client.me()
    client.delete_post(x.posts()[0].id)
    assert set(client.limits) == {CREATE, ME, DELETE}
    assert (client.limits[CREATE].limit, client.limits[CREATE].remaining) == (100, 99)
    assert timedelta(0) < client.limits[CREATE].reset_at - datetime.now(UTC) <= WINDOW


def test_day_limits_are_kept_beside_them(x, client):
    reset = timedelta(hours=3)
    headers = {
        "x-user-limit-24hour-limit": "17",
        "x-user-limit-24hour-remaining": "0",
        "x-user-limit-24hour-reset": reset,
        "x-rate-limit-limit": "100",
        "x-rate-limit-remaining": "99",
        "x-rate-limit-reset": timedelta(minutes=1),
    }
    x.faults.next(answering(429, {"title": "Too Many Requests"}, headers=headers))
    error = error_of(lambda: client.create_post("One"))
    assert client.limits[f"{CREATE} (user, 24 h)"].remaining == 0
    assert reset - timedelta(minutes=1) < error.retry_at - datetime.now(UTC) <= reset


def test_the_signature_is_checked_over_the_real_address(x):
    wrong = XCredentials(
        consumer_key=x.credentials().consumer_key,
        consumer_secret="not the one".replace(" ", ""),
        access_token=x.credentials().access_token,
        access_token_secret=x.credentials().access_token_secret,
    )
    with pytest.raises(Unauthorized):
        XClient(wrong, base_url=x.base_url).create_post("One")
    assert x.posts() == []


def test_every_request_has_a_connection_and_a_name_of_its_own(x):
    asked = []

    def keep_alive(connection):
        while request := connection.recv(65536):
            asked.append(request)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}")

    with _raw_server(keep_alive) as url:
        client = XClient(x.credentials(), base_url=url, connect_timeout=1, read_timeout=1)
        error_of(client.me)
        error_of(client.me)
    # The server keeps its one connection open and takes no other.
    assert len(asked) == 1
    head = asked[0].decode().lower()
    assert "\r\nconnection: close\r\n" in head
    assert "\r\nuser-agent: shinglebot/" in head


# Every answer, one error


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: row["name"])
def test_an_answer_to_a_post_is_one_error(bulk, row):
    bulk.faults.next(answering(row["status"], row["body"], headers=row["headers"]))
    error = error_of(lambda: client_of(bulk).create_post("One"))
    assert type(error).__name__ == row["error"], error
    for words in row["says"]:
        assert words in str(error)


@pytest.mark.parametrize("row", ANSWERS, ids=lambda row: row["name"])
def test_an_answer_to_a_question_is_one_error(bulk, row):
    bulk.faults.next(answering(row["status"], row["body"], headers=row["headers"]), on=ME)
    error = error_of(client_of(bulk).me)
    assert type(error).__name__ == row["read_error"], error


WORDS = st.sampled_from(
    "id text data meta errors error code message detail title type reason entities urls url expanded_url "
    "created_at note_tweet attachments deleted name username next_token result_count".split()
)

SUCCESSES = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"7",
    b'"text"',
    b"<html></html>",
    b"{}",
    b'{"data":null}',
    b'{"data":[]}',
    b'{"data":{}}',
    b'{"data":{"id":""}}',
    b'{"data":{"id":"1x"}}',
    b'{"data":{"id":true}}',
    b'{"data":{"id":null},"errors":[{"detail":"no"}]}',
    b"[" * 100_000,
    b"\xff\xfe",
]


@pytest.mark.parametrize("body", SUCCESSES, ids=lambda body: repr(body[:40]))
def test_a_success_that_cannot_be_read_leaves_the_outcome_unknown(bulk, body):
    bulk.faults.next(answering(201, body))
    error = error_of(lambda: client_of(bulk).create_post("One"))
    assert type(error) is OutcomeUnknown
    bulk.faults.next(answering(200, body), on=ME)
    assert type(error_of(client_of(bulk).me)) is NotSent
    bulk.faults.next(answering(200, body), on=TIMELINE)
    bulk.faults.next(answering(200, body), on=TIMELINE)
    assert type(error_of(client_of(bulk).own_posts)) is NotSent


def test_an_id_that_is_a_number_is_taken(bulk):
    bulk.faults.next(answering(201, {"data": {"id": 12345}}))
    assert client_of(bulk).create_post("One").remote_id == "12345"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(WORDS | st.text(max_size=3), inner),
    max_leaves=12,
)


@given(status=st.integers(300, 999), body=JSON, write=st.booleans())
def test_whatever_x_says_is_one_error(status, body, write):
    answer = Answer(status=status, headers={}, body=json.dumps(body).encode())
    error = error_from(answer, write=write, now=NOW, secrets=[CANARY])
    assert isinstance(error, PublishError)
    assert str(error).isprintable()
    if not write:
        assert not isinstance(error, OutcomeUnknown)


@given(body=JSON, data=st.lists(JSON, max_size=3))
def test_whatever_x_gives_is_read_whole_or_not_at_all(body, data):
    for payload in (body, {"meta": {"result_count": len(data)}, "data": data}, {"data": body}):
        for reader in (page_from, user_from, created_id, was_deleted):
            try:
                reader(payload)
            except NotUnderstood:
                continue


# Every break of the line, one error

BREAKS = {
    "lost_request": (OutcomeUnknown, 0, "said nothing"),
    "lost_response": (OutcomeUnknown, 1, "said nothing"),
    "error_before": (OutcomeUnknown, 0, "trouble of its own"),
    "error_after": (OutcomeUnknown, 1, "trouble of its own"),
    "html_error_after": (OutcomeUnknown, 1, "trouble of its own"),
    "reset_before": (OutcomeUnknown, 0, "was reset"),
    "reset_after": (OutcomeUnknown, 1, "was reset"),
    "half": (OutcomeUnknown, 1, "no JSON"),
    "cut": (OutcomeUnknown, 1, "cut short"),
    "429": (RateLimited, 0, "too often"),
    "429_bare": (RateLimited, 0, "too often"),
    "429_past": (RateLimited, 0, "too often"),
    "429_far": (RateLimited, 0, "too often"),
    "429_absurd": (RateLimited, 0, "too often"),
    "402": (OutOfCredit, 0, "credit"),
    "401": (Unauthorized, 0, "credentials"),
}


@pytest.mark.parametrize("fault", BREAKS)
def test_a_fault_of_a_post_is_one_error(x, client, fault):
    kind, stored, words = BREAKS[fault]
    x.faults.next(fault)
    error = error_of(lambda: client.create_post("One"))
    assert type(error) is kind
    assert words in str(error)
    assert len(x.posts()) == stored
    assert [post.text for post in client.own_posts()] == ["One"] * stored
    assert len([request for request in x.log if request.method == "POST"]) == 1


@pytest.mark.parametrize("fault", BREAKS)
def test_a_fault_of_a_question_is_never_unknown(x, client, fault):
    kind, _, _ = BREAKS[fault]
    x.faults.next(fault, on=ME)
    assert type(error_of(client.me)) is (NotSent if kind is OutcomeUnknown else kind)


@pytest.mark.parametrize(("fault", "stored"), [("hang_before", 0), ("hang_after", 1)])
def test_a_silence_ends_with_the_time_limit(x, fault, stored):
    client = XClient(x.credentials(), base_url=x.base_url, read_timeout=0.2)
    x.faults.next(fault)
    error = error_of(lambda: client.create_post("One"))
    assert type(error) is OutcomeUnknown
    assert "no answer in time" in str(error)
    assert len(x.posts()) == stored
    x.faults.next(fault, on=ME)
    assert type(error_of(client.me)) is NotSent


def test_a_body_that_drips_ends_with_the_time_limit(x):
    with _raw_server(_drip) as url:
        client = XClient(x.credentials(), base_url=url, read_timeout=0.3)
        error = error_of(lambda: client.create_post("One"))
    assert type(error) is OutcomeUnknown
    assert "no answer in time" in str(error)


def test_a_body_without_end_is_not_read_to_its_end(x):
    sent = []
    with _raw_server(lambda connection: _flood(connection, sent)) as url:
        error = error_of(lambda: XClient(x.credentials(), base_url=url).create_post("One"))
    assert type(error) is OutcomeUnknown
    assert len(sent) < 1000


@pytest.mark.parametrize(
    "said", [b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 twelve\r\n\r\n", b"HTTP/1.1 200 OK\r\nX"]
)
def test_a_server_that_speaks_no_http_leaves_the_outcome_unknown(x, said):
    def answer(connection):
        connection.recv(65536)
        connection.sendall(said)

    with _raw_server(answer) as url:
        assert (
            type(error_of(lambda: XClient(x.credentials(), base_url=url).create_post("One")))
            is OutcomeUnknown
        )


def test_no_server_means_not_sent(x):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    error = error_of(lambda: XClient(x.credentials(), base_url=f"http://127.0.0.1:{port}").create_post("One"))
    assert type(error) is NotSent
    assert "refused" in str(error)


def test_no_name_means_not_sent(x):
    client = client_of(x)
    client._asking._tweepy.session.mount(X, _led_to("http://no-such-host.invalid", client))
    error = error_of(lambda: client.create_post("One"))
    assert type(error) is NotSent
    assert "its name was not found" in str(error)


def test_a_connection_that_does_not_come_about_means_not_sent(x):
    # A full backlog lets a connection hang, as a firewall does that drops what it gets.
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = []
        try:
            for _ in range(4):
                filler = socket.socket()
                filler.settimeout(0)
                filler.connect_ex(full.getsockname())
                waiting.append(filler)
            url = f"http://127.0.0.1:{full.getsockname()[1]}"
            client = XClient(x.credentials(), base_url=url, connect_timeout=0.2)
            error = error_of(lambda: client.create_post("One"))
        finally:
            for filler in waiting:
                filler.close()
    assert type(error) is NotSent
    assert "no connection in time" in str(error)


def test_no_tls_means_not_sent(x):
    client = XClient(x.credentials(), base_url=x.base_url.replace("http:", "https:"))
    error = error_of(lambda: client.create_post("One"))
    assert type(error) is NotSent
    assert "encryption" in str(error)
    assert x.log == []


def test_a_certificate_that_is_not_valid_means_not_sent(x):
    with _tls_server(lambda _: None) as url:
        error = error_of(lambda: XClient(x.credentials(), base_url=url).create_post("One"))
    assert type(error) is NotSent
    assert "certificate" in str(error)


def test_tls_that_breaks_after_the_request_leaves_the_outcome_unknown(x):
    def garble(connection):
        connection.recv(65536)
        raw = socket.socket(fileno=socket.dup(connection.fileno()))
        with raw:
            raw.sendall(b"this is no TLS record at all")
            while raw.recv(65536):  # until the client has had enough: closing first would be another fault
                pass

    with _tls_server(garble) as url:
        client = XClient(x.credentials(), base_url=url)
        client._asking._tweepy.session.verify = False
        with pytest.warns(urllib3.exceptions.InsecureRequestWarning):
            error = error_of(lambda: client.create_post("One"))
    assert type(error) is OutcomeUnknown
    assert "encryption" in str(error)


# No vendor's error passes


def _classes(*roots):
    for root in roots:
        yield root
        yield from _classes(*root.__subclasses__())


def _made(kind):
    """An instance of any exception class: most of the vendors' need arguments of their own."""
    made = kind.__new__(kind)
    Exception.__init__(made, "an error with a secret: " + CANARY)
    return made


VENDORS = sorted(
    {
        *_classes(requests.RequestException, tweepy.TweepyException, urllib3.exceptions.HTTPError),
        *(
            each
            for each in vars(requests.exceptions).values()
            if inspect.isclass(each) and issubclass(each, Exception)
        ),
        *_classes(ssl.SSLError, ConnectionError, TimeoutError),
    }
    - {*_classes(Warning), json.JSONDecodeError},  # requests has one of its own
    key=lambda kind: f"{kind.__module__}.{kind.__name__}",
)


def test_the_walk_finds_the_vendors_classes():
    names = {kind.__name__ for kind in VENDORS}
    assert {
        "JSONDecodeError",
        "ReadTimeout",
        "ChunkedEncodingError",
        "TooManyRequests",
        "NewConnectionError",
    } <= names
    assert len(VENDORS) > 60


@pytest.mark.parametrize("sent", [False, True])
@pytest.mark.parametrize("kind", VENDORS, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_no_error_of_a_vendor_passes_the_door(bulk, kind, sent):
    client = client_of(bulk)
    original = client._asking._tweepy.session.adapters[X]

    class Raising(Wire):
        def send(self, request, *args, **kwargs):
            if sent:
                original.send(request, *args, **kwargs)
            raise _made(kind)

    client._asking._tweepy.session.mount(X, _like(original, Raising))
    for call, unknown in ((lambda: client.create_post(f"{kind} {sent}"), True), (client.me, False)):
        error = error_of(call)
        assert type(error) is (OutcomeUnknown if sent and unknown else NotSent)
        assert CANARY not in str(error)
        assert error.__cause__ is None
        assert error.__context__ is None


def test_a_bug_is_no_publish_error(x, client):
    class Buggy(Wire):
        def send(self, request, *args, **kwargs):
            raise ZeroDivisionError

    client._asking._tweepy.session.mount(X, _like(client._asking._tweepy.session.adapters[X], Buggy))
    with pytest.raises(ZeroDivisionError):
        client.me()


def test_only_the_flag_decides_whether_it_was_sent():
    for kind in VENDORS:
        assert type(error_for(_made(kind), sent=False, write=True)) is NotSent
        assert type(error_for(_made(kind), sent=True, write=True)) is OutcomeUnknown
        assert type(error_for(_made(kind), sent=True, write=False)) is NotSent


def test_an_attempt_is_watched_for_itself():
    with attempt() as outer:
        with attempt() as inner:
            inner.sent = True
        assert not outer.sent


# Rate limits


RESETS = [
    ({"x-rate-limit-reset": timedelta(minutes=5)}, timedelta(minutes=5)),
    ({"x-rate-limit-reset": timedelta(seconds=1)}, timedelta(seconds=1)),
    ({}, WINDOW),
    ({"x-rate-limit-reset": timedelta(0)}, WINDOW),
    ({"x-rate-limit-reset": timedelta(minutes=-5)}, WINDOW),
    ({"x-rate-limit-reset": timedelta(days=400)}, WINDOW),
    ({"x-rate-limit-reset": LONGEST}, LONGEST),
    ({"x-rate-limit-reset": ""}, WINDOW),
    ({"x-rate-limit-reset": "soon"}, WINDOW),
    ({"x-rate-limit-reset": "-1"}, WINDOW),
    ({"x-rate-limit-reset": "1e9"}, WINDOW),
    ({"x-rate-limit-reset": "9" * 400}, WINDOW),
    ({"retry-after": "60"}, timedelta(minutes=1)),
    ({"retry-after": "0"}, WINDOW),
    ({"retry-after": "99999999"}, WINDOW),
    ({"retry-after": "Tue, 01 Dec 2026 12:02:00 GMT"}, timedelta(minutes=2)),
    ({"retry-after": "Tue, 01 Dec 2026 11:02:00 GMT"}, WINDOW),
    ({"retry-after": "whenever"}, WINDOW),
    ({"retry-after": "60", "x-rate-limit-reset": timedelta(minutes=5)}, timedelta(minutes=5)),
]


@pytest.mark.parametrize(("headers", "wait"), RESETS)
@pytest.mark.parametrize("off_by", [timedelta(0), timedelta(hours=-5), timedelta(days=900)], ids=str)
def test_a_429_says_when_to_come_back_even_to_a_wrong_clock(headers, wait, off_by):
    with SimulatedX(clock=lambda: NOW) as x:
        client = client_of(x, clock=lambda: NOW + off_by)
        x.faults.next(answering(429, {"title": "Too Many Requests"}, headers=headers))
        error = error_of(lambda: client.create_post("One"))
    assert error.retry_at - (NOW + off_by) == wait


def test_the_limits_of_x_are_met_as_they_are(x, client):
    x.windows.limits[CREATE] = 2
    client.create_post("One")
    client.create_post("Two")
    error = error_of(lambda: client.create_post("Three"))
    assert type(error) is RateLimited
    assert timedelta(0) < error.retry_at - datetime.now(UTC) <= WINDOW
    assert client.limits[CREATE].remaining == 0
    assert len(x.log) == 2  # the last answer said that none is left, so the third was not asked for


# Reading the account's own posts


@pytest.fixture
def many(x):
    return [x.put(f"Post {number}") for number in range(250)]


def test_all_newer_posts_are_read_over_pages(many, x, client):
    posts = client.own_posts(since_id=many[9].id, limit=1000)
    assert [post.id for post in posts] == [post.id for post in reversed(many[10:])]
    assert len(x.log) == 4, "pages of 10, 100, 100 and the last 30"


def test_the_newest_are_read_where_nothing_is_said(many, client):
    assert [post.text for post in client.own_posts(limit=7)] == [
        f"Post {number}" for number in range(249, 242, -1)
    ]
    assert [post.text for post in client.own_posts(limit=1)] == ["Post 249"]


def test_exactly_as_many_as_allowed_is_whole(many, client):
    assert len(client.own_posts(since_id=many[149].id, limit=100)) == 100


def test_more_than_allowed_is_an_error_and_no_list(many, client):
    error = error_of(lambda: client.own_posts(since_id=many[148].id, limit=100))
    assert type(error) is TooManyPosts
    assert "more than 100" in str(error)


@pytest.mark.parametrize("fault", ["error_before", "lost_response", "half", "cut", "429", "402"])
def test_a_page_that_fails_spoils_the_list(many, x, client, fault):
    x.faults.at(2, fault, on=TIMELINE)
    assert isinstance(error_of(lambda: client.own_posts(since_id=many[0].id, limit=1000)), PublishError)


def test_a_since_id_that_is_too_old_is_done_without():
    now = NOW
    with SimulatedX(clock=lambda: now) as x:
        for number in range(300):
            old = x.put(f"Old {number}")
        oldest_new = x.put("After it")
        now = NOW + timedelta(days=8)
        x.put("New")
        posts = client_of(x, clock=lambda: now).own_posts(since_id=old.id)
        # It is asked with and without, and not down to the first post of the account.
        assert [request.status for request in x.log] == [400, 200]
    assert [post.text for post in posts] == ["New", "After it"]
    assert posts[-1].id == oldest_new.id


PARTIAL = {
    "errors beside the posts": {"meta": {"result_count": 0}, "errors": [{"detail": "some are missing"}]},
    "fewer than counted": {"meta": {"result_count": 2}, "data": [{"id": "1", "text": "One"}]},
    "no count": {"meta": {}, "data": [{"id": "1", "text": "One"}]},
    "no meta": {"data": [{"id": "1", "text": "One"}]},
    "data that is no list": {"meta": {"result_count": 1}, "data": {"id": "1", "text": "One"}},
    "a post without an id": {"meta": {"result_count": 1}, "data": [{"text": "One"}]},
    "a post without a text": {"meta": {"result_count": 1}, "data": [{"id": "1"}]},
    "a post that is none": {"meta": {"result_count": 1}, "data": [None]},
    "a token that is none": {"meta": {"result_count": 0, "next_token": 7}},
    "links that lead nowhere": {
        "meta": {"result_count": 1},
        "data": [{"id": "1", "text": "https://t.co/abc"}],
    },
    "a link without its address": {
        "meta": {"result_count": 1},
        "data": [{"id": "1", "text": "x", "entities": {"urls": [{"url": "https://t.co/abc"}]}}],
    },
}


@pytest.mark.parametrize("name", PARTIAL)
def test_a_partial_answer_is_an_error_and_no_list(bulk, name):
    bulk.faults.next(*[answering(200, PARTIAL[name])] * 2, on=TIMELINE)
    assert type(error_of(client_of(bulk).own_posts)) is NotSent


def test_pages_without_end_are_given_up(bulk):
    bulk.faults.next(*[answering(200, {"meta": {"result_count": 0, "next_token": "more"}})] * 50, on=TIMELINE)
    assert type(error_of(lambda: client_of(bulk).own_posts(since_id=None, limit=5))) is NotSent


def test_a_picture_may_have_a_link_that_is_not_explained(bulk):
    posts = [
        {"id": "3", "text": "Look https://t.co/pic", "attachments": {"media_keys": ["3_1"]}},
        {"id": "2", "text": "See https://t.co/pic\n", "attachments": {"media_keys": ["3_1"]}},
    ]
    bulk.faults.next(answering(200, {"meta": {"result_count": 2}, "data": posts}), on=TIMELINE)
    assert [post.urls for post in client_of(bulk).own_posts()] == [(), ()]
    posts[0]["text"] = "https://t.co/story https://t.co/pic"
    bulk.faults.next(*[answering(200, {"meta": {"result_count": 2}, "data": posts})] * 2, on=TIMELINE)
    assert type(error_of(client_of(bulk).own_posts)) is NotSent


def test_odd_but_whole_posts_are_read(bulk):
    data = [
        {"id": "2127801854694785024", "text": "No date"},
        {
            "id": 2127801854694785023,
            "text": "Cut off…",
            "created_at": "2026-12-01T10:00:00.000Z",
            "note_tweet": {
                "text": "The whole &amp; long text https://t.co/abc",
                "entities": {
                    "urls": [
                        {
                            "url": "https://t.co/abc",
                            "expanded_url": "https://short.example/1",
                            "unwound_url": "https://long.example/story",
                        }
                    ]
                },
            },
        },
        {"id": "2127801854694785022", "text": "RT @other: cut off https://t.co/a…"},
    ]
    bulk.faults.next(answering(200, {"meta": {"result_count": 3}, "data": data}), on=TIMELINE)
    first, second, third = client_of(bulk).own_posts()
    assert abs(first.created_at - datetime(2026, 12, 1, 16, 27, 49, tzinfo=UTC)) < timedelta(seconds=1)
    assert second.text == "The whole & long text https://short.example/1"
    assert second.urls == ("https://short.example/1", "https://long.example/story")
    assert second.created_at == datetime(2026, 12, 1, 10, tzinfo=UTC)
    assert third.urls == ()


@pytest.mark.parametrize("vocabulary", ["tweet", "post"])
def test_both_vocabularies_are_understood(vocabulary):
    rules = Rules(field_parameters=(f"{vocabulary}.fields",), answers_in=vocabulary)
    with SimulatedX(rules=rules) as x:
        client = client_of(x)
        receipt = client.create_post("One https://example.com/story")
        for _ in range(2):
            (post,) = client.own_posts()
            assert (post.id, post.urls) == (receipt.remote_id, ("https://example.com/story",))
        asked = [request.path for request in x.log if request.method == "GET"]
    # The refused vocabulary is tried once and not again.
    assert len(asked) == (2 if vocabulary == "tweet" else 3)
    assert f"{vocabulary}.fields" in asked[-1]


def test_a_vocabulary_that_is_passed_over_in_silence_is_noticed():
    rules = Rules(field_parameters=("post.fields",), ignore_unknown_fields=True, answers_in="post")
    with SimulatedX(rules=rules) as x:
        client = client_of(x)
        client.create_post("One https://example.com/story")
        (post,) = client.own_posts()
    assert post.urls == ("https://example.com/story",)


def test_a_lost_acknowledgement_is_found_by_reading(x, client):
    mark = client.create_post("The one before").remote_id
    x.faults.next("lost_response")
    with pytest.raises(OutcomeUnknown):
        client.create_post("Lost & found https://example.com/lost?a=1&b=2")
    (found,) = client.own_posts(since_id=mark)
    assert found.urls == ("https://example.com/lost?a=1&b=2",)
    assert found.text == "Lost & found https://example.com/lost?a=1&b=2"
    with pytest.raises(SaidDuplicate):
        client.create_post("Lost & found https://example.com/lost?a=1&b=2")


# Secrets


def test_credentials_show_nothing():
    keys = XCredentials(consumer_key="a1", consumer_secret="b2", access_token="c3", access_token_secret="d4")
    assert repr(keys) == str(keys) == f"{keys}" == "***"
    assert repr([keys]) == "[***]"


@pytest.mark.parametrize("value", ["", "two words", "new\nline", "tab\t", "ключ", "\x00"])
def test_what_no_key_can_be_is_a_fault_of_the_configuration(value):
    good = dict.fromkeys(("consumer_key", "consumer_secret", "access_token", "access_token_secret"), "k")
    for name in good:
        with pytest.raises(ConfigError, match=name.replace("_", " ")) as caught:
            XCredentials(**good | {name: value})
        assert not value or value not in str(caught.value)


def test_vendors_loggers_are_capped_and_no_secret_reaches_a_log(x, caplog):
    for name in (*TALKATIVE, "tweepy.client", "urllib3.connectionpool"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    caplog.set_level(logging.DEBUG)
    keys = x.credentials()
    client = client_of(x)
    client.create_post("One")
    client.own_posts()
    x.faults.next("lost_response", "half", "401", "error_after", "429")
    for _ in range(5):
        error_of(lambda: client.create_post("Two"))
    for secret in (
        keys.consumer_key,
        keys.consumer_secret,
        keys.access_token,
        keys.access_token_secret,
        "oauth_",
    ):
        assert secret not in caplog.text
    for name in (*TALKATIVE, "tweepy.client", "urllib3.connectionpool"):
        assert logging.getLogger(name).getEffectiveLevel() >= logging.INFO
    logging.getLogger("urllib3").setLevel(logging.ERROR)
    cap_loggers()
    assert logging.getLogger("urllib3").level == logging.ERROR
    logging.getLogger("urllib3").setLevel(logging.NOTSET)


def test_words_of_x_are_quoted_short_and_without_secrets(x, client):
    keys = x.credentials()
    detail = (
        f'no {keys.access_token} oauth_signature="abc%2Fd%3D", Authorization: Bearer AAAA\nnext\x00line '
        + "x" * 999
    )
    x.faults.next(answering(403, {"detail": detail}))
    said = str(error_of(lambda: client.create_post("One")))
    for secret in (keys.access_token, "abc%2Fd", "AAAA", "\n", "\x00"):
        assert secret not in said
    assert "next line" in said
    assert len(said) < 400


def test_an_error_carries_no_request(x, client):
    x.faults.next("lost_response")
    error = error_of(lambda: client.create_post("One"))
    assert error.__cause__ is None
    assert error.__context__ is None
    assert x.credentials().access_token.encode() not in pickle.dumps(error)


# Where it may go


@pytest.mark.parametrize(
    "url",
    ["http://example.com", "https://api.x.com", "http://10.0.0.1:80", "ftp://127.0.0.1", "127.0.0.1:80", ""],
)
def test_a_simulated_x_elsewhere_is_a_fault_of_the_configuration(x, url):
    with pytest.raises(ConfigError):
        XClient(x.credentials(), base_url=url)


def test_nothing_but_x_can_be_reached(client):
    with pytest.raises(requests.exceptions.InvalidSchema):
        client._asking._tweepy.session.get("http://127.0.0.1:9/")


def test_no_netrc_and_no_proxy(x, monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("default login somebody password else\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    client_of(x).create_post("One")
    assert len(x.posts()) == 1


def test_every_error_that_is_raised_is_of_the_tree():
    raised = {row["error"] for row in ANSWERS} | {row["read_error"] for row in ANSWERS}
    assert raised == {
        kind.__name__
        for kind in (NotSent, OutcomeUnknown, OutOfCredit, RateLimited, Refused, SaidDuplicate, Unauthorized)
    }
    assert all(issubclass(getattr(errors, name), PublishError) for name in raised)
    assert not issubclass(NotUnderstood, errors.ShinglebotError)


# Servers that are none of X's


def _like(wire: Wire, kind: type[Wire]) -> Wire:
    return kind(
        base_url=wire._base_url,
        connect_timeout=wire._connect_timeout,
        read_timeout=wire._read_timeout,
        heard=wire._heard,
    )


def _led_to(url: str, client: XClient) -> Wire:
    wire = _like(client._asking._tweepy.session.adapters[X], Wire)
    wire._base_url = url
    return wire


@contextmanager
def _raw_server(answer, tls: ssl.SSLContext | None = None):
    """Let `answer` handle the one connection that comes."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        try:
            connection, _ = listening.accept()
            connection.settimeout(5)
            with connection if tls is None else tls.wrap_socket(connection, server_side=True) as open_one:
                answer(open_one)
        except OSError:
            pass

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        scheme = "http" if tls is None else "https"
        yield f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        thread.join()
        listening.close()


def _tls_server(answer):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(Path(__file__).parent / "data" / "tls" / "localhost.pem")
    return _raw_server(answer, tls)


def _drip(connection):
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 1000\r\n\r\n")
    never = threading.Event()
    while not never.wait(0.05):
        connection.sendall(b" ")


def _flood(connection, sent):
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 1000000000\r\n\r\n")
    while len(sent) < 10_000:
        connection.sendall(b" " * 65536)
        sent.append(1)
