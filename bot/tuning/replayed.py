"""Recorded feeds judged at many settings side by side: each snapshot is parsed once, and each setting has a bot of its own."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from bot.backtest import Run, read_ahead
from bot.core.model import Reason
from bot.pipeline import Judge
from bot.store import Store
from bot.tuning.outcomes import Outcome, Outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.backtest import Judged
    from bot.core.dedupe import Tables
    from bot.pipeline import FeedRules
    from bot.snapshots import Snapshots
    from bot.tuning.outcomes import Setting


def outcomes(
    snapshots: Snapshots,
    settings: Sequence[Setting],
    rules: Callable[[str], FeedRules],
    advance: Callable[[int, int], None],
) -> list[Outcomes]:
    """Return what becomes of each distinct entry, setting by setting; holds are released at once.

    `advance` is told of each snapshot: how many were judged, of how many.
    """
    numbers: dict[tuple[str, str | None, str | None, str], int] = {}
    found: list[Outcomes] = [{} for _ in settings]
    with ExitStack() as stack:
        runs = []
        for setting in settings:
            store = stack.enter_context(Store.in_memory())
            judge = Judge(store, setting.level, partial(_tables, setting))
            runs.append(Run(store, judge, release_held=True))
        for done, (snapshot, collected, feeds) in enumerate(read_ahead(snapshots, rules), start=1):
            for run, outcomes_of in zip(runs, found, strict=True):
                _, judged = run.take(snapshot, collected, feeds)
                for one in judged:
                    entry = one.entry
                    name = (entry.feed, entry.guid, entry.link, entry.title)
                    outcomes_of[numbers.setdefault(name, len(numbers))] = _outcome(one)
            advance(done, len(snapshots))
    return found


def _tables(setting: Setting) -> Tables:
    return setting.tables


def _outcome(judged: Judged) -> Outcome:
    numbers = next((step.numbers for step in judged.trace if "points" in step.numbers), {})
    points, threshold, title = numbers.get("points"), numbers.get("threshold"), numbers.get("title")
    return Outcome(
        entry=judged.entry,
        at=judged.at,
        posted=judged.verdict.kind == "fresh",
        is_duplicate=judged.verdict.reason is Reason.NEAR_DUPLICATE,
        of=str(title) if title else None,
        points=float(points) if points is not None else None,
        threshold=float(threshold) if threshold is not None else None,
    )
