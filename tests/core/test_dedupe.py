"""The judgement: which pairs are one item, at which level, and what is said about it."""

from __future__ import annotations

import time
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.core.dedupe import GREY, SHIPPED, Candidate, Level, judge_near
from bot.core.signature import candidate_keys, decode, encode, sign

PLACE = Path(__file__).parent.parent / "data" / "neardup"
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
PAIRS = [
    pytest.param(pair, id=f"{name}: {pair['name']}")
    for name in ("repeats", "different")
    for pair in tomllib.loads((PLACE / f"{name}.toml").read_text(encoding="utf-8"))["pair"]
]


def candidate(text, *, hours, entry_id=1, lead_id=None):
    at = NOW - timedelta(hours=hours)
    signature = sign(text["title"], text["summary"], feed_title=text["feed"])
    return Candidate(
        entry_id=entry_id,
        lead_id=lead_id or entry_id,
        feed=text["feed"],
        title=text["title"],
        link=None,
        seen_at=at,
        published=at,
        signature=decode(encode(signature)),
    )


def judge(text, candidates, level=Level.BALANCED):
    signature = sign(text["title"], text["summary"], feed_title=text["feed"])
    return judge_near(signature, candidates, level=level, feed=text["feed"], now=NOW, published=NOW)


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("pair", PAIRS)
def test_pairs(pair, level):
    old = candidate(pair["a"], hours=pair["hours"])
    verdict = judge(pair["b"], [old], level)
    assert verdict.is_duplicate == (level in pair["levels"]), (verdict.reason, verdict.scores)
    assert verdict.candidate is old
    if verdict.is_duplicate:
        new = sign(pair["b"]["title"], pair["b"]["summary"], feed_title=pair["b"]["feed"])
        assert set(candidate_keys(new)) & set(candidate_keys(old.signature))


FERRY = {
    "feed": "Gazette",
    "title": "Ferry captain praised after night rescue off Skerry Point",
    "summary": "He turned back in a gale to pick up eleven kayakers near the lighthouse.",
}


def test_nothing_to_compare_with():
    verdict = judge(FERRY, [])
    assert not verdict.is_duplicate
    assert verdict.candidate is None


def test_a_text_without_words_repeats_nothing():
    blank = {"feed": "Gazette", "title": "…", "summary": ""}
    assert not judge(blank, [candidate(blank, hours=1)]).is_duplicate


def test_the_match_with_the_highest_resemblance_wins():
    near = FERRY | {"title": "Ferry captain honoured after night rescue off Skerry Point"}
    verdict = judge(FERRY, [candidate(near, hours=2), candidate(FERRY, hours=2, entry_id=2)])
    assert verdict.candidate.entry_id == 2


def test_the_words_are_told():
    verdict = judge(
        FERRY | {"title": "Ferry captain hailed after night rescue off Skerry Point"},
        [candidate(FERRY, hours=2)],
    )
    assert verdict.is_duplicate
    assert verdict.only_new == ("hailed",)
    assert verdict.only_old == ("praised",)
    assert {"Ferry", "captain", "lighthouse"} <= set(verdict.shared)


def test_a_copy_counts_only_for_edits_of_itself():
    looser = {"feed": "Other", "title": "Kayakers rescued off Skerry Point by ferry captain", "summary": ""}
    assert judge(looser, [candidate(FERRY, hours=1)]).is_duplicate
    assert not judge(looser, [candidate(FERRY, hours=1, entry_id=2, lead_id=1)]).is_duplicate
    assert judge(FERRY | {"feed": "Other"}, [candidate(FERRY, hours=1, entry_id=2, lead_id=1)]).is_duplicate


def test_a_summary_that_the_feed_repeats_is_no_evidence():
    line = "Subscribe to the channel of the northern shows and watch all the programmes of the week in one place."
    shows = ["TV Lantern Bellport", "TV Lantern Marsh End", "TV Lantern Upper Dale", "TV Lantern Cray"]
    texts = [{"feed": "tv", "title": f"{show} - April 27", "summary": line} for show in shows]
    verdict = judge(
        texts[0], [candidate(text, hours=2, entry_id=at + 1) for at, text in enumerate(texts[1:])]
    )
    assert not verdict.is_duplicate


def test_judging_is_quick():
    others = [
        candidate(FERRY | {"title": f"{FERRY['title']} again {at}"}, hours=at, entry_id=at + 1)
        for at in range(24)
    ]
    judge(FERRY, others)
    signature = sign(FERRY["title"], FERRY["summary"])
    started = time.process_time()
    for _ in range(50):
        judge_near(signature, others, level=Level.BALANCED, feed="x", now=NOW, published=NOW)
    assert (time.process_time() - started) / 50 < 0.005  # half a millisecond on a quiet machine


@pytest.mark.parametrize(
    ("beyond", "is_duplicate", "unsure"),
    [(0.4, True, True), (-0.4, False, True), (0.6, True, False), (-0.6, False, False)],
)
def test_the_table_is_unsure_near_its_threshold_whatever_that_is(beyond, is_duplicate, unsure):
    old = candidate({"feed": "Other", "title": "Kayakers rescued off Skerry Point", "summary": ""}, hours=1)
    table = SHIPPED.levels[Level.BALANCED]
    moved = table._replace(threshold=judge(FERRY, [old]).points - beyond)
    tables = SHIPPED._replace(levels={**SHIPPED.levels, Level.BALANCED: moved})
    signature = sign(FERRY["title"], FERRY["summary"], feed_title=FERRY["feed"])
    found = judge_near(
        signature, [old], level=Level.BALANCED, feed="Gazette", now=NOW, published=NOW, tables=tables
    )
    assert (found.is_duplicate, found.unsure) == (is_duplicate, unsure)
    assert abs(beyond) != GREY


def test_equal_texts_and_what_a_guard_keeps_apart_leave_no_doubt():
    assert not judge(FERRY, [candidate(FERRY, hours=1)]).unsure
    rates = [
        {"feed": "Gazette", "title": f"Exchange rates of 2 March: dollar {n}, euro {n + 9}", "summary": ""}
        for n in (71, 75)
    ]
    found = judge(rates[0], [candidate(rates[1], hours=1)])
    assert "table" in found.reason or not found.unsure
