"""The rules as tables, the plan of follows by the lists that are stored, and the boxes to try texts in."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.config import load
from bot.core.follows import PeoplePage, Person, Profile
from bot.follow_wiring import planning_of
from bot.web.security import token_in
from tests.journey import FERRY, LIBRARY
from tests.web.conftest import Browser, app_of, write_config

TALKS = """
[[destination]]
type = "mastodon"
server = "https://social.example.org"
access_token = "${ABSENT_MASTODON}"
[[search]]
name = "weather"
query = 'weather OR "will it rain"'
answers = ["The forecast of <b>today</b> is read out at noon"]
exclude = ["giveaway"]
cooldown = "2h"
[follows]
mode = "report"
protected = ["@gazette"]
"""


@pytest.fixture
def talker(bot):
    """Give a browser before a bot that answers and follows."""
    write_config(bot.place, TALKS)
    bot.config = load(bot.place / "config.toml", need_account=False)
    return Browser(bot, app_of(bot, token_in(bot.place / "state")))


def test_without_rules_the_page_says_how_to_get_some(visitor):
    page = visitor.get("/rules").text
    assert "No search is configured" in page
    assert "Nobody is followed by rules" in page


def test_rules_read_as_tables(talker):
    page = talker.get("/rules").text
    assert '<th scope="row">cooldown</th><td><bdi dir="auto">2h</bdi>' in page
    assert "&lt;b&gt;today&lt;/b&gt;" in page
    assert '<th scope="row">protected</th><td><bdi dir="auto">gazette</bdi>' in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("say=will+it+rain", ("answered", "is read out at noon", "of 500")),
        ("say=will+it+rain+in+the+giveaway", ("not answered", "giveaway")),
        ("say=a+hat", ("not answered", "no match")),
        ("say=will+it+rain&unnamed=1", ("not answered",)),
    ],
)
def test_a_text_is_tried_at_the_reply_rules(talker, query, said):
    page = talker.get(f"/rules?{query}").text
    tried = page[page.index('class="post tried"') : page.index('id="follows"')]
    for words in said:
        assert words in tried


def test_the_plan_stands_there_by_the_lists_that_are_stored(talker, bot):
    assert "No lists that count were read yet" in talker.get("/rules").text
    with bot.store() as store, store.transaction():
        reading = store.follows.begin(
            "mastodon", Profile(id="1", name="us", followers=2, following=0), bot.now
        )
        people = (Person(id="7", name="reader<i>"), Person(id="8", name="closed", is_private=True))
        reading = store.follows.take_page(reading, PeoplePage(people=people, cursor=None))
        reading = store.follows.take_page(reading, PeoplePage(people=(), cursor=None))
        store.follows.accept("mastodon", reading, bot.now)
    page = talker.get("/rules").text
    assert "2 followers, 0 followed. To follow: 1, to unfollow: 0" in page
    assert "reader&lt;i&gt;" in page
    assert "follows the account" in page
    assert "Left alone: 1 not to follow: private" in page
    with bot.store() as store, store.transaction():
        planned = (
            planning_of(bot.config.destinations[0], store, clock=lambda: bot.now).propose().plan.steps[0]
        )
        store.follow_steps.skip("mastodon", "1", planned, "left", bot.now + timedelta(seconds=1))
    assert "To follow: 0, to unfollow: 0" in talker.get("/rules").text


def test_a_title_is_tried_at_the_engine(visitor):
    page = visitor.get("/rules", params={"title": FERRY["title"].replace("praised", "lauded")}).text
    judged = page[page.index('id="judged"') :]
    assert "skipped as a repeat" in judged
    assert '<mark class="differs">praised</mark>' in judged
    assert "What was weighed" in judged
    other = visitor.get("/rules", params={"title": "Bakers of Mill Lane strike over the price of flour"}).text
    assert "no repeat" in other[other.index('id="judged"') :]


def test_a_title_is_held_against_another_one(visitor):
    page = visitor.get("/rules", params={"title": FERRY["title"], "other": LIBRARY["title"]}).text
    assert page.count("another story") == 3
    page = visitor.get("/rules", params={"title": FERRY["title"], "other": FERRY["title"]}).text
    assert page.count("<td>repeat</td>") == 3


def test_what_is_tried_is_neither_kept_nor_run(visitor, bot):
    hostile = '"><script>alert(1)</script>'
    page = visitor.get(
        "/rules", params={"title": hostile, "summary": hostile, "other": hostile, "say": hostile}
    ).text
    assert "<script>alert" not in page
    with bot.store() as store:
        assert not [e for e in store.entries.seen_since(bot.now) if hostile in e.entry.title]
