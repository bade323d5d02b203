"""Bodies within limits: so many bytes on the wire, so many decoded, one content coding and no more."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from bot.errors import FetchError, FetchForbidden, FetchTooLarge, FetchUnavailable

if TYPE_CHECKING:
    from http.client import HTTPResponse

PIECE: Final = 64 * 1024

MEMBERS: Final = 64
"""Gzip files strung together, as some servers send them; each costs a decoder, so there is an end to it."""

GZIP_MAGIC: Final = b"\x1f\x8b\x08"
CODINGS: Final = {"gzip": 31, "x-gzip": 31, "deflate": 15}
"""Coding -> zlib's wbits. Only gzip is asked for; deflate comes unasked from some servers."""


def read_body(answer: HTTPResponse, *, wire_cap: int, decoded_cap: int, where: str) -> bytes:
    """Read and decode the body of `answer`.

    Args:
        answer: its headers read, its body not.
        wire_cap: most bytes to take from the network.
        decoded_cap: most bytes after decoding.
        where: the address, for messages.

    Raises:
        FetchTooLarge: one of the caps was passed; no more than the cap was read.
        FetchForbidden: codings are stacked, as only a bomb does.
        FetchUnavailable: the body was cut short or does not decode.
    """
    coding = _coding(answer, where)
    wire = _take(answer, wire_cap, where)
    # Some servers say gzip and send plain text, and some serve a .gz file and say nothing: the bytes decide.
    if coding in {"gzip", "x-gzip"} and not wire.startswith(GZIP_MAGIC[:2]):
        coding = None
    elif coding is None and wire.startswith(GZIP_MAGIC):
        coding = "gzip"
    if coding is None or not wire:
        if len(wire) > decoded_cap:
            raise _too_large(where, decoded_cap, "")
        return wire
    return _inflate(wire, CODINGS[coding], decoded_cap, where)


def _coding(answer: HTTPResponse, where: str) -> str | None:
    named = ",".join(answer.headers.get_all("Content-Encoding", ()))
    codings = [name for part in named.split(",") if (name := part.strip().lower()) not in {"", "identity"}]
    if not codings:
        return None
    if len(codings) > 1:
        raise FetchForbidden(f"{where} stacks content codings ({len(codings)} of them), which only bombs do")
    if codings[0] not in CODINGS:
        raise FetchUnavailable(f"{where} sent its body as {codings[0][:20]!r}, which was not asked for")
    return codings[0]


def _take(answer: HTTPResponse, cap: int, where: str) -> bytes:
    if answer.length is not None and answer.length > cap:
        raise _too_large(where, cap, " on the wire")
    wire = bytearray()
    while piece := answer.read(PIECE):
        wire += piece
        if len(wire) > cap:
            raise _too_large(where, cap, " on the wire")
    if answer.length:  # http.client counts down, and says nothing when the end comes early
        raise FetchUnavailable(
            f"{where} was cut short, {answer.length} bytes are missing: it will be asked again"
        )
    return bytes(wire)


def _inflate(wire: bytes, wbits: int, cap: int, where: str) -> bytes:
    out = bytearray()
    rest = wire
    for member in range(MEMBERS + 1):
        if member == MEMBERS:
            raise FetchForbidden(f"{where} strings more than {MEMBERS} gzip files together")
        decoder = zlib.decompressobj(wbits)
        try:
            out += decoder.decompress(rest, cap + 1 - len(out))
        except zlib.error as error:
            if wbits == CODINGS["deflate"] and not member:  # some send it without zlib's frame
                return _inflate(wire, -CODINGS["deflate"], cap, where)
            raise FetchUnavailable(f"{where} sent a compressed body that does not decode: {error}") from error
        if len(out) > cap:
            raise _too_large(where, cap, " decoded")
        if not decoder.eof:
            raise FetchUnavailable(
                f"{where} sent a compressed body that was cut short: it will be asked again"
            )
        rest = decoder.unused_data
        if wbits < 0 or not rest.startswith(GZIP_MAGIC):
            break  # the end, or padding after it
    return bytes(out)


def _too_large(where: str, cap: int, how: str) -> FetchError:
    return FetchTooLarge(f"{where} is larger than {cap / 1_000_000:g} MB{how}: this is no usual feed")
