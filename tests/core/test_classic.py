"""The published methods give the published figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core import classic
from bot.core.shingles import word_shingles

SENTENCE = (
    "Разум дан человеку для того, чтобы он разумно жил, а не для того только, чтобы он понимал, "
    "что он неразумно живет."
)
DIET = (
    "<p>Сегодня существует огромное множество разнообразных диет, отличающихся степенью строгости и "
    "результатами, которых с их помощью добиваются худеющие. Существует одна эффективная диета творог + яблоки, "
    "которая позволит легко скинуть 4 кг за 4 дня.</p>"
)


def test_checksums_of_the_article():
    assert classic.crc32("My war is over.") == 1759088479
    assert classic.crc32("My war is over!") == -127495474


def test_words_and_sums_of_the_article():
    words = "разум дан человеку того чтобы разумно жил того только чтобы понимал неразумно живет".split()
    assert classic.classic_words(SENTENCE) == words
    assert len(classic.classic_shingles(SENTENCE)) == 4
    assert classic.classic_sums(SENTENCE) == [1313803605, -1077944445, -2009290115, 1772759749]


def test_percent():
    sums = classic.classic_sums(SENTENCE)
    assert classic.classic_percent(sums, sums) == 100
    assert classic.classic_percent(sums, sums[:2]) == pytest.approx(2 * 2 / 6 * 100)
    assert classic.classic_percent(sums, []) == 0
    assert classic.classic_percent([], []) == 0  # the article divides by zero
    assert classic.classic_sums("Слишком мало слов") == []


def test_sampling_keeps_what_the_modulus_divides():
    assert classic.sampled([25, 26, -50, 0, 13]) == [25, -50, 0]
    assert classic.sampled(range(-100, 100), 10) == list(range(-100, 100, 10))


TOKENS = [f"word{number}" for number in range(400)]


@pytest.mark.parametrize("kept", [400, 380, 300, 200])
def test_min_hashes_estimate_resemblance(kept):
    one = word_shingles(TOKENS, 3)
    other = word_shingles(TOKENS[:kept] + [f"other{number}" for number in range(400 - kept)], 3)
    true = len(one & other) / len(one | other)
    assert classic.estimate(classic.min_hashes(one, 256), classic.min_hashes(other, 256)) == pytest.approx(
        true, abs=0.1
    )


def test_no_shingle_no_hash():
    assert classic.min_hashes([]) == ()
    assert classic.estimate((), classic.min_hashes([1])) == 0


def test_bands_super_and_megashingles():
    hashes = classic.min_hashes(word_shingles(TOKENS, 3), 84)
    edited = classic.min_hashes(word_shingles([*TOKENS[:399], "edited"], 3), 84)
    strange = classic.min_hashes(word_shingles([f"x{number}" for number in range(400)], 3), 84)
    assert len(classic.bands(hashes, 4)) == 21
    assert set(classic.bands(hashes, 4)) & set(classic.bands(edited, 4))
    assert not set(classic.bands(hashes, 4)) & set(classic.bands(strange, 4))
    supers = classic.supershingles(hashes)
    assert len(supers) == 6
    assert len(set(supers) & set(classic.supershingles(edited))) >= 2
    megas = classic.megashingles(supers)
    assert len(megas) == 15
    assert set(megas) & set(classic.megashingles(classic.supershingles(edited)))


def test_simhash_moves_little_with_a_small_edit():
    whole = dict.fromkeys(word_shingles(TOKENS, 1), 1.0)
    edited = dict.fromkeys(word_shingles([*TOKENS[:396], "a", "b", "c", "d"], 1), 1.0)
    strange = dict.fromkeys(word_shingles([f"x{number}" for number in range(400)], 1), 1.0)
    assert classic.hamming(classic.simhash(whole), classic.simhash(whole)) == 0
    assert classic.hamming(classic.simhash(whole), classic.simhash(edited)) < 12
    assert classic.hamming(classic.simhash(whole), classic.simhash(strange)) > 18
    assert classic.simhash({}) == 0


def test_word_share_of_the_ranking():
    words = classic.ranking_words(DIET)
    assert len(words) == 27
    assert words[:3] == ["сегодня", "существует", "огромное"]
    assert words[-3:] == ["4", "кг", "дня"]
    assert classic.word_share(DIET, DIET) == 100
    text = " ".join(f"слово{number}" for number in range(38))
    assert classic.word_share(text, text.replace("слово7 ", "иное ")) == pytest.approx(97.368421052632)
    assert classic.word_share("", DIET) == 0


def test_inverted_index_of_the_site():
    index = classic.inverted_index(
        [text.split() for text in ("it is what it is", "what is it", "it is a banana")]
    )
    assert index == {"a": {2}, "banana": {2}, "is": {0, 1, 2}, "it": {0, 1, 2}, "what": {0, 1}}
    assert classic.having_all(index, ["what", "is", "it"]) == {0, 1}
    assert classic.having_all(index, []) == set()


def test_cosine():
    assert classic.cosine("a b c".split(), "c b a".split()) == pytest.approx(1)
    assert classic.cosine("a b".split(), "c d".split()) == 0
    assert classic.cosine([], ["a"]) == 0


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("abc", "", 3),
        ("kitten", "sitting", 3),
        ("This is a great book", "These are not great books", 9),
    ],
)
def test_edit_distance(one, other, distance):
    assert classic.edit_distance(one, other) == classic.edit_distance(other, one) == distance


@given(st.text(max_size=300), st.text(max_size=300))
def test_every_text_is_taken(one, other):
    first, second = classic.classic_sums(one), classic.classic_sums(other)
    assert 0 <= classic.classic_percent(first, second) <= 200
    assert 0 <= classic.word_share(one, other) <= 100


@given(st.text(alphabet="abc", max_size=12), st.text(alphabet="abc", max_size=12))
def test_edit_distance_is_the_textbook_one(one, other):
    row = list(range(len(other) + 1))
    for at, left in enumerate(one, 1):
        before, row[0] = row[0], at
        for to, right in enumerate(other, 1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (left != right))
    assert classic.edit_distance(one, other) == row[-1]
