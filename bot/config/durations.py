"""Spans of time as people write them: "90s", "15m", "1h30m", "3d", "2w"."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

_UNITS: Final = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_DIGITS: Final = 7
"""More digits to a unit are no span that anybody waits; 9,999,999 weeks still fit a timedelta."""

_PATTERN: Final = re.compile(r"\s*".join(rf"(?:([0-9]+){unit})?" for unit in _UNITS))


def parse_duration(text: str) -> timedelta:
    """Return the span that `text` says, in whole seconds, >= 0.

    Numbers with the units w, d, h, m, s, the larger first, each at most once. A number without a unit is
    refused: nobody knows whether "30" means seconds or minutes.

    Raises:
        ValueError: `text` says no span; the message is what to do.
    """
    found = _PATTERN.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        if text.strip().isdecimal():
            raise ValueError(
                f'add the unit, such as "{text.strip()[:_DIGITS]}s" or "{text.strip()[:_DIGITS]}m"'
            )
        raise ValueError('write numbers with the units w, d, h, m, s, the larger first, such as "1h30m"')
    if any(len(number or "") > _DIGITS for number in found.groups()):
        raise ValueError(f"a number has at most {_DIGITS} digits")
    seconds = sum(int(n) * size for n, size in zip(found.groups(), _UNITS.values(), strict=True) if n)
    return timedelta(seconds=seconds)


def spell_duration(span: timedelta) -> str:
    """Return `span` (>= 0) as `parse_duration` reads it, in days at most: "365d", "1h30m", "0s"."""
    left = int(span.total_seconds())
    parts: list[str] = []
    for unit, size in _UNITS.items():
        if unit == "w":  # "365d" is read at a glance, "52w1d" is not
            continue
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
