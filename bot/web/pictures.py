"""The picture of a queued post, shown by the page itself: no browser asks a stranger's host.

    who entered asks ──> fetched lately? else through the guarded doors, as for the post ──> its bytes, as what they are

The bot fetches a picture only just before its post goes out, so there is none to show before; this fetch is one more, made for
the person who looks, and given to no destination.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from starlette.responses import Response

from bot.configured import picture_doors, picture_hosts, picture_uses
from bot.core.pictures import PictureUse, alt_text
from bot.pictures import LeftOut, Looking
from bot.versions import entry_to_tell
from bot.web.pages import Refusal

if TYPE_CHECKING:
    from bot.config import Config, Destination
    from bot.core.model import Entry
    from bot.core.pictures import Picture
    from bot.store import Store
    from bot.store.outbox import OutboxRow
    from bot.web.pages import Visit

MOST_KEPT: Final = 16 * 1024 * 1024
"""Bytes of pictures that are kept: some tens of photographs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is said of a post's picture.

    Attributes:
        place: the host that it comes from, "" where the article's page is still to name it.
        alt: what readers who do not see it are told.
        left_out: why the post goes without, "" where it does not.
    """

    place: str
    alt: str
    left_out: str


class KeptPictures:
    """Pictures that were fetched lately, by where they are; for many threads."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._looking: Looking | None = None
        self._turn = threading.Lock()
        self._kept: OrderedDict[str, tuple[bytes, Picture]] = OrderedDict()

    def get(self, entry: Entry, use: PictureUse) -> tuple[bytes, Picture] | None:
        """Return the picture of a story, None where nobody names one. Raises LeftOut."""
        named = entry.image or entry.orig_link or entry.link or ""
        with self._turn:
            if named not in self._kept:
                if self._looking is None:
                    self._looking = Looking(picture_doors(self._config), picture_hosts(self._config))
                found = self._looking.find(entry, use)
                if found is None:
                    return None
                self._kept[named] = self._looking.fetch(found.url, entry)
            self._kept.move_to_end(named)
            kept = self._kept[named]
            while sum(len(data) for data, _ in self._kept.values()) > MOST_KEPT:
                self._kept.popitem(last=False)
            return kept


def shown_with(
    store: Store, config: Config, destination: Destination, row: OutboxRow, entry: Entry
) -> Shown | None:
    """Return what is said of the picture of a row's post, None where it shows none."""
    if _use(config, destination, row, entry) is None:
        return None
    kept = store.pictures.get(row.id)
    return Shown(
        place=urlsplit(entry.image).hostname or "" if entry.image else "",
        alt=alt_text(entry.image_alt, entry.title),
        left_out=(kept.reason or "it could not be had") if kept and kept.left_out else "",
    )


def picture(visit: Visit) -> Response:
    """Return the picture of a queued post."""
    if visit.session is None:
        # Looking changes nothing, but makes this machine ask an address that a feed chose.
        return visit.redirect("/enter", then=visit.here)
    config = visit.desk.config
    with visit.desk.reading() as store:
        row = store.outbox.get(visit.number)
        entry = entry_to_tell(store, row) if row is not None else None
    there = next((one for one in config.destinations if row and one.name == row.destination), None)
    use = _use(config, there, row, entry) if there and row and entry else None
    if use is None or entry is None:
        raise Refusal("This post shows no picture.", status=404)
    try:
        found = visit.desk.pictures.get(entry, use)
    except LeftOut as why:
        raise Refusal(visit.desk.hide(f"There is no picture to show: {why}."), status=404) from None
    if found is None:
        raise Refusal("Nobody names a picture for this post.", status=404)
    data, kind = found
    return Response(data, media_type=kind.media_type)


def _use(config: Config, destination: Destination, row: OutboxRow, entry: Entry) -> PictureUse | None:
    """Return where the picture of a row's post comes from, None where it shows none."""
    use = picture_uses(config.feeds, destination).get(entry.feed)
    named = entry.image if use is PictureUse.FEED else entry.image or entry.orig_link or entry.link
    return use if named and row.reply_to is None else None
