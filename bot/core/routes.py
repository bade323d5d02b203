"""Which destinations the stories of a feed go to."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Routes:
    """From feeds to destinations, by their names.

    Attributes:
        every: all destinations, where the stories of a feed go that is not named.
        of: for the feeds that are.
    """

    every: tuple[str, ...]
    of: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def to(self, feed: str) -> tuple[str, ...]:
        """Return where the stories of a feed go."""
        return self.of.get(feed, self.every)
