"""The picture of a queued post: fetched by the bot for who entered, shown as what it is, and by nobody else's host."""

from __future__ import annotations

import re

import pytest

from bot.store.pictures import KeptPicture
from tests.pictures import png


def test_the_queue_says_what_picture_a_post_shows(illustrated, server, token):
    row, browser = illustrated(server.put("/p.png", png(), content_type="image/png"))
    page = browser.get("/queue").text
    assert "Picture from" in page
    assert "A &lt;b&gt;ferry&lt;/b&gt; in the fog" in page
    assert "<img" not in page
    browser.enter(token)
    page = browser.get("/queue").text
    assert re.findall(r'<img src="([^"]*)"', page) == [f"/queue/{row}/picture"]
    assert not server.asked("/p.png")  # a look at the queue asks nobody


def test_a_picture_is_fetched_once_for_who_entered_and_is_what_it_is(illustrated, server, token):
    row, browser = illustrated(server.put("/p.png", png(), content_type="text/html"))
    assert browser.get(f"/queue/{row}/picture").status_code == 303
    assert not server.asked("/p.png")
    browser.enter(token)
    for _ in range(2):
        answer = browser.get(f"/queue/{row}/picture")
        assert answer.content == png()
        assert answer.headers["content-type"] == "image/png"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert len(server.asked("/p.png")) == 1


@pytest.mark.parametrize("body", [b"<svg onload=alert(1)>", b"<script>alert(1)</script>", b""])
def test_what_is_no_picture_is_not_passed_on(illustrated, server, token, body):
    row, browser = illustrated(server.put("/p.png", body, content_type="image/svg+xml"))
    browser.enter(token)
    answer = browser.get(f"/queue/{row}/picture")
    assert answer.status_code == 404
    assert "There is no picture to show" in answer.text
    assert "alert(1)" not in answer.text


def test_a_private_address_of_another_host_is_not_asked(illustrated, server, token):
    row, browser = illustrated(server.put("/p.png", png()).replace("127.0.0.1", "127.0.0.2"))
    browser.enter(token)
    assert browser.get(f"/queue/{row}/picture").status_code == 404
    assert not server.asked("/p.png")


def test_a_picture_that_is_left_out_is_said_to_be(illustrated, server, bot):
    row, browser = illustrated(server.put("/p.png", png()))
    with bot.store() as store, store.transaction():
        store.pictures.put(row, KeptPicture(left_out=True, reason="its picture was not <taken>"))
    assert (
        'Its picture is left out: <bdi dir="auto">its picture was not &lt;taken&gt;'
        in browser.get("/queue").text
    )


def test_a_post_without_a_picture_has_none_to_show(owner, rows):
    for row in (*[row.id for row in rows().values()], 99999):
        assert owner.get(f"/queue/{row}/picture").status_code == 404
