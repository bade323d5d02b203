"""Where the posts of a run go and what they cost: what a journal of it has to name, and what not."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from bot.publishers import DESTINATION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.config import Config
    from bot.core.model import Post


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where posts go.

    Attributes:
        free: the names of the destinations that cost nothing.
        priced: whether there is one that does cost.
        several: whether a post has to say where it goes.
        sent: the words for what went out, by the name; "posted" for any other.
    """

    free: frozenset[str] = frozenset()
    priced: bool = True
    several: bool = False
    sent: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


ONE_PLACE: Final = Places()
"""X alone."""


def places_of(config: Config, *, rehearsed: bool) -> Places:
    """Return where posts of a bot go; a rehearsal posts to a simulated X, and shows what would go elsewhere."""
    names = [destination.name for destination in config.destinations]
    free = frozenset(each.name for each in config.destinations if each.type != DESTINATION)
    sent = {
        name: f"would be posted to {name}" if name in free else "posted to the simulated X" for name in names
    }
    return Places(
        free=free, priced=len(free) < len(names), several=len(names) > 1, sent=sent if rehearsed else {}
    )


@dataclass(slots=True)
class Bill:
    """What posts cost, in micro-dollars; a text in which X reads a link counts as one with a link."""

    with_link: int = 0
    without_link: int = 0
    micros_with_link: int = 0
    micros_without_link: int = 0

    @property
    def micros(self) -> int:
        """All of it."""
        return self.micros_with_link + self.micros_without_link

    def add(self, post: Post, micros: int) -> None:
        """Add one post."""
        if post.has_link:
            self.with_link += 1
            self.micros_with_link += micros
        else:
            self.without_link += 1
            self.micros_without_link += micros
