"""Which table weighs near-duplicates in this bot: the packaged one, or one that was fitted to its owner's labels.

The store is asked at every judgement, so that what `tune` applies or takes back holds at once, also while the bot runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.core.dedupe import SHIPPED, Level, Tables
from bot.core.provenance import table_print, terms_print

if TYPE_CHECKING:
    from bot.store import Store
    from bot.store.near_tables import StoredTable


class TablesInUse:
    """Call it for the tables of a bot that judges at one level."""

    def __init__(self, store: Store, level: Level) -> None:
        self._store = store
        self._level = level
        self._known: tuple[int | None, Tables] = (None, SHIPPED)

    def __call__(self) -> Tables:
        """Return the tables that are to weigh now."""
        current = self._store.near_tables.current_id(self._level)
        if current != self._known[0]:
            self._known = (
                current,
                SHIPPED if current is None else tables_of(self._store.near_tables.get(current)),
            )
        return self._known[1]

    @property
    def fitted(self) -> StoredTable | None:
        """The fitted table of the level, None when the packaged one is in use; it may be out of date."""
        current = self._store.near_tables.current_id(self._level)
        return None if current is None else self._store.near_tables.get(current)


def tables_of(stored: StoredTable) -> Tables:
    """Return the packaged tables with a fitted one in its place, or without where it is out of date."""
    if not is_usable(stored):
        return SHIPPED
    return SHIPPED._replace(levels=SHIPPED.levels | {stored.level: stored.table})


def is_usable(stored: StoredTable) -> bool:
    """Say whether a fitted table's weights still multiply what they were fitted to."""
    return stored.terms == terms_print()


def table_at(store: Store, level: Level) -> StoredTable | None:
    """Return the fitted table that weighs at a level, None where the packaged one does."""
    fitted = TablesInUse(store, level).fitted
    return fitted if fitted is not None and is_usable(fitted) else None


def name_of(stored: StoredTable | None) -> str:
    """Return what a table that weighs is called in a few words; None is the packaged one."""
    if stored is None:
        return "packaged table"
    return f"table {stored.id}, fitted on {stored.made_at:%Y-%m-%d} to {stored.labels} labels"


def in_words(stored: StoredTable) -> str:
    """Say in a sentence what a fitted table is and whether it is used."""
    what = (
        f"table {stored.id} for {stored.level}, fitted on {stored.made_at:%Y-%m-%d} to {stored.labels} labels"
    )
    if not is_usable(stored):
        return (
            f"{what}, is NOT used: it was made for other terms than this version has. "
            "The packaged table is; `shinglebot tune --refit --apply` fits it anew"
        )
    if stored.shipped != table_print(SHIPPED.levels[stored.level]):
        return (
            f"{what}, is used at that level; this version brings another packaged table than it was held near: "
            "`shinglebot tune --refit` shows whether to fit it anew"
        )
    return f"{what}, is used at that level; `shinglebot tune --reset` returns to the packaged one"
