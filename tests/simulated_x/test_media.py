"""The simulated X takes pictures as X does, and refuses what X refuses."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from bot.simulated_x import METADATA, UPLOAD, SimulatedUser, SimulatedX, answering
from tests.pictures import gif, png
from tests.simulated_x.test_server import ask

NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)


class Clock:
    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def x(clock):
    with SimulatedX(
        ["newsbot", "reader", SimulatedUser(username="readonly", may_write=False)], clock=clock
    ) as server:
        yield server


def upload(x, data=None, *, user=None, **more):
    body = {"media": base64.b64encode(data or png()).decode(), "media_category": "tweet_image", **more}
    return ask(x, "POST", "/2/media/upload", body, user=user)


def uploaded(x, user=None):
    return upload(x, user=user)[1]["data"]["id"]


def post(x, *ids, text="One", user=None):
    return ask(x, "POST", "/2/tweets", {"text": text, "media": {"media_ids": list(ids)}}, user=user)


def describe(x, number, words="A ferry", user=None):
    body = {"id": number, "metadata": {"alt_text": {"text": words}}}
    return ask(x, "POST", "/2/media/metadata", body, user=user)


def test_an_upload_is_answered_as_x_does(x):
    status, body, headers = upload(x, png())
    (stored,) = x.media()
    assert status == 200
    assert body == {
        "data": {
            "id": stored.id,
            "media_key": f"3_{stored.id}",
            "size": len(png()),
            "expires_after_secs": 86400,
        }
    }
    assert stored.data == png()
    assert headers["x-rate-limit-limit"] == "500"
    assert x.account.spent == 0
    assert x.log[0].media == (stored.id,)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"media_category": "tweet_video"}, 400),
        ({"media_category": "tweet_gif"}, 400),
        ({"media_category": None}, 400),
        ({"media_type": "image/png"}, 400),
        ({"total_bytes": 7}, 400),
        ({"media": "no base64!"}, 400),
        ({"media": 7}, 400),
        ({"media": base64.b64encode(b"<html>").decode()}, 400),
        ({"media": base64.b64encode(gif(frames=2)).decode()}, 400),
        ({"media": base64.b64encode(png(padding=5 * 1024 * 1024)).decode()}, 413),
    ],
)
def test_what_is_no_picture_of_a_post_is_refused(x, change, status):
    assert upload(x, **change)[0] == status
    assert x.media() == []


def test_only_who_may_write_may_upload(x):
    assert upload(x, user="readonly")[0] == 403
    assert ask(x, "POST", "/2/media/upload", {}, sign=False)[0] == 401


def test_a_post_shows_pictures_and_a_timeline_tells(x):
    ids = [uploaded(x), uploaded(x)]
    status, body, _ = post(x, *ids, text="See https://example.com/1")
    (stored,) = x.posts()
    assert status == 201
    assert [media.id for media in stored.media] == ids
    text = f"See {stored.links[0].tco} {stored.media_link}"
    assert body["data"]["text"] == text
    user = x.user().id
    (shown,) = ask(x, "GET", f"/2/users/{user}/tweets?tweet.fields=attachments,entities")[1]["data"]
    assert shown["text"] == text
    assert shown["attachments"] == {"media_keys": [f"3_{number}" for number in ids]}
    last = shown["entities"]["urls"][-1]
    assert text[last["start"] : last["end"]] == last["url"] == stored.media_link
    assert last["expanded_url"].endswith(f"/status/{stored.id}/photo/1")
    assert x.log[2].media == tuple(ids)


def test_pictures_alone_are_a_post(x):
    assert post(x, uploaded(x), text="")[0] == 201


def test_an_upload_is_shown_once_by_its_owner_while_it_lasts(x, clock):
    first, late, others = uploaded(x), uploaded(x), uploaded(x, "reader")
    assert post(x, first)[0] == 201
    for number in (first, others, "1", "12345678901234567890"):
        status, body, _ = post(x, number, text=f"Again {number}")
        assert status == 400
    assert post(x, late, late)[0] == 400
    assert post(x, *[uploaded(x) for _ in range(5)])[0] == 400
    clock.now += timedelta(hours=24)
    status, body, _ = post(x, late, text="Too late")
    assert (status, body["errors"][0]["message"]) == (400, "Your media IDs are invalid.")
    assert len(x.posts()) == 1


def test_alt_text_is_kept_and_costs(x):
    number = uploaded(x)
    status, body, _ = describe(x, number, "A ferry in fog")
    assert status == 200
    assert body["data"]["associated_metadata"] == {"alt_text": {"text": "A ferry in fog"}}
    assert x.media()[0].alt == "A ferry in fog"
    assert x.account.spent == Decimal("0.005")
    assert describe(x, number, "")[0] == describe(x, number, "x" * 1001)[0] == 400
    assert describe(x, "77")[0] == describe(x, number, user="reader")[0] == 404
    assert ask(x, "POST", "/2/media/metadata", {"id": number})[0] == 400
    assert x.account.spent == Decimal("0.005")


def test_uploads_have_a_window_and_faults_of_their_own(x):
    x.windows.limits[UPLOAD] = 1
    x.faults.next(answering(503, {}), on=UPLOAD)
    x.faults.next("429", on=METADATA)
    assert upload(x)[0] == 503
    assert upload(x)[0] == 200
    assert upload(x)[0] == 429
    assert describe(x, x.media()[0].id)[0] == 429
