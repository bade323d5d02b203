"""`replay`: a backtest on recorded snapshots."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import click

from bot.cli import exits
from bot.cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.backtest import Tally
    from bot.cli.context import Session
    from bot.config import Dedup
    from bot.pipeline import FeedRules
    from bot.snapshots import Snapshots


@click.command()
@click.argument("snapshots", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON object for each distinct entry, the first time it is seen.",
)
@click.option("--first-run", metavar='"seed"|"newest N"|"all"', help="For every feed.")
@click.option(
    "--level", type=click.Choice(["strict", "balanced", "eager"]), help="Of near-duplicate judgement."
)
@click.option(
    "--method",
    type=click.Choice(["table", "classic"]),
    help="Of that judgement: the table, or ten-word runs.",
)
@click.option("--max-age", metavar="DURATION", help="For every feed, such as 3d or 12h.")
@click.option(
    "--held",
    type=click.Choice(["release", "keep"]),
    default="release",
    show_default=True,
    help="What becomes of held entries.",
)
@click.pass_obj
def replay(
    session: Session,
    *,
    snapshots: tuple[Path, ...],
    as_json: bool,
    first_run: str | None,
    level: str | None,
    method: str | None,
    max_age: str | None,
    held: str,
) -> int:
    """Run recorded SNAPSHOTS through the pipeline, with the clock at each snapshot's time.

    SNAPSHOTS are folders or tar archives, one a feed, of files named like 20200421T004301Z_1a2b.xml; a folder of
    such folders and archives is all of them. Feeds that the configuration names are judged by it, if one is given
    with --config; otherwise the defaults hold.
    """
    from bot.backtest import Tally
    from bot.backtest import replay as replay_all
    from bot.config import Dedup
    from bot.core.classic_verdict import Method
    from bot.core.dedupe import Level

    session.log_to_stderr()
    rules, dedup = rules_and_dedup(session, first_run, max_age)
    dedup = dedup or Dedup()
    tally = Tally()
    started = perf_counter()
    with opened(snapshots) as found, progress("snapshots") as advance:
        total = len(found)
        judged = replay_all(
            found,
            rules=rules,
            level=Level(level or dedup.level),
            method=Method(method or dedup.method),
            asks=dedup.grey == "hold",
            release_held=held == "release",
            tally=tally,
        )
        for one in judged:
            if as_json:
                sys.stdout.write(json.dumps(one.as_json(), ensure_ascii=False) + "\n")
            advance(tally.snapshots, total)
        feeds = found.feeds
        ignored = found.ignored
    seconds = perf_counter() - started
    _print_tally(tally, feeds, ignored, seconds, to_stderr=as_json)
    return exits.OK


def opened(places: tuple[Path, ...]) -> Snapshots:
    """Find the snapshots; raise UsageError when a place holds none."""
    from bot.errors import ConfigError
    from bot.snapshots import Snapshots

    try:
        return Snapshots(places).open()
    except ConfigError as error:
        raise click.UsageError(str(error)) from None


def rules_and_dedup(
    session: Session, first_run: str | None, max_age: str | None
) -> tuple[Callable[[str], FeedRules], Dedup | None]:
    """Return what is wanted of each feed, and the settings of likeness where a configuration is given."""
    from bot.config import parse_duration, parse_take
    from bot.configured import rules_of
    from bot.pipeline import FeedRules

    configured: dict[str, FeedRules] = {}
    dedup = None
    if session.config_given:
        config = session.load(need_account=False)
        configured = {feed.name: rules_of(feed) for feed in config.feeds}
        dedup = config.dedup
    try:
        take = parse_take(first_run) if first_run else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--first-run") from None
    try:
        age = parse_duration(max_age) if max_age else None
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--max-age") from None

    def rules(name: str) -> FeedRules:
        found = configured.get(name) or FeedRules(name=name, url="")
        if take is not None:
            found = replace(found, first_run=take)
        return replace(found, max_age=age) if age is not None else found

    return rules, dedup


def _print_tally(
    tally: Tally, feeds: list[str], ignored: list[str], seconds: float, *, to_stderr: bool
) -> None:
    from bot.cli.words import console, count, table

    out = console(stderr=to_stderr)
    total = sum(tally.by_reason.values())
    rows = [
        (verdict, reason, str(times), f"{times / total:.1%}")
        for (verdict, reason), times in tally.by_reason.most_common()
    ]
    out.print(table("Entries by reason", ("verdict", "reason", "entries", "share"), rows, right=(2, 3)))
    verdicts = ("fresh", "duplicate", "rejected", "held", "seeded")
    by_feed = [(feed, *(str(tally.by_feed[feed, verdict]) for verdict in verdicts)) for feed in feeds]
    out.print(table("\nEntries by feed", ("feed", *verdicts), by_feed, right=(1, 2, 3, 4, 5)))
    for (feed, fault), times in tally.unreadable.most_common():
        out.print(f"unreadable {times} x {feed}: {fault}")
    for at, feed, notice in tally.notices:
        out.print(f"{at:%Y-%m-%d %H:%M} {feed}: {notice}")
    if ignored:
        out.print(f"{len(ignored)} files are no snapshots and were left out, the first: {ignored[0]}")
    rate = tally.snapshots / seconds if seconds else 0.0
    out.print(
        f"{count(tally.snapshots, 'snapshot', 'snapshots')} of {count(len(feeds), 'feed', 'feeds')}, "
        f"{count(total, 'entry', 'entries')} in {seconds:.1f} s: {rate:.0f} snapshots a second. --json lists the entries."
    )
