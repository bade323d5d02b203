"""What a setting makes of a stream, entry by entry, and where two settings differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.core.dedupe import SHIPPED, Level, Tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.core.model import Entry

OFFSETS: Final = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""Points around a level's threshold: a step of .5 multiplies the odds that are asked for by 1.6. Between the thresholds
of eager and balanced, both on one table, lies about one point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A level, at a threshold.

    Attributes:
        level: whose table weighs.
        threshold: in points; within one feed `strict` asks for more.
        is_own: whether the threshold is the level's own.
        tables: with that threshold in them.
    """

    level: Level
    threshold: float
    is_own: bool
    tables: Tables

    @property
    def name(self) -> str:
        """What people call it: the level where the threshold is its own, else with its threshold."""
        return str(self.level) if self.is_own else f"{self.level} at {self.threshold:+.2f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What becomes of an entry at a setting.

    Attributes:
        entry: which.
        at: when the bot first saw it.
        posted: whether it would be posted, or a person asked, as far as likeness goes.
        is_duplicate: whether it is skipped for its likeness.
        of: title of the entry that it repeats, or of the nearest miss; None where there is none.
        of_id: number of that entry in the bot's own record; None where it has none.
        points, threshold: of the table against that entry; None where nothing was weighed.
    """

    entry: Entry
    at: datetime
    posted: bool
    is_duplicate: bool
    of: str | None = None
    of_id: int | None = None
    points: float | None = None
    threshold: float | None = None


Outcomes = dict[int, Outcome]
"""By the entry's number in its stream, in the order of the stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An entry that two settings treat otherwise: `posted` there and skipped here, or the other way round.

    Attributes:
        now, then: its outcome at the setting in use, and at the other.
    """

    now: Outcome
    then: Outcome

    @property
    def weighed(self) -> Outcome:
        """The outcome that names the pair: the one where it is skipped."""
        return self.now if self.now.is_duplicate else self.then


def changes(now: Outcomes, then: Outcomes) -> list[Change]:
    """Return the entries that are posted at one setting and not at the other, in the order of the stream."""
    return [
        Change(now=outcome, then=then[number])
        for number, outcome in now.items()
        if number in then and outcome.posted is not then[number].posted
    ]


def grid(tables: Tables = SHIPPED, levels: Sequence[Level] = tuple(Level)) -> list[Setting]:
    """Return each level and thresholds around it, the levels in order and the thresholds from low to high."""
    return [at_threshold(tables, level, offset) for level in levels for offset in OFFSETS]


def at_threshold(tables: Tables, level: Level, offset: float = 0.0) -> Setting:
    """Return a level whose threshold lies `offset` points above its own."""
    table = tables.levels[level]
    threshold = round(table.threshold + offset, 6)
    moved = {level: table._replace(threshold=threshold)}
    return Setting(
        level=level,
        threshold=threshold,
        is_own=offset == 0,
        tables=tables._replace(levels=tables.levels | moved),
    )
