"""Every page says what the store says, to readers without a session and without JavaScript."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from bot.core.dedupe import Level
from bot.pipeline import Judge
from bot.web import make_app
from bot.web.app import PAGES
from bot.web.security import Guard
from tests.journey import BUDGET, FERRY, LIBRARY, Journey
from tests.web.conftest import Browser

ALL = [path.replace("{number:int}", "4") for path in PAGES]


@pytest.mark.parametrize("path", ALL)
def test_every_page_is_shown_with_its_headers(visitor, path):
    answer = visitor.get(path)
    assert answer.status_code == 200, answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-frame-options"] == "DENY"
    assert 'lang="en"' in answer.text
    assert "style=" not in answer.text
    assert "onclick" not in answer.text
    assert answer.text.count("<h1>") == 1


def test_a_story_stands_with_its_copies_and_what_decided(visitor):
    page = visitor.get("/").text
    assert page.count('<article class="story"') == 8
    story = next(part for part in page.split("<article")[1:] if "2 copies skipped" in part)
    assert FERRY["title"] in story
    assert '<mark class="differs">hailed</mark>' in story
    assert '<span class="shared">captain</span>' in story
    assert "60 min later" in story
    assert "points where" in story
    assert "resemblance" in story


@pytest.mark.parametrize(
    ("query", "there", "missing"),
    [
        ("feed=b", BUDGET["title"], LIBRARY["title"]),
        ("verdict=held", BUDGET["title"], FERRY["title"]),
        ("reason=near_duplicate", FERRY["title"], LIBRARY["title"]),
        ("text=oak+shelves", LIBRARY["title"], FERRY["title"]),
        ("text=100%25", "No story fits", LIBRARY["title"]),
        ("period=nonsense&page=999999999999&feed=%00", "No story fits", LIBRARY["title"]),
    ],
)
def test_stories_are_filtered(visitor, query, there, missing):
    page = visitor.get(f"/?{query}").text
    assert there in page
    assert missing not in page


def test_a_nearest_miss_of_many_points_says_what_kept_it_apart(visitor, bot):
    closes = {"title": "Library in Mill Lane closes its old reading room", "summary": "The oak shelves go."}
    with bot.store() as store:
        journey = Journey(store, Judge(store, Level.BALANCED))
        journey.now = bot.now
        journey.poll("c", closes)
        bot.now = journey.now
    story = next(part for part in visitor.get("/").text.split("<article")[1:] if closes["title"] in part)
    assert "make a repeat, but the contrary: what one title opens" in story


def test_the_trace_says_all_that_why_says(visitor, bot):
    with bot.store() as store:
        copy = next(
            e for e in store.entries.seen_since(bot.now.replace(year=2020)) if "hailed" in e.entry.title
        )
    page = visitor.get(f"/entry/{copy.id}").text
    for step in copy.trace:
        assert step.name in page
        assert step.outcome.split()[0] in page
    assert "What was weighed" in page
    assert visitor.get("/entry/999999").status_code == 404
    assert visitor.get("/entry/99999999999999999999999").status_code == 404


def test_the_queue_shows_each_post_as_it_will_read(visitor):
    page = visitor.get("/queue").text
    assert f"{LIBRARY['title']} https://a.example/" in page
    assert " of 280" in page
    assert "$0.015" in page
    assert "0 of 2 readings did not show it" in page
    assert "1 entry" in page[page.index("Waits for you") :]


def test_what_is_held_is_decided_among_the_feeds_too(owner, visitor):
    assert 'action="/held/' not in visitor.get("/feeds").text
    page = owner.get("/feeds").text
    assert "1 of" in page
    held = re.search(r'action="(/held/[0-9]+)/release"', page).group(1)
    assert f'action="{held}/discard"' in page
    assert "1 entry queued" in owner.do(f"{held}/release", then="/feeds").text
    assert "look at it" not in owner.get("/feeds").text


def test_a_slider_says_at_once_what_would_change(visitor):
    page = visitor.get("/levels?offset=3").text
    assert "<strong>0</strong> posted ones would be skipped" in page[page.index("By the points of then") :]
    assert 'value="3.0"' in page
    assert "+0.0" in visitor.get("/levels?offset=1e999").text


def test_a_slider_has_all_judged_anew_and_lists_what_changes_with_both_texts(bot, token):
    near = {"title": "Gull Island ferry rescues trawler crew in gale", "summary": "The captain turned back."}
    with bot.store() as store:
        journey = Journey(store, Judge(store, Level.BALANCED))
        journey.now = bot.now
        journey.poll("c", near)
        bot.now = journey.now
    desk = bot.desk()
    browser = Browser(
        bot, make_app(desk, Guard(token=token, hosts=frozenset({"127.0.0.1"}), open_reading=True))
    )
    assert "Move the slider" in browser.get("/levels").text
    page = browser.get("/levels?offset=3").text
    assert "being judged anew" in page
    assert "data-again" in page
    desk.backtests.finish()
    page = browser.get("/levels?offset=3").text
    assert "data-again" not in page
    anew = page[page.index("Judged anew") : page.index("By the points of then")]
    assert "<strong>0</strong> posted ones would be skipped, <strong>1</strong> skipped ones posted" in anew
    assert "would be posted" in anew
    assert near["title"] in anew
    assert '<mark class="differs">praised</mark>' in anew
    assert "+2.88 points where +0.20 make a repeat" in anew
    assert "at +3.20 points" in anew
    bot.now += timedelta(hours=2)
    assert "being judged anew" in browser.get("/levels?offset=3").text
    desk.backtests.finish()


def test_pages_of_a_bot_that_never_ran_say_what_to_do(tmp_path, token, visitor, bot):
    for path in (tmp_path / "state").glob("*"):
        if path.name.startswith(("shinglebot.db", "installed")):
            path.unlink()
    answer = visitor.get("/")
    assert answer.status_code == 503
    assert "shinglebot" in answer.text


def test_what_is_static_is_kept_for_good_and_nothing_else_is_served(visitor):
    page = visitor.get("/").text
    place = re.search(r'"(/static/page\.css\?v=[0-9a-f]+)"', page).group(1)
    assert "immutable" in visitor.get(place).headers["cache-control"]
    assert visitor.get("/static/../app.py").status_code == 404
    assert visitor.get("/static/%2e%2e/app.py").status_code == 404
    assert visitor.get("/nothing").status_code == 404
