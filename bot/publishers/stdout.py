"""Posts to whoever looks: the publisher of a dry run. It reaches no network and decides no words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.core.model import Receipt
from bot.core.rulers import X_RULER, Ruler
from bot.publishers.x import NAME

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.core.model import Post
    from bot.core.recognition import OwnPost


class StdoutPublisher:
    """Hands every post to `write` and calls it published.

    Args:
        write: shows a post; it decides how.
        name: the destination that is played.
        ruler: measures texts as that destination does.
    """

    def __init__(self, write: Callable[[Post], None], *, name: str = NAME, ruler: Ruler = X_RULER) -> None:
        self.name = name
        self.ruler: Ruler = ruler
        self._write = write
        self._count = 0

    def key(self, _row_id: int, _now: datetime, _newest_id: str | None) -> None:
        """Return None: what is shown has no name."""

    def publish(self, post: Post) -> Receipt:
        """Show `post`; the receipt's id is `dry-run:1` and counts on."""
        self._write(post)
        self._count += 1
        return Receipt(remote_id=f"dry-run:{self._count}")

    def account(self) -> None:
        """Return None: nothing goes out, so nothing could be read back, and nothing is looked up."""

    def own_posts(self, since_id: str | None, limit: int) -> list[OwnPost]:  # noqa: ARG002 - the port's
        """Return no posts: there is no account."""
        return []
