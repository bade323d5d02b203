"""The samples of long texts, what they estimate, and what is decided by them."""

from __future__ import annotations

import json
import random
import time
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.core.bodies import (
    BODY_VERSION,
    KEYS,
    LEAST_WORDS,
    SAMPLE,
    body_keys,
    containment,
    decode_body,
    encode_body,
    numbers_missing,
    resemblance,
    shares,
    sign_body,
    text_of,
)
from bot.core.body_table import BODY_ROWS, body_scores, decide, judge_body
from bot.core.dedupe import Candidate, Level, judge_near
from bot.core.pairs import judge_pair, read_pair
from bot.core.signature import sign

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
texts = st.lists(st.sampled_from([f"w{n}" for n in range(60)]), min_size=100, max_size=400).map(" ".join)


def prose(seed: int, words: int = 400) -> str:
    rng = random.Random(seed)
    return " ".join(
        f"{rng.choice('bdfgklmnprst')}{rng.choice('aeiou')}{rng.randrange(900)}x" for _ in range(words)
    )


def body(text: str):
    found = sign_body(text)
    assert found is not None
    return found


@given(texts, texts)
def test_shares_are_shares_and_resemblance_is_symmetric(one, other):
    a, b = body(one), body(other)
    assert resemblance(a, b) == resemblance(b, a)
    found = shares(a, b)
    assert all(0 <= share <= 1 for share in found[:3])
    assert (found.of_one, found.of_other) == (shares(b, a).of_other, shares(b, a).of_one)
    assert resemblance(a, a) == 1
    assert set(body_keys(a)) <= set(a.shingles)


@given(texts)
def test_a_stored_body_comes_back(text):
    found = body(f"{text} 12 13.5")
    assert decode_body(encode_body(found)) == found
    assert len(found.shingles) <= SAMPLE
    assert found.version == BODY_VERSION


@pytest.mark.parametrize("blob", [b"", b"\x01", b"\x09 another", encode_body(body(prose(1)))[:-1]])
def test_what_is_no_body_is_refused(blob):
    with pytest.raises(ValueError, match="no body"):
        decode_body(blob)


@pytest.mark.parametrize("words", [100, 1000, 5000])
@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_the_estimate_is_near_the_truth_in_both_directions(words, share):
    kept, rest, own = prose(2, round(words * share)), prose(3, words), prose(4, words - round(words * share))
    old, new = body(f"{kept} {rest}"), body(f"{kept} {own}")
    assert containment(new, old) == pytest.approx(share, abs=0.15)
    assert containment(old, new) == pytest.approx(share / (1 + share), abs=0.15)


def test_a_short_text_has_no_body_and_one_without_spaces_may_have():
    assert sign_body("word " * (LEAST_WORDS - 1)) is None
    assert sign_body("") is None
    sentence = "湖水上涨淹没了村庄三百人被疏散到学校"
    rng = random.Random(1)
    long = "".join("".join(rng.sample(sentence, len(sentence))) for _ in range(10))
    assert containment(body(long), body(long + sentence)) == 1


def test_markup_case_and_signs_make_no_difference():
    text = prose(5)
    dressed = "<p>" + text.upper().replace(" ", ", ", 30) + "</p><script>var x = 1;</script>"
    assert body(dressed) == body(text)


def test_the_longer_of_summary_and_body_is_sampled():
    assert text_of("short", "the whole text") == "the whole text"
    assert text_of("the whole text", "") == "the whole text"


@pytest.mark.parametrize("unit", ["word ", "12.5 ", "<b", "слово, ", "湖", "- ", "&amp;"])
def test_a_megabyte_takes_less_than_a_second(unit):
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    sign_body(text)
    assert time.process_time() - started < 1


def test_numbers_are_looked_for_among_those_that_could_be_kept():
    one = body(prose(6) + " " + " ".join(str(n) for n in range(1000, 1200)))
    other = body(prose(6) + " " + " ".join(str(n) for n in range(1100, 1300)))
    looked_for, lacked = numbers_missing(one, other)
    assert 0 < lacked < looked_for <= 48
    assert numbers_missing(one, one)[1] == 0


# --- the decision ---------------------------------------------------------------------------------

TEXT, OTHER = prose(10), prose(11, 800)
HALF = " ".join(TEXT.split()[:200])


def decided(new: str, old: str, level: Level = Level.BALANCED, **near: float) -> tuple[bool, str]:
    return decide(near, body_scores(body(new), body(old)), level)


@pytest.mark.parametrize("level", list(Level))
def test_copies_are_repeats_at_every_level(level):
    assert decided(TEXT, TEXT, level) == (True, "a copy of the other's body")
    assert decided(HALF, TEXT, level) == (True, "its body is in the other's")
    assert decided(f"{TEXT} {prose(12, 80)}", TEXT, level)[0]
    assert decided(f"{prose(13, 40)} {TEXT[200:]}", TEXT, level)[0]


@pytest.mark.parametrize("level", list(Level))
def test_quotations_digests_and_strangers_are_fresh_at_every_level(level):
    quoted = " ".join(TEXT.split()[100:180])
    assert not decided(f"{OTHER} {quoted}", TEXT, level)[0]
    assert not decided(f"{OTHER} {TEXT} {prose(14)}", TEXT, level)[0]  # a digest that holds the story whole
    assert decided(OTHER, TEXT, level) == (False, "")


def test_a_story_that_an_earlier_digest_held_whole_is_a_repeat():
    assert decided(TEXT, f"{OTHER} {TEXT} {prose(14)}")[0]


def test_an_extended_copy_may_grow_by_the_factor_of_its_level():
    for level, row in BODY_ROWS.items():
        less = prose(15, round(400 * (row.growth - 1) * 0.7))
        more = prose(15, round(400 * (row.growth - 1) * 1.4) + 100)
        assert decided(f"{TEXT} {less}", TEXT, level)[0], level
        assert not decided(f"{TEXT} {more}", TEXT, level)[0], level


def test_two_reports_that_differ_in_their_figures_are_two():
    report = " ".join(f"{word} {n}.5" if n % 12 == 0 else word for n, word in enumerate(TEXT.split()))
    later = " ".join(f"{word} {n}.7" if n % 12 == 0 else word for n, word in enumerate(TEXT.split()))
    scores = body_scores(body(later), body(report))
    assert scores["body_numbers_lacked"] == scores["body_numbers"] > 4
    assert scores["body_containment"] > 0.5
    assert decide({}, scores | {"body_containment": 0.95}, Level.EAGER) == (
        False,
        "bodies alike, but for their numbers",
    )


def judged(title: str, text: str, old_title: str, old: str, *, hours: float = 3, feed: str = "b"):
    now = NOW + timedelta(hours=hours)
    signature = sign(title, "", text)
    candidate = Candidate(
        entry_id=1,
        lead_id=1,
        feed="a",
        title=old_title,
        link=None,
        seen_at=NOW,
        published=None,
        signature=sign(old_title, "", old),
        body=sign_body(old),
    )
    judge = partial(judge_near, signature, level=Level.BALANCED, feed=feed, now=now, published=None)
    return judge_body(judge, [candidate], sign_body(text), Level.BALANCED)


FERRY = "Ferry captain praised after night rescue off Skerry Point"
KAYAKS = "Eleven kayakers pulled out of the gale by a morning boat"


def test_a_copy_under_a_title_and_a_lead_of_its_own_is_found_by_its_body():
    found = judged(KAYAKS, f"{prose(20, 70)} {TEXT}", FERRY, f"{prose(21, 70)} {TEXT}")
    assert found.is_duplicate
    assert found.candidate is not None
    assert found.reason == "a copy of the other's body"
    assert found.scores["body_containment"] > 0.7
    assert {"resemblance", "body_resemblance", "body_contained", "body_growth"} <= found.scores.keys()


def test_titles_whose_numbers_conflict_keep_two_editions_apart():
    found = judged(
        "Market report: oil at 85 dollars on Tuesday",
        f"{prose(20, 70)} {TEXT}",
        "Market report: oil at 79 dollars on Monday",
        f"{prose(21, 70)} {TEXT}",
        hours=24,
        feed="a",
    )
    assert not found.is_duplicate
    assert (
        found.reason.startswith(("bodies alike, but", "another edition", "like titles"))
        or "; " in found.reason
    )


@given(st.integers(0, 1000), st.sampled_from(list(Level)))
def test_a_body_never_takes_a_repeat_away(seed, level):
    text = prose(seed)
    found = judged(FERRY, text, FERRY, text)
    assume(found.is_duplicate)
    assert found.scores["body_containment"] == 1


def test_keys_of_a_cut_copy_meet():
    assert len(set(body_keys(body(HALF))) & set(body_keys(body(TEXT)))) >= KEYS // 6


def test_a_pair_of_entries_is_judged_by_its_bodies_too():
    def line(**b: str) -> bytes:
        a = {"title": FERRY, "summary": "", "body": f"{prose(21, 70)} {TEXT}", "published": NOW.isoformat()}
        b = {"title": KAYAKS, "summary": "", "published": NOW.isoformat(), **b}
        return json.dumps({"a": a, "b": b}).encode()

    with_body = judge_pair(read_pair(line(body=f"{prose(20, 70)} {TEXT}")), Level.BALANCED)
    assert with_body.is_duplicate
    assert with_body.candidate
    assert with_body.reason == "a copy of the other's body"
    assert with_body.near.scores["body_containment"] > 0.7
    without = judge_pair(read_pair(line()), Level.BALANCED)
    assert not without.is_duplicate
    assert "body_containment" not in without.near.scores
