"""Who may look and who may change; and what a hostile feed can do, which is nothing."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from bot.web.app import PAGES
from bot.web.security import Guard, token_in
from tests.journey import LIBRARY
from tests.web.conftest import BASE, Browser, app_of


def row_of(rows):
    return rows()[LIBRARY["title"]]


def test_the_token_is_made_once_and_for_its_owner_alone(bot, token):
    path = bot.place / "state" / "web-token.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert token_in(bot.place / "state") == token
    assert len(token) >= 40


def test_nothing_changes_without_a_session(visitor, rows):
    row = row_of(rows)
    answer = visitor.ask("POST", f"/queue/{row.id}/drop", data={"proof": "", "text": "kept words"})
    assert answer.status_code == 401
    assert "open the page with its token" in answer.text
    assert "kept words" in answer.text
    assert row_of(rows).state == "queued"


@pytest.mark.parametrize("given", ["", "wrong", "é", "x" * 10_000])
def test_a_wrong_token_opens_nothing(visitor, given):
    answer = visitor.enter(given)
    assert answer.status_code == 403
    assert "not this page&#39;s token" in answer.text
    assert "set-cookie" not in answer.headers


def test_tokens_cannot_be_guessed_at_a_pace(visitor, token, bot):
    for _ in range(10):
        visitor.enter("wrong")
    assert visitor.enter(token).status_code == 429
    bot.now += timedelta(minutes=2)
    assert visitor.enter(token).status_code == 303


def test_a_session_is_a_cookie_that_no_script_reads(visitor, token):
    cookie = visitor.enter(token).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Secure" not in cookie
    answer = visitor.ask("POST", "/enter", data={"token": token}, headers={"x-forwarded-proto": "https"})
    assert "Secure" in answer.headers["set-cookie"]
    assert token not in cookie


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[", "evil.example:8467"])
def test_a_foreign_host_is_told_nothing(visitor, host):
    answer = visitor.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "does not answer to that name" in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_change_from_another_site_is_not_made(owner, rows, headers):
    row = row_of(rows)
    answer = owner.ask("POST", f"/queue/{row.id}/drop", data={"proof": owner.proof()}, headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.text
    assert row_of(rows).state == "queued"


def test_a_form_of_another_session_changes_nothing(owner, rows, bot, token):
    row, old = row_of(rows), owner.proof()
    bot.now += timedelta(seconds=1)
    other = Browser(bot, owner.app)
    other.enter(token)
    for proof in (old, "", "0" * 64):
        answer = other.ask("POST", f"/queue/{row.id}/drop", data={"proof": proof})
        assert answer.status_code == 403
    assert row_of(rows).state == "queued"


def test_a_session_outlives_a_restart_and_ends_with_its_days(owner, rows, bot, token):
    proof, cookies = owner.proof(), owner.client.cookies
    again = Browser(bot, app_of(bot, token))
    again.client.cookies = cookies
    answer = again.ask(
        "POST", f"/queue/{row_of(rows).id}/up", data={"proof": proof}, headers={"origin": BASE}
    )
    assert answer.status_code == 303
    bot.now += timedelta(days=31)
    answer = again.ask("POST", f"/queue/{row_of(rows).id}/drop", data={"proof": proof})
    assert answer.status_code == 401


def test_a_forged_cookie_is_none(bot, token):
    guard = Guard(token=token, hosts=frozenset(), open_reading=True)
    session = guard.let_in(token, bot.now)
    assert guard.session(session, bot.now) == session
    for forged in (None, "", "~", session[:-1], "9" + session, guard.said("hello"), "1.a~b"):
        assert guard.session(forged, bot.now) is None
    assert guard.read_said(session) is None


def test_leaving_ends_the_session(owner):
    owner.ask("POST", "/leave", data={"proof": owner.proof()})
    assert "Enter to change things" in owner.get("/").text


def test_off_this_machine_looking_takes_the_token_too(bot, token):
    browser = Browser(bot, app_of(bot, token, open_reading=False))
    answer = browser.get("/queue?x=1")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/enter?then=%2Fqueue%3Fx%3D1"
    browser.enter(token)
    assert browser.get("/queue").status_code == 200


@pytest.mark.parametrize(
    "then", ["https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil", "/a\r\nx: y"]
)
def test_entering_leads_to_no_other_site(visitor, token, then):
    answer = visitor.ask("POST", "/enter", data={"token": token, "then": then})
    assert answer.headers["location"] == "/"


@pytest.mark.parametrize("keeps", [True, False])
def test_a_prefix_is_in_every_link_whether_the_proxy_keeps_it_or_not(bot, token, keeps):
    browser = Browser(bot, app_of(bot, token, prefix="/news"))
    assert "Path=/news" in browser.ask("POST", "/enter", data={"token": token}).headers["set-cookie"]
    for path in (*(path.replace("{number:int}", "4") for path in PAGES), "/levels?offset=1"):
        page = browser.get(f"/news{path}" if keeps else path).text
        links = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
        assert len(links) > 8
        assert all(link.startswith("/news/") for link in links)


def test_a_form_that_is_too_large_is_refused(owner, rows):
    answer = owner.ask("POST", f"/queue/{row_of(rows).id}/text", data={"text": "x" * 70_000})
    assert answer.status_code == 413


def test_a_hostile_feed_runs_nothing(owner, bot):
    with bot.store() as store:
        hostile = [
            e.id
            for e in store.entries.seen_since(bot.now.replace(year=2020))
            if "alert" in e.entry.title + e.entry.summary + str(e.entry.guid)
        ]
    pages = ["/", "/queue", *(f"/entry/{number}" for number in hostile)]
    assert hostile
    for path in pages:
        text = owner.get(path).text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "<svg onload" not in text
        assert not re.search(r'(?:href|src|action)="\s*(?:javascript|data|vbscript):', text, re.IGNORECASE)
        assert "\u202e" not in text


def test_a_title_of_four_megabytes_makes_a_small_page(bot, visitor):
    with bot.store() as store, store.transaction():
        store._db.execute("update entries set title = ?, summary = ?", ["Wide " * 800_000, "deep " * 100])
    for path in ("/", "/queue", "/levels?offset=3", "/entry/4"):
        answer = visitor.get(path)
        assert answer.status_code == 200
        assert len(answer.text) < 300_000
