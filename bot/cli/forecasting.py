"""`forecast`: what a configuration will cost a month, before it is switched on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits
from bot.cli.progress import progress
from bot.cli.replaying import opened
from bot.publishers import DESTINATION

if TYPE_CHECKING:
    from bot.cli.context import Session
    from bot.config import Config
    from bot.core.budget import Limits
    from bot.forecasting import History, Month, Outcome
    from bot.pipeline import FeedRules


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """All that a forecast says."""

    history: History
    outcome: Outcome
    month: Month
    limits: Limits
    reads: int
    reads_known: bool
    source: str
    unrecorded: list[str]
    destinations: tuple[str, ...]


@click.command()
@click.argument("snapshots", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--days",
    default=30,
    show_default=True,
    type=click.IntRange(1, 3650),
    help="Without SNAPSHOTS: how many days of the bot's own store to look at.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
@click.pass_obj
def forecast(session: Session, *, snapshots: tuple[Path, ...], days: int, as_json: bool) -> int:
    """Tell what the configuration will cost a month, from recorded history.

    With SNAPSHOTS, the recordings that `replay` reads, its feeds run through the pipeline as the configuration wants it; a
    recorded feed is the configured one of the same name. Without, the bot's own store is looked at, with what was
    decided then and the texts, prices and limits of now. Nothing is called and nothing is changed.
    """
    # The configuration of this place is what is asked about; recordings can be priced by the defaults, too.
    given = session.config_given or session.config_path.exists() or not snapshots
    config = session.load(need_account=False) if given else None
    session.log_to_stderr()
    told = _of_recordings(snapshots, config) if snapshots else _of_store(session, config, days)
    if as_json:
        click.echo(json.dumps(_as_json(told), ensure_ascii=False, indent=1))
    else:
        _print(told)
    return exits.OK


def _of_recordings(places: tuple[Path, ...], config: Config | None) -> _Told:
    from bot.backtest import Tally
    from bot.backtest import replay as replay_all
    from bot.balance import history_of
    from bot.config import Dedup
    from bot.configured import rules_of
    from bot.core.classic_verdict import Method
    from bot.core.dedupe import Level
    from bot.forecasting import reads_a_day
    from bot.pipeline import FeedRules

    configured = {feed.name: rules_of(feed) for feed in config.feeds} if config else {}

    def rules(name: str) -> FeedRules:
        return configured.get(name) or FeedRules(name=name, url="")

    history = history_of(config, lambda name: rules(name).max_age)
    dedup = config.dedup if config else Dedup()
    tally = Tally()
    with opened(places) as found, progress("snapshots") as advance:
        recorded = found.feeds
        if config and not configured.keys() & set(recorded):
            raise click.UsageError(
                f"no recorded feed is configured: a recording is called like its feed, and these are {', '.join(recorded)}"
            )
        if config:
            found.keep(configured)
        for snapshot in found:
            history.watch(snapshot.feed, snapshot.at)
        for one in replay_all(
            found,
            rules=rules,
            level=Level(dedup.level),
            method=Method(dedup.method),
            asks=dedup.grey == "hold",
            release_held=True,
            tally=tally,
        ):
            history.add(one.entry, one.verdict, one.at)
            advance(tally.snapshots, len(found))
    return _told(
        config,
        history,
        reads=reads_a_day(history.prices),
        reads_known=False,
        source=f"{tally.snapshots:,} snapshots of {len(found.feeds)} feeds",
        unrecorded=sorted(configured.keys() - set(recorded)),
    )


def _of_store(session: Session, config: Config | None, days: int) -> _Told:
    from bot.balance import history_of
    from bot.forecasting import add_record, reads_a_day, reads_lately

    assert config is not None  # noqa: S101 - loaded where there are no recordings
    ages = {feed.name: feed.max_age for feed in config.feeds}
    history = history_of(config, ages.__getitem__)
    now = datetime.now(UTC)
    since = now - timedelta(days=days)
    with session.store_to_read(config) as store:
        entries = add_record(history, store, ages, since, now)
        reads = reads_lately(store, now)
    return _told(
        config,
        history,
        reads=reads or reads_a_day(history.prices),
        reads_known=bool(reads),
        source=f"{entries:,} entries of {len(history.feeds)} feeds in the bot's own store",
        unrecorded=sorted(ages.keys() - history.feeds.keys()),
    )


def _told(
    config: Config | None,
    history: History,
    *,
    reads: int,
    reads_known: bool,
    source: str,
    unrecorded: list[str],
) -> _Told:
    from bot.cli.destinations import priced_destination
    from bot.config.settings import Budget
    from bot.config.settings import Pacing as PacingSettings
    from bot.configured import pacing_of
    from bot.forecasting import month_of_history, send_in_thought

    if not history.feeds or history.until is None:
        raise click.ClickException(
            "nothing is recorded yet: give recordings, or let the bot run for a few days"
        )
    limits = (config.budget if config else Budget()).limits
    on_x = priced_destination(config) if config else None
    if config and on_x is None:
        reads = 0
    outcome = send_in_thought(
        history.stories,
        pacing=pacing_of(on_x.pacing if on_x else PacingSettings()),
        limits=limits,
        reads=reads,
        since=min(feed.since for feed in history.feeds.values()),
        until=history.until,
    )
    return _Told(
        history=history,
        outcome=outcome,
        month=month_of_history(history, outcome, limits=limits, reads=reads),
        limits=limits,
        reads=reads,
        reads_known=reads_known,
        source=source,
        unrecorded=unrecorded,
        destinations=tuple(each.name for each in config.destinations) if config else (DESTINATION,),
    )


def _as_json(told: _Told) -> dict[str, Any]:
    from bot.cli.words import iso
    from bot.core.budget import MONTH_DAYS, as_decimal
    from bot.core.prices import PRICES_OF

    history, month, outcome, limits = told.history, told.month, told.outcome, told.limits
    return {
        "source": told.source,
        "destination": DESTINATION if DESTINATION in told.destinations else None,
        "free": list(_free(told)),
        "since": iso(min(feed.since for feed in history.feeds.values())),
        "until": iso(history.until),
        "days": round(history.span, 2),
        "feeds": [
            {
                "feed": name,
                "days": round(history.days(name), 2),
                "posts": feed.posts,
                "free_posts": feed.free,
                "posts_per_day": round(feed.posts / history.days(name), 2),
                "with_link": feed.with_link,
                "without_link": feed.without_link,
                "duplicates_skipped": feed.repeats,
                "month": as_decimal(cents(feed.micros / history.days(name) * MONTH_DAYS)),
                "saved_a_month": as_decimal(cents(feed.saved / history.days(name) * MONTH_DAYS)),
                "unpostable": feed.unpostable,
            }
            for name, feed in sorted(history.feeds.items())
        ],
        "not_recorded": told.unrecorded,
        "month": {
            "days": MONTH_DAYS,
            "without_limits": as_decimal(cents(month.unlimited)),
            "with_limits": as_decimal(cents(month.limited)),
            "reads": as_decimal(cents(month.reads)),
            "reads_measured": told.reads_known,
            "saved": as_decimal(cents(month.saved)),
            "posts": round(month.posts, 1),
            "posts_with_limits": round(month.sent, 1),
        },
        "limits": {
            "daily": None if limits.daily is None else as_decimal(limits.daily),
            "monthly": None if limits.monthly is None else as_decimal(limits.monthly),
        },
        "recorded": {
            "posted": outcome.posts,
            "expired": outcome.expired,
            "waiting": outcome.waiting,
            "days_short_of_money": outcome.short_of_money,
        },
        "prices_of": PRICES_OF.isoformat(),
    }


def _print(told: _Told) -> None:
    from bot.cli.words import console, count, table
    from bot.core.budget import MONTH_DAYS, in_dollars
    from bot.core.prices import PRICES_OF

    out = console()
    history, month, outcome, limits = told.history, told.month, told.outcome, told.limits
    rows = [
        (
            name,
            f"{history.days(name):.1f}",
            f"{feed.posts / history.days(name):.1f}",
            f"{feed.with_link}",
            f"{feed.without_link}",
            f"{feed.repeats}",
            in_dollars(cents(feed.micros / history.days(name) * MONTH_DAYS)),
        )
        for name, feed in sorted(history.feeds.items(), key=lambda pair: -pair[1].micros)
    ]
    columns = ("feed", "days", "posts a day", "with a link", "without", "repeats skipped", "a month")
    out.print(table(f"From {told.source}", columns, rows, right=(1, 2, 3, 4, 5, 6)))
    how = "as lately" if told.reads_known else "supposed: one start of the bot a day"
    out.print(f"\nA month ({MONTH_DAYS} days), reads included ({in_dollars(cents(month.reads))}, {how}):")
    out.print(f"  without limits: {in_dollars(cents(month.unlimited))} for {month.posts:.0f} posts")
    stated = " and ".join(
        f"{in_dollars(limit)} a {span}"
        for limit, span in ((limits.daily, "day"), (limits.monthly, "month"))
        if limit is not None
    )
    out.print(
        f"  with your pacing and {stated or 'no limit'}: {in_dollars(cents(month.limited))} for {month.sent:.0f} posts"
    )
    if month.saved:
        out.print(f"  the repeats that are skipped would have cost {in_dollars(cents(month.saved))} more")
    if outcome.short_of_money:
        out.print(
            f"On {count(outcome.short_of_money, 'recorded day', 'recorded days')} the money ended before the stories did; "
            f"{count(outcome.expired, 'story', 'stories')} waited until they expired, {outcome.waiting} still waited at the end."
        )
    elif outcome.expired or outcome.waiting:
        out.print(
            f"The pacing let {count(outcome.expired, 'story', 'stories')} expire; {outcome.waiting} still waited at the end."
        )
    unpostable = sum(feed.unpostable for feed in history.feeds.values())
    if unpostable:
        out.print(f"Of {count(unpostable, 'story', 'stories')} no post can be made.")
    if free := _free(told):
        out.print(f"Posts to {' and '.join(free)} cost nothing and are not in these sums.")
    if told.unrecorded:
        out.print(f"Not recorded, and not in these sums: {', '.join(told.unrecorded)}")
    if history.span < FEW_DAYS:
        out.print("That is little history: the longer the recording, the better the forecast.")
    out.print(f"Prices as of {PRICES_OF.isoformat()}, or as [prices] says.")


def _free(told: _Told) -> tuple[str, ...]:
    """Return the destinations where a post costs nothing."""
    return tuple(name for name in told.destinations if name != DESTINATION)


FEW_DAYS = 3
"""Shorter recordings miss the week's rhythm altogether."""


def cents(micros: float) -> int:
    """Return micro-dollars rounded to the cent: a forecast knows no more."""
    return round(micros / 10_000) * 10_000
