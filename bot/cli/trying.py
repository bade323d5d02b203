"""`tune`: what other levels and thresholds would have done with this bot's record, or with recorded feeds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits
from bot.cli.plotting import Dot, bars, svg
from bot.cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rich.console import Console

    from bot.cli.context import Session
    from bot.core.dedupe import Level, Tables
    from bot.core.pairs import Pair, PairVerdict
    from bot.pipeline import FeedRules
    from bot.store import Store
    from bot.tuning.labelled import Marks
    from bot.tuning.outcomes import Change, Outcomes, Setting

SHOWN = 8
"""Stories and labels that are listed of each, unless all are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One setting, tried: what it would have posted, and what it says of the labels."""

    setting: Setting
    is_now: bool
    outcomes: Outcomes
    changes: list[Change]
    marks: Marks

    @property
    def posts(self) -> int:
        """How many entries it posts."""
        return sum(outcome.posted for outcome in self.outcomes.values())

    @property
    def skipped(self) -> int:
        """How many entries it skips for their likeness."""
        return sum(outcome.is_duplicate for outcome in self.outcomes.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be tried.

    Attributes:
        level: the only one, None for all.
        days: of the bot's own record.
        history: places with recorded snapshots; none: the bot's own record.
        as_json, plot, show_all: how it is told.
    """

    level: Level | None
    days: int
    history: tuple[Path, ...]
    as_json: bool
    plot: Path | None
    show_all: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ground:
    """What settings are tried on: `run` gives the outcomes at one of them."""

    what: str
    level: Level
    tables: Tables
    table: str
    pairs: list[Pair]
    run: Callable[[list[Setting], Callable[[int, int], None]], list[Outcomes]]
    then: dict[int, bool] | None


def try_settings(session: Session, asked: Asked) -> int:
    """Judge the record, or recorded feeds, at each setting; tell what changes."""
    from bot.tuning.labelled import mark
    from bot.tuning.outcomes import at_threshold, changes, grid

    ground = _recorded_feeds(session, asked) if asked.history else _own_record(session, asked)
    settings = grid(ground.tables, [asked.level] if asked.level else _levels())
    own = at_threshold(ground.tables, ground.level)
    if own not in settings:
        settings.insert(0, own)
    with progress("settings") as advance:
        found = ground.run(settings, advance)
    now = found[settings.index(own)]
    tried = [
        Tried(
            setting=setting,
            is_now=setting == own,
            outcomes=outcomes,
            changes=changes(now, outcomes),
            marks=mark(ground.pairs, setting),
        )
        for setting, outcomes in zip(settings, found, strict=True)
    ]
    dots = [_dot(one) for one in tried]
    if asked.plot:
        _write(asked.plot, svg(dots))
    if asked.as_json:
        click.echo(json.dumps(_as_json(ground, tried), ensure_ascii=False, indent=1))
    else:
        _print(ground, tried, dots, show_all=asked.show_all)
    return exits.OK


def _levels() -> list[Level]:
    from bot.core.dedupe import Level

    return list(Level)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(
            f"{path} cannot be written ({error.strerror}): name another place with --plot"
        ) from None


def _dot(tried: Tried) -> Dot:
    return Dot(
        level=str(tried.setting.level),
        threshold=tried.setting.threshold,
        is_own=tried.setting.is_own,
        is_now=tried.is_now,
        posts=tried.posts,
        right=tried.marks.right,
        wrong=tried.marks.wrong,
    )


def _own_record(session: Session, asked: Asked) -> _Ground:
    from bot.cli.words import count
    from bot.configured import rules_of
    from bot.core.dedupe import Level
    from bot.pipeline import FeedRules
    from bot.tuning.labelled import labelled_pairs
    from bot.tuning.recorded import as_recorded, outcomes, read

    config = session.load(need_account=False)
    configured = {feed.name: rules_of(feed) for feed in config.feeds}

    def rules(name: str) -> FeedRules:
        return configured.get(name) or FeedRules(name=name, url="")

    if config.dedup.method == "classic":
        click.echo(
            "the bot judges by the classic form, which has no level; shown is what the table would do",
            err=True,
        )
    since = datetime.now(UTC) - timedelta(days=asked.days)
    level = Level(config.dedup.level)
    with session.store_to_read(config) as store:
        tables, table = _table_of(store, level)
        record = read(store, since, rules)
        pairs = labelled_pairs(store)
    counted = [each for each in record if each.counts]
    feeds = {each.stored.entry.feed for each in counted}

    def run(settings: list[Setting], advance: Callable[[int, int], None]) -> list[Outcomes]:
        found = []
        for number, setting in enumerate(settings, start=1):
            found.append(outcomes(record, setting, rules))
            advance(number, len(settings))
        return found

    return _Ground(
        what=f"{count(len(counted), 'entry', 'entries')} of {count(len(feeds), 'feed', 'feeds')}, "
        f"first seen in the last {count(asked.days, 'day', 'days')}",
        level=level,
        tables=tables,
        table=table,
        pairs=pairs,
        run=run,
        then=as_recorded(record),
    )


def _recorded_feeds(session: Session, asked: Asked) -> _Ground:
    from bot.cli.replaying import opened, rules_and_dedup
    from bot.cli.words import count
    from bot.core.dedupe import SHIPPED, Level
    from bot.errors import StateError
    from bot.tuning.labelled import labelled_pairs
    from bot.tuning.replayed import outcomes

    rules, dedup = rules_and_dedup(session, None, None)
    level = Level(dedup.level) if dedup else Level.BALANCED
    tables, table, pairs = SHIPPED, "packaged", []
    if session.config_given:
        try:
            with session.store_to_read(session.load(need_account=False)) as store:
                tables, table = _table_of(store, level)
                pairs = labelled_pairs(store)
        except StateError as error:
            click.echo(f"no labels are read: {error}", err=True)
    with opened(asked.history) as snapshots:
        count_of = f"{count(len(snapshots), 'snapshot', 'snapshots')} of {count(len(snapshots.feeds), 'feed', 'feeds')}"

    def run(settings: list[Setting], advance: Callable[[int, int], None]) -> list[Outcomes]:
        with opened(asked.history) as snapshots:
            return outcomes(snapshots, settings, rules, advance)

    return _Ground(what=count_of, level=level, tables=tables, table=table, pairs=pairs, run=run, then=None)


def _table_of(store: Store, level: Level) -> tuple[Tables, str]:
    from bot.tuning.in_use import TablesInUse, in_words

    tables = TablesInUse(store, level)
    fitted = tables.fitted
    return tables(), in_words(fitted) if fitted else "packaged"


# --- telling --------------------------------------------------------------------------------------


def _print(ground: _Ground, tried: Sequence[Tried], dots: Sequence[Dot], *, show_all: bool) -> None:
    from bot.cli.words import console

    out = console()
    now = next(one for one in tried if one.is_now)
    out.print(f"Judged again: {ground.what}")
    out.print(
        f"In use: {ground.level}, threshold {now.setting.threshold:+.2f}, table: {ground.table}. "
        f"It posts {now.posts}, and skips {now.skipped} for their likeness."
    )
    if ground.then is not None:
        differ = sum(
            ground.then[number] is not outcome.is_duplicate for number, outcome in now.outcomes.items()
        )
        out.print(
            f"Of {len(now.outcomes)} decisions {differ} differ from those of then (other settings, or texts not kept)."
        )
    labels = sum(pair.same is not None for pair in ground.pairs)
    if labels:
        same = sum(bool(pair.same) for pair in ground.pairs)
        out.print(f"Labels: {labels}, of which {same} of repeats and {labels - same} of other stories.")
    else:
        out.print("No labels: `shinglebot mark duplicate A B` and `mark different A B` give some.")
    out.print()
    for line in bars(dots):
        out.print(line)
    limit = None if show_all else SHOWN
    for one in tried:
        if one.changes and (one.setting.is_own or one.setting.level == ground.level or show_all):
            _print_changes(out, one, limit)
    for one in tried:
        if one.marks.cases and (one.setting.is_own or show_all):
            _print_wrong(out, one, limit)


def _print_changes(out: Console, tried: Tried, limit: int | None) -> None:
    for posted, verb in ((False, "skipped, and posted now"), (True, "posted, and skipped now")):
        found = [change for change in tried.changes if change.then.posted is posted]
        if not found:
            continue
        out.print(f"\n{tried.setting.name}: {len(found)} {verb}", style="bold")
        for change in found[:limit]:
            weighed = change.weighed
            out.print(f"  {_title(weighed.entry.label, weighed.entry.feed)}")
            points = "" if weighed.points is None else f"  {weighed.points:+.2f} points"
            out.print(f"    repeats {_title(weighed.of or 'a text without a title')}{points}")
        _print_rest(out, len(found), limit)


def _print_wrong(out: Console, tried: Tried, limit: int | None) -> None:
    out.print(f"\n{tried.setting.name}: {tried.marks.wrong} labels wrong", style="bold")
    for pair, verdict in tried.marks.cases[:limit]:
        said = "marked duplicate, kept" if pair.same else "marked different, skipped"
        out.print(f"  {said}: {_title(pair.b.label, pair.b.feed)}")
        out.print(
            f"    {'after'} {_title(pair.a.label, pair.a.feed)}  {verdict.near.points:+.2f} points ({verdict.reason})"
        )
    _print_rest(out, len(tried.marks.cases), limit)


def _print_rest(out: Console, found: int, limit: int | None) -> None:
    if limit is not None and found > limit:
        out.print(f"  and {found - limit} more; --all lists them")


def _title(text: str, feed: str = "") -> str:
    from bot.cli.words import one_line

    return f"“{one_line(text, 100)}”" + (f" ({feed})" if feed else "")


def _as_json(ground: _Ground, tried: Sequence[Tried]) -> dict[str, Any]:
    now = next(one for one in tried if one.is_now)
    return {
        "judged": ground.what,
        "entries": len(now.outcomes),
        "labels": sum(pair.same is not None for pair in ground.pairs),
        "in_use": {
            "level": str(ground.level),
            "threshold": now.setting.threshold,
            "table": ground.table,
            "posted": now.posts,
            "skipped": now.skipped,
        },
        "differ_from_then": None
        if ground.then is None
        else sum(ground.then[number] is not outcome.is_duplicate for number, outcome in now.outcomes.items()),
        "settings": [
            {
                "level": str(one.setting.level),
                "threshold": one.setting.threshold,
                "own_threshold": one.setting.is_own,
                "in_use": one.is_now,
                "posted": one.posts,
                "skipped": one.skipped,
                "labels": {
                    "right": one.marks.right,
                    "wrong": one.marks.wrong,
                    "found": one.marks.found,
                    "missed": one.marks.missed,
                    "wrongly_skipped": one.marks.wrongly_skipped,
                    "rightly_kept": one.marks.rightly_kept,
                    "cases": [_case(pair, verdict) for pair, verdict in one.marks.cases],
                },
                "changes": [_change(change) for change in one.changes],
            }
            for one in tried
        ],
    }


def _change(change: Change) -> dict[str, Any]:
    from bot.cli.words import iso

    weighed = change.weighed
    return {
        "posted": change.then.posted,
        "feed": weighed.entry.feed,
        "title": weighed.entry.label,
        "link": weighed.entry.link,
        "time": iso(weighed.at),
        "of": weighed.of,
        "points": weighed.points,
        "threshold": weighed.threshold,
    }


def _case(pair: Pair, verdict: PairVerdict) -> dict[str, Any]:
    return {
        "same": pair.same,
        "a": pair.a.label,
        "b": pair.b.label,
        "reason": verdict.reason,
        "points": verdict.near.points,
        "threshold": verdict.near.threshold,
    }
