"""What a picture is, told by its bytes: its kind and its size in pixels, from its header alone.

Nothing is decoded and the headers of servers are not believed. Every reading is linear in the bytes, and of a GIF and a
JPEG no more blocks are followed than a picture has.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime


class PictureUse(StrEnum):
    """Whether a feed's posts show a picture of their own."""

    NONE = "none"
    FEED = "feed"
    PAGE = "page"


LARGEST: Final = 5 * 1024 * 1024
"""Bytes that X takes of a picture (docs.x.com, media best practices, 2026-08-22; animated GIFs go another way)."""

SMALLEST_SIDE: Final = 16
"""Pixels: what is smaller is a counter or an icon; ours."""

LONGEST_SIDE: Final = 8192
"""Pixels: the most that X is known to show (its page on card images); what says more would be a burden to all readers."""

MOST_PIXELS: Final = 64_000_000
"""A file of five megabytes that unpacks to more than two of the largest usual photographs is a bomb; ours."""

LONGEST_ALT: Final = 1000
"""Characters of an alt text that X takes (docs.x.com, media metadata, 2026-08-22)."""

BLOCKS: Final = 10_000
"""Segments of a JPEG, or blocks of a GIF, that are followed: a photograph has some tens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture that X takes.

    Attributes:
        kind: "JPEG", "PNG", "GIF" or "WebP".
        width, height: pixels, `SMALLEST_SIDE` to `LONGEST_SIDE`.
    """

    kind: str
    width: int
    height: int

    @property
    def media_type(self) -> str:
        """Its kind, as servers are told it."""
        return f"image/{self.kind.lower()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Uploaded:
    """A picture that a destination has.

    Attributes:
        id: by which a post names it there.
        expires_at: the destination forgets it then, if no post shows it.
    """

    id: str
    expires_at: datetime


class NoPicture(ValueError):
    """It is none that X takes; the value says in words what it is."""


def picture_in(data: bytes) -> Picture:
    """Return what picture `data` is. Raises NoPicture, with the reason in words."""
    if len(data) > LARGEST:
        raise NoPicture(f"it has {len(data) / 1e6:.1f} MB, and X takes {LARGEST / 1e6:.1f}")
    for magic, kind, reader in _KINDS:
        if data.startswith(magic):
            try:
                width, height = reader(data)
            except (IndexError, _Broken):
                raise NoPicture(f"it begins as a {kind} and is broken or cut off") from None
            _require_size(width, height)
            return Picture(kind=kind, width=width, height=height)
    raise NoPicture(_what_else(data))


def alt_text(said: str, title: str) -> str:
    """Return what is said of a picture: the feed's own words, else the title; at most `LONGEST_ALT` characters."""
    words = " ".join((said or title).split())
    return words if len(words) <= LONGEST_ALT else f"{words[: LONGEST_ALT - 1].rstrip()}…"


class _Broken(Exception):
    pass


def _require_size(width: int, height: int) -> None:
    if min(width, height) < SMALLEST_SIDE:
        raise NoPicture(f"it is {width} by {height} pixels, too small to be seen")
    if max(width, height) > LONGEST_SIDE or width * height > MOST_PIXELS:
        raise NoPicture(f"it says that it is {width} by {height} pixels, more than X shows")


def _png(data: bytes) -> tuple[int, int]:
    if data[12:16] != b"IHDR":
        raise _Broken
    return _big(data, 16, 4), _big(data, 20, 4)


def _jpeg(data: bytes) -> tuple[int, int]:
    at = 2
    for _ in range(BLOCKS):
        if data[at] != 0xFF:  # noqa: PLR2004 - the sign before every marker
            raise _Broken
        while data[at] == 0xFF:  # noqa: PLR2004 - fillers
            at += 1
        marker = data[at]
        if marker in _SIZES_OF_JPEG:
            return _big(data, at + 6, 2), _big(data, at + 4, 2)
        if marker in _ENDS_OF_JPEG:
            raise _Broken
        at += 1 if marker in _BARE_IN_JPEG else 1 + max(_big(data, at + 1, 2), 2)
    raise _Broken


_SIZES_OF_JPEG: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE_IN_JPEG: Final = frozenset({0x01, *range(0xD0, 0xD8)})
_ENDS_OF_JPEG: Final = frozenset({0x00, 0xD8, 0xD9, 0xDA})
"""ITU-T T.81, table B.1: start of frame; markers without a length; what no size comes after."""


def _gif(data: bytes) -> tuple[int, int]:
    size = _little(data, 6, 2), _little(data, 8, 2)
    at = 13 + _palette(data[10])
    images = 0
    for _ in range(BLOCKS):
        block = data[at : at + 1]
        if block in {b";", b""}:  # many are cut off before their end, and shown all the same
            break
        if block == b",":
            images += 1
            at += 11 + _palette(data[at + 9])
        elif block == b"!":
            at += 2
        else:
            raise _Broken
        while data[at]:
            at += 1 + data[at]
        at += 1
    if images > 1:
        raise NoPicture("it is an animated GIF, and X takes those only in pieces")
    if not images:
        raise _Broken
    return size


def _palette(flags: int) -> int:
    return 3 * (2 << (flags & 7)) if flags & 0x80 else 0


def _webp(data: bytes) -> tuple[int, int]:
    if data[8:12] != b"WEBP":
        raise NoPicture("it is a RIFF file, and no WebP")
    match data[12:16]:
        case b"VP8 ":
            if data[23:26] != b"\x9d\x01\x2a":
                raise _Broken
            return _little(data, 26, 2) & 0x3FFF, _little(data, 28, 2) & 0x3FFF
        case b"VP8L":
            bits = _little(data, 21, 4)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            if data[20] & 2:
                raise NoPicture("it is an animated WebP, which X does not take")
            return _little(data, 24, 3) + 1, _little(data, 27, 3) + 1
        case _:
            raise _Broken


def _big(data: bytes, at: int, count: int) -> int:
    return int.from_bytes(_part(data, at, count), "big")


def _little(data: bytes, at: int, count: int) -> int:
    return int.from_bytes(_part(data, at, count), "little")


def _part(data: bytes, at: int, count: int) -> bytes:
    part = data[at : at + count]
    if len(part) < count:
        raise _Broken
    return part


def _what_else(data: bytes) -> str:
    begin = data[:512].lstrip().lower()
    if not data:
        return "it is empty"
    if begin.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "it is a web page and no picture"
    if begin.startswith((b"<svg", b"<?xml")):
        return "it is an SVG or another XML file, and X takes JPEG, PNG, GIF and WebP"
    if data[4:12] in {b"ftypavif", b"ftypavis", b"ftypheic", b"ftypmif1"}:
        return "it is an AVIF or HEIC picture, and X takes JPEG, PNG, GIF and WebP"
    return "it is no picture that X takes (JPEG, PNG, GIF, WebP)"


_KINDS: Final[tuple[tuple[bytes, str, Callable[[bytes], tuple[int, int]]], ...]] = (
    (b"\x89PNG\r\n\x1a\n", "PNG", _png),
    (b"\xff\xd8\xff", "JPEG", _jpeg),
    (b"GIF87a", "GIF", _gif),
    (b"GIF89a", "GIF", _gif),
    (b"RIFF", "WebP", _webp),
)
