"""What the ledger, the outbox and the record say of money at one moment: gathered here, told by `budget` and the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from bot.config import Config
    from bot.core.budget import Forecast, Limits, Window
    from bot.core.prices import Item
    from bot.forecasting import History
    from bot.store import Store
    from bot.store.ledger import Line, Stop

A_MONTH = timedelta(days=31)


@dataclass(slots=True)
class FeedCost:
    """What one feed has cost, in micro-dollars, and what its skipped repeats would have cost."""

    with_link: int = 0
    without_link: int = 0
    today: int = 0
    month: int = 0
    repeats: int = 0
    saved: int = 0


@dataclass(slots=True)
class Sum:
    """The present day or month, in micro-dollars."""

    name: str
    ends: datetime
    limit: int | None
    charged: int = 0
    reserved: int = 0
    lost: int = 0

    @property
    def spent(self) -> int:
        """What counts against the limit."""
        return self.charged + self.reserved + self.lost

    @property
    def left(self) -> int | None:
        """What may still be spent, None without a limit."""
        return None if self.limit is None else max(self.limit - self.spent, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Money as it stands at `now`.

    Attributes:
        room: of a post with a link and of one without: when there is room for it, and what stands against it.
        never: those of them that cost more than a whole limit.
        waiting: rows that wait for money.
        queued: rows that wait for anything, those among them.
        pause: until when nothing is sent and why, None when nothing stands against it.
        began: when the ledger begins, None when it is empty.
        others: what belongs to no feed.
        free: the destinations where posts cost nothing.
        costs: whether something goes where they cost.
        is_saved_known: whether `feeds` say already what repeats would have cost.
    """

    now: datetime
    sums: tuple[Sum, Sum]
    limits: Limits
    room: dict[Item, tuple[datetime, str]]
    never: list[Item]
    waiting: int
    queued: int
    pause: tuple[datetime, str] | None
    stop: Stop | None
    began: datetime | None
    window: Window | None
    forecast: Forecast | None
    months: dict[str, int]
    feeds: dict[str, FeedCost] = field(default_factory=dict)
    others: dict[Item, tuple[int, int, int]] = field(default_factory=dict)
    free: tuple[str, ...] = ()
    costs: bool = True
    is_saved_known: bool = True


class Savings:
    """What the present month's skipped repeats would have cost, each reckoned once: making a post takes half a millisecond.

    One thread at a time may call what changes it; others may read meanwhile.
    """

    def __init__(self, config: Config) -> None:
        # How long a story may wait plays no part in what a repeat would have cost.
        self._history = history_of(config, lambda _: A_MONTH)
        self._known: dict[int, tuple[str, datetime, int] | None] = {}

    def behind(self, store: Store, now: datetime) -> list[int]:
        """Return the numbers of the skipped entries of the month that were not reckoned yet."""
        return [one for one in self._skipped(store, now) if one not in self._known]

    def learn(self, store: Store, entry_ids: Iterable[int]) -> None:
        """Reckon these."""
        for entry_id in entry_ids:
            self._known[entry_id] = self._reckoned(store, entry_id)

    def by_feed(self, store: Store, now: datetime) -> dict[str, tuple[int, int]]:
        """Return how many repeats of each feed were skipped, and what they would have cost, in micro-dollars; of those reckoned."""
        begin, found = self._begin(now), dict[str, tuple[int, int]]()
        met = {
            name: max(state.seeded_at, begin)
            for name, state in store.sources.all().items()
            if state.seeded_at is not None
        }
        for entry_id in self._skipped(store, now):
            known = self._known.get(entry_id)
            if known is None or known[0] not in met or known[1] <= met[known[0]]:
                continue  # what a feed held when the bot met it is no repeat
            repeats, saved = found.get(known[0], (0, 0))
            found[known[0]] = (repeats + 1, saved + known[2])
        return found

    def forget_others(self, store: Store, now: datetime) -> None:
        """Forget what is not of this month, or is no repeat any more."""
        skipped = self._skipped(store, now)
        self._known = {entry_id: self._known[entry_id] for entry_id in skipped if entry_id in self._known}

    def _skipped(self, store: Store, now: datetime) -> list[int]:
        return store.entries.skipped_since(self._begin(now))

    @staticmethod
    def _begin(now: datetime) -> datetime:
        from bot.core.budget import start_of_month

        return start_of_month(now)

    def _reckoned(self, store: Store, entry_id: int) -> tuple[str, datetime, int] | None:
        """Return whose it is, when it came, and its price in the form that its feed prefers; None where it would not have been posted."""
        from bot.core.model import Duplicate
        from bot.core.prices import price_of
        from bot.forecasting import would_repeat

        stored = store.entries.get(entry_id)
        if stored.verdict != "duplicate" or stored.of_id is None:
            return None
        entry = stored.entry
        of = store.entries.get(stored.of_id).match()
        if not would_repeat(entry, Duplicate(reason=stored.reason, of=of)):
            return None
        if entry.feed in self._history.free:
            return entry.feed, stored.first_seen_at, 0
        try:
            post = self._history.forms(entry)[0]
        except ValueError:
            return None
        return entry.feed, stored.first_seen_at, price_of(post, self._history.prices)


def look(store: Store, config: Config, now: datetime, savings: Savings | None = None) -> Balance:
    """Gather what there is to say of money, with what was reckoned of repeats already; None has all of them reckoned here. Changes nothing."""
    from bot.core.budget import Spent, end_of_day, end_of_month, forecast, rate_window, start_of_month
    from bot.core.prices import Item
    from bot.publishers import DESTINATION
    from bot.spending import Spending
    from bot.store.outbox import WaitsFor

    if savings is None:
        savings = Savings(config)
        savings.learn(store, savings.behind(store, now))
    limits, prices = config.budget.limits, config.prices.table
    spending = Spending(store, destination=DESTINATION, prices=prices, limits=limits, clock=lambda: now)
    queued = store.outbox.queued(DESTINATION)
    today = Sum("today", end_of_day(now), limits.daily)
    month = Sum("this month", end_of_month(now), limits.monthly)
    began = store.ledger.began()
    window = rate_window(began, now)
    day_lines = store.ledger.lines(now, today.ends)
    month_lines = store.ledger.lines(start_of_month(now), month.ends)
    for total, lines in ((today, day_lines), (month, month_lines)):
        for line in lines:
            total.charged += line.charged
            total.reserved += line.reserved
            total.lost += line.lost
    coming = None
    if window:
        recent = sum(line.micros for line in store.ledger.lines(window.since, window.last_day_ends))
        spent = Spent(day=today.spent, month=month.spent)
        coming = forecast(recent, window.days, spent, limits, now)
    told = Balance(
        now=now,
        sums=(today, month),
        limits=limits,
        room={item: spending.room_for(item, now) for item in (Item.POST_WITH_URL, Item.POST)},
        never=[
            item
            for item in (Item.POST_WITH_URL, Item.POST)
            if any(limit is not None and prices[item] > limit for limit in (limits.daily, limits.monthly))
        ],
        waiting=sum(row.waits_for is WaitsFor.BUDGET for row in queued),
        queued=len(queued),
        pause=store.outbox.paused(DESTINATION),
        stop=store.ledger.stop(DESTINATION),
        began=began,
        window=window,
        forecast=coming,
        months=store.ledger.months(),
        free=tuple(each.name for each in config.destinations if each.type != DESTINATION),
        costs=config.destinations[0].type == DESTINATION,
        is_saved_known=not savings.behind(store, now),
    )
    _add_lines(told, day_lines, month_lines)
    _add_saved(told, store, savings)
    return told


def history_of(config: Config | None, max_age: Callable[[str], timedelta]) -> History:
    """Return a history, still empty, that is priced as the configuration says; by the defaults without one."""
    from bot.composing import Composer
    from bot.configured import picture_uses, style_of
    from bot.core.prices import price_list
    from bot.core.rulers import XRuler
    from bot.core.weighted_length import LONGEST_WEIGHT
    from bot.forecasting import History
    from bot.pictures import PicturesShown
    from bot.preparing import Preparing
    from bot.publishers import DESTINATION

    feeds = config.feeds if config else ()
    on_x = config.destinations[0] if config and config.destinations[0].type == DESTINATION else None
    styles = {f.name: style_of(f, on_x) for f in feeds}
    shown = PicturesShown(picture_uses(feeds, on_x))
    priced = on_x.feeds if on_x else ()
    return History(
        forms=Composer(styles, ruler=XRuler(LONGEST_WEIGHT), known=Preparing(pictures=shown).known).forms,
        prices=config.prices.table if config else price_list(),
        max_age=max_age,
        priorities={feed.name: feed.priority for feed in feeds},
        free=frozenset(feed.name for feed in feeds if feed.name not in priced),
    )


def _add_lines(told: Balance, day_lines: list[Line], month_lines: list[Line]) -> None:
    from bot.core.prices import Item

    for line in month_lines:
        if line.feed is None:
            calls, resources, micros = told.others.get(line.item, (0, 0, 0))
            told.others[line.item] = (calls + line.calls, resources + line.resources, micros + line.micros)
            continue
        cost = told.feeds.setdefault(line.feed, FeedCost())
        cost.month += line.micros
        if line.item is Item.POST_WITH_URL:
            cost.with_link += line.resources
        else:
            cost.without_link += line.resources
    for line in day_lines:
        if line.feed is not None:
            told.feeds[line.feed].today += line.micros


def _add_saved(told: Balance, store: Store, savings: Savings) -> None:
    for name, (repeats, saved) in savings.by_feed(store, told.now).items():
        cost = told.feeds.setdefault(name, FeedCost())
        cost.repeats, cost.saved = repeats, saved
