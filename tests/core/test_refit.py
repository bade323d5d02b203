"""The fit of the table: known optima, what a few labels may move, and what is said of labels that it has not seen."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.dedupe import Table
from bot.core.refit import LEAST_LABELS, LEAST_OF_A_KIND, Example, lacking, most_probable, refit

START = Table(weights=(("alike", 4.0), ("age", -1.0)), base=-2.0, threshold=0.3)


def example(*, alike: float, age: float = 0.5, same: bool) -> Example:
    return Example(terms={"alike": alike, "age": age, "update": 0.0}, threshold=0.3, same=same)


def labels(count: int, *, from_: float) -> list[Example]:
    """Give labels of an owner who calls a repeat what is alike by `from_` and more."""
    return [example(alike=at / count, age=at % 5 / 5, same=at / count >= from_) for at in range(count)]


def test_one_label_of_one_weight_has_its_optimum_where_the_pull_of_the_prior_equals_that_of_the_label():
    # At ln 3 a repeat has a chance of 3/4, so it pulls by 1/4; the prior by strength x ln 3.
    [found] = most_probable([[1.0]], [0.0], [True], [0.0], strength=0.25 / log(3))
    assert found == pytest.approx(log(3), abs=1e-8)


def test_a_share_of_repeats_has_its_log_odds_when_the_prior_weighs_nothing():
    [found] = most_probable([[1.0]] * 10, [0.0] * 10, [True] * 8 + [False] * 2, [0.0], strength=1e-9)
    assert found == pytest.approx(log(4), abs=1e-6)


def test_the_threshold_moves_the_optimum_by_as_much():
    [found] = most_probable([[1.0]] * 10, [2.5] * 10, [True] * 8 + [False] * 2, [0.0], strength=1e-9)
    assert found == pytest.approx(2.5 + log(4), abs=1e-6)


def test_a_weight_that_no_label_has_stays_where_it_was():
    found = most_probable([[1.0, 0.0]] * 3, [0.0] * 3, [True] * 3, [0.0, 7.0], strength=1.0)
    assert found[0] > 0
    assert found[1] == 7.0


@given(
    rows=st.lists(
        st.tuples(*[st.floats(-3, 3)] * 4, st.floats(-2, 2), st.booleans()), min_size=1, max_size=25
    ),
    prior=st.tuples(*[st.floats(-50, 50)] * 4),
    strength=st.sampled_from([0.01, 1.0, 10.0]),
)
def test_the_slope_is_nought_at_the_optimum_wherever_it_starts(rows, prior, strength):
    features, thresholds, same = [row[:4] for row in rows], [row[4] for row in rows], [row[5] for row in rows]
    found = most_probable(features, thresholds, same, prior, strength=strength)
    for at in range(4):
        slope = strength * (found[at] - prior[at])
        for row, threshold, label in zip(features, thresholds, same, strict=True):
            margin = sum(value * weight for value, weight in zip(row, found, strict=True)) - threshold
            chance = 1 / (1 + exp(-margin)) if margin > -700 else 0.0
            slope += (chance - label) * row[at]
        assert slope == pytest.approx(0, abs=1e-3)


def test_too_few_labels_change_nothing_and_are_counted():
    few = labels(LEAST_LABELS - 1, from_=0.5)
    assert f"It takes {LEAST_LABELS}" in lacking(few)
    with pytest.raises(ValueError, match="not enough"):
        refit(few, START)
    one_kind = [example(alike=1, same=True)] * 100 + [example(alike=0, same=False)] * (LEAST_OF_A_KIND - 1)
    assert "100 labels of repeats and 9 of other stories" in lacking(one_kind)
    assert lacking(labels(LEAST_LABELS, from_=0.5)) is None


def test_an_owner_of_another_mind_moves_the_table_and_unseen_labels_come_out_better():
    found = refit(labels(80, from_=0.85), START)  # the table skips from .7 or so
    assert found.labels == 80
    assert found.before.wrongly_skipped > 5
    assert found.unseen.wrong < found.before.wrong
    assert found.is_better
    assert found.table.threshold == START.threshold
    assert found.moved
    assert found.moved[0][0] in {"base", "alike"}
    assert all(before != after for _, before, after in found.moved)
    assert dict(found.table.weights).keys() == {"alike", "age"}  # no label has the third term


def test_an_owner_of_the_same_mind_moves_it_little():
    agreeing = [one for one in labels(150, from_=0.7) if abs(one.terms["alike"] - 0.7) > 0.2]
    found = refit(agreeing, START)
    assert found.before.wrong == 0
    assert max(abs(after - before) for _, before, after in found.moved) < 0.5


def test_a_strong_prior_keeps_the_table():
    found = refit(labels(80, from_=0.85), START, strength=1e7)
    assert found.moved == ()
    assert found.table.base == START.base
    assert dict(found.table.weights) == dict(START.weights)


def test_labels_at_random_are_no_better_unseen():
    noise = [example(alike=at % 7 / 7, age=at % 3 / 3, same=(at * 7919) % 11 < 5) for at in range(60)]
    found = refit(noise, START)
    assert found.unseen.loss > log(2) - 0.1


def test_it_is_the_same_at_every_run():
    assert refit(labels(70, from_=0.8), START) == refit(labels(70, from_=0.8), START)
