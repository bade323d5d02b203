"""The classic ten-word form at its door: checksums of an entry, what shares some, and the verdict as a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.core.classic_verdict import NEEDED, classic_text, judge_classic, saying, word_differences
from bot.core.dedupe import WINDOW
from bot.core.model import Match, Step
from bot.pipeline.telling import NEAR, WORDS_SHOWN

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.core.classic_verdict import ClassicCandidate, ClassicVerdict
    from bot.core.model import Entry
    from bot.store import Store


class ClassicJudge:
    """Looks for an earlier entry with more than half of its runs of ten words in common."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def keep(self, entry_id: int, entry: Entry, now: datetime) -> bool:
        """Keep the checksums of an entry; say whether it has any that were not kept. Call it in a transaction."""
        text = classic_text(entry.title, entry.summary, entry.body)
        return self._store.checksums.add(entry_id, text, now)

    def near(
        self, entry: Entry, now: datetime, trace: list[Step], allowed: Callable[[str, int], bool]
    ) -> Match | None:
        """Return the earlier entry that `entry` repeats, None when there is none; append a step to `trace`.

        Only candidates are compared of whose feed and lead `allowed` says so.
        """
        text = classic_text(entry.title, entry.summary, entry.body)
        candidates = [
            c
            for c in self._store.checksums.candidates(text, since=now - WINDOW)
            if allowed(c.feed, c.lead_id)
        ]
        found = judge_classic(text, candidates)
        nearest = found.candidate
        if nearest is None:
            trace.append(Step(name=NEAR, outcome=f"{_BY}: {found.reason}"))
            return None
        kind = "repeats" if found.is_duplicate else "nearest miss"
        numbers = _numbers(
            found, nearest, len(text.sums), now, saying(entry.title, entry.summary, entry.body)
        )
        trace.append(Step(name=NEAR, outcome=f"{kind}, {_BY}: {found.reason}", numbers=numbers))
        if not found.is_duplicate:
            return None
        return Match(
            entry_id=nearest.entry_id,
            lead_id=nearest.lead_id,
            feed=nearest.feed,
            title=nearest.title,
            link=nearest.link,
            seen_at=nearest.seen_at,
            resemblance=min(found.percent / 100, 1.0),
        )


_BY: Final = "by the classic form"


def _numbers(
    found: ClassicVerdict, nearest: ClassicCandidate, runs: int, now: datetime, said: str
) -> dict[str, float | str]:
    words = {name: " ".join(found)[:WORDS_SHOWN] for name, found in word_differences(said, nearest).items()}
    return {
        "entry": nearest.entry_id,
        "title": nearest.title[:200],
        "percent": round(found.percent, 2),
        "percent_needed": NEEDED,
        "shingles_in_common": found.common,
        "shingles_here": runs,
        "shingles_there": len(nearest.text.sums),
        "hours_apart": round((now - nearest.seen_at).total_seconds() / 3600, 2),
        **words,
    }
