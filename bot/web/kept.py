"""The balance, kept for a minute: what repeats saved takes seconds to reckon, and nobody waits for it twice."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.balance import look
from bot.store import StateDir, Store

if TYPE_CHECKING:
    from datetime import datetime

    from bot.balance import Balance
    from bot.config import Config

FRESH_FOR: Final = timedelta(minutes=1)


class KeptBalance:
    """The last balance; for many threads."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._last: Balance | None = None
        self._turn = threading.Lock()

    def at(self, now: datetime) -> Balance:
        """Return the balance of the last minute; an older one while a newer is being reckoned.

        Raises StateError when there is no store yet.
        """
        last = self._last
        if last is None:
            with self._turn:
                return self._last or self._reckon(now)
        if now - last.now > FRESH_FOR and self._turn.acquire(blocking=False):
            threading.Thread(target=self._renew, args=(now,), daemon=True).start()
        return last

    def _renew(self, now: datetime) -> None:
        try:
            self._reckon(now)
        finally:
            self._turn.release()

    def _reckon(self, now: datetime) -> Balance:
        with Store.read_only(StateDir(self._config.state_dir)) as store:
            self._last = look(store, self._config, now)
        return self._last
