"""What a feed asks of its readers: how long to wait, and when not to come. feedparser keeps the last hour only."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from bot.core.politeness import DAYS, HOURS, Pace

HEAD: Final = 64 * 1024
"""Characters in which a channel says such things, before its items; of RSS 1.0, too."""

_ITEM: Final = re.compile(r"<(?:[\w-]+:)?(?:item|entry)[\s>/]", re.IGNORECASE)
_TTL: Final = re.compile(r"<ttl>\s*([0-9]{1,7})\s*</ttl>", re.IGNORECASE)
_PERIOD: Final = re.compile(r"<sy:updatePeriod[^<>]*>\s*(\w{1,12})\s*</sy:updatePeriod", re.IGNORECASE)
_FREQUENCY: Final = re.compile(
    r"<sy:updateFrequency[^<>]*>\s*([0-9]{1,6})\s*</sy:updateFrequency", re.IGNORECASE
)
_SKIP_HOURS: Final = re.compile(r"<skipHours>(.{0,4096}?)</skipHours>", re.IGNORECASE | re.DOTALL)
_SKIP_DAYS: Final = re.compile(r"<skipDays>(.{0,4096}?)</skipDays>", re.IGNORECASE | re.DOTALL)
_HOUR: Final = re.compile(r"<hour>\s*([0-9]{1,2})\s*</hour>", re.IGNORECASE)
_DAY: Final = re.compile(r"<day>\s*(\w{6,9})\s*</day>", re.IGNORECASE)

_PERIODS: Final = {
    # The syndication module of RSS 1.0
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}
_WEEK: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def read_pace(text: str) -> Pace:
    """Read the head of the feed `text`. What cannot be read was not said; skipping all hours or days means nothing."""
    head = text[:HEAD]
    item = _ITEM.search(head)
    head = head[: item.start()] if item else head
    ttl = _TTL.search(head)
    waits = [timedelta(minutes=int(ttl[1]))] if ttl else []
    period = _PERIOD.search(head)
    if period and period[1].lower() in _PERIODS:
        frequency = _FREQUENCY.search(head)
        waits.append(_PERIODS[period[1].lower()] / max(int(frequency[1]) if frequency else 1, 1))
    hours = {int(hour) % HOURS for hour in _all(_SKIP_HOURS, _HOUR, head)}  # some count to 24
    days = {_WEEK.index(day) for name in _all(_SKIP_DAYS, _DAY, head) if (day := name.lower()) in _WEEK}
    return Pace(
        wait=max(waits, default=None) or None,
        skip_hours=frozenset(hours) if len(hours) < HOURS else frozenset(),
        skip_days=frozenset(days) if len(days) < DAYS else frozenset(),
    )


def _all(where: re.Pattern[str], what: re.Pattern[str], head: str) -> list[str]:
    found = where.search(head)
    return what.findall(found[1]) if found else []
