"""What another threshold would have decided, judged anew by the very engine: begun when somebody asks, kept for an hour.

    a page asks for an offset ──> known? shown : put in the queue, and the page says how far it is
    a thread of its own takes them one by one ──> a process of its own judges (`tuning.apart`)

The threshold in use is judged first, so that both are judged by the same texts: what differs then is the threshold's doing.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.configured import rules_of
from bot.core.dedupe import Level
from bot.tuning.apart import Trial, Unfinished, judged_apart

if TYPE_CHECKING:
    from datetime import datetime

    from bot.config import Config
    from bot.tuning.apart import Anew, Found

DAYS: Final = 30
FRESH_FOR: Final = timedelta(hours=1)
KEPT: Final = 16
"""Offsets whose outcomes are kept: some megabytes."""

WAITING: Final = 3
"""Offsets that wait for their turn; who asks for one more is told to ask again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An entry that another threshold decides otherwise.

    Attributes:
        entry_id: whose.
        posted: whether it would be posted; else it would be skipped.
        weighed: its outcome where it is skipped, which names what it repeats.
    """

    entry_id: int
    posted: bool
    weighed: Anew


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What a threshold would have changed.

    Attributes:
        at: when it was judged.
        since: of which entries.
        judged: how many.
        threshold: in points.
        changes: newest first.
    """

    at: datetime
    since: datetime
    judged: int
    threshold: float
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """It is not judged yet: how far it is, `of` 0 before that is known; or why it could not be, "" where nothing went wrong."""

    judged: int
    of: int
    why: str = ""


class Backtests:
    """The outcomes of the last hour, by offset; for many threads."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._guard = threading.Lock()
        self._found: dict[float, Found] = {}
        self._began: datetime | None = None
        self._failed: dict[float, str] = {}
        self._queue: list[float] = []
        self._done = (0, 0)
        self._worker: threading.Thread | None = None

    def at(self, offset: float, now: datetime) -> Compared | UnderWay:
        """Return what an offset to the level's own threshold would have changed; begin to judge where nobody has yet."""
        with self._guard:
            if self._worker is None and self._began is not None and now - self._began > FRESH_FOR:
                self._found, self._failed, self._began = {}, {}, None
            own, there = self._found.get(0.0), self._found.get(offset)
            if own is not None and there is not None and self._began is not None:
                return _compared(own, there, self._began)
            why = self._failed.get(offset) or self._failed.get(0.0)
            if why:
                self._failed = {}  # the next to ask begins anew
                return UnderWay(judged=0, of=0, why=why)
            self._want(offset, now)
            return UnderWay(judged=self._done[0], of=self._done[1])

    def finish(self) -> None:
        """Wait until all that was asked for is judged."""
        worker = self._worker
        if worker is not None:
            worker.join()

    def _want(self, offset: float, now: datetime) -> None:
        if self._began is None:
            self._began = now
        for one in (0.0, offset):
            if one not in self._found and one not in self._queue and len(self._queue) < WAITING:
                self._queue.append(one)
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, args=(self._began,), daemon=True)
            self._worker.start()

    def _work(self, began: datetime) -> None:
        while True:
            with self._guard:
                if not self._queue:
                    self._worker = None
                    return
                offset, self._done = self._queue[0], (0, 0)
            try:
                found = judged_apart(self._trial(offset, began - timedelta(days=DAYS)), self._advance)
            except Unfinished as error:
                with self._guard:
                    self._failed[offset] = str(error)
                    self._queue.remove(offset)
                continue
            with self._guard:
                self._queue.remove(offset)
                self._found[offset] = found
                while len(self._found) > KEPT:
                    del self._found[next(one for one in self._found if one)]

    def _trial(self, offset: float, since: datetime) -> Trial:
        config = self._config
        return Trial(
            state_dir=config.state_dir,
            level=Level(config.dedup.level),
            offset=offset,
            since=since,
            rules={feed.name: rules_of(feed) for feed in config.feeds},
        )

    def _advance(self, done: int, of: int) -> None:
        self._done = (done, of)


def _compared(own: Found, there: Found, at: datetime) -> Compared:
    both = [row for row in own.outcomes if row in there.outcomes]
    changed = [row for row in both if own.outcomes[row].posted is not there.outcomes[row].posted]
    return Compared(
        at=at,
        since=max(own.since, there.since),
        judged=len(both),
        threshold=there.threshold,
        changes=tuple(
            Change(
                entry_id=row,
                posted=there.outcomes[row].posted,
                weighed=own.outcomes[row] if own.outcomes[row].is_duplicate else there.outcomes[row],
            )
            for row in reversed(changed)
        ),
    )
