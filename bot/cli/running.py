"""`run` and `once`: the bot at work, dry, or rehearsed."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

import click

from bot.cli import exits
from bot.cli.enduring import enduring
from bot.cli.progress import progress
from bot.cli.words import count, span

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.app import App, Mode
    from bot.cli.context import Session
    from bot.cli.journal import Journal
    from bot.config import Config
    from bot.core.model import Entry, Post

_DRY_RUN = click.option(
    "--dry-run",
    is_flag=True,
    help="Print what would be posted; change nothing on disk and call no destination, except to read mentions where there is a [[search]].",
)
_SIMULATE = click.option(
    "--simulate",
    is_flag=True,
    help="Rehearse: post to a simulated X on this machine, from a copy of the store; print what would go elsewhere.",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")


def _mode(*, dry_run: bool, simulate: bool) -> Mode:
    from bot.app import Mode

    if dry_run and simulate:
        raise click.UsageError("--dry-run and --simulate exclude each other")
    return Mode.DRY_RUN if dry_run else Mode.SIMULATE if simulate else Mode.REAL


@click.command()
@_DRY_RUN
@_SIMULATE
@_JSON
@click.option(
    "--watch",
    "watch_port",
    metavar="PORT",
    type=click.IntRange(1, 65535),
    envvar="SHINGLEBOT_WATCH",
    help="Answer monitors on this machine at http://127.0.0.1:PORT/healthz and /metrics.",
)
@click.pass_obj
def run(session: Session, *, dry_run: bool, simulate: bool, as_json: bool, watch_port: int | None) -> int:
    """Poll, judge and post until stopped (SIGTERM or ^C)."""
    from bot.app import Mode
    from bot.cli.monitored import watching
    from bot.cli.renewing import Renewal, has_terminal
    from bot.scheduler import loop
    from bot.service.notify import Manager
    from bot.service.pulse import Pulse

    mode = _mode(dry_run=dry_run, simulate=simulate)
    manager = Manager.of(os.environ if mode is Mode.REAL else {})
    quiet = logging.INFO if mode is Mode.REAL and not as_json else logging.ERROR

    def load() -> Config:
        return _loaded(session, mode, quiet)

    renewal = Renewal(load, manager) if mode is Mode.REAL and not has_terminal() else None

    def work(config: Config, app: App, journal: Journal) -> int:
        from bot.app import utc_now

        speaks = mode is not Mode.REAL and not as_json
        if speaks:
            click.echo(_opening(app, mode))
        jobs = app.jobs
        if renewal is not None:
            renewal.settled()
            renewal.stops(app.stop)
            jobs = (*jobs, renewal)
        manager.ready("at work")
        seen = watching(app, config, watch_port) if mode is Mode.REAL else nullcontext()
        with app.crew, seen:
            loop(jobs, stop=app.stop, clock=utc_now, beat=Pulse(app.heartbeats, manager))
            if renewal is None or not renewal.begins_anew:
                manager.stopping()
        if speaks:
            click.echo(f"Ended: {_posts(journal)}; your store was not touched.")
        return exits.OK

    def begin(config: Config) -> int:
        tell = mode is not Mode.REAL or as_json
        return _with_app(
            config,
            mode,
            partial(work, config),
            as_json=as_json,
            tell=tell,
            apart=True,
            hangup=renewal is None,
        )

    if renewal is not None:
        with renewal.on_hangup():
            return enduring(lambda: renewal.working(begin), hangup=False, alive=manager.alive)
    config = load()
    return enduring(lambda: begin(config), alive=manager.alive) if mode is Mode.REAL else begin(config)


@click.command()
@_DRY_RUN
@_SIMULATE
@_JSON
@click.option("--now", "every", is_flag=True, help="Poll every feed, due or not.")
@click.pass_obj
def once(session: Session, *, dry_run: bool, simulate: bool, as_json: bool, every: bool) -> int:
    """Poll what is due (with --dry-run every feed), post what the pacing allows now, and end.

    Exit code 1 when a feed could not be read, or when posts wait because X refuses or cannot be reached.
    """
    from bot.cli.pausing import pauses_at

    mode = _mode(dry_run=dry_run, simulate=simulate)

    def work(app: App, journal: Journal) -> int:
        from bot.app import utc_now

        with progress("feeds", quiet=as_json) as advance:
            asked = app.poller.poll_once(every=every or dry_run, advance=advance)
        for lane in app.lanes:
            for hearing in lane.hearing:
                hearing.drain()
            lane.corrections.run(utc_now())
            lane.publishing.drain()
        now = utc_now()
        for job in () if dry_run else app.keeping:
            due = job.next_at(now)
            if due is not None and due <= now:
                job.run(now)
        pauses = [] if dry_run else pauses_at(app.store, [lane.name for lane in app.lanes], now)
        for pause in pauses:
            journal.paused(pause, now)
        if dry_run:
            for lane in app.lanes:
                lane.foreseeing.run(now)
        if not as_json:
            click.echo(_summary(app, journal, asked))
        is_fault = any(not pause.is_own_limit for pause in pauses)
        return exits.FAILED if journal.failed_feeds or is_fault else exits.OK

    config = _loaded(session, mode, logging.ERROR)
    return _with_app(config, mode, work, as_json=as_json, tell=True)


def _loaded(session: Session, mode: Mode, quiet: int) -> Config:
    from bot.app import Mode

    config = session.load(need_account=mode is Mode.REAL, warn=mode is Mode.REAL)
    session.log_to_stderr(secrets=config.texts_to_mask(), quiet=quiet)
    return config


def _with_app(
    config: Config,
    mode: Mode,
    work: Callable[[App, Journal], int],
    *,
    as_json: bool,
    tell: bool,
    apart: bool = False,
    hangup: bool = True,
) -> int:
    from bot.app import Mode, open_app
    from bot.cli.journal import Journal
    from bot.cli.places import places_of
    from bot.listening import Listeners
    from bot.scheduler import stopping_on_signals

    stop = threading.Event()
    opened: list[App] = []
    journal = Journal(
        as_json=as_json,
        dry=mode is Mode.DRY_RUN,
        compose=lambda entry: _sample(opened[0], entry),
        prices=config.prices.table,
        places=places_of(config, rehearsed=mode is Mode.SIMULATE),
        lasting=mode is Mode.REAL,
    )
    listeners = (
        Listeners(poll=journal.poll, post=journal.post, would_wait=journal.would_wait)
        if tell
        else Listeners()
    )
    with (
        stopping_on_signals(stop, hangup=hangup),
        open_app(config, mode, listeners=listeners, stop=stop, apart=apart) as app,
    ):
        opened.append(app)
        left = _left_today(app, config)
        code = work(app, journal)
        if mode is Mode.DRY_RUN:
            from bot.forecasting import reads_a_start

            priced = places_of(config, rehearsed=False).priced
            journal.total(reads_a_start(config.prices.table) if priced else 0, left)
        return code


def _sample(app: App, entry: Entry) -> tuple[str, Post] | None:
    """Return how an entry would read at the first destination that its feed goes to; None where it goes to none."""
    lane = next((lane for lane in app.lanes if entry.feed in lane.destination.feeds), None)
    post = lane.publishing.preview(entry) if lane else None
    return (lane.name, post) if lane and post else None


def _left_today(app: App, config: Config) -> int | None:
    from bot.app import utc_now

    daily = config.budget.limits.daily
    return None if daily is None else max(daily - app.store.ledger.spent(utc_now()).day, 0)


def _posts(journal: Journal) -> str:
    from bot.core.budget import in_dollars

    said = count(journal.posts, "post", "posts")
    return f"{said} for {in_dollars(journal.bill.micros)}" if journal.posts and journal.priced else said


def _opening(app: App, mode: Mode) -> str:
    from bot.app import Mode, utc_now

    now = utc_now()
    what = "A rehearsal before a simulated X" if mode is Mode.SIMULATE else "A dry run"
    at = app.poller.next_at(now)
    first = "at once" if at is None or at <= now else f"in {span(at - now)}"
    return f"{what}, on a copy of your store; ^C ends it. The first poll is {first}."


def _summary(app: App, journal: Journal, asked: int) -> str:
    from bot.app import utc_now
    from bot.store.outbox import State

    now = utc_now()
    counts = app.store.outbox.counts()
    queued = counts.get(State.QUEUED, 0)
    parts = [f"{count(asked, 'feed', 'feeds')} polled", _posts(journal)]
    if journal.failed_feeds:
        parts.append(f"{count(journal.failed_feeds, 'feed', 'feeds')} failed")
    if queued:
        turns = [turn for lane in app.lanes if (turn := lane.publishing.next_at(now)) is not None]
        at = min(turns, default=None)
        parts.append(f"{queued} queued, the next in {span(max(at, now) - now)}" if at else f"{queued} queued")
    if asked == 0:
        waits = app.poller.next_at(now)
        parts.append(
            f"no feed is due before {waits:%H:%M:%S} UTC (--now polls all the same)"
            if waits
            else "no feed is due"
        )
    return "; ".join(parts)
