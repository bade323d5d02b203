"""Runs of words and of characters."""

from __future__ import annotations

from bot.core import shingles
from bot.core.shingles import character_grams, sampled_shingles, token_hash, word_shingles


def test_word_shingles_overlap_by_all_but_one():
    tokens = "a b c d e".split()
    assert len(word_shingles(tokens, 3)) == 3
    assert word_shingles(tokens[1:], 3) < word_shingles(tokens, 3)
    assert word_shingles(tokens, 6) == set()


def test_sampling_keeps_the_same_shingles_of_every_text():
    tokens = [str(number) for number in range(2000)]
    whole = sampled_shingles(tokens, width=5, modulus=16, limit=64)
    assert len(whole) == 64
    assert list(whole) == sorted(whole)
    everything = set(sampled_shingles(tokens, width=5, modulus=16, limit=10_000))
    half = set(sampled_shingles(tokens[:1000], width=5, modulus=16, limit=10_000))
    assert half < everything
    assert all(hashed % 16 == 0 for hashed in everything)


def test_character_grams_are_of_characters_not_bytes():
    assert len(character_grams("дом")) == 2  # " дом" and "дом "
    assert character_grams("") == frozenset()
    assert all(0 <= gram < 1 << 16 for gram in character_grams("какой-то текст"))


def test_token_hash_is_fixed():
    # Stored signatures hold these: a change would need a new signature version.
    assert token_hash("ferri") == 4074433350
    assert token_hash("пожар") != token_hash("пожара")


def test_the_longest_run_is_the_heaviest_stretch_in_one_order():
    weights = {1: 10, 2: 10, 3: 10, 4: 10, 5: 35}
    assert shingles.longest_run((1, 2, 3, 4), (9, 1, 2, 3, 8, 4), weights) == 30
    assert shingles.longest_run((1, 2, 5, 3), (1, 2, 7, 5, 3), weights) == 45
    assert shingles.longest_run((1, 2, 3), (3, 2, 1), weights) == 10
    assert shingles.longest_run((1, 2), (8, 9), weights) == 0
    assert shingles.longest_run((), (1,), weights) == 0


def test_neighbours_know_their_order():
    assert len(shingles.neighbours((1, 2, 3))) == 2
    assert shingles.neighbours((1, 2, 3)) & shingles.neighbours((2, 3, 1)) == shingles.neighbours((2, 3))
    assert not shingles.neighbours((1, 2)) & shingles.neighbours((2, 1))
    assert shingles.neighbours((1,)) == frozenset()
