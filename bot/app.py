"""The wiring: a Config becomes a running bot, real, rehearsed or dry.

A dry run is another publisher and a copy of the store; a rehearsal is the real publisher before a simulated
X and a copy of the store. No room knows which it is in.
"""

from __future__ import annotations

import gc
import logging
import random
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from bot import clocks, logs
from bot.account import X_PATIENCE, open_client, secrets_by_setting, stored_tokens
from bot.composing import Composer
from bot.configured import (
    feed_client,
    feeds_of,
    longest_post,
    pacing_of,
    picture_doors,
    picture_hosts,
    picture_uses,
    shortener_client,
    shortener_of,
    style_of,
    url_of,
)
from bot.core.classic_verdict import Method
from bot.core.dedupe import WINDOW, Level
from bot.core.rulers import XRuler
from bot.core.weighted_length import MAX_WEIGHT
from bot.corrections import Corrections
from bot.foreseeing import Foreseeing
from bot.listening import Listeners, told_of_poll, told_of_post
from bot.parsing import Parser
from bot.pictures import Pictures, PicturesShown
from bot.pipeline import Judge, Leaks, Pipeline, recollect
from bot.polling import THREADS, Poller
from bot.preparing import Preparing
from bot.publishers import DESTINATION
from bot.publishers.stdout import StdoutPublisher
from bot.publishers.x import XPublisher
from bot.publishing import Publishing
from bot.shorteners import shorten
from bot.shortening import Shortening
from bot.simulated_x import SimulatedUser, SimulatedX
from bot.spending import Spending
from bot.store import StateDir, Store
from bot.store.copies import copied, remove_stale_copies
from bot.tuning.in_use import TablesInUse, in_words, is_usable
from bot.x_client import XClient

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bot.config import Config
    from bot.core.timing import Moment
    from bot.ports import Meter, Publisher
    from bot.scheduler import Job

log = logging.getLogger("bot")

TIDY_EVERY = timedelta(hours=24)


class Mode(Enum):
    """What the bot is run for."""

    REAL = "real"
    DRY_RUN = "dry run"
    SIMULATE = "simulate"


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A bot ready to work."""

    store: Store
    poller: Poller
    corrections: Corrections
    publishing: Publishing
    foreseeing: Foreseeing
    jobs: tuple[Job, ...]
    stop: threading.Event


def utc_now() -> datetime:
    """Return the time: the one clock of the running bot."""
    return datetime.now(UTC)


@contextmanager
def open_app(
    config: Config,
    mode: Mode,
    *,
    listeners: Listeners,
    stop: threading.Event,
    clock: Callable[[], datetime] = utc_now,
    steady: Callable[[], Moment] = clocks.steady,
    patience: float = X_PATIENCE,
    threads: int = THREADS,
) -> Iterator[App]:
    """Wire a bot together for as long as the context lasts.

    `steady` is the clock that nobody sets, `patience` how many seconds an answer of X may take.

    Raises:
        ConfigError: no account is configured, and the mode needs one.
        AlreadyRunning, StoreLost, StateError: the state directory cannot be used.
    """
    feeds = feeds_of(config)
    secrets = config.texts_to_mask()
    with ExitStack() as stack:
        store = stack.enter_context(_store(config, mode, clock))
        parser = stack.enter_context(Parser())
        spending = Spending(
            store,
            destination=DESTINATION,
            prices=config.prices.table,
            limits=config.budget.limits,
            clock=clock,
        )
        spending.recover()
        publisher = stack.enter_context(_publisher(config, mode, listeners, patience, clock, spending))
        styles = {f.name: style_of(f) for f in config.feeds}
        preparing = Preparing(
            styles,
            shortening=_shortening(store, config, mode, clock),
            pictures=_pictures(store, config, publisher, clock),
        )
        corrections = Corrections(
            store,
            publisher.name,
            answering=[feed.name for feed in config.feeds if feed.corrections == "post"],
            clock=clock,
        )
        publishing = Publishing(
            publisher,
            store=store,
            corrections=corrections,
            pacing=pacing_of(config.pacing),
            styles=styles,
            budget=spending,
            clock=clock,
            steady=steady,
            report=lambda report: told_of_post(report, listeners),
            stop=stop,
            preparing=preparing,
        )
        with store.transaction():
            store.outbox.set_priorities({feed.name: feed.priority for feed in config.feeds})
        if interrupted := publishing.recover():
            logs.event(log, logging.WARNING, "interrupted posts found", rows=len(interrupted))
        if pause := _pause(store, clock()):
            logs.event(
                log,
                logging.WARNING,
                "nothing is sent yet",
                until=f"{pause[0]:%Y-%m-%d %H:%M:%S} UTC",
                reason=pause[1],
            )
        judge = _judge(store, config)
        if again := recollect(store, judge, clock(), stop.is_set):
            logs.event(log, logging.INFO, "entries of before made comparable", entries=again)
        poller = Poller(
            feeds,
            client=feed_client(config),
            store=store,
            pipeline=Pipeline(
                store,
                judge,
                [publisher.name],
                stopping=stop.is_set,
                leaks=Leaks(secrets_by_setting(config)),
            ),
            mask=lambda text: logs.masked(text, secrets),
            clock=clock,
            draw=random.random,
            report=lambda report: told_of_poll(report, listeners),
            stop=stop,
            steady=steady,
            threads=threads,
            parse=parser,
        )
        stack.callback(poller.close)
        foreseeing = Foreseeing(
            publisher.name,
            store=store,
            publishing=publishing,
            composer=Composer(styles, ruler=publisher.ruler, known=preparing.known),
            pacing=pacing_of(config.pacing),
            spending=spending,
            prices=config.prices.table,
            tell=listeners.would_wait,
        )
        # The wiring stays as long as the bot: no collector looks through it again, at 5% of what a judgement costs.
        gc.freeze()
        stack.callback(gc.unfreeze)
        yield App(
            store=store,
            poller=poller,
            corrections=corrections,
            publishing=publishing,
            foreseeing=foreseeing,
            jobs=(
                poller,
                corrections,
                publishing,
                *([foreseeing] if mode is Mode.DRY_RUN else []),
                _Tidy(store),
            ),
            stop=stop,
        )


def accept_new_store(config: Config) -> list[Path]:
    """Start afresh because a person says so: set the old database and its mark aside and make an empty one.

    Returns the files that were set aside, under their new names. Every configured feed is seeded silently at its next poll.
    """
    state = StateDir(config.state_dir)
    now = utc_now()
    with state.lock():
        moved = state.set_aside(f"{now:%Y%m%dT%H%M%SZ}")
        with Store.open(state, now) as store, store.transaction():
            store.sources.seed_silently([(feed.name, url_of(feed)) for feed in config.feeds], now)
    return moved


def adopt_store(config: Config) -> None:
    """Take the database that lies in the state directory for the bot's own, because a person says so."""
    state = StateDir(config.state_dir)
    with state.lock():
        Store.adopt(state)


def _pause(store: Store, now: datetime) -> tuple[datetime, str] | None:
    """Return the pause that an earlier process left, None when it is over."""
    paused = store.outbox.paused(DESTINATION)
    return paused if paused and paused[0] > now else None


def _judge(store: Store, config: Config) -> Judge:
    level = Level(config.dedup.level)
    tables = TablesInUse(store, level)
    if fitted := tables.fitted:
        severity = logging.INFO if is_usable(fitted) else logging.WARNING
        logs.event(log, severity, "fitted table", what=in_words(fitted))
    method = Method(config.dedup.method)
    return Judge(store, level, tables, method=method, asks=config.dedup.grey == "hold")


def _shortening(store: Store, config: Config, mode: Mode, clock: Callable[[], datetime]) -> Shortening | None:
    """Return what makes links short; a rehearsal makes none, for they would be real, and bears those that are kept."""
    service = shortener_of(config)
    if service is None or config.shortener is None:
        return None
    secrets = config.texts_to_mask()
    return Shortening(
        store,
        service=service.identity,
        shorten=partial(shorten, shortener_client(config), service) if mode is Mode.REAL else None,
        tries=config.shortener.tries,
        clock=clock,
        mask=lambda text: logs.masked(text, secrets),
    )


def _pictures(
    store: Store, config: Config, publisher: Publisher, clock: Callable[[], datetime]
) -> Pictures | PicturesShown | None:
    """Return what gets the pictures of posts; where nobody takes any, it tells where they are."""
    uses = picture_uses(config.feeds)
    if not uses:
        return None
    if not isinstance(publisher, XPublisher):
        return PicturesShown(uses)
    secrets = config.texts_to_mask()
    return Pictures(
        store,
        uses=uses,
        hosts=picture_hosts(config),
        doors=picture_doors(config),
        give=publisher.upload_picture,
        describe=publisher.describe_picture,
        clock=clock,
        mask=lambda text: logs.masked(text, secrets),
    )


@contextmanager
def _store(config: Config, mode: Mode, clock: Callable[[], datetime]) -> Iterator[Store]:
    remove_stale_copies()
    state = StateDir(config.state_dir)
    if mode is Mode.REAL:
        with state.lock(), Store.open(state, clock()) as store:
            yield store
        return
    with copied(state) as store:
        with store.transaction():
            # A rehearsal has another account: what is known of the real one would be taken for a lost history.
            store.own_posts.forget_account(DESTINATION)
            store.pictures.forget_uploads()
            if mode is Mode.SIMULATE:  # other keys, and other credit
                store.outbox.end_pause(DESTINATION)
                store.ledger.end_stop(DESTINATION)
        yield store


@contextmanager
def _publisher(
    config: Config,
    mode: Mode,
    listeners: Listeners,
    patience: float,
    clock: Callable[[], datetime],
    meter: Meter,
) -> Iterator[Publisher]:
    match mode:
        case Mode.DRY_RUN:
            yield StdoutPublisher(listeners.would_post, name=DESTINATION, ruler=XRuler(longest_post(config)))
        case Mode.SIMULATE:
            limit = longest_post(config)
            with SimulatedX([SimulatedUser(username="newsbot", premium=limit > MAX_WEIGHT)]) as simulated:
                listeners.simulated(simulated.base_url)
                yield XPublisher(
                    XClient(simulated.credentials(), base_url=simulated.base_url, meter=meter), limit=limit
                )
        case Mode.REAL:
            stored = stored_tokens(config)
            yield XPublisher(
                open_client(config, meter=meter, clock=clock, patience=patience),
                username=stored.username if stored else None,
                limit=longest_post(config),
            )


class _Tidy:
    """A job: forget, once a day, what no decision needs any more."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._done_at: datetime | None = None

    def next_at(self, now: datetime) -> datetime | None:
        return now if self._done_at is None else self._done_at + TIDY_EVERY

    def run(self, now: datetime) -> None:
        self._done_at = now
        self._store.tidy(now, WINDOW.total_seconds())
