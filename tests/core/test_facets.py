from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.facets import facets_of


def told(text: str, links=()):
    return [(f.kind, text.encode()[f.start : f.end].decode(), f.value) for f in facets_of(text, links)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plain words", []),
        ("see https://news.com/a.", [("link", "https://news.com/a", "https://news.com/a")]),
        ("see news.com/a today", [("link", "news.com/a", "https://news.com/a")]),
        (
            "Дунай 🌊 https://news.com #річки",
            [("link", "https://news.com", "https://news.com"), ("tag", "#річки", "річки")],
        ),
        ("👨‍👩‍👧‍👦 #family 한국어 #한국어", [("tag", "#family", "family"), ("tag", "#한국어", "한국어")]),
        ("https://news.com/#top", [("link", "https://news.com/#top", "https://news.com/#top")]),
        ("#1 and #2026", []),
        ("مرحبا #أخبار", [("tag", "#أخبار", "أخبار")]),
        (f"#{'x' * 65}", []),
    ],
)
def test_links_and_tags_are_told_by_their_bytes(text, wanted):
    assert told(text) == wanted


def test_a_link_that_is_known_is_whole_whatever_its_domain():
    text = "Late again http://nas.lan:8080/a?b=#c and http://nas.lan:8080/a"
    assert told(text, ["http://nas.lan:8080/a?b=#c"]) == [
        ("link", "http://nas.lan:8080/a?b=#c", "http://nas.lan:8080/a?b=#c")
    ]


def test_a_link_that_does_not_stand_there_is_none():
    assert told("nothing", ["https://news.com/"]) == []


@given(
    st.text(max_size=80),
    st.lists(st.sampled_from(["https://news.com/й", "http://a.lan/#x", "#"]), max_size=3),
)
def test_facets_are_in_order_apart_and_whole(text, links):
    text = " ".join([text, *links])
    end = 0
    for facet in facets_of(text, links):
        assert end <= facet.start < facet.end <= len(text.encode())
        text.encode()[facet.start : facet.end].decode()
        end = facet.end
