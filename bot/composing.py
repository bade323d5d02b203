"""An entry made into a post in the style of its feed: the template, the hashtags, and whether with a link.

On X a post with a link costs thirteen times as much as one without, so a feed may do without, or while money lasts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.core.compose import DEFAULT_TEMPLATE, compose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.core.model import Entry, Post


class LinkUse(StrEnum):
    """Whether a feed's posts bear their link."""

    ALWAYS = "always"
    NEVER = "never"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a feed's posts read.

    Attributes:
        template: a text with named fields.
        hashtags: always offered to it.
        link: whether a post bears its link; `budget`: while the day's room covers the price of one with a link.
    """

    template: str = DEFAULT_TEMPLATE
    hashtags: tuple[str, ...] = ()
    link: LinkUse = LinkUse.ALWAYS


class Composer:
    """Makes posts for one destination.

    Args:
        styles: by the feed's name; the usual style for any other.
        limit: the most that the destination takes, in its own measure.
    """

    def __init__(self, styles: Mapping[str, Style], *, limit: int) -> None:
        self._styles = styles
        self._limit = limit

    def forms(self, entry: Entry) -> tuple[Post, ...]:
        """Return the posts that `entry` may go out as, the preferred one first; at least one.

        Raises ValueError, with the reason, when no post can be made of it.
        """
        style = self._styles.get(entry.feed, Style())
        match style.link:
            case LinkUse.ALWAYS:
                return (self._with_link(entry, style),)
            case LinkUse.NEVER:
                return (self._without_link(entry, style),)
            case LinkUse.BUDGET:
                full = self._with_link(entry, style)
                try:
                    bare = self._without_link(entry, style)
                except ValueError:
                    return (full,)
                return (full, bare) if bare.text != full.text else (full,)

    def _with_link(self, entry: Entry, style: Style) -> Post:
        return compose(
            entry,
            template=style.template,
            hashtags=style.hashtags,
            limit=self._limit,
            link=entry.orig_link or entry.link,
        )

    def _without_link(self, entry: Entry, style: Style) -> Post:
        bare = replace(entry, link=None, orig_link=None)
        return compose(bare, template=style.template, hashtags=style.hashtags, limit=self._limit)
