"""An entry made into a post in the style of its feed: the template, the hashtags, and whether with a link.

On X a post with a link costs thirteen times as much as one without, so a feed may do without, or while money lasts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.core.compose import DEFAULT_TEMPLATE, Composed, composed
from bot.core.link_templates import tagged
from bot.core.weighted_length import MAX_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.core.model import Entry, Post


CORRECTION_TEMPLATE: Final = "Correction: {title} {link}"


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
        shorten: whether its link may be a short one, where there is a shortener.
        correction: the template of an answer that corrects a post.
        utm: the parameters that its link gets, see `core.link_templates`.
        max_length: the most that a post of it may weigh, where the destination takes so much.
    """

    template: str = DEFAULT_TEMPLATE
    hashtags: tuple[str, ...] = ()
    link: LinkUse = LinkUse.ALWAYS
    shorten: bool = True
    correction: str = CORRECTION_TEMPLATE
    utm: tuple[tuple[str, str], ...] = ()
    max_length: int = MAX_WEIGHT

    def long_link(self, entry: Entry) -> str | None:
        """Return the link that a post of `entry` bears where none is short, None where it bears none."""
        link = entry.orig_link or entry.link
        if link is None or self.link is LinkUse.NEVER:
            return None
        return tagged(link, self.utm, feed=entry.feed) if self.utm else link


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What was got ready for a post before it is composed, see `bot.preparing`.

    Attributes:
        link: the short link that stands for the entry's, None where there is none.
        pictures: what the destination calls the pictures that it was given, in their order.
    """

    link: str | None = None
    pictures: tuple[str, ...] = ()


class Composer:
    """Makes posts for one destination.

    Args:
        styles: by the feed's name; the usual style for any other.
        limit: the most that the destination takes, in its own measure.
        known: what is ready for an entry already, found without asking anybody; nothing unless it is given.
    """

    def __init__(
        self,
        styles: Mapping[str, Style],
        *,
        limit: int,
        known: Callable[[Entry], Prepared] = lambda _: Prepared(),
    ) -> None:
        self._styles = styles
        self._limit = limit
        self._known = known

    def forms(
        self, entry: Entry, prepared: Prepared | None = None, *, corrects: bool = False
    ) -> tuple[Post, ...]:
        """Return the posts that `entry` may go out as, the preferred one first; at least one.

        `prepared` is what was got ready for it; None takes what is known to be ready. `corrects`: it is to be an answer
        that corrects a post.
        Raises ValueError, with the reason, when no post can be made of it.
        """
        style = self._styles.get(entry.feed, Style())
        if corrects:
            style = replace(style, template=style.correction)
        ready = self._known(entry) if prepared is None else prepared
        posts = tuple(made.post for made in self._texts(entry, style, ready))
        return tuple(replace(post, media=ready.pictures) for post in posts) if ready.pictures else posts

    def telling(self, entry: Entry) -> Composed:
        """Return the first of `forms`, without pictures, and what was done to the entry's words. Raises as it does."""
        style = self._styles.get(entry.feed, Style())
        return self._texts(entry, style, self._known(entry))[0]

    def _texts(self, entry: Entry, style: Style, ready: Prepared) -> tuple[Composed, ...]:
        match style.link:
            case LinkUse.ALWAYS:
                return (self._with_link(entry, style, ready),)
            case LinkUse.NEVER:
                return (self._without_link(entry, style),)
            case LinkUse.BUDGET:
                full = self._with_link(entry, style, ready)
                try:
                    bare = self._without_link(entry, style)
                except ValueError:
                    return (full,)
                return (full, bare) if bare.post.text != full.post.text else (full,)

    def _with_link(self, entry: Entry, style: Style, ready: Prepared) -> Composed:
        return composed(
            entry,
            template=style.template,
            hashtags=style.hashtags,
            limit=min(style.max_length, self._limit),
            link=ready.link or style.long_link(entry),
        )

    def _without_link(self, entry: Entry, style: Style) -> Composed:
        bare = replace(entry, link=None, orig_link=None)
        limit = min(style.max_length, self._limit)
        return composed(bare, template=style.template, hashtags=style.hashtags, limit=limit)
