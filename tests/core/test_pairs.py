"""Pairs by themselves: what a line may say, and that they are judged as the journey judges."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.dedupe import WINDOW, Level
from bot.core.identity import Trust, keys_of
from bot.core.model import Fresh
from bot.core.pairs import judge_pair, read_pair, sign_entry
from bot.pipeline import FeedRules, Judge
from bot.store import Store

START = datetime(2026, 11, 30, 9, tzinfo=UTC)
FERRY = {
    "title": "Ferry captain praised after night rescue off Skerry Point",
    "summary": "The captain of the morning ferry turned back in a gale to pick up eleven kayakers near the lighthouse.",
}
EDITED = {**FERRY, "title": "Ferry captain hailed for night rescue of kayakers off Skerry Point"}
BUDGET = {
    "title": "Council of Ostervik puts off its budget for the third time",
    "summary": "Members could not agree on the price of the new bridge and will meet again in March.",
}


def line(a: dict, b: dict, *, hours: float = 1, **more) -> bytes:
    a = {"published": START.isoformat(), **a}
    b = {"published": (START + timedelta(hours=hours)).isoformat(), **b}
    return json.dumps({"a": a, "b": b, **more}).encode()


def judged(a: dict, b: dict, *, level: Level = Level.BALANCED, by_keys: bool = True, hours: float = 1):
    return judge_pair(read_pair(line(a, b, hours=hours)), level, by_keys=by_keys)


def test_a_line_is_read():
    pair = read_pair(
        line(
            {**FERRY, "source": "One", "link": "https://one.example/1", "body": "More."},
            EDITED,
            same=True,
            id=7,
        )
    )
    assert (pair.a.feed, pair.a.link, pair.a.body, pair.same) == (
        "One",
        "https://one.example/1",
        "More.",
        True,
    )
    assert pair.b.published == pair.b_seen == START + timedelta(hours=1)
    assert pair.a.feed != pair.b.feed


@pytest.mark.parametrize(
    ("published", "read"),
    [
        ("2026-11-30T10:00:00+01:00", START),
        ("2026-11-30T09:00:00Z", START),
        ("2026-11-30T09:00:00", START),
        ("20261130T090000Z", START),
        ("Mon, 30 Nov 2026 10:00:00 +0100", START),
        ("30 Nov 2026 09:00:00 GMT", START),
        ("Mon, 30 Nov 2026 04:00:00 EST", START),
        ("", None),
        (None, None),
    ],
)
def test_times(published, read):
    assert read_pair(line({**FERRY, "published": published}, EDITED)).a.published == read


def test_what_a_feed_did_not_give_may_be_missing():
    pair = read_pair(json.dumps({"a": {"title": "x"}, "b": {"summary": "y"}}).encode())
    assert (pair.a.summary, pair.b.title, pair.a.published, pair.same) == ("", "", None, None)
    assert judge_pair(pair, Level.BALANCED).near.scores["hours"] == 0


def test_an_entry_without_a_date_has_the_age_of_its_sight():
    pair = read_pair(line({**FERRY, "published": None, "seen": "2026-11-28T10:00:00Z"}, EDITED))
    assert judge_pair(pair, Level.BALANCED).near.scores["hours"] == 48


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        (b"{", "no JSON: .* at character 2"),
        (b"\xff{}", "no UTF-8 text: byte 1"),
        (b"[]", "the line is a list, not an object"),
        (b"null", "the line is null"),
        (b"{}", "a is missing"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": "text", "b": {}}', "a is text, not an object"),
        (b'{"a": {"published": null}, "b": {}}', "a has neither title nor summary"),
        (line({**FERRY, "title": 5}, EDITED), r"a\.title is a number, not text"),
        (line(FERRY, {**EDITED, "link": []}), r"b\.link is a list, not text"),
        (
            line(FERRY, {**EDITED, "published": "yesterday"}),
            r"b\.published is no time as ISO 8601 or RFC 822 writes it: 'yesterday'",
        ),
        (
            line(FERRY, {**EDITED, "published": "9999-12-31T23:59:59-12:00"}),
            r"b\.published is no time as ISO 8601",
        ),
        (line(FERRY, {**EDITED, "title": "\ud800"}), r"b\.title holds half a character"),
        (b'{"a": ' + b"1" * 5000 + b"}", "no JSON that can be read: a number"),
        (line(FERRY, {**EDITED, "published": "Mon, 99 Nov 2026 10:00:00 +0100"}), r"b\.published is no time"),
        (line(FERRY, {**EDITED, "published": "1" * 1_000_000}), r"b\.published is no time"),
        (line(FERRY, EDITED, same="yes"), "same is text, not true or false"),
        (line(FERRY, EDITED, same=1), "same is a number, not true or false"),
    ],
)
def test_a_broken_line_is_named(broken, fault):
    with pytest.raises(ValueError, match=fault):
        read_pair(broken)


def test_edits_repeat_and_other_stories_do_not():
    assert judged(FERRY, EDITED).is_duplicate
    found = judged(FERRY, BUDGET)
    assert not found.is_duplicate
    assert found.near.scores["resemblance"] < 0.2


@pytest.mark.parametrize("level", Level)
def test_links_decide_as_in_the_journey_unless_texts_alone_shall(level):
    a = {**FERRY, "link": "https://www.example.com/story?utm_source=rss"}
    b = {**BUDGET, "link": "http://example.com/story/"}
    assert (judged(a, b, level=level).is_duplicate, judged(a, b, level=level).reason) == (True, "same_link")
    assert not judged(a, b, level=level, by_keys=False).is_duplicate


def test_an_equal_text_wears_off_in_its_feed():
    a = {"title": "Which of the ferries runs on a Sunday in the winter", "summary": "", "source": "One"}
    assert judged(a, a, hours=19).reason == "same_text"
    assert judged(a, a, hours=30).reason != "same_text"


def test_the_source_is_told_by_its_name():
    one = {**FERRY, "source": "One"}
    assert judged(one, {**EDITED, "source": "One"}).near.scores["same_feed"] == 1
    assert judged(one, {**EDITED, "source": "Two"}).near.scores["same_feed"] == 0
    assert judged(FERRY, EDITED).near.scores["same_feed"] == 0


def test_beyond_the_window_nothing_is_compared_but_all_is_scored():
    found = judged(FERRY, EDITED, hours=WINDOW.total_seconds() / 3600 + 1)
    assert (found.is_duplicate, found.candidate) == (False, False)
    assert "14 days" in found.reason
    assert found.near.scores["resemblance"] > 0.5


def test_texts_without_words_are_different():
    empty = {"title": "", "summary": None}
    assert not judged(FERRY, empty).is_duplicate
    assert not judged(empty, FERRY).is_duplicate
    assert judged(FERRY, empty).reason == "no words to compare"


def test_words_of_both_sides_are_told_as_written():
    found = judged(FERRY, EDITED)
    assert "praised" in found.only_a
    assert "hailed" in found.only_b
    assert "Skerry" in found.shared


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("later", [EDITED, BUDGET, FERRY, {"title": "Ferry captain praised", "summary": ""}])
@pytest.mark.parametrize("source", ["One", "Two"])
@pytest.mark.parametrize("hours", [1, 30, 24 * 15])
def test_a_pair_is_judged_as_the_journey_judges(level, later, source, hours):
    pair = read_pair(line({**FERRY, "source": "One"}, {**later, "source": source}, hours=hours))
    with Store.in_memory() as store:
        judge = Judge(store, level)
        with store.transaction():
            row = store.entries.add(pair.a, Fresh(), variant=1, now=pair.a_seen)
            store.entries.take_keys(keys_of(pair.a, trust=Trust()), row, pair.a_seen)
            store.signatures.add(row, sign_entry(pair.a), pair.a_seen)
        known = store.entries.known_by(keys_of(pair.b, trust=Trust()), pair.b.feed, pair.b_seen)
        near = judge.near(
            pair.b, FeedRules(name=pair.b.feed, url=""), pair.b_seen, [], feed_title=pair.b.feed
        )[1]
    assert judge_pair(pair, level).is_duplicate == (known is not None or near is not None)
    assert judge_pair(pair, level, by_keys=False).is_duplicate == (near is not None)
