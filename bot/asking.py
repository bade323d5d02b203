"""Which feed is due when, and how it is asked. It opens no connection and writes nothing."""

from __future__ import annotations

import heapq
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot import logs
from bot.core.politeness import ASKED_TO_WAIT, asks_for_all, asks_new_place, is_due, replanned
from bot.pipeline.waiting import interval_of
from bot.sources.collect import Address, Validators

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.core.timing import Moment
    from bot.pipeline import FeedRules
    from bot.store.sources import SourceState

log = logging.getLogger(__name__)

AT_ONCE: Final = datetime.min.replace(tzinfo=UTC)
"""When a feed is due that was never asked."""

NO_DRIFT: Final = timedelta(seconds=60)
"""A clock that went so far beside the one that nobody sets was set; less is mended by the time service."""


def how_to_ask(
    address: Address, rules: FeedRules, state: SourceState | None, now: datetime
) -> tuple[Address, Validators]:
    """Return where to ask for a feed whose configured place is `address`, and what of it is known."""
    if state is None or state.url != rules.url:
        return address, Validators()
    # Headers and passwords are for the configured server: with them, only its own redirect leads elsewhere.
    is_open = address.path is None and not address.headers and address.basic_auth is None
    if is_open and state.moved_to and asks_new_place(state.moved_since, now, failures=state.failures):
        address = replace(address, url=state.moved_to, is_new_place=True)
    if asks_for_all(state.whole_at, now, interval_of(state, rules.interval, now)):
        return address, Validators(body_hash=state.body_hash)
    return address, Validators(etag=state.etag, last_modified=state.last_modified, body_hash=state.body_hash)


class Plan:
    """When each feed is due, and which hosts are to be left alone; as stored, and moved along with the clock.

    Args:
        feeds: by name, the configured address and the owner's interval (None: the feed's own decides).
        sources: what is known of feeds, by name.
        closed: until when hosts want to be left alone.
        clock: the time.
        steady: the clock that nobody sets; None: a clock that jumps is believed.
    """

    def __init__(
        self,
        feeds: Mapping[str, tuple[str, timedelta | None]],
        *,
        sources: Mapping[str, SourceState],
        closed: Mapping[str, datetime],
        clock: Callable[[], datetime],
        steady: Callable[[], Moment] | None,
    ) -> None:
        self._intervals = {name: interval for name, (_, interval) in feeds.items()}
        self._at = dict.fromkeys(feeds, AT_ONCE)
        # When to look at each feed; of several times of one feed those count that are its own still, in `_at`.
        self._looks: list[tuple[datetime, datetime, str]] = []
        self._gone: set[str] = set()
        self._closed = dict(closed)
        self._steady = steady
        self._clock = clock
        now = clock()
        self._looked_at = now
        self._seen = (now, steady()) if steady else None
        for name, state in sources.items():
            # A feed that its owner moved is asked at its new place now.
            if name in feeds and state.url == feeds[name][0]:
                self.note(
                    replace(state, next_poll_at=replanned(state.next_poll_at, state.last_attempt_at, now))
                )
        self._sort(now)

    def note(self, state: SourceState) -> None:
        """Take over when a feed is due, after a poll."""
        self._at[state.name] = state.next_poll_at
        self.put_back(state.name)
        (self._gone.add if state.gone_at is not None else self._gone.discard)(state.name)

    def put_back(self, name: str) -> None:
        """Have a feed that was taken as due, and not asked, be due as before."""
        at = self._at.get(name, AT_ONCE)
        heapq.heappush(self._looks, (at, at, name))

    def close(self, closed: Mapping[str, datetime]) -> None:
        """Take over until when hosts want to be left alone."""
        self._closed.update(closed)

    def closed_until(self, host: str, now: datetime) -> datetime | None:
        """Return until when `host` is to be left alone, None when it may be asked."""
        until = self._closed.get(host)
        if until is None or not now < until <= now + 2 * ASKED_TO_WAIT:  # later: the clock was set back
            return None
        return until

    def is_due(self, name: str, host: str, now: datetime) -> bool:
        """Say whether the feed `name`, of `host`, may be asked."""
        if name in self._gone:
            return False
        due = is_due(self._at.get(name, AT_ONCE), now, self._intervals[name])
        return due and (host not in self._closed or self.closed_until(host, now) is None)

    def next_at(self, hosts: Mapping[str, str], now: datetime) -> datetime | None:
        """Return when the first feed is due that was not taken, `now` when one is; None when there is nothing to wait for.

        `hosts` says where each feed is asked. What a call costs does not depend on how many feeds there are.
        """
        self._mind_the_clock(now)
        while self._looks:
            at, planned, name = self._looks[0]
            if self._is_stale(planned, name):
                heapq.heappop(self._looks)
            elif (until := self.closed_until(hosts[name], now)) and until > at:
                heapq.heapreplace(self._looks, (until, planned, name))
            else:
                return max(at, now)
        return None

    def take_due(self, hosts: Mapping[str, str], now: datetime) -> list[str]:
        """Return the feeds that are due, those that have been so for longest first; each is given once.

        It is given again after `note`, or `put_back`.
        """
        due = []
        while (at := self.next_at(hosts, now)) is not None and at <= now:
            due.append(heapq.heappop(self._looks)[2])
        return due

    def _is_stale(self, planned: datetime, name: str) -> bool:
        return name in self._gone or planned != self._at[name]

    def _mind_the_clock(self, now: datetime) -> None:
        """Look at all feeds again where the clock went back: what lies too far ahead is due."""
        if now < self._looked_at:
            self._sort(now)
        self._looked_at = now

    def _sort(self, now: datetime) -> None:
        self._looks = [
            (AT_ONCE if is_due(at, now, self._intervals[name]) else at, at, name)
            for name, at in self._at.items()
        ]
        heapq.heapify(self._looks)

    def follow(self) -> None:
        """Move everything along when the clock was set: what was an hour away is still an hour away."""
        if self._steady is None or self._seen is None:
            return
        then, moment = self._seen
        now, here = self._clock(), self._steady()
        self._seen = now, here
        jump = (now - then) - here.since(moment)
        if here.era != moment.era or abs(jump) <= NO_DRIFT:
            # A slow drift of the clock is no jump: it is looked at from look to look.
            return
        logs.event(log, logging.WARNING, "the clock was set", by_seconds=round(jump.total_seconds()))
        self._at = {name: at if at == AT_ONCE else at + jump for name, at in self._at.items()}
        self._closed = {host: until + jump for host, until in self._closed.items()}
        self._sort(now)
