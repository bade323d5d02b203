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
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot import clocks, logs
from bot.account import X_PATIENCE, secrets_by_setting
from bot.configured import feed_client, feeds_of, url_of
from bot.core.classic_verdict import Method
from bot.core.dedupe import WINDOW, Level
from bot.crew import Crew
from bot.heartbeats import Heartbeats
from bot.lanes import Lane, Mode, Surroundings, open_lane
from bot.listening import Listeners, in_turns, told_of_poll
from bot.looking_after import BackingUp, Tidying
from bot.parsing import Parser
from bot.pipeline import Judge, Leaks, Pipeline, recollect
from bot.polling import THREADS, Poller
from bot.publishers import DESTINATION
from bot.store import StateDir, Store
from bot.store.backups import FOLDER
from bot.store.carrying import read_ledger
from bot.store.copies import copied, remove_stale_copies
from bot.tuning.in_use import TablesInUse, in_words, is_usable

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bot.config import Config
    from bot.core.timing import Moment
    from bot.scheduler import Job

__all__ = ["App", "Mode", "accept_new_store", "adopt_store", "open_app", "utc_now"]

log = logging.getLogger("bot")


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """A bot ready to work.

    Attributes:
        lanes: those that are worked on here, one or all.
        crew: works on the others, each in a thread of its own.
        heartbeats: the signs of life of all who work.
        jobs: for the scheduler of this thread.
        keeping: those of them that look after the store.
    """

    store: Store
    poller: Poller
    lanes: tuple[Lane, ...]
    crew: Crew
    heartbeats: Heartbeats
    jobs: tuple[Job, ...]
    keeping: tuple[Job, ...]
    stop: threading.Event


def utc_now() -> datetime:
    """Return the time: the one clock of the running bot."""
    return datetime.now(UTC)


@contextmanager
def open_app(  # noqa: PLR0913 - wired once, each by its name
    config: Config,
    mode: Mode,
    *,
    listeners: Listeners,
    stop: threading.Event,
    clock: Callable[[], datetime] = utc_now,
    steady: Callable[[], Moment] = clocks.steady,
    patience: float = X_PATIENCE,
    threads: int = THREADS,
    apart: bool = False,
) -> Iterator[App]:
    """Wire a bot together for as long as the context lasts.

    `steady` is the clock that nobody sets, `patience` how many seconds an answer of X may take. `apart`: every
    destination of a real bot but the first is the crew's.

    Raises:
        ConfigError: no account is configured, and the mode needs one.
        AlreadyRunning, StoreLost, StateError: the state directory cannot be used.
    """
    feeds = feeds_of(config)
    listeners = in_turns(listeners)
    secrets = config.texts_to_mask()
    with ExitStack() as stack:
        store = stack.enter_context(_store(config, mode, clock))
        parser = stack.enter_context(Parser())
        heartbeats = Heartbeats(steady)
        around = Surroundings(
            config=config,
            mode=mode,
            listeners=listeners,
            clock=clock,
            steady=steady,
            patience=patience,
            stop=stop,
            heartbeats=heartbeats,
        )
        with store.transaction():
            store.outbox.set_priorities({feed.name: feed.priority for feed in config.feeds})
        here = 1 if apart and mode is Mode.REAL else len(config.destinations)
        lanes = tuple(
            stack.enter_context(open_lane(destination, store, around))
            for destination in config.destinations[:here]
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
                [destination.name for destination in config.destinations],
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
        keeping = _keeping(stack, config, mode, store, stop)
        # The wiring stays as long as the bot: no collector looks through it again, at 5% of what a judgement costs.
        # What a bot before it in this process left in cycles would be kept with it.
        gc.collect()
        gc.freeze()
        stack.callback(gc.unfreeze)
        yield App(
            store=store,
            poller=poller,
            lanes=lanes,
            crew=Crew(config.destinations[here:], store, around),
            heartbeats=heartbeats,
            jobs=(poller, *(job for lane in lanes for job in lane.jobs), *keeping),
            keeping=keeping,
            stop=stop,
        )


def accept_new_store(config: Config) -> tuple[list[Path], int | None]:
    """Start afresh because a person says so: set the old database and its mark aside and make an empty one.

    Returns the files that were set aside, under their new names, and how many priced calls were taken over from the old
    database, None where it could not be read. Every configured feed is seeded silently at its next poll.
    """
    state = StateDir(config.state_dir)
    now = utc_now()
    with state.lock():
        spent = read_ledger(state.database)
        moved = state.set_aside(f"{now:%Y%m%dT%H%M%SZ}")
        with Store.open(state, now) as store, store.transaction():
            store.sources.seed_silently([(feed.name, url_of(feed)) for feed in config.feeds], now)
            carried = None if spent is None else store.take_over(spent)
    return moved, carried


def adopt_store(config: Config) -> None:
    """Take the database that lies in the state directory for the bot's own, because a person says so."""
    state = StateDir(config.state_dir)
    with state.lock():
        Store.adopt(state)


def _judge(store: Store, config: Config) -> Judge:
    level = Level(config.dedup.level)
    tables = TablesInUse(store, level)
    if fitted := tables.fitted:
        severity = logging.INFO if is_usable(fitted) else logging.WARNING
        logs.event(log, severity, "fitted table", what=in_words(fitted))
    method = Method(config.dedup.method)
    return Judge(store, level, tables, method=method, asks=config.dedup.grey == "hold")


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
            for destination in config.destinations:
                store.own_posts.forget_account(destination.name)
                if mode is Mode.SIMULATE:  # other keys, and other credit
                    store.outbox.end_pause(destination.name)
            store.pictures.forget_uploads()
            if mode is Mode.SIMULATE:
                store.ledger.end_stop(DESTINATION)
        yield store


def _keeping(
    stack: ExitStack,
    config: Config,
    mode: Mode,
    store: Store,
    stop: threading.Event,
) -> tuple[Job, ...]:
    """Return the jobs that look after the store; only a real one is backed up."""
    tidying = Tidying(
        store, window=WINDOW.total_seconds(), texts_kept=config.retention.texts, stopping=stop.is_set
    )
    if mode is not Mode.REAL or config.backup.every is None:
        return (tidying,)
    backing_up = BackingUp(
        StateDir(config.state_dir),
        config.backup.folder or config.state_dir / FOLDER,
        every=config.backup.every,
        keep=config.backup.keep,
        installed_at=store.upkeep.installed_at(),
        stopping=stop.is_set,
    )
    stack.callback(backing_up.close)
    return tidying, backing_up
