"""The owner's labels, as pairs that can be judged again: by what the bot kept of both, else by their texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.core.pairs import Pair, example, judge_pair
from bot.store.labels import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.core.dedupe import Level, Tables
    from bot.core.pairs import PairVerdict
    from bot.core.refit import Example
    from bot.store import Store
    from bot.tuning.outcomes import Setting


def labelled_pairs(store: Store) -> list[Pair]:
    """Return the pairs that were marked, in the order in which they were; a is the entry that was stored first."""
    found = []
    for label in store.labels.all():
        a, b = store.entries.get(label.one_id), store.entries.get(label.other_id)
        found.append(
            Pair(
                a=a.entry,
                b=b.entry,
                a_seen=a.first_seen_at,
                b_seen=b.first_seen_at,
                same=label.label is Label.DUPLICATE,
                a_signed=store.signatures.of_entry(a.id)[0],
                b_signed=store.signatures.of_entry(b.id)[0],
            )
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a setting says of labelled pairs.

    Attributes:
        found, missed: repeats that it skips, and that it does not.
        wrongly_skipped, rightly_kept: other stories that it skips, and that it does not.
        cases: the pairs that it gets wrong, each with its verdict, in their order.
    """

    found: int
    missed: int
    wrongly_skipped: int
    rightly_kept: int
    cases: tuple[tuple[Pair, PairVerdict], ...]

    @property
    def right(self) -> int:
        """How many it gets right."""
        return self.found + self.rightly_kept

    @property
    def wrong(self) -> int:
        """How many it gets wrong."""
        return self.missed + self.wrongly_skipped


def mark(pairs: Sequence[Pair], setting: Setting) -> Marks:
    """Say what a setting gets right of pairs; those without a label count for nothing."""
    said = [
        (pair, judge_pair(pair, setting.level, tables=setting.tables))
        for pair in pairs
        if pair.same is not None
    ]
    counts = [(verdict.is_duplicate, pair.same) for pair, verdict in said]
    return Marks(
        found=counts.count((True, True)),
        missed=counts.count((False, True)),
        wrongly_skipped=counts.count((True, False)),
        rightly_kept=counts.count((False, False)),
        cases=tuple((pair, verdict) for pair, verdict in said if verdict.is_duplicate is not pair.same),
    )


def examples(pairs: Sequence[Pair], level: Level, tables: Tables) -> list[Example]:
    """Return those labelled pairs that the table decides at `level`, as a fit wants them."""
    found = (example(pair, level, tables) for pair in pairs if pair.same is not None)
    return [each for each in found if each is not None]
