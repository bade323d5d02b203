"""A recorded stream judged in memory: each entry against everything of the last hours, as the bot would judge it.

The same keys, limits and lines that a feed repeats as in the journey, without its disk. Every earlier entry counts as
a lead, so each is judged by the full table: the bot itself asks more of what is itself a copy, and skips a little less.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.core.dedupe import Candidate, Level, NearVerdict, judge_near
from bot.core.model import Entry
from bot.core.signature import candidate_keys, sign
from bot.pipeline.lines import RepeatedLines
from bot.store.signatures import CANDIDATES, NEWEST_OF_A_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from labels.streams import Item

    from bot.core.signature import Signature

HOURS = 72.0
"""How far back a replay looks: 97% of cross-channel copies come within it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """An entry of the stream, its signature, what was fetched for it (best first) and what was decided."""

    item: Item
    signature: Signature
    candidates: list[Candidate]
    verdict: NearVerdict


class _Nothing:
    """A store that holds no text, for lines that are learned from the start of the stream."""

    entries = property(lambda self: self)

    def newest_texts(self, _feed: str, _limit: int) -> list[Entry]:
        return []


def replay(items: Iterable[Item], level: Level, hours: float = HOURS) -> Iterator[Judged]:
    """Yield each item, in the order given (of time), judged against those before it of the last `hours`.

    A candidate's `entry_id` is the place of its item in the stream, from 1.
    """
    lines = RepeatedLines(_Nothing())  # type: ignore[arg-type]
    kept: list[Candidate] = []
    holders: dict[int, list[int]] = defaultdict(list)
    oldest = 0
    for number, item in enumerate(items, 1):
        entry = Entry(
            feed=item.source,
            link=item.link or None,
            title=item.title,
            summary=item.summary,
            published=item.published,
        )
        signature = sign(entry.title, entry.summary, feed_title=entry.feed, boilerplate=lines.of(entry.feed))
        while oldest < len(kept) and kept[oldest].seen_at < item.published - timedelta(hours=hours):
            oldest += 1
        keys = candidate_keys(signature)
        shared = Counter(
            place for key in keys for place in holders.get(key, ())[-NEWEST_OF_A_KEY:] if place > oldest
        )
        best = sorted(shared, key=lambda place: (-shared[place], -place))[:CANDIDATES]
        candidates = [kept[place - 1] for place in best]
        verdict = judge_near(
            signature, candidates, level=level, feed=entry.feed, now=item.published, published=item.published
        )
        yield Judged(item=item, signature=signature, candidates=candidates, verdict=verdict)
        kept.append(
            Candidate(
                entry_id=number,
                lead_id=number,
                feed=entry.feed,
                title=entry.title,
                link=entry.link,
                seen_at=item.published,
                published=item.published,
                signature=signature,
            )
        )
        for key in keys:
            holders[key].append(number)
        lines.learn(entry)
