"""What makes posts outside the running bot: for a look at how feeds and what is queued would read, and nothing is asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.composing import PLAIN, Composer, Style
from bot.configured import picture_uses, restyled, shortener_of, style_of
from bot.core.rulers import XRuler
from bot.core.weighted_length import LONGEST_WEIGHT
from bot.lanes import manner_of, ruler_of
from bot.pictures import PicturesShown
from bot.preparing import Preparing
from bot.shortening import Shortening

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bot.composing import Prepared
    from bot.config import Config, Destination, Feed
    from bot.core.model import Entry
    from bot.sources.collect import Address
    from bot.store import Store


def composer_for(
    config: Config | None,
    destination: Destination | None,
    chosen: Sequence[tuple[Address, Feed | None]],
    template: str | None,
    store: Store | None,
) -> tuple[Composer, Mapping[str, Style]]:
    """Return what makes posts for a destination, and how those of each of the chosen feeds read there.

    Without a configuration or a destination it is X by the defaults. `template` takes the place of every feed's own;
    `store` knows the short links that were made before, None for none.
    """
    styles = {address.feed: style_of(feed) if feed else Style() for address, feed in chosen}
    if destination is not None:
        styles = {name: restyled(style, destination) for name, style in styles.items()}
    if template is not None:
        styles = {name: replace(style, template=template) for name, style in styles.items()}
    service = shortener_of(config) if config else None
    shortening = None
    if store is not None and service is not None:
        shortening = Shortening(store, service=service.identity, shorten=None, clock=_now)
    pictures = PicturesShown(picture_uses(config.feeds if config else (), destination))
    known: Callable[[Entry], Prepared] = Preparing(styles, shortening=shortening, pictures=pictures).known
    composer = Composer(
        styles,
        ruler=ruler_of(destination, config) if config and destination else XRuler(LONGEST_WEIGHT),
        manner=manner_of(destination) if destination else PLAIN,
        known=known,
    )
    return composer, styles


def _now() -> datetime:
    return datetime.now(UTC)
