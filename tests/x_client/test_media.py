"""Pictures at X: handed over, described and shown, and every failure one error of ours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.core.prices import Item
from bot.errors import (
    NotSent,
    OutcomeUnknown,
    PictureRefused,
    PublishError,
    RateLimited,
    Refused,
    Unauthorized,
)
from bot.simulated_x import CREATE, METADATA, UPLOAD, Rules, SimulatedX, answering
from bot.x_client import XClient
from tests.pictures import png
from tests.x_client.test_metering import Book

NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)


@pytest.fixture
def x():
    with SimulatedX(clock=lambda: NOW) as made:
        yield made


@pytest.fixture
def book():
    return Book()


@pytest.fixture
def client(x, book):
    return XClient(x.credentials(), base_url=x.base_url, read_timeout=0.5, meter=book, clock=lambda: NOW)


def error_of(call, *arguments):
    with pytest.raises(PublishError) as caught:
        call(*arguments)
    return caught.value


def test_a_picture_is_uploaded_described_and_shown(x, client, book):
    data = png(padding=100_000)
    found = client.upload_picture(data)
    assert found.expires_at == NOW + timedelta(hours=24)
    client.describe_picture(found.id, "Фергус в тумане & co")
    client.create_post("One https://example.com/1", [found.id])
    (post,) = x.posts()
    assert [(media.id, media.data, media.alt) for media in post.media] == [
        (found.id, data, "Фергус в тумане & co")
    ]
    assert book.lines == [("before", Item.MEDIA_METADATA, 1), ("after", 1, (found.id,))]
    assert book.questions == [""]  # twice is charged twice: no later answer settles a lost one


def test_a_post_with_a_picture_is_read_back_as_it_was_written(x, client):
    for text in ("See https://example.com/1", "No link"):
        client.create_post(text, [client.upload_picture(png()).id])
    newest, oldest = client.own_posts()
    assert (newest.text, newest.urls) == ("No link", ())
    assert (oldest.text, oldest.urls) == ("See https://example.com/1", ("https://example.com/1",))


def test_a_link_to_anothers_picture_is_nobodys_picture(x, client):
    text = "Look https://x.com/newsbot/status/5/photo/1"
    client.create_post(text, [client.upload_picture(png()).id])
    assert client.own_posts()[0].text == text


def test_a_picture_that_x_does_not_show_is_told_apart_from_the_post(x, client):
    assert type(error_of(client.create_post, "One", ["1"])) is PictureRefused
    assert type(error_of(client.create_post, "", [])) is Refused
    x.faults.next("403_duplicate", "error_before", "401", on=CREATE)
    for kind in ("SaidDuplicate", "OutcomeUnknown", "Unauthorized"):
        assert type(error_of(client.create_post, "One", ["1"])).__name__ == kind
    media = {"detail": "Your media is no good", "title": "Invalid Request", "status": 400}
    x.faults.next(answering(400, media), answering(400, media), on=CREATE)
    assert type(error_of(client.create_post, "One", ["1"])) is PictureRefused
    assert type(error_of(client.create_post, "One", [])) is Refused  # without a picture it is none's fault
    assert x.posts() == []


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("error_after", OutcomeUnknown),
        ("half", OutcomeUnknown),
        ("lost_response", OutcomeUnknown),
        ("429", RateLimited),
        ("401", Unauthorized),
        (answering(200, {"data": {}}), NotSent),
        (answering(200, []), NotSent),
        (answering(413, {}), Refused),
    ],
)
def test_an_upload_that_fails_is_one_error(x, client, book, fault, kind):
    x.faults.next(fault, on=UPLOAD)
    assert type(error_of(client.upload_picture, png())) is kind
    assert book.lines == []


def test_what_is_no_picture_is_refused(x, client):
    assert type(error_of(client.upload_picture, b"<html>")) is Refused


@pytest.mark.parametrize(
    ("fault", "kind", "end"),
    [
        ("lost_response", OutcomeUnknown, "lost"),
        (answering(200, {}), NotSent, "lost"),
        ("error_before", OutcomeUnknown, "lost"),
        ("429", RateLimited, "declined"),
        (answering(400, {"title": "Invalid"}), Refused, "declined"),
    ],
)
def test_a_description_that_fails_is_one_error_and_metered(x, client, book, fault, kind, end):
    number = client.upload_picture(png()).id
    x.faults.next(fault, on=METADATA)
    assert type(error_of(client.describe_picture, number, "A ferry")) is kind
    assert [line[0] for line in book.lines] == ["before", end]


@pytest.mark.parametrize("said", [None, "86400", True, -1, 10**30, {}])
def test_what_x_says_of_the_time_is_not_believed_when_it_is_absurd(x, client, said):
    x.faults.next(answering(200, {"data": {"id": "7", "expires_after_secs": said}}), on=UPLOAD)
    assert NOW + timedelta(hours=24) <= client.upload_picture(png()).expires_at <= NOW + timedelta(days=30)


def test_a_short_life_is_taken_as_it_is_said(x, client):
    x.rules = Rules(media_life=timedelta(minutes=5))
    assert client.upload_picture(png()).expires_at == NOW + timedelta(minutes=5)


@pytest.mark.parametrize("fault", ["401_echo", "403_echo", "500_echo"])
def test_no_error_says_how_a_request_was_signed(x, client, fault):
    number = client.upload_picture(png()).id
    x.faults.next(fault, on=UPLOAD)
    x.faults.next(fault, on=METADATA)
    keys = x.credentials()
    said = [error_of(client.upload_picture, png()), error_of(client.describe_picture, number, "A ferry")]
    for error in map(str, said):
        assert "oauth_signature" not in error.replace("***", "")
        assert not any(
            secret in error
            for secret in (
                keys.consumer_key,
                keys.consumer_secret,
                keys.access_token,
                keys.access_token_secret,
            )
        )
