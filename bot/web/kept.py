"""What takes long to reckon, kept for a while, so that nobody waits for it twice: the balance, and plans of follows."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from bot import logs
from bot.balance import Savings, look
from bot.errors import ShinglebotError
from bot.follow_wiring import planning_of
from bot.store import StateDir, Store

if TYPE_CHECKING:
    from datetime import datetime

    from bot.balance import Balance
    from bot.config import Config, Destination
    from bot.following import Proposal
    from bot.store.stories import Measured

_log: Final = logging.getLogger("bot")

FRESH_FOR: Final = timedelta(minutes=1)


AT_A_TIME: Final = 10
"""Repeats that are reckoned between two rests: 5 to 10 ms."""

REST: Final = 0.03
"""Seconds between: whoever reckons without a rest keeps every page, and a bot in the same process, waiting for the interpreter."""

DAYS_FOR: Final = timedelta(hours=1)

LIKENESSES: Final = 20_000
"""Measures that are kept, some megabytes: more, and they are read anew."""

AT_ONCE: Final = 50
"""Repeats that a visitor waits for."""


class KeptBalance:
    """The last balance; for many threads. What repeats would have cost is reckoned behind the pages, each repeat once."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._savings = Savings(config)
        self._last: Balance | None = None
        self._turn = threading.Lock()
        self._ended = threading.Event()

    def begin(self, now: datetime) -> None:
        """Have it reckoned before anybody asks."""
        self._renew_soon(now)

    def end(self) -> None:
        """Reckon no more."""
        self._ended.set()

    def at(self, now: datetime) -> Balance:
        """Return the balance of the last minute; an older one, or one without all repeats, while a newer is being reckoned.

        Raises StateError when there is no store yet.
        """
        last = self._last
        if last is None:
            last = self._first(now)
        if now - last.now > FRESH_FOR or not last.is_saved_known:
            self._renew_soon(now)
        return last

    def _first(self, now: datetime) -> Balance:
        """Return a balance without what would take long; keep it for the others."""
        with Store.read_only(StateDir(self._config.state_dir)) as store:
            if not self._turn.acquire(blocking=False):
                return look(store, self._config, now, self._savings)
            try:
                behind = self._savings.behind(store, now)
                if len(behind) <= AT_ONCE:
                    self._savings.learn(store, behind)
                found = self._last = look(store, self._config, now, self._savings)
            finally:
                self._turn.release()
            return found

    def _renew_soon(self, now: datetime) -> None:
        if not self._ended.is_set() and self._turn.acquire(blocking=False):
            threading.Thread(target=self._renew, args=(now,), daemon=True).start()

    def _renew(self, now: datetime) -> None:
        try:
            with Store.read_only(StateDir(self._config.state_dir)) as store:
                self._savings.forget_others(store, now)
                behind = self._savings.behind(store, now)
                for first in range(0, len(behind), AT_A_TIME):
                    self._savings.learn(store, behind[first : first + AT_A_TIME])
                    if self._ended.wait(REST):
                        return
                self._last = look(store, self._config, now, self._savings)
        except ShinglebotError as error:
            logs.event(
                _log, logging.WARNING, "the balance of the page could not be reckoned", fault=str(error)
            )
        finally:
            self._turn.release()


class KeptPlans:
    """The last plan of each destination, as long as neither its lists nor its steps have changed; for many threads.

    A plan for 20,000 followers takes a quarter of a second.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[object, datetime, Proposal | None]] = {}

    def at(self, destination: Destination, store: Store, now: datetime) -> Proposal | None:
        """Return what the stored lists of a destination call for, None where none count."""
        newest = store.follows.newest(destination.name)
        stands = (newest, *store.follow_steps.newest(destination.name, 1))
        kept = self._kept.get(destination.name)
        if kept is not None and kept[0] == stands and timedelta(0) <= now - kept[1] <= FRESH_FOR:
            return kept[2]
        made = planning_of(destination, store, clock=lambda: now).propose()
        self._kept[destination.name] = (stands, now, made)
        return made


class KeptLikenesses:
    """What was measured of the newest entries, each trace read once; for many threads."""

    def __init__(self) -> None:
        self._known: dict[int, Measured | None] = {}

    def newest(self, store: Store, since: datetime, limit: int) -> list[dict[str, Any]]:
        """Return it as `Stories.likenesses` does."""
        if len(self._known) > LIKENESSES:
            self._known = {}
        return store.stories.likenesses(since, limit, self._known)


class KeptDays:
    """How much was decided how on each day: days that are over are counted once an hour, for a person may still decide of them; for many threads."""

    def __init__(self) -> None:
        self._over: tuple[datetime, datetime, list[tuple[str, str, int]]] | None = None

    def since(self, store: Store, since: datetime, now: datetime) -> list[tuple[str, str, int]]:
        """Return whole UTC days, the first that of `since`, as `Stories.by_day` does."""
        first, today = (at.replace(hour=0, minute=0, second=0, microsecond=0) for at in (since, now))
        kept = self._over
        if kept is None or not (timedelta(0) <= now - kept[0] <= DAYS_FOR) or kept[1] != today:
            kept = self._over = (now, today, store.stories.by_day(first, today))
        return [*kept[2], *store.stories.by_day(today)]
