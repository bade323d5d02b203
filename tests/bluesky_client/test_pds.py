"""Before the real server: what the bot asks of a PDS, and what that answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from bot.bluesky_client import BlueskyClient, Card, NewPost, Shown
from bot.bluesky_client.sessions import InMemory
from bot.core.facets import facets_of
from bot.core.record_keys import record_key
from bot.errors import NotSent, PictureRefused, Refused, TooManyPosts, Unauthorized
from tests.pictures import a_png

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
_numbers = count()


@pytest.fixture
def account(pds):
    """Give the keys of a new account."""
    handle, password = pds.account(f"gazette{next(_numbers)}")
    return {"service": pds.url, "handle": handle, "app_password": password}


@pytest.fixture
def bluesky(account, http):
    return BlueskyClient(**account, http=http)


def a_post(text: str, **more: Any) -> NewPost:
    return NewPost(text=text, created_at=NOW, facets=facets_of(text), **more)


def key(number: int) -> str:
    return record_key(NOW.replace(minute=number), 7)


def test_a_post_is_written_read_and_deleted(bluesky):
    told = bluesky.put_post(
        key(0), a_post("Дунай 🌊 на українському https://новини.укр/дунай #річки", languages=("uk",))
    )
    assert told.remote_id == key(0)
    assert told.url == f"https://bsky.app/profile/{bluesky.handle}/post/{key(0)}"
    (post,) = bluesky.posts()
    assert post.key == key(0)
    assert post.text == "Дунай 🌊 на українському https://новини.укр/дунай #річки"
    assert post.links == ("https://новини.укр/дунай",)
    assert post.created_at == NOW
    assert bluesky.post(key(0)) == post
    assert bluesky.post(key(1)) is None
    assert bluesky.delete_post(key(0))
    assert not bluesky.delete_post(key(0))
    assert bluesky.posts() == []


def test_one_key_is_one_post_however_often_it_is_written(bluesky):
    for text in ("The ferry is late", "The ferry is late", "The ferry is very late"):
        bluesky.put_post(key(0), a_post(text))
    assert [post.text for post in bluesky.posts()] == ["The ferry is very late"]


def test_a_card_and_pictures(bluesky):
    thumb = bluesky.upload(a_png(), "image/png")
    card = Card(url="https://news.example/a", title="Ferry", description="Late again", thumb=thumb)
    bluesky.put_post(key(0), a_post("A card", card=card))
    bluesky.put_post(key(1), a_post("A picture", pictures=(Shown(blob=thumb, alt="A red dot", size=(1, 1)),)))
    newest, oldest = bluesky.posts()
    assert oldest.links == ("https://news.example/a",)
    assert newest.links == ()


def test_own_posts_come_newest_first_over_many_pages_and_never_in_part(bluesky):
    for number in range(5):
        bluesky.put_post(key(number), a_post(f"Number {number}"))
    assert [post.key for post in bluesky.posts(limit=3)] == [key(4), key(3), key(2)]
    assert [post.key for post in bluesky.posts(key(2), 10)] == [key(4), key(3)]
    with pytest.raises(TooManyPosts):
        bluesky.posts(key(0), 3)


def test_pages_are_followed(bluesky, monkeypatch):
    monkeypatch.setattr("bot.bluesky_client.client.PAGE", 2)
    for number in range(5):
        bluesky.put_post(key(number), a_post(f"Number {number}"))
    assert [post.key for post in bluesky.posts(key(0), 10)] == [key(number) for number in (4, 3, 2, 1)]
    assert len(bluesky.posts(limit=5)) == 5


def test_what_the_server_will_never_take_is_refused(bluesky):
    with pytest.raises(Refused, match="grapheme"):
        bluesky.put_post(key(0), a_post("x" * 301))
    family = "👨‍👩‍👧‍👦"
    bluesky.put_post(key(0), a_post(family * 100))
    with pytest.raises(Refused):
        bluesky.put_post(key(1), a_post(family * 121))  # 3,025 bytes
    assert len(bluesky.posts()) == 1


def test_a_wrong_password_is_said(account, http):
    wrong = BlueskyClient(**account | {"app_password": "wrong"}, http=http)
    with pytest.raises(Unauthorized, match="handle or the app password") as told:
        wrong.account()
    assert "wrong" not in str(told.value)
    assert told.value.__cause__ is None


def test_a_session_is_kept_and_taken_up(account, http):
    kept = InMemory()
    did = BlueskyClient(**account, http=http, sessions=kept).account()
    assert did.startswith("did:plc:")
    # The second has no password that works, and needs none.
    again = BlueskyClient(**account | {"app_password": "wrong"}, http=http, sessions=kept)
    assert again.account() == did


@pytest.mark.parametrize("spoilt", ["", "nonsense", "a:::b:::c:::d:::http://localhost:1"])
def test_a_session_that_cannot_be_used_is_replaced(account, http, spoilt):
    kept = InMemory()
    kept.save(spoilt)
    client = BlueskyClient(**account, http=http, sessions=kept)
    assert client.account().startswith("did:plc:")
    assert kept.load() != spoilt


def test_a_session_that_the_server_forgot_is_replaced(account, http, pds):
    kept = InMemory()
    client = BlueskyClient(**account, http=http, sessions=kept)
    client.account()
    pds.ask("com.atproto.server.deleteSession", None, kept.load().split(":::")[3])
    handle, did, access, refresh, place = kept.load().split(":::")
    kept.save(":::".join((handle, did, f"{access[:-4]}AAAA", refresh, place)))
    again = BlueskyClient(**account, http=http, sessions=kept)
    assert again.put_post(key(0), a_post("Back")).remote_id == key(0)


def test_a_server_that_is_not_there_has_taken_nothing(account, http):
    away = BlueskyClient(**account | {"service": "http://127.0.0.1:9"}, http=http)
    with pytest.raises(NotSent, match="could not be asked"):
        away.put_post(key(0), a_post("x"))


def test_labels_and_languages_are_taken(bluesky):
    bluesky.put_post(key(0), replace(a_post("A warning"), labels=("graphic-media",), languages=("en", "uk")))
    assert bluesky.post(key(0)) is not None


def test_an_answer_stands_under_its_post_in_the_thread(bluesky):
    bluesky.put_post(key(0), a_post("First"))
    bluesky.put_post(key(1), a_post("Second"), answers=key(0))
    bluesky.put_post(key(2), a_post("Third"), answers=key(1))
    third, second, first = bluesky.posts()
    assert first.root is None
    assert second.root == first.itself
    assert third.root == first.itself
    with pytest.raises(Refused, match="is gone"):
        bluesky.put_post(key(3), a_post("Fourth"), answers=key(9))


def test_a_picture_that_the_server_does_not_know_is_no_reason_to_lose_the_post(bluesky):
    blob = bluesky.upload(a_png(), "image/png")
    unknown = replace(
        blob,
        reference={
            **blob.reference,
            "ref": {"$link": "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"},
        },
    )
    with pytest.raises(PictureRefused):
        bluesky.put_post(key(0), a_post("Look", pictures=(Shown(blob=unknown),)))
