"""Real feeds: each is read, or refused in a sentence, and as many items are found as feedparser finds by itself."""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from typing import TYPE_CHECKING

import feedparser
import pytest

from bot.errors import FeedUnreadable
from bot.sources.links import is_web
from bot.sources.reading import parse_feed

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.data

URL = "https://feeds.example/dir/feed.xml"


def check(body: bytes, name: str) -> tuple[int, int]:
    """Read `body` both ways; return how many items there are, and how many of them are no entries."""
    found = len(feedparser.parse(io.BytesIO(body), sanitize_html=False, resolve_relative_uris=False).entries)
    try:
        feed = parse_feed(body, feed="f", url=URL)
    except FeedUnreadable:
        assert found == 0, name
        return 0, 0
    if feed.format.startswith("json"):  # which feedparser does not know
        found = len(json.loads(body)["items"])
    assert feed.seen == found == len(feed.entries) + len(feed.faults), name
    for entry in feed.entries:
        assert all(link is None or is_web(link) for link in (entry.link, entry.orig_link, entry.image)), (
            name,
            entry,
        )
        for text in (entry.title, entry.summary, entry.body, *entry.categories):
            assert text == " ".join(text.split()), (name, text)
    return feed.seen, len(feed.faults)


def test_every_feed_is_read_or_refused(data: Path):
    files = [path for path in sorted((data / "feeds").rglob("*")) if path.is_file()]
    assert len(files) > 300
    items = [check(path.read_bytes(), path.name) for path in files]
    assert sum(seen for seen, _ in items) > 1000


@pytest.mark.parametrize("folder", ["feed_history", "feed_history_blogs"])
def test_snapshots_of_one_day_in_seven(data: Path, folder: str):
    """Every seventh snapshot: all of them take ten minutes, and `bench/parsing.py --every 1` reads them."""
    archives = sorted((data / folder).glob("*.tar.xz"))
    assert archives
    for archive in archives:
        with lzma.open(archive) as raw, tarfile.open(fileobj=raw) as tar:
            members = sorted((m for m in tar if m.isfile()), key=lambda m: m.name)
            for member in members[::7]:
                file = tar.extractfile(member)
                assert file is not None
                seen, faults = check(file.read(), member.name)
                assert faults <= 1 <= max(seen, 1)
