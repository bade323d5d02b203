"""What a feed says is to be seen on the picture of an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.core.pictures import LONGEST_ALT
from bot.sources.links import absolute
from bot.sources.text import plain_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def caption_of(
    picture: str | None, images: Iterable[Mapping[str, str]], bases: Sequence[str], described: str = ""
) -> str:
    """Return the alt text of `picture` as plain text on one line, "" when the feed has none.

    Args:
        picture: the entry's picture, an absolute link.
        images: the attributes of the images in its texts, in order; where one is this picture, its `alt` is meant.
        bases: what their addresses may be relative to.
        described: what `media:description` says; it counts where no image in a text says more.
    """
    if picture is None:
        return ""
    for image in images:
        alt, address = image.get("alt", ""), image.get("src", "")
        if alt.strip() and address and absolute(address, bases) == picture:
            return plain_title(alt[:LONGEST_ALT], declared_text=True)
    return plain_title(described[: LONGEST_ALT * 2], declared_text=False)[:LONGEST_ALT]


def described_in(entry: Mapping[str, Any]) -> str:
    """Return what `media:description` says in an entry of RSS as feedparser gives it, "" when it is not there.

    feedparser makes one more content of it where a description went before, and only it makes plain text of that: what
    `content:encoded` says is HTML.
    """
    if not (entry.get("media_content") or entry.get("media_thumbnail")):
        return ""
    parts = (part for part in entry.get("content") or () if part.get("type") == "text/plain")
    return next((str(part.get("value") or "") for part in parts), "")
