"""The ten-word form as a judge: the percentage, the threshold, and texts that are too short for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.core.classic import classic_percent, classic_sums
from bot.core.classic_verdict import (
    MAX_TEXT,
    NEEDED,
    ClassicCandidate,
    classic_text,
    judge_classic,
    word_differences,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LONG = " ".join(f"word{n}" for n in range(30))


def candidate(said: str, entry_id: int = 1, hours: float = 1) -> ClassicCandidate:
    return ClassicCandidate(
        entry_id=entry_id,
        lead_id=entry_id,
        feed="a",
        title=said[:20],
        link=None,
        said=said,
        seen_at=NOW - timedelta(hours=hours),
        text=classic_text("", said),
    )


def test_the_percentage_is_the_articles():
    other = LONG.replace("word3 ", "other ")
    found = judge_classic(classic_text("", LONG), [candidate(other)])
    assert found.percent == classic_percent(classic_sums(LONG), classic_sums(other))
    assert (found.is_duplicate, found.common) == (True, 17), "a word stands in four of the 21 runs at most"
    assert found.reason == "17 of its 21 runs of ten words are among the 21 there"


def test_more_than_half_is_a_copy_and_half_is_none():
    base = [f"w{n}" for n in range(29)]  # 20 runs
    ten_in_common = " ".join([*base[:19], *(f"x{n}" for n in range(10))])
    eleven = " ".join([*base[:20], *(f"x{n}" for n in range(9))])
    text = classic_text("", " ".join(base))
    half = judge_classic(text, [candidate(ten_in_common)])
    assert (half.percent, half.is_duplicate) == (NEEDED, False)
    assert half.candidate is not None, "the nearest miss is told"
    assert judge_classic(text, [candidate(eleven)]).is_duplicate


def test_the_highest_percentage_wins_then_the_earliest():
    near = candidate(LONG.replace("word29", "other"), entry_id=1)
    later, earlier = candidate(LONG, entry_id=2, hours=1), candidate(LONG, entry_id=3, hours=2)
    assert judge_classic(classic_text("", LONG), [near, later, earlier]).candidate is earlier


def test_a_short_text_repeats_only_one_of_exactly_the_same_words():
    short = classic_text("Bridge reopens", "after the storm")
    same = candidate("Bridge reopens: after, the storm!")
    assert judge_classic(short, [same]).is_duplicate
    assert judge_classic(short, [same]).percent == 100
    other = judge_classic(short, [candidate("Bridge reopens after a storm")])
    assert (other.is_duplicate, other.candidate) == (False, None)
    assert "fewer than 10 words" in other.reason
    assert not judge_classic(short, [candidate(LONG)]).is_duplicate


def test_no_words_repeat_nothing():
    blank = classic_text("...", "и в на")
    assert blank.keys == frozenset()
    assert not judge_classic(blank, [candidate("...")]).is_duplicate


def test_the_hash_of_a_whole_text_is_never_taken_for_a_checksum():
    assert all(key >= 1 << 62 for text in ("a", "b c", "d") for key in classic_text(text, "").keys)
    assert all(-(1 << 31) <= key < 1 << 31 for key in classic_text("", LONG).keys)


def test_a_huge_text_is_read_to_a_bound():
    assert len(classic_text("", "a lot of words " * 100_000).sums) < MAX_TEXT


def test_the_words_of_both_sides_are_told():
    words = word_differences("The ferry is late", candidate("The ferry was early"))
    assert words == {"shared": ("the", "ferry"), "only_here": ("is", "late"), "only_there": ("was", "early")}


def test_a_text_without_runs_is_not_compared_with_one_that_has_them():
    bare = replace(candidate(LONG), text=classic_text("", "just some words"))
    assert not judge_classic(classic_text("", LONG), [bare]).is_duplicate
