"""The picture of a post, from a feed's word to X: real servers at both ends, and whatever goes wrong between them."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from ipaddress import ip_network

import pytest

from bot import kill_points
from bot.composing import Style
from bot.core.budget import Limits
from bot.core.pictures import PictureUse
from bot.core.prices import price_list
from bot.http_client import HttpClient
from bot.http_client.wire import tls_context
from bot.pictures import AGAIN_AFTER, Doors, Pictures, PicturesShown
from bot.preparing import Preparing
from bot.simulated_x import CREATE, METADATA, UPLOAD, Rules, SimulatedX, answering
from bot.simulated_x.answers import MEDIA
from bot.spending import Spending
from bot.store import Store
from bot.store.outbox import State
from bot.x_client import XClient
from tests.feed_server import Answer, FeedServer, redirect
from tests.pictures import gif, jpeg, png, webp
from tests.publishing_desk import Desk

TRUSTED = tls_context()
LOOPBACK = [ip_network("127.0.0.0/8")]
MASKED = "harbour-secret"
NAME = Decimal("0.010")  # asked once, unmetered here, for the links to posts


@pytest.fixture
def x():
    with SimulatedX() as made:
        yield made


@pytest.fixture
def web():
    with FeedServer() as server:
        server.put("/1.png", png(), content_type="text/plain")
        yield server


class Scene(Desk):
    """A desk whose posts show pictures."""

    def __init__(
        self,
        x,
        web,
        *,
        use=PictureUse.FEED,
        host="127.0.0.1",
        seconds=5.0,
        limits=None,
        style=None,
        store=None,
    ) -> None:
        store = store or Store.in_memory()
        limits = limits or Limits(daily=None, monthly=None)
        budget = Spending(store, destination="x", prices=price_list(), limits=limits, clock=lambda: self.now)
        client = XClient(
            x.credentials(), base_url=x.base_url, read_timeout=0.5, meter=budget, clock=lambda: self.now
        )

        def door(allow=()):
            return HttpClient(
                user_agent="test",
                allow=allow,
                total_timeout=seconds,
                wire_cap=5_242_880,
                decoded_cap=5_242_880,
                tls=TRUSTED,
            )

        near = door(LOOPBACK)
        self.pictures = Pictures(
            store,
            uses={"a": use},
            hosts={"a": host},
            doors=Doors(page=door(), picture=door(), near_page=near, near_picture=near),
            give=client.upload_picture,
            describe=client.describe_picture,
            clock=lambda: self.now,
            mask=lambda text: text.replace(MASKED, "***"),
        )
        style = style or Style(template="{title} {link}")
        preparing = Preparing({"a": style}, pictures=self.pictures)
        super().__init__(x, store, budget=budget, style=style, preparing=preparing)
        self.web = web

    def post(self, title="Ferries stop", path="/1.png", **fields):
        self.queue(title, image=self.web.url(path) if path else None, **fields)
        self.publishing.drain()

    def kept(self, row_id=1):
        return self.store.pictures.get(row_id)


@pytest.fixture
def scene(x, web):
    return Scene(x, web)


def shown(x):
    return [(post.text.partition(" http")[0], [media.alt for media in post.media]) for post in x.posts()]


def uploads(x):
    return [request for request in x.log if request.path == "/2/media/upload"]


# What goes well


@pytest.mark.parametrize("data", [png(), jpeg(), gif(), webp()])
def test_a_post_shows_the_picture_of_its_entry(x, web, scene, data):
    web.put("/any", data, content_type="application/x-nonsense")
    scene.post(path="/any", image_alt="A ferry in fog")
    (post,) = x.posts()
    assert [(media.data, media.alt) for media in post.media] == [(data, "A ferry in fog")]
    assert scene.states() == ["sent"]
    assert x.account.spent == NAME + Decimal("0.205")  # the post with its link, and the words on its picture
    assert scene.store.ledger.spent(scene.now).day == 205_000


def test_without_words_of_the_feed_the_title_is_the_description(x, scene):
    scene.post("Ferries stop")
    assert shown(x) == [("Ferries stop", ["Ferries stop"])]


def test_without_a_picture_nobody_is_asked(x, web, scene):
    scene.post(path=None)
    assert shown(x) == [("Ferries stop", [])]
    assert (web.log, uploads(x), scene.kept()) == ([], [], None)


def test_feeds_that_show_none_are_left_alone(x, web):
    scene = Scene(x, web, use=PictureUse.NONE)
    scene.post()
    assert shown(x) == [("Ferries stop", [])]
    assert web.log == []


def test_a_post_without_a_link_has_its_picture_too(x, web):
    scene = Scene(x, web, style=Style(template="{title}", link="never"))
    scene.post()
    assert shown(x) == [("Ferries stop", ["Ferries stop"])]
    assert x.account.spent == NAME + Decimal("0.020")


def test_pictures_are_asked_for_as_pictures(web, scene):
    scene.post()
    assert web.asked("/1.png")[0].headers["accept"].startswith("image/jpeg")


# What is left out, at once and with its reason


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(status=404), "its picture was not fetched: "),
        (Answer(status=403, body=b"<title>Just a moment...</title>"), "its picture was not fetched: "),
        (
            Answer(body=b"<!DOCTYPE html><p>Log in", content_type="image/jpeg"),
            "it is a web page and no picture",
        ),
        (Answer(body=b"GIF but no", content_type="image/gif"), "it is no picture that X takes"),
        (Answer(body=b"", content_type="image/png"), "it is empty"),
        (Answer(body=png()[:40], content_type="image/png"), "1"),
        (Answer(body=png(60_000, 60_000)), "60000 by 60000 pixels, more than X shows"),
        (Answer(body=png(1, 1)), "too small to be seen"),
        (Answer(body=gif(frames=3)), "animated GIF"),
        (Answer(headers=(("Content-Length", "300000000"),)), "its picture has more than 5.2 MB"),
        (Answer(body=png(padding=5_300_000)), "its picture has more than 5.2 MB"),
        (redirect("http://169.254.169.254/latest/meta-data/"), "its picture was not fetched: "),
        (redirect("file:///etc/passwd"), "its picture was not fetched: "),
        (redirect("/again"), "its picture was not fetched: "),
    ],
)
def test_a_picture_that_is_none_is_left_out(x, web, scene, answer, reason, caplog):
    web.put("/bad", answer)
    web.put("/again", redirect("/again"))
    with caplog.at_level(logging.WARNING):
        scene.post(path="/bad")
    if answer.body == png()[:40]:  # its header is whole, and X alone can tell
        assert uploads(x)
        return
    assert shown(x) == [("Ferries stop", [])]
    assert scene.states() == ["sent"]
    kept = scene.kept()
    assert kept.left_out
    assert reason in kept.reason
    assert uploads(x) == []
    assert [record.message for record in caplog.records if "picture left out" in record.message]
    assert 1 <= len(web.log) <= 6


@pytest.mark.parametrize("host", ["feeds.example", "localhost"])
def test_a_private_address_is_not_asked_even_where_feeds_may_lie_there(x, web, host):
    scene = Scene(x, web, host=host)
    scene.post()
    assert shown(x) == [("Ferries stop", [])]
    assert web.log == []
    assert (
        scene.kept().reason
        == "its picture was not fetched: 127.0.0.1 is a loopback address, and those are not polled"
    )


def test_no_secret_stands_in_a_reason(web, scene):
    scene.post(path=f"/{MASKED}.png")
    assert "***" in scene.kept().reason
    assert MASKED not in scene.kept().reason


# What fails for now


def test_a_slow_picture_takes_no_longer_than_its_deadline_and_holds_up_nobody(x, web):
    web.put("/slow", Answer(body=png(), drip_body=0.02))
    scene = Scene(x, web, seconds=0.3)
    began = time.monotonic()
    scene.queue("Slow", image=web.url("/slow"))
    scene.queue("Quick")
    scene.publishing.drain()
    assert time.monotonic() - began < 2
    assert shown(x) == [("Quick", [])]
    row = scene.store.outbox.get(1)
    assert row.state is State.QUEUED
    assert row.reason.startswith("its picture is not ready yet: its picture was not fetched: ")
    assert row.not_before == scene.now + AGAIN_AFTER
    scene.go_on()
    assert shown(x) == [("Quick", []), ("Slow", [])]
    assert scene.kept().left_out
    assert len(web.asked("/slow")) == 2


def test_a_picture_that_comes_at_the_second_try_is_shown(x, web, scene):
    web.put("/busy", Answer(status=503), Answer(body=png()))
    scene.post(path="/busy")
    assert x.posts() == []
    scene.go_on()
    assert shown(x) == [("Ferries stop", ["Ferries stop"])]
    assert scene.kept().reason is None


@pytest.mark.parametrize(
    "fault", ["error_before", "error_after", "lost_response", "hang_after", "half", "429", "reset_after"]
)
def test_an_upload_that_fails_is_done_once_more(x, scene, fault):
    x.faults.next(fault, on=UPLOAD)
    scene.post()
    assert scene.states() == ["queued"]
    x.release()
    scene.now += timedelta(minutes=20)
    scene.publishing.drain()
    assert shown(x) == [("Ferries stop", ["Ferries stop"])]


def test_an_upload_that_fails_twice_is_left_out(x, scene):
    x.faults.chance("error_before", 1, on=UPLOAD)
    scene.post()
    scene.go_on()
    assert shown(x) == [("Ferries stop", [])]
    assert "its picture was not taken: X has trouble of its own" in scene.kept().reason


def test_what_x_refuses_to_take_is_left_out_at_once(x, scene):
    x.faults.next(answering(400, {"title": "Invalid", "detail": "media type unrecognized."}), on=UPLOAD)
    scene.post()
    assert shown(x) == [("Ferries stop", [])]
    assert "media type unrecognized" in scene.kept().reason


def test_an_app_that_may_post_and_not_upload_posts_without(x, scene):
    x.faults.next("403_plan", on=UPLOAD)
    scene.post()
    assert shown(x) == [("Ferries stop", [])]
    assert "plan" in scene.kept().reason


def test_keys_that_are_not_taken_cost_a_picture_nothing(x, scene):
    x.faults.next("401", on=UPLOAD)
    x.faults.next("401", on=CREATE)
    scene.post()
    assert scene.states() == ["queued"]
    scene.now += timedelta(hours=2)
    scene.publishing.drain()
    assert shown(x) == [("Ferries stop", ["Ferries stop"])]


@pytest.mark.parametrize("fault", ["error_before", "lost_response"])
def test_a_description_that_fails_is_given_once_more_without_another_upload(x, scene, fault):
    x.faults.next(fault, on=METADATA)
    scene.post()
    scene.go_on()
    assert shown(x) == [("Ferries stop", ["Ferries stop"])]
    assert len(uploads(x)) == 1
    assert scene.store.ledger.spent(scene.now).day == 210_000  # twice may have been charged twice


def test_without_a_description_a_picture_is_shown_all_the_same(x, scene):
    x.faults.chance("error_before", 1, on=METADATA)
    scene.post()
    scene.go_on()
    assert shown(x) == [("Ferries stop", [None])]
    assert scene.kept().reason.startswith("its picture is not described: X has trouble")


def test_a_description_that_is_refused_is_not_given_again(x, scene):
    x.faults.next(answering(400, {"title": "Invalid"}), on=METADATA)
    scene.post()
    assert shown(x) == [("Ferries stop", [None])]


def test_without_money_nothing_is_described_and_the_post_waits(x, web):
    scene = Scene(x, web, limits=Limits(daily=4_000, monthly=None))
    scene.post()
    assert scene.states() == ["queued"]
    assert x.account.spent == 0
    assert len(uploads(x)) == 1


# What X has already


def test_a_row_that_is_put_back_neither_uploads_nor_pays_twice(x, scene):
    x.faults.next("429", "lost_request", on=CREATE)
    scene.post()
    for _ in range(6):
        scene.go_on()
    assert shown(x) == [("Ferries stop", ["Ferries stop"])]
    assert len(uploads(x)) == 1
    assert x.account.spent - NAME - Decimal("0.205") < Decimal("0.02")  # the readings of the timeline


def test_a_picture_that_x_has_forgotten_is_given_anew(x, scene):
    x.faults.next("401", on=CREATE)
    scene.post()
    scene.now += timedelta(hours=25)
    scene.publishing.drain()
    assert len(uploads(x)) == 2
    assert scene.states() == ["sent"]
    assert [len(post.media) for post in x.posts()] == [1]


def test_a_time_that_no_clock_can_have_meant_is_not_believed(x, scene):
    x.faults.next("401", on=CREATE)
    scene.post()
    scene.now -= timedelta(days=400)  # the clock was set back
    scene.publishing.drain()
    scene.now += timedelta(days=1)
    scene.publishing.drain()
    assert len(uploads(x)) == 2


def test_where_x_refuses_the_picture_the_post_goes_without_and_once(x, scene):
    x.faults.next(answering(400, MEDIA.body), on=CREATE)
    scene.post()
    assert shown(x) == [("Ferries stop", [])]
    assert scene.states() == ["sent"]
    assert scene.store.outbox.get(1).attempt == 2
    assert "Your media IDs are invalid" in scene.kept().reason
    assert scene.kept().left_out
    assert len([request for request in x.log if request.path == "/2/tweets"]) == 2
    assert scene.store.ledger.spent(scene.now).day == 205_000


def test_where_x_refuses_the_post_without_its_picture_too_that_is_the_end(x, scene):
    x.faults.chance(answering(400, MEDIA.body), 1, on=CREATE)
    scene.post()
    assert scene.states() == ["refused"]
    assert len([request for request in x.log if request.path == "/2/tweets"]) == 2


@pytest.mark.parametrize("fault", ["lost_response", "error_after", "half", "reset_after"])
def test_a_post_with_a_picture_whose_answer_is_lost_is_known_again(x, scene, fault):
    x.rules = Rules(duplicate_filter=False)
    x.faults.next(fault, on=CREATE)
    scene.post()
    assert scene.states() == ["unknown"]
    for _ in range(4):
        scene.go_on()
    assert scene.states() == ["sent"]
    assert shown(x) == [("Ferries stop", ["Ferries stop"])]


# Kills


class Killed(BaseException):
    """The process is no more: what no transaction has kept is lost."""


POINTS = (
    "before_upload",
    "after_upload",
    "in_upload",
    "before_claim",
    "in_claim",
    "after_claim",
    "after_http",
    "before_record",
    "in_record",
    "after_record",
)


@pytest.mark.parametrize("occurrence", [1, 2, 3])
@pytest.mark.parametrize("point", POINTS)
def test_killed_at_a_point_nothing_is_twice_and_nothing_lost(x, web, monkeypatch, point, occurrence):
    x.rules = Rules(duplicate_filter=False)
    left = occurrence

    def kill(name):
        nonlocal left
        left -= name == point
        if name == point and left == 0:
            raise Killed

    store = Store.in_memory()
    titles = ["Ferries stop", "Snow on the quay", "A bridge is built"]
    first = Scene(x, web, store=store)
    first.queue(*titles, image=web.url("/1.png"))
    with monkeypatch.context() as armed:
        armed.setattr(kill_points, "hook", kill)
        with pytest.raises(Killed):
            first.publishing.drain()
    second = Scene(x, web, store=store)
    second.now = first.now + timedelta(seconds=1)
    second.publishing.recover()
    for _ in range(8):
        second.go_on()
    assert second.states() == ["sent"] * 3
    assert sorted(shown(x)) == sorted((title, [title]) for title in titles)
    assert (
        3 <= len(uploads(x)) <= 4
    )  # what dies between the answer and the store has given one that nobody sees
    assert sum(request.path == "/2/media/metadata" for request in x.log) <= 4


@pytest.mark.parametrize("seed", range(8))
def test_with_faults_everywhere_each_story_goes_out_once(x, web, seed):
    x.rules = Rules(duplicate_filter=False)
    for endpoint in (UPLOAD, METADATA, CREATE):
        for fault in ("error_before", "error_after", "lost_response", "reset_after", "half"):
            x.faults.chance(fault, 0.06, on=endpoint)
        x.faults.chance(answering(400, MEDIA.body), 0.06, on=endpoint)
    web.put("/odd", Answer(status=503), Answer(body=png()), Answer(status=404), Answer(body=jpeg()))
    scene = Scene(x, web)
    titles = [f"Story {number} of {seed}" for number in range(8)]
    scene.queue(*titles[:4], image=web.url("/1.png"))
    scene.queue(*titles[4:], image=web.url("/odd"))
    for _ in range(60):
        scene.go_on()
    refused = [row for row in scene.store.outbox.rows() if row.state is State.REFUSED]
    assert not refused
    assert sorted(title for title, _ in shown(x)) == sorted(titles)
    assert set(scene.states()) == {"sent"}


# The picture that a page names


PAGE = b"""<html><head><style>p{}</style><script>var a = '<meta property="og:image" content="/no.png">';</script>
<META name=description content="x"><meta property='og:image' content='/1.png'>
<meta property="og:image:alt" content="A quay &amp; gulls"></head><body>"""


@pytest.fixture
def paged(x, web):
    return Scene(x, web, use=PictureUse.PAGE)


def test_the_page_is_asked_where_the_feed_has_no_picture(x, web, paged):
    web.put("/story", PAGE, content_type="text/html")
    paged.post(path=None, link=web.url("/story"))
    assert shown(x) == [("Ferries stop", ["A quay & gulls"])]


def test_the_page_is_not_asked_where_the_feed_has_one(x, web, paged):
    paged.post(link=web.url("/story"))
    assert shown(x) == [("Ferries stop", ["Ferries stop"])]
    assert web.asked("/story") == []


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b"<html><head><title>Nothing", content_type="text/html"),
        Answer(body=b'<meta property="og:image" content="javascript:alert(1)">', content_type="text/html"),
        Answer(body=b"<meta " * 500_000, content_type="text/html"),
        Answer(body=b"\xff\xfe\x00" * 1000, content_type="image/png"),
        Answer(status=404),
        redirect("http://169.254.169.254/"),
    ],
)
def test_a_page_without_a_picture_leaves_the_post_without(x, web, paged, answer):
    web.put("/story", answer)
    began = time.monotonic()
    paged.post(path=None, link=web.url("/story"))
    assert time.monotonic() - began < 3
    assert shown(x) == [("Ferries stop", [])]
    assert paged.kept().left_out


def test_a_page_on_a_private_address_is_not_asked(x, web):
    scene = Scene(x, web, use=PictureUse.PAGE, host="feeds.example")
    scene.post(path=None, link=web.url("/story"))
    assert shown(x) == [("Ferries stop", [])]
    assert web.log == []


# A dry run


def test_a_dry_run_names_the_picture_and_asks_nobody():
    from bot.core.model import Entry

    entry = Entry(feed="a", title="T", link="https://a.example/story", image="https://a.example/1.png")
    bare = Entry(feed="a", title="T", link="https://a.example/story")
    feed, page = PicturesShown({"a": PictureUse.FEED}), PicturesShown({"a": PictureUse.PAGE})
    assert feed.known(entry) == page.known(entry) == ("https://a.example/1.png",)
    assert feed.known(bare) == ()
    assert page.known(bare) == ("as https://a.example/story names it",)
    assert PicturesShown({}).known(entry) == ()
    assert Preparing(pictures=feed).known(entry).pictures == ("https://a.example/1.png",)


def test_an_answer_to_a_post_shows_its_picture_no_more(x, scene):
    scene.post()
    answer = replace(scene.store.outbox.get(1), id=2, reply_to=1)
    entry = scene.store.entries.get(1).entry
    assert scene.pictures.get(answer, entry) == ()
    assert PicturesShown({"a": PictureUse.FEED}).get(answer, entry) == ()
    assert len(uploads(x)) == 1


def test_an_upload_is_forgotten_with_its_account(scene):
    scene.post()
    assert scene.kept().media_id is not None
    assert isinstance(scene.kept().expires_at, datetime)
    with scene.store.transaction():
        scene.store.pictures.forget_uploads()
    assert scene.kept() is None
