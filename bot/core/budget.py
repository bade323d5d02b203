"""What may be spent: decisions on micro-dollars, UTC days and UTC months.

X charges a resource once a UTC day and says nothing of when its billing cycle begins, so a day is a UTC day
here and a month is a calendar month in UTC. Money is a whole number of micro-dollars, never a float: sums are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from bot.core.prices import MICROS

DAY: Final = timedelta(days=1)

MONTH_DAYS: Final = 30
"""Days of "a month" where no calendar month is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the owner allows, in micro-dollars, > 0; None: no limit."""

    daily: int | None
    monthly: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the present UTC day and month have cost, in micro-dollars, with what is set aside and what may be lost."""

    day: int
    month: int


def day_of(time: datetime) -> str:
    """Return the UTC day of `time` as "2026-12-31"; days sort by time."""
    return time.astimezone(UTC).date().isoformat()


def month_of(time: datetime) -> str:
    """Return the UTC month of `time` as "2026-12"; months sort by time."""
    return day_of(time)[:7]


def start_of_day(time: datetime) -> datetime:
    """Return when the UTC day of `time` began."""
    return time.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def end_of_day(time: datetime) -> datetime:
    """Return when the UTC day of `time` ends."""
    return start_of_day(time) + DAY


def start_of_month(time: datetime) -> datetime:
    """Return when the UTC month of `time` began."""
    return start_of_day(time).replace(day=1)


def end_of_month(time: datetime) -> datetime:
    """Return when the UTC month of `time` ends."""
    return (start_of_month(time) + 32 * DAY).replace(day=1)


def room_at(price: int, spent: Spent, limits: Limits, now: datetime) -> datetime:
    """Return when `price` fits into the limits: `now`, or when the limit that stands against it ends.

    A limit is never passed: what does not fit whole waits. A price above a whole limit waits for ever; whoever
    reads the configuration warns of that.
    """
    if limits.monthly is not None and spent.month + price > limits.monthly:
        return end_of_month(now)
    if limits.daily is not None and spent.day + price > limits.daily:
        return end_of_day(now)
    return now


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The days that a rate is taken from: from `since` to before `until`, which are `days`, > 0."""

    since: datetime
    until: datetime
    days: float

    @property
    def last_day_ends(self) -> datetime:
        """When its last UTC day ends, for what is kept by days."""
        return end_of_day(self.until - timedelta(microseconds=1))


RATE_DAYS: Final = 7
"""Whole days behind a rate: a week has every day of the week once."""

LEAST_RECORD: Final = timedelta(hours=6)
"""A shorter record says nothing of a day: feeds sleep at night and wake in a burst."""


def rate_window(began: datetime | None, now: datetime) -> Window | None:
    """Return what the present rate is to be taken from, None where too little is recorded to say anything.

    Up to seven whole UTC days before today; where no whole day is recorded, all that there is.

    Args:
        began: when the record begins, None when there is none.
        now: the time.
    """
    if began is None or now - began < LEAST_RECORD:
        return None
    today = start_of_day(now)
    first_whole = began if began == start_of_day(began) else end_of_day(began)
    since = max(first_whole, today - RATE_DAYS * DAY)
    if since < today:
        return Window(since=since, until=today, days=(today - since) / DAY)
    return Window(since=began, until=now, days=(now - began) / DAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a UTC month will have cost, in micro-dollars.

    Attributes:
        rate: a day at the present rate, as if there were no limits.
        unlimited: the month at that rate.
        limited: the same within the limits.
    """

    rate: int
    unlimited: int
    limited: int


def forecast(recent: int, days: float, spent: Spent, limits: Limits, now: datetime) -> Forecast:
    """Say what the month of `now` will have cost when it goes on as it did lately.

    Args:
        recent: micro-dollars spent lately.
        days: how many days that took, > 0.
        spent: so far.
        limits: the owner's.
        now: the time.
    """
    rate = Decimal(recent) / Decimal(days)
    rest_of_day = Decimal((end_of_day(now) - now) / DAY)
    days_left = (end_of_month(now) - end_of_day(now)) // DAY
    unlimited = spent.month + rate * (rest_of_day + days_left)
    today, a_day = rate * rest_of_day, rate
    if limits.daily is not None:
        today = min(today, max(Decimal(limits.daily - spent.day), Decimal(0)))
        a_day = min(a_day, Decimal(limits.daily))
    limited = spent.month + today + a_day * days_left
    if limits.monthly is not None:
        limited = max(min(limited, Decimal(limits.monthly)), Decimal(spent.month))
    return Forecast(rate=round(rate), unlimited=round(unlimited), limited=round(limited))


def in_dollars(micros: int) -> str:
    """Say micro-dollars as people write them: $0.20, $0.015, $1,234.50; cents at least, and no digit is lost."""
    sign = "-" if micros < 0 else ""
    whole, rest = divmod(abs(micros), MICROS)
    digits = f"{rest:06d}".rstrip("0").ljust(2, "0")
    return f"{sign}${whole:,}.{digits}"


def as_decimal(micros: int) -> str:
    """Return micro-dollars as a decimal number of dollars for programs: "0.20", "0.015"."""
    return in_dollars(micros).replace("$", "").replace(",", "")
