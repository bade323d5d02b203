"""Which of the pictures of an entry is its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bot.sources.links import absolute

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

COUNTERS: Final = (
    # Parts of addresses of counters, buttons and advertisements, which feeds put into their texts as images: what
    # the first images of 7,000 real texts show, and the counters of WordPress and its emoji.
    "feeds.feedburner.com/~", "feedproxy.google.com/~", "feedsportal.com", "doubleclick.net", "googleadservices.com",
    "pheedo.com", "falkag.net", "bluekai.com", "adsrvr.org", "assoc-amazon.com", "cpx.golem.de",
    "pixel.wp.com", "stats.wordpress.com", "feeds.wordpress.com", "s.w.org/images/core/emoji", "gravatar.com/avatar",
)  # fmt: skip

SMALLEST: Final = 16
"""Pixels, either way: what is said to be smaller is a counter or an icon."""

_ENDINGS: Final = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif")


class _Candidate(NamedTuple):
    link: str
    pixels: int


def choose_picture(
    entry: Mapping[str, Any], images: Iterable[dict[str, str]], bases: Sequence[str]
) -> str | None:
    """Return the picture of an entry as an absolute link, None when it has none.

    The largest of `media:content` and `media:thumbnail`; without them an enclosure that is an image, then
    `itunes:image`, then the first image in the text that is no counter.

    Args:
        entry: as feedparser gives it.
        images: the attributes of the images in its text, in order.
        bases: what their addresses may be relative to.
    """
    media = [
        c for m in _dicts(entry.get("media_content")) if _is_image(m) and (c := _candidate(m, "url", bases))
    ]
    media += [c for m in _dicts(entry.get("media_thumbnail")) if (c := _candidate(m, "url", bases))]
    if media:
        return max(media, key=lambda c: c.pixels).link  # of equal ones the first
    for link in _dicts(entry.get("links")):
        if link.get("rel") == "enclosure" and str(link.get("type", "")).startswith("image/"):
            found = _candidate(link, "href", bases)
            if found:
                return found.link
    for cover in _dicts([entry.get("image")]):
        found = _candidate(cover, "href", bases)
        if found:
            return found.link
    for image in images:
        found = _candidate(image, "src", bases)
        if found and not any(part in found.link for part in COUNTERS):
            return found.link
    return None


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _is_image(media: Mapping[str, Any]) -> bool:
    medium, kind = str(media.get("medium", "")), str(media.get("type", ""))
    if medium or kind:
        return medium == "image" or (kind.startswith("image/") and medium in {"", "image"})
    return str(media.get("url", "")).partition("?")[0].lower().endswith(_ENDINGS)


def _candidate(found: Mapping[str, Any], key: str, bases: Sequence[str]) -> _Candidate | None:
    width, height = _pixels(found.get("width")), _pixels(found.get("height"))
    address = found.get(key)
    if not isinstance(address, str) or any(side is not None and side < SMALLEST for side in (width, height)):
        return None
    link = absolute(address, bases)
    return _Candidate(link, (width or 0) * (height or width or 0) or (height or 0)) if link else None


def _pixels(value: object) -> int | None:
    digits = str(value or "").strip().removesuffix("px")
    return int(digits) if digits.isdecimal() and len(digits) <= 5 else None  # noqa: PLR2004 - no picture is that wide
