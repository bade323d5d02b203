"""Keys of records in an AT Protocol repository: TIDs, which are moments written so that they sort as text.

Source: the TID section of the AT Protocol's record key specification: 64 bits, the highest 0, then 53 bits of
microseconds since 1970 and 10 bits that tell writers apart, as 13 characters of a base-32 alphabet in sorting order.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

_ALPHABET: Final = "234567abcdefghijklmnopqrstuvwxyz"
_LENGTH: Final = 13
_MOST: Final = (1 << 53) - 1
_WRITERS: Final = 1 << 10
_TID: Final = re.compile(r"[234567abcdefghij][234567a-z]{12}")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)


def record_key(moment: datetime, writer: int, *, after: str | None = None) -> str:
    """Return the key of a record that is made at `moment`, later in the order than the key `after`.

    Args:
        moment: aware; 1970 to 2255.
        writer: any whole number; two writers at one moment have different keys where it differs modulo 1024.
        after: a key, None or any other text where there is none before.

    Raises ValueError for a moment that no key can hold.
    """
    ticks = (moment - _EPOCH) // _TICK
    if after is not None and is_record_key(after):
        ticks = max(ticks, _ticks(after) + 1)
    if not 0 <= ticks <= _MOST:
        raise ValueError(f"no record key holds the moment {moment:%Y-%m-%d}")
    number = ticks * _WRITERS + writer % _WRITERS
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))


def is_record_key(text: str) -> bool:
    """Say whether a text is a TID."""
    return _TID.fullmatch(text) is not None


def moment_of(key: str) -> datetime:
    """Return the moment that a TID holds. Raises ValueError for any other text."""
    if not is_record_key(key):
        raise ValueError(f"{key!r} is no record key")
    return _EPOCH + _ticks(key) * _TICK


def _ticks(key: str) -> int:
    number = 0
    for character in key:
        number = number << 5 | _ALPHABET.index(character)
    return number // _WRITERS
