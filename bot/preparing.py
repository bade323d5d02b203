"""What is done for a row before it is claimed: whatever its post needs that others make.

All of it can be done twice without harm, so none of it stands between the claim and the call. What takes long, or
fails for now, costs the row its turn and nobody else's; what fails for good is left out, and the post goes without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.composing import OWN_LINK, Prepared, Style
from bot.core.template import parse_template
from bot.pictures import Later
from bot.shortening import Wait

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from bot.core.model import Entry
    from bot.pictures import Pictures, PicturesShown
    from bot.shortening import Shortening
    from bot.store.outbox import OutboxRow

__all__ = ["NotYet", "Prepared", "Preparing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYet:
    """Something of a post is not ready, and it is worth waiting for.

    Attributes:
        reason: what, in words.
        until: when the row may try again.
    """

    reason: str
    until: datetime


class Preparing:
    """Gets ready what posts need, one row at a time.

    Args:
        styles: how posts read, by the feed's name; the usual style for any other.
        shortening: makes links short, None where they stay as they are.
        pictures: gets the pictures of posts, None where they have none.
    """

    def __init__(
        self,
        styles: Mapping[str, Style] | None = None,
        *,
        shortening: Shortening | None = None,
        pictures: Pictures | PicturesShown | None = None,
    ) -> None:
        self._styles = styles or {}
        self._shortening = shortening
        self._pictures = pictures

    def recover(self) -> None:
        """Begin: what a person may have mended is tried again."""
        if self._shortening is not None:
            self._shortening.recover()

    def prepare(self, row: OutboxRow, entry: Entry) -> Prepared | NotYet:
        """Return what is ready for the post of `row`, or until when it has to wait; raises nothing that is expected."""
        link, short = self._to_shorten(entry), None
        if link is not None and self._shortening is not None:
            short = self._shortening.get(link)
        if isinstance(short, Wait):
            return NotYet(reason=short.reason, until=short.until)
        pictures = () if self._pictures is None else self._pictures.get(row, entry)
        if isinstance(pictures, Later):
            return NotYet(reason=pictures.reason, until=pictures.until)
        return Prepared(link=short, pictures=pictures)

    def known(self, entry: Entry) -> Prepared:
        """Return what is ready for `entry` already; asks nobody and writes nothing."""
        pictures = () if self._pictures is None else self._pictures.known(entry)
        link = self._to_shorten(entry)
        if link is None or self._shortening is None:
            return Prepared(pictures=pictures)
        return Prepared(link=self._shortening.known(link), pictures=pictures)

    def without_picture(self, row_id: int, why: str) -> None:
        """Have the post of a row go without its picture from now on. Call it in a transaction."""
        if self._pictures is not None:
            self._pictures.leave_out(row_id, why)

    def _to_shorten(self, entry: Entry) -> str | None:
        """Return the link of a post that is to be short, None where there is none."""
        style = self._styles.get(entry.feed, Style())
        bears = _bears_link(style.template) if entry.own_text is None else OWN_LINK in entry.own_text
        return style.long_link(entry) if style.shorten and bears else None


def _bears_link(template: str) -> bool:
    return any(piece.field == "link" for line in parse_template(template) for piece in line)
