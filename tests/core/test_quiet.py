"""Quiet hours by the wall clock, over every kind of change that clocks make."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.config.pacing_settings import parse_quiet
from bot.core.quiet import QuietHours


def hours(zone, *spans):
    return QuietHours(spans=tuple(parse_quiet(span) for span in spans), zone=ZoneInfo(zone))


def wall(zone, text, fold=0):
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC)


CHANGES = [
    ("Europe/Kyiv", "2026-03-29"),
    ("Europe/Kyiv", "2026-10-25"),
    ("Australia/Sydney", "2026-04-05"),
    ("Australia/Sydney", "2026-10-04"),
    ("Australia/Lord_Howe", "2026-04-05"),  # half an hour
    ("Australia/Lord_Howe", "2026-10-04"),
    ("America/Santiago", "2026-09-06"),  # at midnight
    ("America/Los_Angeles", "2026-11-01"),
    ("Pacific/Apia", "2011-12-30"),  # a day that was not
    ("Asia/Kolkata", "2026-04-05"),  # none
]
SPANS = [
    "23:00-07:00",
    "02:15-02:45",
    "01:30-02:00",
    "00:00-24:00",
    "22:00-01:45",
    "Sun 00:00-10:00",
    "Sat 23:30-02:10",
]


@pytest.mark.parametrize(("zone", "day"), CHANGES)
@pytest.mark.parametrize("span", SPANS)
def test_nothing_goes_out_while_the_clock_shows_a_time_within(zone, day, span):
    quiet = hours(zone, span) if span != "00:00-24:00" else hours(zone, "Sun,Fri 00:00-24:00")
    (what,) = quiet.spans
    at = datetime.fromisoformat(day).replace(tzinfo=UTC) - timedelta(hours=18)
    for minute in range(0, 60 * 60, 15):
        now = at + timedelta(minutes=minute)
        shown = now.astimezone(quiet.zone).replace(tzinfo=None)
        within = False
        for back in (0, 1):
            begun = shown.date() - timedelta(days=back)
            midnight = datetime(begun.year, begun.month, begun.day)  # noqa: DTZ001 - what the clock shows
            within |= begun.weekday() in what.days and midnight + what.begins <= shown < midnight + what.ends
        opens = quiet.opens(now)
        assert opens > now if within else True, now
        assert quiet.opens(opens) == opens >= now


def test_an_hour_told_twice_is_quiet_twice_and_so_is_what_lies_between():
    quiet = hours("Europe/Kyiv", "03:15-03:45")  # 03:00-04:00 comes twice on 2026-10-25
    begins = wall("Europe/Kyiv", "2026-10-25T03:15")
    assert (
        quiet.opens(begins)
        == wall("Europe/Kyiv", "2026-10-25T03:45", fold=1)
        == begins + timedelta(minutes=90)
    )
    assert quiet.opens(begins - timedelta(seconds=1)) == begins - timedelta(seconds=1)


def test_a_beginning_or_end_that_the_clock_skips_is_the_moment_of_the_jump():
    jump = wall("Europe/Kyiv", "2026-03-29T04:00")  # 03:00-04:00 is skipped
    assert hours("Europe/Kyiv", "03:30-07:00").opens(jump) == wall("Europe/Kyiv", "2026-03-29T07:00")
    assert hours("Europe/Kyiv", "03:30-07:00").opens(jump - timedelta(seconds=1)) == jump - timedelta(
        seconds=1
    )
    assert hours("Europe/Kyiv", "01:00-03:30").opens(jump - timedelta(hours=1)) == jump
    assert hours("Europe/Kyiv", "03:15-03:45").opens(jump - timedelta(minutes=1)) == jump - timedelta(
        minutes=1
    )


@pytest.mark.parametrize(("day", "length"), [("2026-03-28", 7), ("2026-06-01", 8), ("2026-10-24", 9)])
def test_a_night_is_as_long_as_the_wall_clock_makes_it(day, length):
    begins = wall("Europe/Kyiv", f"{day}T23:00")
    assert hours("Europe/Kyiv", "23:00-07:00").opens(begins) - begins == timedelta(hours=length)


def test_spans_that_touch_are_one():
    quiet = hours("UTC", "23:00-07:00", "Sat,Sun 07:00-10:00")
    saturday = datetime(2026, 12, 5, 1, tzinfo=UTC)
    assert quiet.opens(saturday) == datetime(2026, 12, 5, 10, tzinfo=UTC)
    assert quiet.longest == timedelta(hours=11)
    assert [str(span) for span in quiet.spans] == ["23:00-07:00", "Sat,Sun 07:00-10:00"]
    assert hours("UTC", "Fri-Mon 00:00-24:00").longest == timedelta(days=4)


def test_open_time_leaves_quiet_out():
    quiet = hours("UTC", "23:00-07:00")
    evening = datetime(2026, 12, 3, 22, tzinfo=UTC)
    day = timedelta(days=1)
    assert quiet.open_time(evening, evening + timedelta(hours=10), day) == timedelta(hours=2)
    assert quiet.open_time(evening, evening + 3000 * day, day) == day
    assert quiet.open_time(evening + timedelta(hours=2), evening + timedelta(hours=3), day) == timedelta(0)
    assert QuietHours().open_time(evening, evening + timedelta(hours=3), day) == timedelta(hours=3)


def test_what_is_quiet_for_ever_ends_all_the_same():
    quiet = hours("UTC", "00:00-12:00", "12:00-24:00")
    assert quiet.is_always
    now = datetime(2026, 12, 3, tzinfo=UTC)
    assert quiet.opens(now) > now + timedelta(days=14)


def test_zones_are_known_where_the_system_has_none():
    code = "from bot.config.pacing_settings import parse_zone; print(parse_zone('Europe/Kyiv').key)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONTZPATH": ""}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "Europe/Kyiv\n"
