"""Every page says what the store says, to readers without a session and without JavaScript."""

from __future__ import annotations

import re

import pytest

from bot.web.app import PAGES
from tests.journey import BUDGET, FERRY, LIBRARY

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


def test_a_slider_says_what_would_change(visitor):
    page = visitor.get("/levels?offset=3").text
    assert "<strong>0</strong> posted ones would be skipped" in page
    assert 'value="3.0"' in page
    assert "+0.0" in visitor.get("/levels?offset=1e999").text


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
