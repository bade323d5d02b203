"""The passages that a feed's bodies repeat: mastheads, disclaimers, biographies, calls to subscribe.

    newest samples of the feed in the store + those of the poll at hand -> runs that stand in many of them

Nothing is kept for it beside the samples themselves, so a restart knows them again. A poll's own bodies are counted
before any of them is judged: otherwise the second entry of a new feed would be taken for a copy of the first.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Final

from bot.pipeline.lines import FEEDS_KEPT, LOOKED_AT, REPEATED_SHARE, REPEATED_TIMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.core.bodies import BodySignature
    from bot.store import Store

COUNTED_AGAIN: Final = 0.05
"""The passages of a feed are counted again when so large a share of what was counted is new: 3 ms for 200 bodies."""


def repeated_in(bodies: Sequence[BodySignature]) -> frozenset[int]:
    """Give the runs of words that stand in at least three of the bodies, and in at least one of twenty."""
    counts: Counter[int] = Counter()
    for body in bodies:
        counts.update(body.shingles)
    least = max(REPEATED_TIMES, REPEATED_SHARE * len(bodies))
    return frozenset(hashed for hashed, times in counts.items() if times >= least)


class RepeatedPassages:
    """Knows the repeated passages of feeds."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._feeds: OrderedDict[str, _Known] = OrderedDict()

    def read(self, feed: str, bodies: Sequence[BodySignature]) -> None:
        """Count the bodies that a poll brought of `feed`, before any of them is judged or kept."""
        known = self._feeds.get(feed)
        if known is not None and not known.is_stale(len(bodies)):
            known.since += len(bodies)
        elif bodies:
            self._count(feed, bodies)

    def of(self, feed: str) -> frozenset[int]:
        """Return the runs of words that `feed` repeats."""
        known = self._feeds.get(feed) or self._count(feed, ())
        self._feeds.move_to_end(feed)
        return known.repeated

    def _count(self, feed: str, bodies: Sequence[BodySignature]) -> _Known:
        stored = self._store.signatures.newest_bodies(feed, LOOKED_AT)
        looked_at = [*bodies, *stored][:LOOKED_AT]
        known = self._feeds[feed] = _Known(repeated_in(looked_at), len(looked_at))
        if len(self._feeds) > FEEDS_KEPT:
            self._feeds.popitem(last=False)
        return known


class _Known:
    def __init__(self, repeated: frozenset[int], counted: int) -> None:
        self.repeated = repeated
        self.since = 0
        self._counted = counted

    def is_stale(self, more: int) -> bool:
        return self.since + more >= max(1, COUNTED_AGAIN * self._counted)
