"""What a judge would have kept of entries that came before it: made from the texts in the store, once.

Signatures of an older version are read no more, and where the table judged there are no checksums of the classic
form. Without this a new version, or another `dedup.method`, would know no earlier entry but by its keys, and
post the copies of two weeks. Bodies are not in the store, so of those nothing can be made again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.core.dedupe import WINDOW
from bot.core.model import Reason

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.pipeline.judge import Judge
    from bot.store import Store

AT_A_TIME: Final = 500
"""Entries in one transaction: half a second, after which the bot may stop; 20,000 take 18 s, once."""


def recollect(store: Store, judge: Judge, now: datetime, stopping: Callable[[], bool]) -> int:
    """Keep what `judge` lacks of the window's entries; return of how many.

    What repeats an earlier entry is left out, as it is when it comes. A second call finds nothing to do; one that
    `stopping` ended goes on where it stopped.
    """
    last, kept = 0, 0
    while not stopping():
        with store.transaction():
            rows = judge.lacking(now - WINDOW, after=last, limit=AT_A_TIME)
            found = [store.entries.get(row) for row in rows]
            # What was refused for a secret in it hides no copy of its story without one.
            kept += sum([judge.keep_again(each) for each in found if each.reason is not Reason.SECRET])
        if len(rows) < AT_A_TIME:
            break
        last = rows[-1]
    return kept
