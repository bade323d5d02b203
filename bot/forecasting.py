"""What a configuration will cost: recorded stories, sent in thought under the pacing and the limits.

    stories    from a replay of recorded feeds, or from the bot's own store
    forms      as their feeds' style composes them, the preferred one first
    sent       one at a time, in the order and at the pace of `core.pacing`, as `publishing` does: what is over waits, and
               expires. What feeds wait for a better copy is left out: it changes when a story goes, not how many do
    a month    what the recorded days came to, times 30 days

It calls nothing and writes nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bot.core.budget import DAY, MONTH_DAYS, Limits, Spent, end_of_day, month_of, rate_window, room_at
from bot.core.model import Duplicate, Fresh, Reason, Verdict
from bot.core.pacing import MIDDLE, ONE, Order, Queue, is_turn_of_longest
from bot.core.prices import READS, Item, price_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime, timedelta

    from bot.core.model import Entry, Post
    from bot.core.pacing import Pacing
    from bot.store import Store

STARTS_A_DAY: Final = 1
POSTS_READ_A_START: Final = 5
"""Where no reads were recorded: one start a day asks for the account's name and reads a handful of its newest posts."""

BY_KEY: Final = frozenset({Reason.SAME_GUID, Reason.SAME_LINK, Reason.SAME_TEXT})


def would_repeat(entry: Entry, verdict: Verdict) -> bool:
    """Return whether `entry` is a duplicate that a bot which remembers each feed's own entries would have posted.

    That is a near-duplicate, or another feed's entry under the same link, text or guid; an entry that its own feed
    brings again is none.
    """
    if not isinstance(verdict, Duplicate):
        return False
    return verdict.reason is Reason.NEAR_DUPLICATE or (
        verdict.reason in BY_KEY and verdict.of.feed != entry.feed
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One story that is to be posted.

    Attributes:
        at: when the bot would have known of it.
        feed: whose it is.
        prices: of the forms that it may go out as, in micro-dollars, the preferred one first; at least one.
        expires_at: stale from then on.
        priority: 0-9, the highest goes first.
    """

    at: datetime
    feed: str
    prices: tuple[int, ...]
    expires_at: datetime
    priority: int = MIDDLE


@dataclass(slots=True)
class FeedHistory:
    """What was recorded of one feed.

    Attributes:
        since: its first recording; what it held then is taken for old.
        with_link, without_link: stories to be posted, by their preferred form.
        repeats: duplicates that would have been posted.
        micros: what the stories cost, without limits.
        saved: what the repeats would have cost.
        unpostable: stories of which no post can be made.
        free: stories that go only where a post costs nothing.
    """

    since: datetime
    with_link: int = 0
    without_link: int = 0
    repeats: int = 0
    micros: int = 0
    saved: int = 0
    unpostable: int = 0
    free: int = 0

    @property
    def posts(self) -> int:
        """All stories to be posted."""
        return self.with_link + self.without_link


@dataclass(slots=True)
class History:
    """What was recorded, ready to be priced.

    Attributes:
        forms: how an entry may read; raises ValueError when no post can be made of it.
        prices: in micro-dollars.
        max_age: of a feed.
        priorities: of feeds; the middle one of those that it does not name.
        free: the feeds whose stories go only where a post costs nothing.
    """

    forms: Callable[[Entry], Sequence[Post]]
    prices: Mapping[Item, int]
    max_age: Callable[[str], timedelta]
    priorities: Mapping[str, int] = field(default_factory=dict)
    free: Collection[str] = ()
    stories: list[Story] = field(default_factory=list)
    feeds: dict[str, FeedHistory] = field(default_factory=dict)
    until: datetime | None = None

    def watch(self, feed: str, since: datetime) -> None:
        """Note that `feed` was recorded from `since` on; the earliest counts."""
        known = self.feeds.setdefault(feed, FeedHistory(since=since))
        known.since = min(known.since, since)
        self.until = max(self.until or since, since)

    def add(self, entry: Entry, verdict: Verdict, at: datetime) -> None:
        """Note what was decided of one entry, which came at `at`; its feed is watched already."""
        feed = self.feeds[entry.feed]
        self.until = max(self.until or at, at)
        repeats = at > feed.since and would_repeat(entry, verdict)
        # What first_run asks for comes once, not every month.
        fresh = isinstance(verdict, Fresh) and verdict.reason is not Reason.NEWEST_OF_FIRST_RUN
        if not (repeats or fresh):
            return
        if entry.feed in self.free:
            feed.free += fresh
            feed.repeats += repeats
            return
        try:
            forms = self.forms(entry)
        except ValueError:
            feed.unpostable += not repeats
            return
        prices = tuple(price_of(post, self.prices) for post in forms)
        if repeats:
            feed.repeats += 1
            feed.saved += prices[0]
            return
        feed.with_link += forms[0].has_link
        feed.without_link += not forms[0].has_link
        feed.micros += prices[0]
        born = min(entry.published or at, at)
        self.stories.append(
            Story(
                at=at,
                feed=entry.feed,
                prices=prices,
                expires_at=born + self.max_age(entry.feed),
                priority=self.priorities.get(entry.feed, MIDDLE),
            )
        )

    def days(self, feed: str) -> float:
        """Return how long `feed` was recorded, >= 1."""
        since = self.feeds[feed].since
        return max(((self.until or since) - since) / DAY, 1.0)

    @property
    def span(self) -> float:
        """Days from the first recording to the last, >= 1."""
        return max((self.days(feed) for feed in self.feeds), default=1.0)


def add_record(history: History, store: Store, feeds: Collection[str], since: datetime, now: datetime) -> int:
    """Add what the bot's own store holds of `feeds` from `since` to `now`; return how many entries that is.

    What a feed held when the bot met it is left out, and so is a feed that was not met yet.
    """
    for name, state in store.sources.all().items():
        if name in feeds and state.seeded_at is not None:
            history.watch(name, max(state.seeded_at, since))
    history.until = now
    entries = 0
    for stored in store.entries.seen_since(since):
        if stored.entry.feed not in history.feeds:
            continue
        entries += 1
        verdict: Verdict | None = None
        if stored.verdict == "fresh":
            verdict = Fresh(reason=stored.reason)
        elif stored.verdict == "duplicate" and stored.of_id is not None:
            verdict = Duplicate(reason=stored.reason, of=store.entries.get(stored.of_id).match())
        if verdict is not None:
            history.add(stored.entry, verdict, stored.first_seen_at)
    return entries


def reads_lately(store: Store, now: datetime) -> int | None:
    """Return what reading costs a day at the present rate, in micro-dollars, None where too little is recorded."""
    window = rate_window(store.ledger.began(), now)
    if window is None:
        return None
    lines = store.ledger.lines(window.since, window.last_day_ends)
    return round(sum(line.micros for line in lines if line.item in READS) / window.days)


def reads_a_start(prices: Mapping[Item, int]) -> int:
    """Return what the reads of one start of the bot cost, in micro-dollars, supposed where none was recorded."""
    return prices[Item.READ_USER] + POSTS_READ_A_START * prices[Item.READ_OWN_POST]


def reads_a_day(prices: Mapping[Item, int]) -> int:
    """Return what reading costs a day where none was recorded, in micro-dollars."""
    return STARTS_A_DAY * reads_a_start(prices)


@dataclass(slots=True)
class Outcome:
    """What became of the stories, under the pacing and the limits.

    Attributes:
        posts: sent.
        expired: waited too long.
        waiting: still queued at the end.
        micros: spent on posts and reads.
        short_of_money: days on which a story waited because of a limit.
    """

    posts: int = 0
    expired: int = 0
    waiting: int = 0
    micros: int = 0
    short_of_money: int = 0


def send_in_thought(
    stories: Iterable[Story],
    *,
    pacing: Pacing,
    limits: Limits,
    reads: int,
    since: datetime,
    until: datetime,
) -> Outcome:
    """Send `stories` as the bot would have, from `since` to `until`, and say what came of it.

    Args:
        stories: in any order.
        pacing: how fast they go out.
        limits: of money.
        reads: micro-dollars a day, spent when a day begins.
        since: when the recording begins.
        until: when it ends.
    """
    outcome = Outcome()
    coming = deque(sorted(stories, key=lambda story: (story.at, story.feed)))
    queue: list[tuple[Story, datetime]] = []
    claims: list[datetime] = []
    purse = _Purse(limits=limits, reads=reads)
    short: set[datetime] = set()
    now = since
    purse.turn_to(now)
    while now <= until:
        purse.turn_to(now)
        while coming and coming[0].at <= now:
            story = coming.popleft()
            queue.append((story, story.at))
        outcome.expired += sum(story.expires_at <= now for story, _ in queue)
        queue = [(story, at) for story, at in queue if story.expires_at > now]
        claims = claims[bisect_right(claims, now - DAY) :]
        ready = [place for place, (_, turn) in enumerate(queue) if turn <= now]
        at = pacing.earliest(claims, now, _shape(queue, len(ready), pacing)) if queue else now
        due = _whose_turn(queue, ready, pacing, outcome.posts) if ready and at <= now else None
        if due is None:
            turns = [turn for _, turn in queue if turn > now]
            nexts = [at] if at > now else turns
            now = min([*nexts, *([coming[0].at] if coming else []), end_of_day(now)])
            continue
        story, _ = queue[due]
        waits = [purse.room_at(price, now) for price in story.prices]
        place = next((place for place, wait in enumerate(waits) if wait <= now), None)
        if place is None:
            short.add(end_of_day(now))
            queue[due] = (story, min(waits))
            continue
        purse.pay(story.prices[place])
        claims.append(now)
        outcome.posts += 1
        del queue[due]
    stale = sum(story.expires_at <= until for story, _ in queue)
    outcome.expired += stale
    outcome.waiting = len(queue) - stale + len(coming)
    outcome.micros = purse.total
    outcome.short_of_money = len(short)
    return outcome


def _shape(queue: Sequence[tuple[Story, datetime]], ready: int, pacing: Pacing) -> Queue:
    if not pacing.spread:
        return ONE
    return Queue(waiting=max(ready, 1), expires=min(story.expires_at for story, _ in queue))


def _whose_turn(
    queue: Sequence[tuple[Story, datetime]], ready: Sequence[int], pacing: Pacing, turns: int
) -> int:
    """Return the place of the story that goes next; how many sources tell one is not known beforehand."""
    if is_turn_of_longest(turns, pacing.order):
        return min(ready, key=lambda place: queue[place][0].at)
    if pacing.order is Order.NEWEST:
        return min(
            ready, key=lambda place: (-queue[place][0].priority, -queue[place][0].at.timestamp(), -place)
        )
    return min(ready, key=lambda place: (-queue[place][0].priority, queue[place][0].at))


class _Purse:
    """What was spent on the day and in the month that it is turned to."""

    def __init__(self, *, limits: Limits, reads: int) -> None:
        self._limits = limits
        self._reads = reads
        self._day: datetime | None = None
        self._month = ""
        self._spent = Spent(day=0, month=0)
        self.total = 0

    def turn_to(self, now: datetime) -> None:
        ends = end_of_day(now)
        if ends == self._day:
            return
        month = month_of(now)
        self._spent = Spent(day=0, month=self._spent.month if month == self._month else 0)
        self._day, self._month = ends, month
        self.pay(self._reads)

    def room_at(self, price: int, now: datetime) -> datetime:
        return room_at(price, self._spent, self._limits, now)

    def pay(self, price: int) -> None:
        self._spent = Spent(day=self._spent.day + price, month=self._spent.month + price)
        self.total += price


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """Thirty days at the recorded rate, in micro-dollars; `posts` are a mean.

    Attributes:
        unlimited: all stories, and the reads, without limits.
        limited: what goes out under the limits, the month's limit included, and the reads.
        saved: what the repeats would have cost beside it, without limits.
        posts, sent: stories, and those that go out under the limits.
    """

    unlimited: int
    limited: int
    reads: int
    saved: int
    posts: float
    sent: float


def month_of_history(history: History, outcome: Outcome, *, limits: Limits, reads: int) -> Month:
    """Return what 30 days come to that go on as the recorded ones did."""
    days = history.span
    posts = sum(feed.posts / history.days(name) for name, feed in history.feeds.items())
    micros = sum(feed.micros / history.days(name) for name, feed in history.feeds.items())
    saved = sum(feed.saved / history.days(name) for name, feed in history.feeds.items())
    limited = round(outcome.micros / days * MONTH_DAYS)
    if limits.monthly is not None:
        limited = min(limited, limits.monthly)
    if limits.daily is not None:
        limited = min(limited, limits.daily * MONTH_DAYS)
    return Month(
        unlimited=round((micros + reads) * MONTH_DAYS),
        limited=limited,
        reads=reads * MONTH_DAYS,
        saved=round(saved * MONTH_DAYS),
        posts=posts * MONTH_DAYS,
        sent=outcome.posts / days * MONTH_DAYS,
    )
