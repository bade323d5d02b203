"""The watchman: every half minute he looks what is wrong, pings the monitor when nothing is, and tells people what they should know.

look       troubles of the store, of the workers' signs and of the disk       read-only
ping       no faults: the monitor hears of it, every few minutes               silence is what alarms
decide     `core.alerts`: each trouble once, then rarely, and its end
tell       through the services; what did not reach one of them is told again in five minutes
remember   in the store, so that a restart tells nothing twice; while it cannot be written, in memory
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Self

from bot import logs
from bot.alerting.services import Message
from bot.core.alerts import as_told, decide
from bot.errors import FetchError, ShinglebotError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from bot.core.alerts import Decision, Known, Trouble
    from bot.http_client import HttpClient
    from bot.store import Store

log = logging.getLogger("bot")

EVERY: Final = 30.0
"""Seconds from one look to the next."""

TRY_AGAIN: Final = timedelta(minutes=5)
"""After a service that could not be reached."""

AT_THE_END: Final = 10.0
"""Seconds that a telling under way is given when the bot ends."""

SAID_AT_MOST: Final = 20
"""Troubles in one message."""

OWED_AT_MOST: Final = 20
"""Messages that are kept, in memory, for a service that does not take them; the oldest go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """A monitor that expects to be asked now and then, and alarms when it is not.

    Attributes:
        address: as it was given; a part of it is a secret.
        every: from one ping to the next.
    """

    client: HttpClient
    address: str
    every: timedelta


class Watchman:
    """Looks for as long as the context lasts, in a thread of its own.

    Args:
        name: of the bot, as messages name it.
        troubles: looks, and returns what is wrong, without secrets.
        store: opens a connection to the store for the thread; StateError where there is none.
        tell: sends a message to some of the services, and returns which of them did not take it.
        places: of all that can be told; empty where nobody is.
        ping: the monitor, None for none.
    """

    def __init__(
        self,
        *,
        name: str,
        troubles: Callable[[], Sequence[Trouble]],
        store: Callable[[], Store],
        tell: Callable[[Message, Collection[int]], Sequence[int]],
        places: Collection[int],
        ping: Ping | None,
        clock: Callable[[], datetime],
    ) -> None:
        self._name = name
        self._troubles = troubles
        self._open = store
        self._tell = tell
        self._places = frozenset(places)
        self._owed: dict[int, list[Message]] = {}
        self._ping = ping
        self._clock = clock
        self._left = threading.Event()
        self._known: tuple[Known, ...] | None = None
        self._pinged_at: datetime | None = None
        self._ping_fails = False
        self._not_before: datetime | None = None
        self._thread = threading.Thread(target=self._watch, name="watchman", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._left.set()
        self._thread.join(AT_THE_END)

    def look(self) -> None:
        """Look once, and tell what is to be told now."""
        now = self._clock()
        troubles = self._troubles()
        if self._ping is not None and not any(trouble.is_fault for trouble in troubles):
            self._send_ping(self._ping, now)
        if self._places:
            self._alert(troubles, now)

    def _watch(self) -> None:
        while not self._left.is_set():
            try:
                self.look()
            except (
                Exception
            ):  # the watchman must not die unseen, nor end the bot; the traceback tells of the bug
                log.exception("the watchman could not look")
            self._left.wait(EVERY)

    def _send_ping(self, ping: Ping, now: datetime) -> None:
        if self._pinged_at is not None and timedelta(0) <= now - self._pinged_at < ping.every:
            return
        self._pinged_at = now
        try:
            status = ping.client.call("GET", ping.address).status
        except FetchError as error:
            fault = type(error).__name__  # its words hold the path of the address
        else:
            fault = "" if status < 300 else f"status {status}"  # noqa: PLR2004 - success, RFC 9110
        if fault and not self._ping_fails:
            logs.event(log, logging.WARNING, "the monitor that watch.ping names was not reached", fault=fault)
        self._ping_fails = bool(fault)

    def _alert(self, troubles: Sequence[Trouble], now: datetime) -> None:
        known = self._remembered()
        decision = decide(troubles, known, now)
        remembered = decision.known
        waits = self._not_before is not None and timedelta(0) < self._not_before - now <= TRY_AGAIN
        if not waits:
            self._not_before = None
            self._pay_debts(now)
            # Of those who are owed something, nobody knows that they can be reached.
            reachable = self._places - self._owed.keys()
            if (decision.tell or decision.ended) and self._say(message(self._name, decision), reachable, now):
                remembered = as_told(decision, now)
                for one in decision.tell:
                    logs.event(log, logging.WARNING, "trouble", what=one.key, said=one.text)
        if remembered != known:
            self._remember(remembered)

    def _say(self, said: Message, reachable: frozenset[int], now: datetime) -> bool:
        """Send a message, and return whether somebody took it; who did not is owed it, unless nobody took it."""
        failed = set(self._tell(said, reachable))
        if failed:
            self._later(failed, now)
        if len(failed) == len(reachable):
            return False
        for place in (self._places - reachable) | failed:
            owed = self._owed.setdefault(place, [])
            owed.append(said)
            del owed[:-OWED_AT_MOST]
        return True

    def _pay_debts(self, now: datetime) -> None:
        """Send each what it did not take before, the oldest first."""
        for place, owed in list(self._owed.items()):
            while owed and not self._tell(owed[0], [place]):
                del owed[0]
            if not owed:
                del self._owed[place]
        if self._owed:
            self._later(self._owed, now)

    def _later(self, places: Iterable[int], now: datetime) -> None:
        self._not_before = now + TRY_AGAIN
        addresses = ", ".join(map(str, sorted(places)))
        logs.event(log, logging.ERROR, "not told: look at alerts.to", addresses=addresses, again_in="5m")

    def _remembered(self) -> tuple[Known, ...]:
        if self._known is None:
            try:
                with self._open() as store:
                    self._known = store.alerts.all()
            except ShinglebotError:
                return ()
        return self._known

    def _remember(self, known: tuple[Known, ...]) -> None:
        self._known = known
        try:
            with self._open() as store, store.transaction():
                store.alerts.keep(known)
        except ShinglebotError as error:
            logs.event(log, logging.ERROR, "what was told is kept in memory alone", fault=str(error))


def message(name: str, decision: Decision) -> Message:
    """Return one message about all that is to be told."""
    begun, ended = decision.tell, decision.ended
    if not begun:
        title = (
            f"shinglebot {name}: over"
            if len(ended) == 1
            else f"shinglebot {name}: {len(ended)} troubles are over"
        )
    else:
        title = f"shinglebot {name}: " + ("a trouble" if len(begun) == 1 else f"{len(begun)} troubles")
    lines = [
        *(
            f"- {one.text}" + (f" (since {one.since:%Y-%m-%d %H:%M} UTC)" if one.times else "")
            for one in begun
        ),
        *(f"- over: {one.text}" for one in ended),
    ]
    if len(lines) > SAID_AT_MOST:
        lines[SAID_AT_MOST:] = [f"- and {len(lines) - SAID_AT_MOST} more: `shinglebot alerts`"]
    return Message(title=title, text="\n".join(lines), is_good=not begun)
