"""Training and measuring on small texts, by both methods."""

from __future__ import annotations

import pytest

from bot.core.spam import Band, choose_margin
from bot.spam.labelled import Labelled, Unlabelled, read_labelled
from bot.spam.training import folds, measure, train
from tests.spam.texts import HAM, LINES, SPAM

ROWS = [Labelled(text, spam=True) for text in SPAM] + [Labelled(text, spam=False) for text in HAM]


@pytest.mark.parametrize("method", ["linear", "article"])
def test_both_methods_tell_new_texts_apart(method):
    if method == "linear":
        pytest.importorskip("sklearn")
    found = measure(ROWS, method)
    assert (found.spam, found.ham) == (12, 12)
    assert found.plain_f1 == 1
    assert found.caught + found.unsure_spam == 12
    assert found.false == 0
    model = train(ROWS, method)
    high, band = model.check("Earn $900 now!!! Win a free cruise https://sea.example")
    assert (band, high > model.check("The swimming pool opens again on Monday")[0]) == (Band.SPAM, True)
    for_spam, for_ham = model.judge.words(5)
    assert not set(for_spam) & set(for_ham)


def test_every_text_is_tested_once_and_never_trained_on_then():
    spam = [True] * 11 + [False] * 23
    parts = folds(spam, range(34), 0)
    assert sorted(at for _, tested in parts for at in tested) == list(range(34))
    assert all(not set(kept) & set(tested) for kept, tested in parts)
    assert {sum(spam[at] for at in tested) for _, tested in parts} == {2, 3}


def test_the_margin_bounds_false_rejections_and_what_passes():
    scores = [*[float(n) for n in range(100, 200)], *[float(n) for n in range(1000)]]
    spam = [True] * 100 + [False] * 1000
    margin = choose_margin(
        [s + 500 * is_spam for s, is_spam in zip(scores, spam, strict=True)], spam, per_ham=0.001
    )
    assert sum(n >= margin.high for n in range(1000)) <= 2
    assert margin.low <= margin.high
    assert sum(s + 500 < margin.low for s in scores[:100]) <= 2


def test_equal_scores_are_never_parted():
    margin = choose_margin([0.0] * 20, [True, False] * 10)
    assert margin.high > 0
    assert margin.band(0.0) is not Band.SPAM


def test_labelled_files_are_read_and_faults_named(tmp_path):
    place = tmp_path / "labelled.tsv"
    place.write_text("label\ttext\n" + LINES + '{"label": "ham", "text": "two\\nlines"}\n', encoding="utf-8")
    rows = read_labelled(place)
    assert len(rows) == 25
    assert rows[-1] == Labelled("two\nlines", spam=False)
    for bad in ("maybe\ttext", "spam", '{"label": "spam"}', "{broken", "ham\t "):
        place.write_text(f"ham\tfine\n{bad}\n", encoding="utf-8")
        with pytest.raises(Unlabelled, match="line 2"):
            read_labelled(place)
    with pytest.raises(Unlabelled, match="cannot be read"):
        read_labelled(tmp_path / "none")


def test_too_few_texts_are_refused():
    with pytest.raises(Unlabelled, match="only 3 texts are labelled spam"):
        train(ROWS[9:], "article")
