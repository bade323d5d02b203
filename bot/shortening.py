"""A link made short before its post goes out, or the long one: never late for long, never asked for twice.

    kept?      a short link that was made for this very link is taken, for ever; nobody is asked
    hopeless?  what the service refused, or could not make in so many tries, goes out long
    closed?    a service that failed is not asked for a while: 3 failures in a row close it for a minute, then 2, 4 ...
               at most an hour; one that takes no key, for an hour; one that is asked too often, for as long as it says
    ask        one call, 5 seconds at most; the answer is kept in a transaction of its own
    failed?    the row waits 15 and then 45 seconds while others have their turn, and asks again; then it goes out long

The call is made where posts are sent, in line: it takes as long as a slow answer of X at most, and a service that is
down is asked 31 times in a day, however many posts there are: two and a half minutes, if it is silent. A thread of its
own would save these and cost a second way to the store. A process that dies between the answer and the store asks again: most services give the same
link, and one that does not has made a link that nobody uses.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot import kill_points, logs
from bot.errors import KeyRefused, LinkRefused, NotShortened, ShortenerBusy, ShortenerDown
from bot.store.short_links import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.store import Store
    from bot.store.short_links import Failing

log = logging.getLogger(__name__)

TRIES: Final = 3
"""Calls for one link unless the owner says otherwise."""

WAITS: Final = (timedelta(seconds=15), timedelta(seconds=45))
"""Between two tries of one link: together a minute, as long as a restart of a service takes; later ones as the last."""

PATIENCE: Final = timedelta(minutes=2)
"""A post waits for its short link so long in all, since it was first wanted; then it goes out long."""

FAILURES: Final = 3
"""Calls in a row, for whatever links, that close a service."""

FIRST_CLOSED: Final = timedelta(minutes=1)
LONGEST_CLOSED: Final = timedelta(hours=1)
"""A service that is down is asked again after 1, 2, 4 ... minutes, at most an hour."""

LOCKED_OUT: Final = timedelta(hours=1)
"""Without a key that is taken, the service is asked again so often: a person has to act."""

LONGEST_PAUSE: Final = timedelta(days=1)
"""No service that is asked too often is left alone for longer, whatever it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """The short link is not there yet, and worth waiting for.

    Attributes:
        reason: why, in words.
        until: when to ask again, within `PATIENCE`.
    """

    reason: str
    until: datetime


class Shortening:
    """Gives short links of one service, kept ones first.

    Args:
        service: its identity, by which links are kept.
        shorten: asks the service for one link; raises NotShortened. None where nobody may be asked: what is kept counts.
        tries: calls for one link, >= 1.
        clock: aware UTC now.
        mask: takes every secret out of a text.
    """

    def __init__(
        self,
        store: Store,
        *,
        service: str,
        shorten: Callable[[str], str] | None,
        tries: int = TRIES,
        clock: Callable[[], datetime],
        mask: Callable[[str], str] = lambda text: text,
    ) -> None:
        self._store = store
        self._service = service
        self._shorten = shorten
        self._tries = tries
        self._clock = clock
        self._mask = mask

    def recover(self) -> None:
        """Begin: ask a service again that took no key, for the key may have been mended."""
        if any(failing.cause is Trouble.KEY for failing in self._own()):
            with self._store.transaction():
                self._store.short_links.works(self._service)

    def known(self, link: str) -> str | None:
        """Return the short link that is kept for `link`, None where there is none; asks nobody."""
        kept = self._store.short_links.get(self._service, link)
        return kept.short if kept else None

    def get(self, link: str) -> str | Wait | None:
        """Return a short link for `link`, None where it goes out as it is, or until when it is worth waiting."""
        kept = self._store.short_links.get(self._service, link)
        if kept is not None and kept.short is not None:
            return kept.short
        if self._shorten is None or (kept is not None and (kept.refused or kept.tries >= self._tries)):
            return None
        now = self._clock()
        first_at = kept.first_at if kept else now
        closed = self._closed(now)
        if closed is not None:
            until = closed.closed_until
            if closed.cause is Trouble.BUSY and until is not None and until - now <= PATIENCE / 2:
                return self._wait(link, closed.reason, first_at, now, until, tried=False)
            return None
        return self._ask(link, self._shorten, tries=kept.tries if kept else 0, first_at=first_at)

    def _ask(
        self, link: str, shorten: Callable[[str], str], *, tries: int, first_at: datetime
    ) -> str | Wait | None:
        if kill_points.hook is not None:
            kill_points.hook("before_shorten")
        short: str | None = None
        error: NotShortened | None = None
        try:
            short = shorten(link)
        except NotShortened as failure:
            error = failure
        if kill_points.hook is not None:
            kill_points.hook("after_shorten")
        now = self._clock()
        if short is not None and self._store.short_links.stands_for_another(short, link):
            # One that says the same to all would send readers to the wrong story, and make two stories one.
            error = ShortenerDown(f"{self._service} gave what it gave for another link")
        elif short is not None:
            return self._keep(link, short, now)
        if error is None or isinstance(error, LinkRefused):
            self._give_up(link, self._mask(str(error)), now)
            return None
        reason = self._mask(str(error))
        until = self._failed(error, reason, now)
        if isinstance(error, KeyRefused) or tries + 1 >= self._tries:
            with self._store.transaction():
                self._store.short_links.not_made(self._service, link, reason, now)
            return None
        at = until or now + WAITS[min(tries, len(WAITS) - 1)]
        return self._wait(link, reason, first_at, now, at, tried=True)

    def _keep(self, link: str, short: str, now: datetime) -> str | None:
        before = self._own()
        with self._store.transaction():
            self._store.short_links.made(self._service, link, short, now)
            self._store.short_links.works(self._service)
            if kill_points.hook is not None:
                kill_points.hook("in_shorten")
        for failing in before:
            logs.event(
                log,
                logging.INFO,
                "shortener works again",
                service=self._service,
                failures=failing.failures,
                since=f"{failing.since:%Y-%m-%d %H:%M} UTC",
            )
        return self.known(link)

    def _give_up(self, link: str, reason: str, now: datetime) -> None:
        with self._store.transaction():
            self._store.short_links.not_made(self._service, link, reason, now, refused=True)
            self._store.short_links.works(self._service)
        logs.event(log, logging.WARNING, "link not shortened", service=self._service, reason=reason)

    def _wait(
        self, link: str, reason: str, first_at: datetime, now: datetime, until: datetime, *, tried: bool
    ) -> Wait | None:
        with self._store.transaction():
            self._store.short_links.not_made(self._service, link, reason, now, tried=tried)
        # Either way: a clock that was set makes nobody wait.
        if abs(until - first_at) > PATIENCE:
            return None
        return Wait(reason=f"its link is not short yet: {reason}", until=until)

    def _failed(self, error: NotShortened, reason: str, now: datetime) -> datetime | None:
        """Note a failure of the service; return until when it is closed, None when it may be asked again."""
        before = next(iter(self._own()), None)
        failures = before.failures + 1 if before else 1
        closed: timedelta | None
        match error:
            case KeyRefused():
                cause, closed = Trouble.KEY, LOCKED_OUT
            case ShortenerBusy():
                longer = min(FIRST_CLOSED * (1 << min(failures - 1, 10)), LONGEST_CLOSED)
                asked = longer if error.retry_in is None else error.retry_in
                cause, closed = Trouble.BUSY, min(max(asked, timedelta(seconds=1)), LONGEST_PAUSE)
            case _:
                doublings = min(max(failures - FAILURES, 0), 10)
                longer = min(FIRST_CLOSED * (1 << doublings), LONGEST_CLOSED)
                cause, closed = Trouble.DOWN, longer if failures >= FAILURES else None
        until = now + closed if closed is not None else None
        with self._store.transaction():
            self._store.short_links.failed(self._service, cause, reason, now, closed_until=until)
        if cause is Trouble.KEY and (before is None or before.cause is not Trouble.KEY):
            self._say(
                logging.ERROR, reason, "links go out long until its key is mended and the bot is restarted"
            )
        elif cause is Trouble.DOWN and failures == FAILURES:
            self._say(logging.WARNING, reason, "links go out long until it works again")
        elif cause is Trouble.BUSY and (before is None or before.cause is not Trouble.BUSY):
            self._say(logging.WARNING, reason, f"it is not asked before {until:%Y-%m-%d %H:%M:%S} UTC")
        return until

    def _say(self, level: int, reason: str, what: str) -> None:
        logs.event(log, level, "shortener fails", service=self._service, reason=reason, what=what)

    def _own(self) -> list[Failing]:
        return [failing for failing in self._store.short_links.failing() if failing.service == self._service]

    def _closed(self, now: datetime) -> Failing | None:
        """Return what keeps the service from being asked now; a time that a clock now set back wrote does not."""
        for failing in self._own():
            until = failing.closed_until
            if until is not None and now < until and failing.last_at <= now:
                return failing
        return None
