"""The bytes of a feed to entries, in whatever format they are: the one way in.

    bytes -> unpacked, if they are gzip all the same -> charsets.decode -> json_feed or rss

It may be given anything, and takes as long and as much memory as that makes it: who reads what strangers wrote calls it
in a process of its own (`bot.parsing`).
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from bot.errors import FeedUnreadable
from bot.sources.charsets import decode
from bot.sources.json_feed import is_json, parse_json

if TYPE_CHECKING:
    from bot.sources.parsed import ParsedFeed

CAP: Final = 10_000_000
"""Bytes of a body that are parsed: as many as the HTTP door takes."""

_TOO_LARGE: Final = f"the body is larger than {CAP / 1_000_000:g} MB: this is no usual feed"
_GZIP: Final = b"\x1f\x8b\x08"
_WITH_HEADER: Final = 31
"""What zlib calls a window of 32 KB behind a header of gzip's."""


def parse_feed(body: bytes, *, feed: str, url: str, content_type: str | None = None) -> ParsedFeed:
    """Read a feed: RSS, Atom, RDF or JSON Feed.

    Args:
        body: as it was served, at most `CAP` bytes.
        feed: the configured name of the source, for the entries.
        url: where the body came from; what links are relative to when nothing in the feed says better.
        content_type: the header of that name.

    Raises:
        FeedUnreadable: this is no feed (a web page, nothing, broken XML without any item, other JSON), or a trap; the
            message says what it looks like. A feed without items is one.
        MemoryError: it takes more memory than there is.
    """
    if len(body) > CAP:
        raise FeedUnreadable(_TOO_LARGE)
    if body.startswith(_GZIP):
        body = _unpacked(body)
    text = decode(body, content_type)
    # feedparser takes its time and 6 MB, and the daemon never needs it
    from bot.sources.rss import holds_feed, parse_xml

    if is_json(text):
        try:
            return parse_json(text, feed=feed, url=url, body=body)
        except FeedUnreadable:
            if not holds_feed(text):  # a server's words before it may begin so, too
                raise
    return parse_xml(text, feed=feed, url=url, body=body)


def _unpacked(body: bytes) -> bytes:
    """Unpack a file that was packed on the server and served as it lay there; a torn one as far as it goes."""
    unpacker = zlib.decompressobj(_WITH_HEADER)
    try:
        unpacked = unpacker.decompress(body, CAP + 1)
    except zlib.error:
        return body
    if len(unpacked) > CAP:
        raise FeedUnreadable(_TOO_LARGE)
    return unpacked
