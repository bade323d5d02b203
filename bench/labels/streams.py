"""Read the two labelled streams as items with ids: an English news archive and Russian Telegram posts.

This room only reads; it judges nothing. Texts stay with the data: what is kept in the repository are the ids
that `sample.py` draws and `join.py` finds again.
"""

from __future__ import annotations

import gzip
import html
import json
import lzma
import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TextIO
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ARCHIVE = "archive/rss_2026_w20-w27.ndjson.xz"
POSTS = "pairs/telegram_ru_posts.jsonl.gz"

_MARKS = re.compile(r"\*\*|__")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry of a stream.

    `key` is the data's own id: the archive's `id`, or `sender_id/message_id` of a post. `published` is aware and
    is when a reader of the feed could first see the entry (time of collection, or of posting). `summary` keeps
    the markup of the source, because what is measured must cope with it.
    """

    key: str
    lang: str
    source: str
    title: str
    summary: str
    link: str
    published: datetime


def read_stream(data: Path, lang: str) -> list[Item]:
    """Return the items of `lang` ("en" or "ru") below `data` in order of time, each id and each link once.

    A link that comes back (collected again, or with an edited headline) is left out: the bot knows it by its
    link, so it says nothing about likeness. Raises FileNotFoundError when the data are not there.
    """
    items = sorted(
        _archive(data) if lang == "en" else _posts(data), key=lambda item: (item.published, item.key)
    )
    seen: set[str] = set()
    kept = []
    for item in items:
        names = {item.key, item.link} - {""}
        if item.title and not names & seen:
            kept.append(item)
        seen |= names
    return kept


def _archive(data: Path) -> Iterator[Item]:
    with lzma.open(data / ARCHIVE, "rt", encoding="utf-8") as lines:
        for row in _rows(lines):
            link = urlsplit(html.unescape(str(row["link"])))
            yield Item(
                key=str(row["id"]),
                lang="en",
                source=str(row["source"]),
                title=_flat(html.unescape(str(row["title"] or ""))),
                summary=str(row["description"] or ""),
                # Every query of these 24 feeds is tracking (at_*, utm_*, maca, traffic_source).
                link=f"{link.netloc}{link.path}",
                published=datetime.fromisoformat(str(row["collectedAt"])),
            )


def _posts(data: Path) -> Iterator[Item]:
    with gzip.open(data / POSTS, "rt", encoding="utf-8") as lines:
        for row in _rows(lines):
            text = [line for line in map(_flat, _MARKS.sub("", str(row["text"])).split("\n")) if line]
            yield Item(
                key=f"{row['sender_id']}/{row['message_id']}",
                lang="ru",
                source=str(row["channel"]),
                title=text[0] if text else "",
                summary=" ".join(text[1:]),
                link="",
                published=datetime.fromisoformat(str(row["date"])),
            )


def _rows(lines: TextIO) -> Iterator[dict[str, object]]:
    return (json.loads(line) for line in lines)


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
