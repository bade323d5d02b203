"""The shapes that rooms above the doors rely on, where more than one thing fits them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.core.model import Post, Receipt


class Publisher(Protocol):
    """Sends one post to one destination. `publishers.x` and `publishers.stdout` fit it.

    Attributes:
        name: the destination's name as the outbox stores it.
        limit: the most that the destination takes, in its own measure.
    """

    name: str
    limit: int

    def publish(self, post: Post) -> Receipt:
        """Send `post` now, once; raise a `PublishError` that says what is known of the outcome."""
        ...
