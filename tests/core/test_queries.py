"""X's queries: what is read, what is refused, and what a post is held against."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.core.hits import Hit
from bot.core.queries import LONGEST, QueryFault, looked_for, matches, parse_query


def hit(text: str, **fields: object) -> Hit:
    return Hit(
        id="1", reference="1", author="7", text=text, created_at=datetime(2026, 12, 1, tzinfo=UTC), **fields
    )


@pytest.mark.parametrize(
    ("query", "text", "fits"),
    [
        ("weather", "What WEATHER!", True),
        ("weather", "weathered", False),
        ("rain snow", "snow, then rain", True),
        ("rain snow", "rain", False),
        ("rain OR snow", "snow", True),
        ("rain OR snow wind", "snow", False),  # and binds closer
        ("(rain OR snow) wind", "wind and snow", True),
        ('"will it rain"', "Will it, rain?", True),
        ('"will it rain"', "it will rain", False),
        ("rain -umbrella", "rain and an umbrella", False),
        ("rain -(umbrella OR coat)", "rain and a coat", False),
        ("rain -(umbrella OR coat)", "rain", True),
        ("#rain", "such #Rain today", True),
        ("#rain", "such #rainbow", False),
        ("rain @newsbot", "@NewsBot rain?", True),
        ("погода", "Какая ПОГОДА сегодня", True),
        ("don't", "I don’t", True),
        ("rain has:links", "rain", False),
        ("rain -is:retweet", "rain", True),
    ],
)
def test_what_a_query_finds(query, text, fits):
    assert matches(parse_query(query, local=True), hit(text)) is fits


def test_operators_are_held_against_what_the_network_says():
    said = hit("rain", name="Ann", language="pt-BR", links=("https://News.example/a/b",), original="3")
    for query, fits in [
        ("from:ann rain", True),
        ("from:7", True),
        ("rain lang:pt", True),
        ("rain lang:en", False),
        ("url:news.example/a", True),
        ("rain has:links", True),
        ("rain -is:retweet", False),
    ]:
        assert matches(parse_query(query, local=True), said) is fits, query


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("a" * (LONGEST + 1), "512"),
        ("rain OR", "OR stands between"),
        ("OR rain", "OR stands between"),
        ("rain OR OR snow", "OR stands between"),
        ("rain AND snow", "leave AND out"),
        ("(rain", "never closed"),
        ("rain)", "closes nothing"),
        ("rain ()", "around nothing"),
        ('"rain', "never closed"),
        ('""', "around nothing"),
        ("-rain", "something to look for"),
        ("lang:en", "something to look for"),
        ("rain OR lang:en", "something to look for"),
        ("colour:red", "no operator of X"),
        ("rain has:cats", "has:cats"),
        ("rain is:nice", "is:nice"),
        ("rain lang:english", "two letters"),
        ("from:", "wants something"),
        ("rain min_likes:many", "number"),
        ("(" * 30 + "rain" + ")" * 30, "brackets in brackets"),
    ],
)
def test_what_x_would_refuse_is_refused_with_the_reason(query, why):
    with pytest.raises(QueryFault, match=why):
        parse_query(query)


def test_what_no_mention_shows_is_refused_for_mentions_alone():
    assert parse_query("rain min_likes:3")
    with pytest.raises(QueryFault, match="min_likes:3"):
        parse_query("rain min_likes:3", local=True)


def test_a_search_that_knows_words_alone_is_asked_for_each_alternative():
    assert looked_for(parse_query('("old bridge" OR ferry) town -giveaway lang:en', local=True)) == [
        '"old bridge" town',
        "ferry town",
    ]
