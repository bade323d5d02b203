"""Scores are shares, symmetric, and 1 for a text against itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.signature import sign
from bot.core.similarity import compare, containment, jaccard, profile

TEXTS = st.lists(
    st.sampled_from(
        "ferry captain eleven kayakers lighthouse 7 12 Crete rescue мост закрыт ремонт 4,000 Reuters".split()
    ),
    max_size=10,
).map(" ".join)
SYMMETRIC = [
    "resemblance",
    "containment",
    "title",
    "title_containment",
    "characters",
    "shared_weight",
    "size",
    "exact",
]
SHARES = [
    "resemblance",
    "containment",
    "title",
    "title_containment",
    "characters",
    "new_share",
    "old_share",
    "lead_share",
]


def scores(new, old):
    return compare(profile(new), profile(old))


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_scores_are_symmetric_shares(title, summary, other_title, other_summary):
    new, old = sign(title, summary), sign(other_title, other_summary)
    forward, back = scores(new, old), scores(old, new)
    assert {name: forward[name] for name in SYMMETRIC} == pytest.approx(
        {name: back[name] for name in SYMMETRIC}
    )
    assert forward["new_share"] == pytest.approx(back["old_share"])
    assert all(0 <= forward[name] <= 1 for name in SHARES)


@given(TEXTS.filter(bool), TEXTS)
def test_a_text_is_itself(title, summary):
    found = scores(sign(title, summary), sign(title, summary))
    for name in ("resemblance", "containment", "title", "title_containment", "characters", "exact"):
        assert found[name] == 1
    assert found["new_share"] == found["new_numbers"] == found["old_numbers"] == 0


def test_sets():
    assert jaccard(frozenset({1, 2, 3}), frozenset({2, 3, 4})) == 0.5
    assert jaccard(frozenset(), frozenset()) == 1
    assert containment(frozenset({1, 2}), frozenset({1, 2, 3, 4})) == 1
    assert containment(frozenset({1, 5}), frozenset({1, 2, 3, 4})) == 0.5


def test_rare_words_weigh_more():
    base = sign("Tarumbe volcano news today", "")
    assert (
        scores(base, sign("Tarumbe volcano warning lifted", ""))["resemblance"]
        > scores(base, sign("Ostervik ferry news today", ""))["resemblance"]
    )


def _scored(new, old):
    return compare(profile(sign(*new)), profile(sign(*old)))


def test_a_title_that_stands_in_the_other_is_one_run():
    short = ("Divers map sunken Bronze Age harbour off Crayford", "")
    longer = ("Divers map sunken Bronze Age harbour off Crayford and date its timbers", "")
    turned = ("Off Crayford a Bronze Age harbour, sunken: map by divers", "")
    assert _scored(longer, short)["title_run"] == 1
    assert _scored(turned, short)["title_run"] < 0.7
    assert _scored(turned, short)["title"] > 0.9


def test_the_order_of_a_summary_tells_a_copy_from_the_same_words():
    lead = "Archaeologists dated timbers beneath the eastern quay with a laser and a saw"
    mixed = "A saw and a laser dated the eastern timbers beneath a quay, archaeologists"
    copied, shuffled = (
        _scored(("One title here", text), ("Quite another heading", lead)) for text in (lead, mixed)
    )
    assert copied["lead_phrases"] == copied["lead_containment"] == copied["long_lead"] == 1
    assert shuffled["lead_phrases"] < 0.5
    assert copied["text_run"] > shuffled["text_run"]


def test_a_summary_of_few_words_is_no_long_lead():
    found = _scored(("One title here", "Watch the harbour"), ("Quite another heading", "Watch the harbour"))
    assert found["lead"] == 1
    assert found["long_lead"] == 0


def test_names_and_numbers_that_one_side_lacks():
    one = ("ferry sinks near Skerry Point with 12 aboard", "")
    other = ("ferry sinks near Marlow Sound with 12 aboard", "")
    found = _scored(one, other)
    assert found["names_apart"] > 4
    assert found["names_containment"] == 0
    assert found["numbers_share"] == 1
    assert _scored(one, one)["names_apart"] == 0


def test_a_script_is_no_mark_of_a_later_piece():
    found = _scored(("Паром затонул у мыса", ""), ("Ferry sinks near a cape", ""))
    assert found["new_form"] == found["old_form"] == 0
