"""Bytes that should be UTF-8, and what is made of those that are not."""

from __future__ import annotations

import codecs
import re
from typing import Final

_BYTE_ORDER: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHARSET = re.compile(rb"charset\s{0,5}=\s{0,5}[\"']?([A-Za-z0-9_-]{2,30})")
_LETTERS: Final = 0.5
"""Of all bytes over 127, those that windows-1251 reads as Russian letters: a Russian text has nearly only such, a
Western one has single ones among ASCII, and then this says nothing, so the ASCII letters count too."""


def decoded(content: bytes) -> tuple[str, str]:
    """Give the text, and how it was read when it was no UTF-8; "" when it was."""
    for mark, encoding in _BYTE_ORDER:
        if content.startswith(mark):
            try:
                return content.decode(encoding), ""
            except UnicodeDecodeError as fault:
                return content.decode(encoding, "replace"), f"broken {encoding} at byte {fault.start + 1}"
    try:
        return content.decode(), ""
    except UnicodeDecodeError as fault:
        at = fault.start + 1
    return _guessed(content, at)


def _guessed(content: bytes, at: int) -> tuple[str, str]:
    named = _CHARSET.search(content[:2_000])
    if named:
        try:
            return content.decode(
                named[1].decode()
            ), f"no UTF-8 (byte {at}): read as {named[1].decode()}, as it says"
        except (LookupError, UnicodeDecodeError):
            pass
    text = content.decode("utf-8", "replace")
    if text.count("\ufffd") * 20 < len(text) - len(text.encode("ascii", "ignore")):
        return text, f"broken UTF-8 at byte {at}: what cannot be read was left out"
    high = [byte for byte in content[:100_000] if byte > 127]  # noqa: PLR2004 - ASCII ends there
    latin = sum(byte in _ASCII_LETTERS for byte in content[:100_000])
    russian = sum(byte >= _RUSSIAN for byte in high)
    if russian >= _LETTERS * (len(high) + latin):
        return content.decode("cp1251", "replace"), f"no UTF-8 (byte {at}): read as windows-1251"
    return content.decode("cp1252", "replace"), f"no UTF-8 (byte {at}): read as windows-1252"


_RUSSIAN: Final = 0xC0
"""Where the letters begin in windows-1251."""
_ASCII_LETTERS: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
