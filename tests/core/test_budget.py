from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.budget import (
    DAY,
    Limits,
    Spent,
    as_decimal,
    day_of,
    end_of_day,
    end_of_month,
    forecast,
    in_dollars,
    month_of,
    rate_window,
    room_at,
    start_of_day,
    start_of_month,
)

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
DOLLAR = 1_000_000
NONE = Limits(daily=None, monthly=None)


def test_days_and_months_are_those_of_utc_wherever_the_time_was_written():
    kyiv = datetime(2026, 12, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    assert (day_of(kyiv), month_of(kyiv)) == ("2026-11-30", "2026-11")
    assert end_of_day(kyiv) == end_of_month(kyiv) == MIDNIGHT
    assert start_of_month(MIDNIGHT) == MIDNIGHT
    assert end_of_month(MIDNIGHT) == datetime(2027, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("spent", "limits", "at"),
    [
        (Spent(day=800_000, month=800_000), Limits(daily=DOLLAR, monthly=None), NOON),
        (Spent(day=800_001, month=800_001), Limits(daily=DOLLAR, monthly=None), MIDNIGHT),
        (Spent(day=0, month=900_000), Limits(daily=None, monthly=DOLLAR), MIDNIGHT),
        (Spent(day=DOLLAR, month=DOLLAR), NONE, NOON),
    ],
)
def test_what_does_not_fit_whole_waits_for_the_end_of_the_limit_that_stands_against_it(spent, limits, at):
    assert room_at(200_000, spent, limits, NOON) == at


def test_a_full_month_outlasts_a_full_day():
    first = datetime(2026, 11, 3, 9, tzinfo=UTC)
    full = Spent(day=DOLLAR, month=DOLLAR)
    assert room_at(1, full, Limits(daily=DOLLAR, monthly=DOLLAR), first) == MIDNIGHT
    assert room_at(1, full, Limits(daily=DOLLAR, monthly=2 * DOLLAR), first) == datetime(
        2026, 11, 4, tzinfo=UTC
    )


@given(
    prices=st.lists(st.integers(1, DOLLAR), max_size=40),
    daily=st.integers(1, 2 * DOLLAR) | st.none(),
    monthly=st.integers(1, 5 * DOLLAR) | st.none(),
)
def test_whatever_is_asked_for_no_limit_is_passed_and_nothing_waits_that_would_fit(prices, daily, monthly):
    limits = Limits(daily=daily, monthly=monthly)
    now, spent = datetime(2026, 11, 1, tzinfo=UTC), Spent(day=0, month=0)
    for price in prices:
        fits = (daily is None or spent.day + price <= daily) and (
            monthly is None or spent.month + price <= monthly
        )
        at = room_at(price, spent, limits, now)
        assert (at == now) == fits
        if fits:
            spent = Spent(day=spent.day + price, month=spent.month + price)
        else:
            spent = Spent(day=0, month=spent.month if month_of(at) == month_of(now) else 0)
            now = at
    assert daily is None or spent.day <= daily
    assert monthly is None or spent.month <= monthly


def test_the_forecast_goes_on_at_the_present_rate_and_stops_at_the_limits():
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)  # ten days and a half are left
    spent = Spent(day=500_000, month=5 * DOLLAR)
    free = forecast(14 * DOLLAR, 7, spent, NONE, noon)
    assert (free.rate, free.unlimited, free.limited) == (2 * DOLLAR, 26 * DOLLAR, 26 * DOLLAR)
    by_day = forecast(14 * DOLLAR, 7, spent, Limits(daily=DOLLAR, monthly=None), noon)
    assert (by_day.unlimited, by_day.limited) == (26 * DOLLAR, 15_500_000)
    by_month = forecast(14 * DOLLAR, 7, spent, Limits(daily=DOLLAR, monthly=8 * DOLLAR), noon)
    assert by_month.limited == 8 * DOLLAR
    passed = forecast(14 * DOLLAR, 7, spent, Limits(daily=None, monthly=DOLLAR), noon)
    assert passed.limited == 5 * DOLLAR, "what is spent is spent"


@pytest.mark.parametrize(
    ("hours", "days", "ends"),
    [
        (5, None, None),
        (6, 0.25, NOON),
        (35, 35 / 24, NOON),  # since 01:00 yesterday: no day is whole
        (37, 1, MIDNIGHT - DAY),
        (36, 1, MIDNIGHT - DAY),  # since midnight
        (60, 2, MIDNIGHT - DAY),
        (24 * 40, 7, MIDNIGHT - DAY),
    ],
)
def test_a_rate_is_taken_from_whole_days_where_there_are_any(hours, days, ends):
    window = rate_window(NOON - timedelta(hours=hours), NOON)
    assert (window and window.days, window and window.until) == (days, ends)
    if window:
        assert window.until - window.since == window.days * DAY
        assert ends == NOON or window.since == start_of_day(window.since)


def test_without_a_record_there_is_no_rate():
    assert rate_window(None, NOON) is None
    assert rate_window(NOON + DAY, NOON) is None, "the clock was set back"


@pytest.mark.parametrize(
    ("micros", "words"),
    [
        (0, "$0.00"),
        (200_000, "$0.20"),
        (15_000, "$0.015"),
        (1, "$0.000001"),
        (1_234_500_000, "$1,234.50"),
        (-15_000, "-$0.015"),
    ],
)
def test_money_is_said_in_cents_at_least_and_loses_no_digit(micros, words):
    assert in_dollars(micros) == words
    assert Decimal(as_decimal(micros)) * DOLLAR == micros


def test_a_day_has_24_hours():
    assert end_of_day(NOON) - DAY == datetime(2026, 11, 30, tzinfo=UTC)
