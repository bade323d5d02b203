"""What has to hold before a database is opened: that it is there, and that no later version has changed it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlite_utils import Database

from bot.errors import StateError, StoreLost
from bot.store.connection import START_AGAIN
from bot.store.migrations import migrations

if TYPE_CHECKING:
    from pathlib import Path

    from bot.store.state_dir import StateDir


def require_known(db: Database, path: Path) -> None:
    """Raise StateError when a later version than this one has changed the database."""
    known = {
        step.name for step in migrations.pending(Database(memory=True))
    }  # of an empty one: all there are
    if any(step.name not in known for step in migrations.applied(db)):
        raise StateError(
            f"the database {path} was made by a newer shinglebot: update the bot, or put back the copy of the state "
            "directory from before"
        )


def require_database(state: StateDir) -> None:
    """Raise StoreLost where the database of an installed bot is gone, StateError where there never was one."""
    if state.has_database():
        return
    if state.mark() is not None:
        raise StoreLost(f"the database {state.database} of this bot is missing. {START_AGAIN}")
    raise StateError(f"there is no database in {state.path} yet; run `shinglebot once` first")
