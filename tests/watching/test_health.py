"""What a person should look at, by facts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.watching import Facts, faults_of, troubles_of
from bot.watching.facts import FeedFacts

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
GOOD = FeedFacts(last_good_at=NOW - HOUR, next_poll_at=NOW + HOUR, last_body_at=NOW - HOUR, new_per_day=20.0)
WELL = Facts(
    at=NOW,
    feeds={"Gazette": GOOD},
    entries={},
    posts={},
    oldest={},
    pauses={},
    limits={},
    held={},
    unsure={},
    undecided={},
    backed_up_at=NOW - DAY,
    installed_at=NOW - 90 * DAY,
    spent_day=0,
    spent_month=0,
    database_bytes=10_000_000,
    wal_bytes=0,
    free_bytes=10**10,
)


def troubles(silent=(), every=DAY, **changed):
    return troubles_of(replace(WELL, **changed), silent, every)


def feed(**changed):
    return {"feeds": {"Gazette": replace(GOOD, **changed), "Herald": GOOD}}


def test_all_is_well():
    assert troubles() == []


@pytest.mark.parametrize(
    ("changed", "key", "is_fault", "says"),
    [
        ({"silent": ["lane x"]}, "worker lane x", True, "no sign of life"),
        ({"pauses": {"x": "401: the keys are refused"}}, "posting x", True, "the keys are refused"),
        ({"unsure": {"x": NOW - HOUR}}, "unsure x", True, "may have gone out"),
        ({"undecided": {"x": 2}}, "undecided x", False, "2 posts to x may or may not"),
        ({"limits": {"x": NOW + HOUR}}, "budget x", False, "wait until 2026-12-01 13:00 UTC"),
        ({"held": {"Gazette": 1}}, "held Gazette", False, "1 entry of Gazette is held"),
        ({"free_bytes": 50_000_000}, "room", True, "50 MB left"),
        ({"free_bytes": 9 * 10**8, "database_bytes": 10**9}, "room", True, "900 MB left"),
        ({"backed_up_at": NOW - 3 * DAY}, "backups", True, "the newest is of 2026-11-28"),
        ({"backed_up_at": None}, "backups", True, "none was ever made"),
        (feed(next_poll_at=NOW - 2 * HOUR), "polling", True, "were not asked"),
        (feed(failures=9, last_good_at=NOW - 2 * DAY, fault="404"), "feed Gazette", False, "404"),
        (feed(failures=9, last_good_at=None, fault="404"), "feed Gazette", False, "could not be read ever"),
        (feed(gone_at=NOW - DAY), "feed Gazette", False, "gone for good"),
        (feed(last_body_at=NOW - 8 * DAY), "feed Gazette", False, "nothing new since 2026-11-23"),
        ({"feeds": {"Gazette": replace(GOOD, failures=1)}}, "reading", True, "no feed can be read"),
    ],
)
def test_each_trouble_is_named(changed, key, is_fault, says):
    (found,) = troubles(**changed)
    assert (found.key, found.is_fault) == (key, is_fault)
    assert says in found.text
    assert faults_of([found]) == ([found.text] if is_fault else [])


@pytest.mark.parametrize(
    "changed",
    [
        {"unsure": {"x": NOW - timedelta(minutes=10)}},
        {"backed_up_at": NOW - 2 * DAY},
        {"backed_up_at": None, "installed_at": NOW - DAY},
        {"backed_up_at": None, "every": None},
        {"free_bytes": 9 * 10**8, "database_bytes": 10**9, "every": None},
        feed(failures=9, last_good_at=NOW - HOUR, fault="503"),
        feed(last_body_at=NOW - 6 * DAY),
        feed(last_body_at=NOW - 30 * DAY, new_per_day=0.2),
        feed(last_body_at=NOW - 300 * DAY, new_per_day=None),
        feed(gone_at=NOW, next_poll_at=NOW - 5 * DAY) | {"feeds": {}},
    ],
)
def test_what_is_no_trouble_yet(changed):
    assert troubles(**changed) == []
