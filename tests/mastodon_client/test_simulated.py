"""Before a strict simulated server: what the bot asks of Mastodon, and what that answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import ip_network

import pytest

from bot.errors import (
    NotSent,
    OutcomeUnknown,
    PictureRefused,
    RateLimited,
    Refused,
    TooManyPosts,
    Unauthorized,
)
from bot.http_client import HttpClient
from bot.mastodon_client import CodeFlow, MastodonClient, NewStatus, Visibility
from tests.pictures import a_png
from tests.simulated_mastodon import Fault, SimulatedMastodon

POST = "/api/v1/statuses"


@pytest.fixture
def http():
    return HttpClient(
        user_agent="shinglebot-tests", allow=[ip_network("127.0.0.0/8")], read_timeout=0.5, total_timeout=1
    )


@pytest.fixture
def server():
    with SimulatedMastodon() as made:
        yield made


@pytest.fixture
def mastodon(server, http):
    return MastodonClient(server=server.url, access_token=server.account(), http=http)


def test_a_status_is_written_read_and_deleted(mastodon, server):
    text = "Паром запізнився 🌊\n\nhttps://news.example/поро́м?a=1&b=2 #пороми <b>"
    told = mastodon.post(NewStatus(text=text, language="uk", visibility=Visibility.UNLISTED), "row-1")
    assert server.posts() == [text]
    assert told.url == f"{server.url}/@gazette/{told.remote_id}"
    (status,) = mastodon.own_statuses()
    assert status.id == told.remote_id
    assert status.text == text
    assert status.links == ("https://news.example/поро́м?a=1&b=2",)
    assert mastodon.delete(told.remote_id)
    assert not mastodon.delete(told.remote_id)
    assert mastodon.own_statuses() == []


def test_one_key_is_one_status(mastodon, server):
    first = mastodon.post(NewStatus(text="The ferry is late"), "row-1")
    assert mastodon.post(NewStatus(text="The ferry is late"), "row-1") == first
    assert mastodon.post(NewStatus(text="The ferry is late"), "row-2") != first
    assert len(server.posts()) == 2


def test_whose_token_it_is_and_what_the_server_takes(mastodon, server):
    assert mastodon.me().name == f"gazette@{server.url.removeprefix('http://')}"
    assert mastodon.me().is_bot
    limits = mastodon.limits()
    assert (limits.characters, limits.url, limits.picture_bytes) == (500, 23, 1_000_000)


def test_own_statuses_come_newest_first_over_pages_and_never_in_part(mastodon, monkeypatch):
    monkeypatch.setattr("bot.mastodon_client.client.PAGE", 2)
    ids = [mastodon.post(NewStatus(text=f"Number {n}"), f"row-{n}").remote_id for n in range(5)]
    assert [status.id for status in mastodon.own_statuses(ids[0], 10)] == ids[:0:-1]
    assert [status.id for status in mastodon.own_statuses(limit=3)] == ids[:1:-1]
    with pytest.raises(TooManyPosts):
        mastodon.own_statuses(ids[0], 3)


@pytest.mark.parametrize("processing", [0, 2])
def test_a_picture_is_shown_when_it_is_ready(server, http, processing):
    server.processing = processing
    mastodon = MastodonClient(server=server.url, access_token=server.account(), http=http)
    picture = mastodon.upload(a_png(), "image/png")
    mastodon.describe(picture, "A red dot")
    asked = 0
    while not mastodon.is_ready(picture):
        asked += 1
    assert asked == max(processing - 2, 0)
    mastodon.post(NewStatus(text="Look", media=(picture,)), "row-1")
    (account,) = server.accounts.values()
    (status,) = account.statuses.values()
    assert status["media_attachments"] == [{"id": picture, "description": "A red dot"}]


def test_what_the_server_will_never_take_is_refused(mastodon):
    link = " https://news.example/" + "a" * 400
    mastodon.post(NewStatus(text="x" * 476 + link), "row-1")
    with pytest.raises(Refused, match="character limit of 500 exceeded"):
        mastodon.post(NewStatus(text="x" * 477 + link), "row-2")
    with pytest.raises(Refused, match="character limit"):
        mastodon.post(NewStatus(text="x" * 400, warning="y" * 101), "row-3")
    with pytest.raises(Refused, match="content type is invalid"):
        mastodon.upload(b"<html>", "image/png")


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("lost", OutcomeUnknown),
        ("500", OutcomeUnknown),
        ("500_after", OutcomeUnknown),
        ("nonsense", OutcomeUnknown),
        ("reset", OutcomeUnknown),
        ("hang", OutcomeUnknown),
        ("429", RateLimited),
        ("401", Unauthorized),
        ("403", Unauthorized),
    ],
)
def test_a_fault_says_what_is_known_and_the_key_makes_one_of_two(mastodon, server, kind, error):
    mastodon.me()
    server.faults.append(Fault(method="POST", path=POST, kind=kind, seconds=1.5))
    with pytest.raises(error) as told:
        mastodon.post(NewStatus(text="The ferry is late"), "row-1")
    assert told.value.__cause__ is None
    assert told.value.__context__ is None
    mastodon.post(NewStatus(text="The ferry is late"), "row-1")
    assert server.posts() == ["The ferry is late"]


@pytest.mark.parametrize("kind", ["500", "nonsense", "reset", "lost"])
def test_what_cannot_be_read_is_no_unknown_outcome(mastodon, server, kind):
    mastodon.me()
    server.faults.append(Fault(method="GET", path="/api/v1/accounts", kind=kind))
    with pytest.raises(NotSent):
        mastodon.own_statuses()


def test_a_window_that_is_used_up_says_when_it_ends(server, http):
    server.requests_allowed = 2
    mastodon = MastodonClient(server=server.url, access_token=server.account(), http=http)
    mastodon.me()
    mastodon.own_statuses()
    assert set(mastodon.remaining.values()) == {1, 0}
    with pytest.raises(RateLimited) as told:
        mastodon.own_statuses()
    wait = told.value.retry_at - datetime.now(UTC)
    assert timedelta(minutes=4) < wait <= timedelta(minutes=5)


def test_a_token_with_too_little_right_is_said(server, http):
    mastodon = MastodonClient(
        server=server.url, access_token=server.account(scopes="read:accounts"), http=http
    )
    with pytest.raises(Unauthorized, match="may not do this"):
        mastodon.post(NewStatus(text="x"), "row-1")


def test_a_server_that_is_not_there_has_taken_nothing(http):
    away = MastodonClient(server="http://127.0.0.1:9", access_token="t", http=http)
    with pytest.raises(NotSent, match="could not be asked"):
        away.post(NewStatus(text="x"), "row-1")


def test_an_owner_allows_the_bot_with_a_code(server, http):
    flow = CodeFlow(server.url, http=http)
    code = server.allow(flow.address())
    token = flow.token(f" {code}\n")
    assert MastodonClient(server=server.url, access_token=token, http=http).me().name.startswith("gazette@")
    with pytest.raises(NotSent, match="declined"):
        flow.token(code)
    again = CodeFlow(server.url, http=http, registered=flow.registered)
    assert again.token(server.allow(again.address())) != token
    assert len(server.apps) == 1


def test_a_picture_that_the_server_does_not_know_is_no_reason_to_lose_the_post(mastodon, server):
    with pytest.raises(PictureRefused):
        mastodon.post(NewStatus(text="Look", media=("12345",)), "row-1")
    mastodon.post(NewStatus(text="Look"), "row-1")
    assert server.posts() == ["Look"]


def test_a_picture_that_is_not_ready_puts_the_post_off(server, http):
    server.processing = 5
    mastodon = MastodonClient(server=server.url, access_token=server.account(), http=http)
    picture = mastodon.upload(a_png(), "image/png")
    with pytest.raises(NotSent, match="not finished processing"):
        mastodon.post(NewStatus(text="Look", media=(picture,)), "row-1")


def test_what_was_posted_and_deleted_is_not_posted_again(mastodon, server):
    told = mastodon.post(NewStatus(text="Look"), "row-1")
    mastodon.delete(told.remote_id)
    with pytest.raises(Refused, match="posted and deleted"):
        mastodon.post(NewStatus(text="Look"), "row-1")
    assert server.posts() == []


def test_a_page_of_a_proxy_drops_no_post_and_calls_none_deleted(mastodon, server):
    told = mastodon.post(NewStatus(text="Look"), "row-1")
    server.faults.append(Fault(method="POST", path=POST, kind="page"))
    with pytest.raises(NotSent, match="404"):
        mastodon.post(NewStatus(text="Again"), "row-2")
    server.faults.append(Fault(method="DELETE", path=POST, kind="page"))
    with pytest.raises(NotSent):
        mastodon.delete(told.remote_id)
    assert mastodon.delete(told.remote_id)
