import pytest

from bot.core import measures

BOOK = "this is a great book".split()
BOOKS = "these are not great books".split()


@pytest.mark.parametrize("measure", [*measures.BY_WORDS.values(), measures.resemblance, measures.containment])
def test_a_text_is_wholly_like_itself_and_an_empty_one_like_nothing(measure):
    assert measure(BOOK, BOOK) == pytest.approx(1.0)
    assert measure([], BOOK) == measure(BOOK, []) == measure([], []) == 0.0
    assert 0 <= measure(BOOK, BOOKS) < 1


def test_texts_shorter_than_a_shingle_are_one_shingle():
    assert measures.resemblance(["a"], ["a"]) == 1
    assert measures.resemblance(["a"], ["b"]) == 0
    assert measures.resemblance(["a"], BOOK) == 0
    assert measures.resemblance(BOOK, BOOK, 50) == 1


def test_the_distances():
    assert measures.word_share(BOOK, BOOKS) == 0.2
    assert measures.edited(1, "abcd", "abc") == 0.75
    assert measures.euclid("a b".split(), "c d".split()) == pytest.approx(0.0)
    assert measures.pearson("a b".split(), "c d".split()) == 0.0


def test_passages_are_found_where_they_are_longest():
    one = "x y the quick brown fox jumps over it z".split()
    other = "the quick brown fox jumps w the quick brown fox jumps over it q".split()
    assert measures.passages(one, other) == [measures.Passage(2, 6, 7)]
    assert measures.passages(one, other, 8) == []
    assert measures.passages([], other) == []
