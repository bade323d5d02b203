"""What a subverted child could send: everything is checked, and a feed's name is never its to say."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.model import Entry
from bot.core.politeness import Pace
from bot.parsing.frames import (
    LENGTH,
    Nonsense,
    entry_of,
    feed_of,
    fields_of,
    from_json,
    head_of,
    in_json,
    number_of_entries,
)
from bot.sources.parsed import EntryFault, ParsedFeed

ENTRY = Entry(
    feed="harbour",
    guid="1",
    link="https://a.example/1",
    orig_link="https://b.example/1",
    title="A ship \U0001f6a2 «в порту»",
    summary="s",
    body="b",
    categories=("x", "y"),
    image="https://a.example/1.png",
    image_alt="A ferry in fog",
    published=datetime(2026, 11, 30, 8, 15, 30, tzinfo=UTC),
    updated=datetime(2026, 11, 30, 9, 0, tzinfo=UTC),
)
FEED = ParsedFeed(
    entries=(ENTRY, Entry(feed="harbour")),
    faults=(EntryFault(index=1, what="broken"),),
    title="t",
    link="https://a.example/",
    format="rss20",
    seen=3,
    flaw="line 1",
    cut_off=True,
    pace=Pace(wait=timedelta(hours=2), skip_hours=frozenset({0, 23}), skip_days=frozenset({6})),
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
)


def across(value: object) -> object:
    return from_json(in_json(value)[LENGTH.size :])


def test_a_feed_crosses_whole():
    entries = [entry_of(across(fields_of(entry)), "harbour") for entry in FEED.entries]
    head = across(head_of(FEED))
    assert number_of_entries(head) == 2
    assert feed_of(head, entries) == FEED


def test_the_name_of_the_feed_is_the_askers():
    assert entry_of(fields_of(ENTRY), "mine").feed == "mine"


def test_half_a_character_crosses_as_a_question_mark():
    assert across(["\ud83d!"]) == ["?!"]


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, 5),
        (0, "x" * 5000),
        (0, "\ud800"),
        (1, "javascript:alert(1)"),
        (1, "https://"),
        (1, ["https://a.example/"]),
        (3, None),
        (3, "x" * 10_001),
        (4, {"a": 1}),
        (5, "x" * 200_001),
        (6, "no list"),
        (6, [1]),
        (6, None),
        (7, "file:///etc/passwd"),
        (8, None),
        (8, "x" * 1_001),
        (9, "2026"),
        (9, -1),
        (9, 10**30),
        (9, True),
        (10, 1e9),
    ],
)
def test_an_entry_with_a_wrong_value_is_nonsense(at, value):
    fields = fields_of(ENTRY)
    if at == 6 and value == "no list":
        value = 7
    fields[at] = value
    with pytest.raises(Nonsense):
        entry_of(fields, "harbour")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("faults", [[1]]),
        ("faults", [[1, 2]]),
        ("faults", 3),
        ("title", None),
        ("link", "data:x"),
        ("format", "x" * 50),
        ("seen", -1),
        ("flaw", 7),
        ("pace", [1, [2]]),
        ("pace", [1, [24], []]),
        ("pace", [10**12, [], []]),
        ("pace", [None, [], [7]]),
    ],
)
def test_a_head_with_a_wrong_value_is_nonsense(key, value):
    with pytest.raises(Nonsense):
        feed_of(head_of(FEED) | {key: value}, [])


@pytest.mark.parametrize("head", [None, [], "x", {}, {"entries": -1}, {"entries": 1001}, {"entries": "1"}])
def test_a_number_of_entries_that_is_none_is_nonsense(head):
    with pytest.raises(Nonsense):
        number_of_entries(head)


@given(ANYTHING)
def test_whatever_comes_is_a_feed_or_nonsense(value):
    for read in (lambda: entry_of(value, "f"), lambda: feed_of(value, []), lambda: number_of_entries(value)):
        try:
            read()
        except Nonsense:
            continue


@given(st.binary(max_size=50) | ANYTHING.map(lambda value: json.dumps(value).encode()))
def test_what_is_no_json_is_nonsense(data):
    try:
        from_json(data)
    except Nonsense:
        return
    json.loads(data)


@given(st.integers(0, 9), ANYTHING)
def test_no_field_of_an_entry_makes_anything_but_an_entry_or_nonsense(at, value):
    fields = fields_of(ENTRY)
    fields[at] = value
    try:
        entry = entry_of(fields, "harbour")
    except Nonsense:
        return
    assert isinstance(entry.title, str)
    assert entry.link is None or entry.link.startswith("http")
