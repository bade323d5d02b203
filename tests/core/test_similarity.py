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
