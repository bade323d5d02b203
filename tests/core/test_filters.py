from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.filters import NO_PATTERNS, Patterns, Take, TakeKind, reject
from bot.core.model import Entry, Reason

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ENTRY = Entry(
    feed="a",
    link="https://a.example/sport/1",
    title="Ferry is back",
    summary="After three weeks",
    categories=("Travel", "Sea"),
    published=NOW - timedelta(hours=1),
)


def patterns(**fields: str) -> Patterns:
    return Patterns(**{field: (re.compile(p, re.IGNORECASE),) for field, p in fields.items()})


def verdict(entry: Entry = ENTRY, *, include=NO_PATTERNS, exclude=NO_PATTERNS, floor=None):
    return reject(entry, include=include, exclude=exclude, max_age=timedelta(days=3), floor=floor, now=NOW)


def test_nothing_stands_against_a_plain_entry():
    assert verdict() is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"title": "", "summary": ""}, Reason.EMPTY),
        ({"link": None}, Reason.NO_LINK),
        ({"published": NOW - timedelta(days=3, seconds=1)}, Reason.TOO_OLD),
    ],
)
def test_what_is_rejected(change, reason):
    found = verdict(replace(ENTRY, **change))
    assert found is not None
    assert found.reason is reason
    assert found.detail


@pytest.mark.parametrize(
    "change",
    [
        {"title": ""},
        {"summary": ""},
        {"link": None, "orig_link": "https://a.example/1"},
        {"published": None},
        {"published": NOW - timedelta(days=3)},
        {"published": NOW + timedelta(days=400)},
    ],
)
def test_what_is_wanted(change):
    assert verdict(replace(ENTRY, **change)) is None


def test_an_undated_entry_is_never_too_old_and_a_bumped_one_counts_by_its_published_date():
    assert verdict(replace(ENTRY, published=None, updated=NOW - timedelta(days=900))) is None
    assert verdict(replace(ENTRY, published=NOW - timedelta(days=900), updated=NOW)).reason is Reason.TOO_OLD


def test_what_slid_into_the_window_from_below_is_too_old():
    floor = NOW - timedelta(hours=2)
    assert verdict(floor=floor) is None
    assert (
        verdict(replace(ENTRY, published=floor - timedelta(seconds=1)), floor=floor).reason is Reason.TOO_OLD
    )


@pytest.mark.parametrize(
    "field", [{"title": "FERRY"}, {"summary": "three"}, {"category": "^sea$"}, {"link": "/sport/"}]
)
def test_filters_look_at_every_field(field):
    assert verdict(exclude=patterns(**field)).reason is Reason.FILTERED
    assert verdict(include=patterns(**field)) is None
    assert verdict(
        replace(ENTRY, title="x", summary="y", categories=(), link="https://b.example/"),
        include=patterns(**field),
    ).reason is (Reason.FILTERED)


def test_one_include_is_enough_and_one_exclude_is_too_much():
    assert verdict(include=patterns(title="nothing", category="travel")) is None
    assert verdict(include=patterns(title="ferry"), exclude=patterns(link="sport")).reason is Reason.FILTERED


@pytest.mark.parametrize(
    ("take", "there", "taken"),
    [
        (Take(kind=TakeKind.NONE), 5, 0),
        (Take(kind=TakeKind.ALL), 5, 5),
        (Take(kind=TakeKind.NEWEST, count=3), 5, 3),
        (Take(kind=TakeKind.NEWEST, count=9), 5, 5),
    ],
)
def test_take(take, there, taken):
    assert take.limit(there) == taken
