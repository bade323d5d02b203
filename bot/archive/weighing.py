"""Pairs to what they share, over the cores. Each process maps the index and remembers the texts at hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bot.archive.methods import METHODS
from bot.core.dedupe import Candidate, Level, judge_near
from bot.core.signature import Signature, decode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.archive.index import Index
    from bot.archive.model import Judging, Reading, Weighed

REMEMBERED: Final = 4_000
"""Texts whose shingles are kept at hand: a megabyte for each seventy of usual length."""
LEAST_FOR_ENGINE: Final = 0.3
"""Share of a text's runs that the other must have before the engine is asked. It knows that two short texts of one evening that
share a few rare words tell one story; in an archive without dates four of five such pairs of posts were other stories."""
_LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)
_LONGEST_GAP: Final = timedelta(days=3650)
RESULT: Final = np.dtype(
    [("one", "<u4"), ("other", "<u4"), ("resemblance", "<f4"), ("of_one", "<f4"), ("of_other", "<f4")]
)


class Scales:
    """Weighs documents of an index with one another."""

    def __init__(self, index: Index, reading: Reading, judging: Judging) -> None:
        self._index = index
        self._reading = reading
        self._judging = judging
        self._method = METHODS[reading.method]
        self._features: dict[int, Any] = {}
        self._window = None if judging.window is None else judging.window * 86400

    def features(self, number: int) -> Any:
        """Give what the method weighs of a document."""
        found = self._features.get(number)
        if found is None:
            if len(self._features) >= REMEMBERED:
                self._features.clear()
            found = self._method.features(self._index.words_of(number), self._reading.width)
            self._features[number] = found
        return found

    def weigh(self, one: int, other: int) -> Weighed:
        """Weigh two documents; dated ones farther apart than the window are no copies."""
        found = self._method.weigh(self.features(one), self.features(other), self._judging.level)
        dates = self._index.records["date"]
        gap = abs(float(dates[one]) - float(dates[other]))  # NaN where either has none
        if self._window is not None and gap > self._window:
            return found._replace(is_copy=False)
        alike = max(found.of_one, found.of_other) >= LEAST_FOR_ENGINE
        if not found.is_copy and alike and self._reading.method == "exact":
            old, new = self._index.signature_of(one), self._index.signature_of(other)
            if old and new and self._engine_says(decode(old), decode(new), gap):
                return found._replace(is_copy=True)
        return found

    def _engine_says(self, old: Signature, new: Signature, gap: float) -> bool:
        """Ask the engine that guards the bot, at its strict level, as for two sources' texts; undated ones are taken as of one hour."""
        apart = timedelta(seconds=min(gap, _LONGEST_GAP.total_seconds())) if gap == gap else timedelta()  # noqa: PLR0124 - NaN
        candidate = Candidate(
            entry_id=1,
            lead_id=1,
            feed="one",
            title="",
            link=None,
            seen_at=_LONG_AGO,
            published=_LONG_AGO,
            signature=old,
        )
        later = _LONG_AGO + apart
        found = judge_near(new, [candidate], level=Level.STRICT, feed="other", now=later, published=later)
        return found.is_duplicate

    def copies(self, ones: NDArray[np.uint32], others: NDArray[np.uint32]) -> NDArray[Any]:
        """Give those of the pairs that are copies, as an array of `RESULT`."""
        kept = []
        for one, other in zip(ones.tolist(), others.tolist(), strict=True):
            found = self.weigh(one, other)
            if found.is_copy:
                kept.append((one, other, found.resemblance, found.of_one, found.of_other))
        return np.array(kept, dtype=RESULT)
