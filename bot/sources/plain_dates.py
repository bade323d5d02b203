"""The two forms in which nearly all feeds write a time, as feedparser reads them; what is written otherwise is left to it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

Time = tuple[int, int, int, int, int, int]
"""Year, month, day, hour, minute, second in UTC: the beginning of a `struct_time`."""

_W3C: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,9})?)?(?:Z|([+-])([0-9]{2}):([0-9]{2}))?)?",
    re.IGNORECASE,
)
_MAIL: Final = re.compile(
    r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},?\s+)?([0-9]{1,2})\s+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
    r"\s+([0-9]{4})\s+([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?\s+(?:([+-])([0-9]{2}):?([0-9]{2})|([a-z]{1,3}))",
    re.IGNORECASE | re.ASCII,
)
_MONTHS: Final = {
    name: at for at, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}
_ZONES: Final = {
    # RFC 822, 5.1; and UTC.
    "ut": 0, "utc": 0, "gmt": 0, "z": 0,
    "edt": -4, "est": -5, "cdt": -5, "cst": -6, "mdt": -6, "mst": -7, "pdt": -7, "pst": -8,
}  # fmt: skip


def plain_time(text: str) -> Time | None:
    """Return the time that `text` is, None when it is in none of the two forms, or no time at all."""
    found = _MAIL.fullmatch(text)
    if found:
        day, name, year, hour, minute, second, sign, hours, minutes, zone = found.groups()
        if zone and zone.lower() not in _ZONES:
            return None
        month, east = str(_MONTHS[name.lower()]), _ZONES[zone.lower()] if zone else 0
    else:
        found = _W3C.fullmatch(text)
        if not found:
            return None
        year, month, day, hour, minute, second, sign, hours, minutes = found.groups()
        east = 0
    try:
        local = datetime(  # noqa: DTZ001 - what is said, before its distance from UTC is taken off
            int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0)
        )
        if sign:
            ahead = timedelta(hours=int(hours), minutes=int(minutes))
            local = local - ahead if sign == "+" else local + ahead
        elif east:
            local -= timedelta(hours=east)
    except (ValueError, OverflowError):
        return None
    return local.year, local.month, local.day, local.hour, local.minute, local.second
