"""A slider for the level: which of the last days' decisions another threshold changes.

At once by the points that were measured then, beside the threshold; and, as soon as the engine has judged all anew, by that.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from bot.core.dedupe import Level
from bot.core.model import Reason
from bot.tuning.in_use import TablesInUse
from bot.web.backtests import DAYS, Compared, UnderWay
from bot.web.plots import dots
from bot.web.rendering import marked, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from bot.store import Store
    from bot.store.entries import StoredEntry
    from bot.web.backtests import Change
    from bot.web.pages import Visit

COMPARED: Final = 3000
"""Newest comparisons that are drawn and counted at once."""

FARTHEST: Final = 3.0
SHOWN: Final = 50


def slider(visit: Visit) -> Response:
    """Show what a threshold so many points higher or lower would have decided otherwise."""
    offset = _offset(visit.asked.get("offset", ""))
    level = Level(visit.desk.config.dedup.level)
    with visit.desk.reading() as store:
        tables = TablesInUse(store, level)()
        found = [
            one
            for one in visit.desk.likenesses.newest(store, visit.now - timedelta(days=DAYS), COMPARED)
            if one["threshold"] is not None
        ]
        changed = [one for one in found if _changes(one, offset)]
        # At no offset nothing would change: that takes no judging.
        anew = visit.desk.backtests.at(offset, visit.now) if offset else None
        shown = _pairs(store, anew.changes[:SHOWN]) if isinstance(anew, Compared) else []
    across = max(len(found) - 1, 1)
    own = tables.levels[level].threshold
    return visit.show(
        "levels.html",
        offset=offset,
        farthest=FARTHEST,
        level=level,
        levels=[
            (str(one), round(tables.levels[one].threshold - own, 1))
            for one in Level
            if abs(tables.levels[one].threshold - own) <= FARTHEST
        ],
        compared=len(found),
        bounded=len(found) >= COMPARED,
        skipped=sum(one["verdict"] != "duplicate" for one in changed),
        posted=sum(one["verdict"] == "duplicate" for one in changed),
        anew=anew if isinstance(anew, Compared) else None,
        under_way=anew if isinstance(anew, UnderWay) else None,
        changes=shown,
        classic=visit.desk.config.dedup.method == "classic",
        days=DAYS,
        plot=dots(
            f"Points beside the threshold of {len(found)} comparisons, and the line of {offset:+g}",
            [
                (
                    number / across,
                    float(one["points"]) - float(one["threshold"]),
                    "changed"
                    if _changes(one, offset)
                    else "skipped"
                    if one["verdict"] == "duplicate"
                    else "kept",
                )
                for number, one in enumerate(reversed(found[:1500]))
            ],
            low=-10,
            high=10,
            level=offset,
            axis="older to newer; points beside the threshold",
        ),
    )


def _pairs(
    store: Store, changes: Sequence[Change]
) -> list[tuple[Change, StoredEntry, StoredEntry | None, Markup]]:
    """Return changes with both texts; that of the earlier one has its differing words marked, None where it is gone."""
    found = []
    for change in changes:
        try:
            stored = store.entries.get(change.entry_id)
            other = store.entries.get(change.weighed.of_id) if change.weighed.of_id is not None else None
        except KeyError:  # dropped since it was judged
            continue
        title = marked(other.entry.label, words_of(stored.entry.label)) if other else Markup("")
        found.append((change, stored, other, title))
    return found


def _offset(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return round(value, 1) if -FARTHEST <= value <= FARTHEST else 0.0


def _changes(one: dict[str, Any], offset: float) -> bool:
    """Say whether a comparison would be decided otherwise; what a body or a guard decided stays."""
    points, threshold = float(one["points"]), float(one["threshold"])
    if one["reason"] == Reason.NEAR_DUPLICATE:
        return threshold <= points < threshold + offset
    return one["verdict"] in {"fresh", "held"} and threshold + offset <= points < threshold
