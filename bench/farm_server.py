"""A farm of feeds on loopback, each on a host of its own: what `bench.farm` polls. It makes its bodies from their numbers.

Which kind a feed is, its number says; what it answers, its kind and the round. Nothing outside of this machine is listened to.
"""

from __future__ import annotations

import asyncio
import random
import socket
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

KINDS: Final = ("304",) * 11 + ("same body",) * 4 + ("changed",) * 3 + ("slow",) + ("failing",)
"""Of twenty feeds. Those that say 304 are the most of them, as among real ones; a slow one says it, too, in its own time."""

SLOW: Final = 2.0
"""Seconds before a slow feed answers."""

WORDS: Final = 60
"""Of an item's summary: with 10 items a body has about 6 KB."""

CLOSES, GONE, PAGE = "closes", "404", "a page"
FAULTS: Final = ("503", CLOSES, GONE, PAGE)

BEGAN: Final = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=12)


def kind_of(number: int) -> str:
    """Return which kind the feed `number` is."""
    return KINDS[number % len(KINDS)]


def address_of(number: int, port: int) -> str:
    """Return where the feed `number` is: 127.x.y.z, a host for each, for up to a million."""
    host = f"127.{1 + number // 62_500}.{number // 250 % 250 + 1}.{number % 250 + 1}"
    return f"http://{host}:{port}/{number}.xml"


@lru_cache(maxsize=1)
def _vocabulary() -> tuple[list[str], list[float]]:
    draw = random.Random(2009)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "is", "ol")]
    words = ["".join(draw.choices(syllables, k=draw.randint(2, 4))) for _ in range(50_000)]
    # Zipf's law without its most frequent words: those are stop words, and news that share them are not alike.
    return words, list(accumulate(1 / (rank + 1_000) for rank in range(len(words))))


def item(number: int, version: int) -> str:
    """Return the item that the feed `number` brought as its `version`th."""
    words, weights = _vocabulary()
    draw = random.Random(number * 1000 + version)
    drawn = draw.choices(words, cum_weights=weights, k=10 + WORDS)
    at = BEGAN + timedelta(minutes=version, seconds=number % 60)
    return (
        f"<item><title>{' '.join(drawn[:10]).capitalize()}</title><guid>urn:{number}:{version}</guid>"
        f"<link>http://news{number}.example/{version}</link><pubDate>{format_datetime(at)}</pubDate>"
        f"<description>&lt;p&gt;{' '.join(drawn[10:])}.&lt;/p&gt;</description></item>"
    )


def body(number: int, version: int, items: int) -> bytes:
    """Return the body of the feed `number` after `version` new items: the newest `items`, newest first."""
    told = "".join(item(number, version + items - place) for place in range(items))
    return (
        f"<?xml version='1.0' encoding='utf-8'?><rss version='2.0'><channel><title>Feed {number}</title>"
        f"<link>http://news{number}.example/</link><description>of the farm</description>{told}</channel></rss>"
    ).encode()


@dataclass(slots=True)
class _Farm:
    items: int
    round: int = 1
    answered: int = 0


class _Talk(asyncio.Protocol):
    def __init__(self, farm: _Farm) -> None:
        self._farm = farm
        self._came = b""
        self._out: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - of a stream
        self._out = transport
        if not transport.get_extra_info("sockname")[0].startswith("127."):
            transport.abort()

    def data_received(self, data: bytes) -> None:
        self._came += data
        if b"\r\n\r\n" not in self._came:
            return
        path = self._came.split(b" ", 2)[1].decode("ascii", "replace")
        number = int(path.strip("/").partition(".")[0])
        known = b"\r\nif-none-match:" in self._came.lower()
        delay = SLOW if kind_of(number) == "slow" else 0.0
        asyncio.get_running_loop().call_later(delay, self._answer, number, known)

    def _answer(self, number: int, known: bool) -> None:
        out = self._out
        if out is None or out.is_closing():
            return
        self._farm.answered += 1
        kind = kind_of(number)
        fault = FAULTS[number // len(KINDS) % len(FAULTS)] if kind == "failing" else ""
        if fault == CLOSES:
            out.abort()
            return
        head, content = "200 OK", b""
        if fault == "503":
            head = "503 Service Unavailable"
        elif fault == GONE:
            head = "404 Not Found"
        elif fault == PAGE:
            content = b"<!DOCTYPE html><html><head><title>Hello</title></head><body>No feed.</body></html>"
        elif kind in {"304", "slow"} and known:
            head = "304 Not Modified"
        else:
            content = body(number, self._farm.round if kind == "changed" else 1, self._farm.items)
        tag = 'ETag: "1"\r\n' if kind in {"304", "slow"} else ""
        sort = "text/html" if fault else "application/rss+xml"
        length = "" if head.startswith("304") else f"Content-Length: {len(content)}\r\n"
        out.write(
            f"HTTP/1.1 {head}\r\nContent-Type: {sort}\r\n{tag}{length}Connection: close\r\n\r\n".encode()
            + content
        )
        out.close()


def serve(orders: Connection, items: int) -> None:
    """Serve until told "end"; says its port first. A number is the round that begins; it says how many answers it gave before."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # Loopback only, but all of it: to listen at each address would take 10,000 sockets.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")
    listener.bind(("0.0.0.0", 0))  # noqa: S104 - of the loopback device
    listener.listen(1024)
    asyncio.run(_serve(listener, orders, _Farm(items=items)))


async def _serve(listener: socket.socket, orders: Connection, farm: _Farm) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Talk(farm), sock=listener)
    orders.send(listener.getsockname()[1])
    while (order := await loop.run_in_executor(None, orders.recv)) != "end":
        orders.send(farm.answered)
        farm.round, farm.answered = order, 0
    server.close()
