"""The destinations of a configuration, every value filled in: what the settings of each leave out, taken from elsewhere."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bot.config.destination_settings import BLUESKY, SECRET_KEYS, DestinationSettings
from bot.config.follow_settings import Follows, follows_over

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from bot.composing import LinkUse
    from bot.config.destination_settings import DestinationType
    from bot.config.pacing_settings import Pacing
    from bot.config.secrets import Origin, Secret
    from bot.config.settings import Document
    from bot.core.filters import Patterns
    from bot.core.pictures import PictureUse

X: Final = "x"
"""The type and the name of the destination that `[account]` is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """What readers are warned of.

    Attributes:
        text: Mastodon's content warning, or one of Bluesky's `LABELS`.
        patterns: an entry that meets one of them is warned of.
    """

    text: str
    patterns: Patterns


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """One account on a network, or the standard output.

    Attributes:
        type: which network.
        name: unlike those of the other destinations; that of type "x" is "x".
        feeds: the names of those that go there, in the file's order, at least one.
        pacing: complete.
        follows: complete; its mode is "off" where nobody can be followed.
        server: the address of the server without a slash at its end, None for "x" and "stdout".
        handle: of the account at Bluesky, None elsewhere.
        secret: the app password at Bluesky, the access token at Mastodon; None where it was not found, or where what
            `shinglebot auth` has stored counts.
        origin: where the secret came from, found or not; None where the configuration names none. With one, what is
            stored never counts.
        template, link, picture, hashtags, shorten: None where the feed's own count.
        utm: the parameters of links, None where the feed's own count.
        languages: tags of BCP 47, at most three.
        visibility: at Mastodon.
        card: whether a post at Bluesky shows its link as a preview.
        warnings: in the file's order; the first that an entry meets counts.
    """

    type: DestinationType
    name: str
    feeds: tuple[str, ...]
    pacing: Pacing
    follows: Follows = field(default_factory=Follows)
    server: str | None = None
    handle: str | None = None
    secret: Secret | None = None
    origin: Origin | None = None
    template: str | None = None
    link: LinkUse | None = None
    picture: PictureUse | None = None
    hashtags: tuple[str, ...] | None = None
    shorten: bool | None = None
    utm: tuple[tuple[str, str], ...] | None = None
    languages: tuple[str, ...] = ()
    visibility: Literal["public", "unlisted", "private"] = "public"
    card: bool = False
    warnings: tuple[Warned, ...] = ()

    @property
    def needs_login(self) -> bool:
        """Whether somebody has to be logged in there for posts to go out."""
        return self.type != "stdout"


def destinations_of(document: Document, origins: Mapping[int, Origin]) -> tuple[Destination, ...]:
    """Return where posts go: X first where there is an account, then the others in the file's order.

    A document without an account and without destinations has X alone, which can then be rehearsed only.

    Args:
        document: without faults.
        origins: where the secrets of destinations came from, by their position in the file.
    """
    sections = document.destination
    known = [_destination(section, document, origins.get(place)) for place, section in enumerate(sections)]
    others = [destination for destination in known if destination.type != X]
    if document.account is None and others:
        return tuple(others)
    own = next((destination for destination in known if destination.type == X), None)
    return (own or _destination(DestinationSettings(type="x"), document, None), *others)


def _destination(section: DestinationSettings, document: Document, origin: Origin | None) -> Destination:
    secret = getattr(section, SECRET_KEYS[section.type]) if section.type in SECRET_KEYS else None
    named = {unicodedata.normalize("NFC", name) for name in section.feeds or ()}
    return Destination(
        type=section.type,
        name=section.called,
        feeds=tuple(f.name for f in document.feed if section.feeds is None or f.name in named),
        pacing=pacing_over(document.pacing, section.pacing),
        follows=Follows() if section.type == "stdout" else follows_over(document.follows, section.follows),
        server=section.server or (BLUESKY if section.type == "bluesky" else None),
        handle=section.handle,
        secret=secret if origin is not None and origin.place is not None else None,
        origin=origin,
        template=section.template,
        link=section.link,
        picture=section.picture,
        hashtags=section.hashtags,
        shorten=section.shorten,
        utm=None if section.utm is None else section.utm.pairs,
        languages=section.languages,
        visibility=section.visibility,
        card=section.card and section.type == "bluesky",
        warnings=tuple(Warned(text=each.text, patterns=each.patterns) for each in section.warnings),
    )


def pacing_over(common: Pacing, own: Pacing) -> Pacing:
    """Return `common` with those keys of `own` that the file has."""
    return common.model_copy(update={key: getattr(own, key) for key in own.model_fields_set})
