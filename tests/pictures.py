"""Pictures for tests, made byte by byte: as small as they may be, of any size that their headers name."""

from __future__ import annotations

import struct
import zlib


def png(width: int = 600, height: int = 400, *, padding: int = 0) -> bytes:
    """Return a PNG of one colour; its pixels are only there where they are few. `padding`: bytes of a chunk of nothing."""
    rows = b"".join(b"\x00" + b"\x20" * width for _ in range(height)) if width * height < 10**6 else b""
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + (_chunk(b"teXt", b"x" * padding) if padding else b"")
        + _chunk(b"IDAT", zlib.compress(rows))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def gif(width: int = 60, height: int = 40, *, frames: int = 1) -> bytes:
    """Return a GIF of so many frames."""
    frame = (
        b"\x21\xf9\x04\x00\x0a\x00\x00\x00"
        b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x44\x01\x00"
    )
    palette = b"\x00\x00\x00\xff\xff\xff"
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + palette + frame * frames + b";"


def jpeg(width: int = 600, height: int = 400, *, progressive: bool = False) -> bytes:
    """Return a JPEG with the segments that cameras write before its size."""
    size = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00"
    return (
        b"\xff\xd8"
        + _segment(0xE0, b"JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x00\x00")
        + _segment(0xE1, b"Exif\x00\x00" + b"\xff\xc0" * 500)  # a thumbnail's, which is not its size
        + b"\xff"  # a filler
        + _segment(0xC2 if progressive else 0xC0, size)
        + _segment(0xDA, b"\x01\x01\x00\x00\x3f\x00")
        + b"\x00\xff\x00\xff\xd9"
    )


def _segment(marker: int, data: bytes) -> bytes:
    return bytes((0xFF, marker)) + struct.pack(">H", len(data) + 2) + data


def webp(width: int = 600, height: int = 400, *, kind: bytes = b"VP8 ", animated: bool = False) -> bytes:
    """Return a WebP: lossy (`VP8 `), lossless (`VP8L`) or extended (`VP8X`)."""
    match kind:
        case b"VP8 ":
            data = b"\x30\x01\x00\x9d\x01\x2a" + struct.pack("<HH", width, height) + b"\x00" * 8
        case b"VP8L":
            data = b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + b"\x00" * 8
        case _:
            size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
            data = bytes((0x02 if animated else 0x00, 0, 0, 0)) + size
    body = b"WEBP" + kind + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def a_png(width: int = 1, height: int = 1) -> bytes:
    """Return a red picture."""
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + _chunk(b"IDAT", zlib.compress((b"\x00" + b"\xff\x00\x00" * width) * height))
        + _chunk(b"IEND", b"")
    )
