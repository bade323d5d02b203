"""What is done to the store by the clock while the bot is at work: tidied and backed up.

A backup is made in a thread of its own, over a connection of its own: posts and polls go on meanwhile.
"""

from __future__ import annotations

import logging
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot import logs
from bot.errors import Interrupted, StateError, StoreDamaged
from bot.store.backups import back_up, backups_in
from bot.store.upkeep import Chore

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from bot.store import StateDir, Store

log = logging.getLogger("bot")

TIDY_EVERY: Final = timedelta(hours=24)
FIRST_AFTER: Final = timedelta(minutes=10)
"""A new installation is backed up so long after it was made: it holds something by then."""

TRY_AGAIN: Final = timedelta(hours=1)
"""A backup that failed is tried again so long after."""


class Tidying:
    """A job: forget, once a day, what no decision needs any more.

    Args:
        window: seconds for which signatures are kept.
        texts_kept: for how long the texts of entries are; None for ever.
        stopping: whether the bot is to stop.
    """

    def __init__(
        self, store: Store, *, window: float, texts_kept: timedelta | None, stopping: Callable[[], bool]
    ) -> None:
        self._store = store
        self._window = window
        self._texts_kept = texts_kept
        self._stopping = stopping

    def next_at(self, now: datetime) -> datetime | None:
        """Return when to tidy next; the last time is that of any process."""
        if self._store.upkeep.is_due(Chore.TIDY, TIDY_EVERY, now):
            return now
        at = self._store.upkeep.done_at(Chore.TIDY)
        return now if at is None else at + TIDY_EVERY

    def run(self, now: datetime) -> None:
        """Tidy."""
        self._store.tidy(now, self._window)
        if self._texts_kept is not None:
            self._store.drop_texts(now - self._texts_kept, self._stopping)


class BackingUp:
    """A job: make a backup now and then.

    Args:
        folder: where backups are kept.
        every: from one to the next.
        keep: how many there are at most.
        installed_at: when the database was made; None makes the first backup at once.
        stopping: whether the bot is to stop; a backup under way is broken off then.
    """

    def __init__(
        self,
        state: StateDir,
        folder: Path,
        *,
        every: timedelta,
        keep: int,
        installed_at: datetime | None,
        stopping: Callable[[], bool],
    ) -> None:
        self._state = state
        self._folder = folder
        self._every = every
        self._keep = keep
        self._installed_at = installed_at
        self._stopping = stopping
        self._closing = False
        self._failed_at: datetime | None = None
        self._damage: StoreDamaged | None = None
        self._newest = self._look()
        self._thread: threading.Thread | None = None

    def next_at(self, now: datetime) -> datetime | None:
        """Return when the next backup is begun, None while one is made."""
        if self._thread is not None and self._thread.is_alive():
            return None
        if self._damage is not None:
            return now
        if self._failed_at is not None and self._failed_at <= now:
            return self._failed_at + TRY_AGAIN
        if self._newest is None:
            return now if self._installed_at is None else min(self._installed_at, now) + FIRST_AFTER
        # A backup of the future was made by a clock that has been set back since.
        return now if self._newest > now + self._every else self._newest + self._every

    def run(self, now: datetime) -> None:
        """Begin a backup; raise StoreDamaged when the last one found the database damaged: nothing more is posted from it."""
        if self._damage is not None:
            raise self._damage
        self._thread = threading.Thread(target=self._back_up, args=(now,), name="backup")
        self._thread.start()

    def close(self) -> None:
        """Break off what is under way, and wait for that."""
        self._closing = True
        if self._thread is not None:
            self._thread.join()

    def wait(self) -> None:
        """Wait for what is under way, until it is done or the bot is to stop."""
        if self._thread is not None:
            self._thread.join()

    def _look(self) -> datetime | None:
        found = backups_in(self._folder)
        return found[0].at if found else None

    def _back_up(self, now: datetime) -> None:
        try:
            made = back_up(
                self._state,
                self._folder,
                keep=self._keep,
                now=now,
                stopping=lambda: self._closing or self._stopping(),
            )
        except Interrupted:
            return
        except StoreDamaged as damage:
            self._damage = damage
        except (StateError, OSError) as error:
            self._failed_at = now
            logs.event(
                log, logging.ERROR, "no backup", folder=str(self._folder), reason=str(error), again_in="1h"
            )
        else:
            self._failed_at, self._newest = None, made.at
            logs.event(
                log, logging.INFO, "backed up", file=str(made.path), megabytes=f"{made.size / 1e6:.1f}"
            )
