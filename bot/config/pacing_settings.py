"""The settings of the pace of posts: how its quiet hours, its zone and its order are written."""

from __future__ import annotations

import difflib
import re
from datetime import UTC, timedelta, tzinfo
from typing import Annotated, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, Field, StrictInt

from bot.config.durations import spell_duration
from bot.config.faults import Unfit, shown_text
from bot.config.fields import Section, allowed_span, read_by, span
from bot.core.pacing import Order
from bot.core.quiet import DAYS, EVERY_DAY, QuietHours, QuietSpan

POSTS_PER_HOUR_MAX: Final = 400
"""X takes 100 posts from a user in 15 minutes (docs.x.com, rate limits)."""

POSTS_PER_DAY_MAX: Final = 2400
"""What X allows an account in a day (its page on limits), whoever posts."""

QUIET_MAX: Final = 14
"""Spans: two for each day of the week."""

_SPAN: Final = re.compile(
    r"(?:(?P<days>\S+) +)?(?P<h1>\d{1,2}):(?P<m1>\d{2}) ?- ?(?P<h2>\d{1,2}):(?P<m2>\d{2})"
)
_DAY: Final = timedelta(days=1)


def parse_quiet(text: str) -> QuietSpan:
    """Return the span that "23:00-07:00" or "Sat,Sun 00:00-10:00" names, days as "Sat,Sun" or "Mon-Fri". Raises Unfit."""
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise Unfit
    begins, ends = (_time(found[h], found[m]) for h, m in (("h1", "m1"), ("h2", "m2")))
    if begins == _DAY:
        raise Unfit("a span begins before 24:00; midnight is 00:00")
    if begins == ends:
        raise Unfit('for a whole day write "00:00-24:00"')
    days = _days(found["days"]) if found["days"] else EVERY_DAY
    return QuietSpan(begins=begins, ends=ends if ends > begins else ends + _DAY, days=days)


def _time(hours: str, minutes: str) -> timedelta:
    at = timedelta(hours=int(hours), minutes=int(minutes))
    if at > _DAY or int(minutes) > 59:  # noqa: PLR2004 - minutes of an hour
        raise Unfit("times go from 00:00 to 24:00")
    return at


def _days(text: str) -> frozenset[int]:
    names = [day.casefold() for day in DAYS]
    found: set[int] = set()
    for part in text.casefold().split(","):
        first, dash, last = part.partition("-")
        if first not in names or (dash and last not in names):
            raise Unfit(f"days are {', '.join(DAYS)}, such as Sat,Sun or Mon-Fri")
        place = names.index(first)
        found.add(place)
        while dash and names[place] != last:
            place = (place + 1) % len(names)
            found.add(place)
    return frozenset(found)


def leaves_time(spans: tuple[QuietSpan, ...]) -> tuple[QuietSpan, ...]:
    """Return `spans` where a week has a moment outside them. Raises Unfit otherwise."""
    if QuietHours(spans=spans).is_always:
        raise Unfit("the whole week is quiet: nothing would ever be posted")
    return spans


def parse_zone(text: str) -> tzinfo:
    """Return the zone of that name in the tz database. Raises Unfit, with a name like it where there is one."""
    if text == "UTC":
        return UTC
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    known = {name.casefold(): name for name in available_timezones()}
    cities = {name.rpartition("/")[2]: name for name in sorted(known)}
    near = difflib.get_close_matches(text.casefold(), known, 1) or [
        cities[city] for city in difflib.get_close_matches(text.casefold().rpartition("/")[2], cities, 1)
    ]
    raise Unfit(f"did you mean {shown_text(known[near[0]])}?" if near else "names are as Europe/Kyiv")


def spell_zone(zone: tzinfo) -> str:
    """Return a zone's name, as the configuration writes it."""
    return str(getattr(zone, "key", zone))


def read_order(text: str) -> Order:
    """Return the order that a word names. Raises Unfit for any other word."""
    try:
        return Order(text)
    except ValueError:
        raise Unfit from None


class Pacing(Section):
    """How fast posts go out; what is over waits, until it is older than its feed's `max_age`."""

    min_gap: Annotated[timedelta, span("0s", "1d")] = Field(
        default=timedelta(minutes=5), description=allowed_span("0s", "1d", "5m")
    )
    posts_per_hour: StrictInt = Field(
        default=12, ge=1, le=POSTS_PER_HOUR_MAX, description=f"a whole number from 1 to {POSTS_PER_HOUR_MAX}"
    )
    posts_per_day: StrictInt = Field(
        default=50, ge=1, le=POSTS_PER_DAY_MAX, description=f"a whole number from 1 to {POSTS_PER_DAY_MAX}"
    )
    spread: Annotated[timedelta, span("0s", "1d")] = Field(
        default=timedelta(0), description=allowed_span("0s", "1d", "1h")
    )
    order: Annotated[Order, read_by(read_order)] = Field(
        default=Order.OLDEST, description='"oldest" or "newest"'
    )
    quiet: Annotated[
        tuple[Annotated[QuietSpan, read_by(parse_quiet, QuietSpan)], ...], AfterValidator(leaves_time)
    ] = Field(
        default=(),
        max_length=QUIET_MAX,
        description=f'a list of at most {QUIET_MAX} spans of the day, such as ["23:00-07:00", "Sat,Sun 07:00-10:00"]',
    )
    zone: Annotated[tzinfo, read_by(parse_zone, tzinfo)] = Field(
        default=UTC, description='a name of the tz database, such as "Europe/Kyiv"'
    )

    @property
    def quiet_hours(self) -> QuietHours:
        """The same, as the core takes it."""
        return QuietHours(spans=self.quiet, zone=self.zone)

    def spelled(self) -> dict[str, object]:
        """Return the settings as the configuration writes them."""
        return {
            "min_gap": spell_duration(self.min_gap),
            "posts_per_hour": self.posts_per_hour,
            "posts_per_day": self.posts_per_day,
            "spread": spell_duration(self.spread),
            "order": str(self.order),
            "quiet": [str(span) for span in self.quiet],
            "zone": spell_zone(self.zone),
        }
