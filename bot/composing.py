"""An entry made into a post in the style of its feed: the template, the hashtags, and whether with a link.

On X a post with a link costs thirteen times as much as one without, so a feed may do without, or while money lasts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.core.compose import DEFAULT_TEMPLATE, Composed, composed
from bot.core.link_templates import tagged
from bot.core.model import ANSWERS, Card, Post
from bot.core.pictures import alt_text
from bot.core.rulers import X_RULER
from bot.core.weighted_length import MAX_WEIGHT
from bot.core.wording import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.core.filters import Patterns
    from bot.core.model import Entry
    from bot.core.rulers import Ruler


_LONGEST_DESCRIPTION: Final = 300
"""Characters of a preview's description; readers see two lines of it."""

OWN_LINK: Final = "{link}"
"""What stands for the story's link in a text that a person wrote: it goes out as the template's would, with its parameters or short."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """What the readers of some stories are warned of first.

    Attributes:
        words: that they see, or the destination's name for it.
        patterns: such a story meets one of them.
    """

    words: str
    patterns: Patterns


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What of a post is the destination's own, beside its text.

    Attributes:
        card: whether the link is shown as a preview, which the destination does not make by itself.
        alts: whether the alt text of pictures stands in the post.
        warnings: of which the first that fits counts.
    """

    card: bool = False
    alts: bool = False
    warnings: tuple[Warned, ...] = ()

    def dressed(self, post: Post, entry: Entry, link: str | None) -> Post:
        """Return `post` with all that; `link` is the story's, None where the post bears none."""
        card = None
        if self.card and link is not None:
            card = Card(
                url=link, title=clean(entry.label), description=clean(entry.summary)[:_LONGEST_DESCRIPTION]
            )
        alt = (alt_text(entry.image_alt, entry.title),) if self.alts and post.media else ()
        warning = next((w.words for w in self.warnings if w.patterns.hit(entry) is not None), "")
        return replace(post, card=card, alt=alt, warning=warning)


PLAIN: Final = Manner()
"""X's: a text, and pictures that were described before."""


class Composer:
    """Makes posts for one destination.

    Args:
        styles: by the feed's name; the usual style for any other.
        ruler: measures texts as the destination does.
        manner: what is the destination's own, beside the text.
        known: what is ready for an entry already, found without asking anybody; nothing unless it is given.
    """

    def __init__(
        self,
        styles: Mapping[str, Style],
        *,
        ruler: Ruler = X_RULER,
        manner: Manner = PLAIN,
        known: Callable[[Entry], Prepared] = lambda _: Prepared(),
    ) -> None:
        self._styles = styles
        self._ruler = ruler
        self._manner = manner
        self._known = known

    def forms(
        self, entry: Entry, prepared: Prepared | None = None, *, corrects: bool = False
    ) -> tuple[Post, ...]:
        """Return the posts that `entry` may go out as, the preferred one first; at least one.

        `prepared` is what was got ready for it; None takes what is known to be ready. `corrects`: it is to be an answer
        that corrects a post.
        Raises ValueError, with the reason, when no post can be made of it.
        """
        if entry.feed == ANSWERS:
            return (self._as_it_is(entry.title),)
        if entry.own_text is not None:
            ready = prepared or self._known(entry)
            post = self._as_it_is(self._own_words(entry, ready))
            return (self._manner.dressed(replace(post, media=ready.pictures), entry, post.link),)
        style = self._styles.get(entry.feed, Style())
        if corrects:
            style = replace(style, template=style.correction)
        ready = self._known(entry) if prepared is None else prepared
        link = ready.link or style.long_link(entry)
        return tuple(
            self._manner.dressed(replace(made.post, media=ready.pictures), entry, link)
            for made in self._texts(entry, style, ready)
        )

    def telling(self, entry: Entry) -> Composed:
        """Return the first of `forms`, without pictures, and what was done to the entry's words. Raises as it does."""
        if entry.feed == ANSWERS:
            return Composed(post=self._as_it_is(entry.title))
        if entry.own_text is not None:
            return Composed(post=self._as_it_is(self._own_words(entry, self._known(entry))))
        style = self._styles.get(entry.feed, Style())
        return self._texts(entry, style, self._known(entry))[0]

    def as_written(self, entry: Entry, text: str) -> str:
        """Return a text for `own_text` in which the link that a post of `entry` bears is `OWN_LINK`.

        Written as it stands, the link would go out as it stood when it was written: long, where a short one is made just before.
        """
        long = self._styles.get(entry.feed, Style()).long_link(entry)
        if long is None:
            return text
        forms = {long, entry.orig_link or "", entry.link or "", self._known(entry).link or ""} - {""}
        ways = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
        return re.sub(rf"(?<!\S)(?:{ways})(?=[.,;:!?)]*(?:\s|$))", lambda _: OWN_LINK, text)

    def _own_words(self, entry: Entry, ready: Prepared) -> str:
        style, text = self._styles.get(entry.feed, Style()), entry.own_text or ""
        # Who writes the link into a post of a feed whose posts bear none wants it there.
        link = ready.link or style.long_link(entry) or entry.orig_link or entry.link or ""
        return text.replace(OWN_LINK, link).strip()

    def _as_it_is(self, text: str) -> Post:
        measured = self._ruler.measure(text)
        if not text or measured.weight > self._ruler.limit:
            raise ValueError(f"it weighs {measured.weight}, and {self._ruler.limit} is the most")
        links = [url.url for url in measured.urls]
        return Post(
            text=text,
            weight=measured.weight,
            limit=self._ruler.limit,
            has_link=bool(links),
            link=links[0] if links else None,
        )

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
            limit=min(style.max_length, self._ruler.limit),
            link=ready.link or style.long_link(entry),
            ruler=self._ruler,
        )

    def _without_link(self, entry: Entry, style: Style) -> Composed:
        bare = replace(entry, link=None, orig_link=None)
        return composed(
            bare,
            template=style.template,
            hashtags=style.hashtags,
            limit=min(style.max_length, self._ruler.limit),
            ruler=self._ruler,
        )
