"""`tune`: its options, and what the engine says of labelled pairs (`trying` and `fitting` do the rest)."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from bot.cli import exits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.cli.context import Session
    from bot.core.dedupe import Level, Tables
    from bot.core.pairs import Pair, PairVerdict

LEVELS = ("strict", "balanced", "eager")


@dataclass(slots=True, kw_only=True)
class _Tally:
    """What one level said: skipped and kept of all, and of the pairs that people labelled."""

    skipped: int = 0
    kept: int = 0
    found: int = 0
    missed: int = 0
    wrongly_skipped: int = 0
    rightly_kept: int = 0

    def count(self, *, is_duplicate: bool, same: bool | None) -> None:
        self.skipped += is_duplicate
        self.kept += not is_duplicate
        if same is not None:
            self.found += same and is_duplicate
            self.missed += same and not is_duplicate
            self.wrongly_skipped += is_duplicate and not same
            self.rightly_kept += not is_duplicate and not same


@click.command()
@click.option(
    "--pairs",
    "lines",
    type=click.File("rb"),
    metavar="FILE.jsonl",
    help="Judge these pairs instead, one JSON object a line; - reads standard input.",
)
@click.option(
    "--history",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PLACE",
    help="Try recorded snapshots, as `replay` reads them, instead of the bot's own record; may be repeated.",
)
@click.option(
    "--days", type=click.IntRange(1, 3650), default=7, show_default=True, help="Of the bot's own record."
)
@click.option(
    "--level", type=click.Choice(LEVELS), help="Only this level.  [default: all; pairs with --json: balanced]"
)
@click.option(
    "--text-alone", is_flag=True, help="With --pairs: let likeness alone decide, not links and texts."
)
@click.option("--all", "show_all", is_flag=True, help="List every story and label that changes.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.svg",
    help="Write the plot as a picture, too.",
)
@click.option("--refit", is_flag=True, help="Fit the table to the labels, those of --pairs if given.")
@click.option("--apply", is_flag=True, help="With --refit: have the bot judge by what was fitted.")
@click.option("--reset", is_flag=True, help="Return to the packaged table.")
@click.option("--json", "as_json", is_flag=True, help="JSON; with --pairs one object a pair, in order.")
@click.pass_obj
def tune(  # noqa: PLR0913 - click gives each option by name
    session: Session,
    *,
    lines: IO[bytes] | None,
    history: tuple[Path, ...],
    days: int,
    level: str | None,
    text_alone: bool,
    show_all: bool,
    plot: Path | None,
    refit: bool,
    apply: bool,
    reset: bool,
    as_json: bool,
) -> int:
    """Show what other levels and thresholds would have posted and skipped, and fit the table to your labels.

    The bot's own record is judged again by the engine at each level and at thresholds around it. Shown are the posts, the labels
    (`shinglebot mark duplicate A B`, `mark different A B`) that come out right and wrong, and the stories that change.
    Nothing is changed. --refit fits the weights of the level's table to the labels, held near the packaged ones, and says
    what that does to labels that the fit has not seen; with --apply the bot judges by it from then on.

    A line of FILE.jsonl is {"a": {"title", "summary", "published"}, "b": {...}, "same": true|false}. Each side may
    have "body", "link" and "source" too; "same" may be missing, and what a feed did not give. b is judged as if a had
    come before it: by their links and texts, their ages by "published" (as ISO 8601 or RFC 822 writes times), as of one
    feed where their "source" is the same (two that name none are of two feeds). `shinglebot mark labels --json` writes
    such lines. With --json, "scores" holds every score, "points" their weighed sum, "threshold" what makes a duplicate at
    this level. A line that cannot be read is named, and changes nothing but the exit code, which is then 1.
    """
    from bot.core.dedupe import Level

    wanted = Level(level) if level else None
    _refuse_contradictions(
        {
            "--pairs": lines is not None,
            "--history": bool(history),
            "--plot": plot is not None,
            "--refit": refit,
            "--apply": apply,
            "--reset": reset,
            "--text-alone": text_alone,
            "--all": show_all,
        }
    )
    if reset:
        from bot.cli.fitting import reset as reset_table

        return reset_table(session, as_json=as_json)
    if refit:
        from bot.cli.fitting import fit

        if lines is None:
            return fit(session, None, wanted, apply=apply, as_json=as_json)
        pairs, broken = _read(lines)
        if broken:
            _say_broken(broken, len(pairs))
        code = fit(session, pairs, wanted, apply=apply, as_json=as_json, intact=not broken)
        return exits.FAILED if broken else code
    if lines is not None:
        tables = _tables(session)
        return _judge(lines, wanted, tables, text_alone=text_alone, as_json=as_json)
    from bot.cli.trying import Asked, try_settings

    return try_settings(
        session,
        Asked(level=wanted, days=days, history=history, as_json=as_json, plot=plot, show_all=show_all),
    )


_EXCLUDED = {
    "--pairs": ("--history", "--plot", "--reset", "--all"),
    "--history": ("--refit", "--reset"),
    "--refit": ("--plot", "--reset", "--text-alone", "--all"),
    "--reset": ("--plot", "--apply", "--text-alone", "--all"),
}
_NEEDED = {"--apply": "--refit", "--text-alone": "--pairs"}


def _refuse_contradictions(given: dict[str, bool]) -> None:
    for option, others in _EXCLUDED.items():
        for other in others:
            if given[option] and given[other]:
                raise click.UsageError(f"{option} and {other} exclude each other.")
    for option, needed in _NEEDED.items():
        if given[option] and not given[needed]:
            raise click.UsageError(f"{option} says nothing without {needed}.")


def _tables(session: Session) -> Tables:
    """Return what weighs pairs: the packaged tables, unless a configuration is named whose bot has fitted ones."""
    from bot.core.dedupe import SHIPPED
    from bot.errors import StateError

    if not session.config_given:
        return SHIPPED
    from bot.tuning.in_use import in_words, tables_of

    config = session.load(need_account=False)
    tables = SHIPPED
    try:
        with session.store_to_read(config) as store:
            for stored in store.near_tables.in_use():
                click.echo(in_words(stored), err=True)
                fitted = tables_of(stored).levels[stored.level]
                tables = tables._replace(levels=tables.levels | {stored.level: fitted})
    except StateError:
        return SHIPPED  # a bot that never ran has fitted none
    return tables


def _lines(lines: IO[bytes]) -> Iterator[tuple[int, Pair | str]]:
    """Yield what each line that is not blank gives, with its number: a pair, or what is wrong with it."""
    from bot.core.pairs import read_pair

    for number, line in enumerate(lines, start=1):
        if line.removeprefix(codecs.BOM_UTF8).strip():
            try:
                yield number, read_pair(line)
            except ValueError as fault:
                click.echo(f"line {number}: {fault}", err=True)
                yield number, str(fault)


def _read(lines: IO[bytes]) -> tuple[list[Pair], int]:
    """Return the pairs, and how many lines could not be read."""
    found = [read for _, read in _lines(lines)]
    pairs = [each for each in found if not isinstance(each, str)]
    return pairs, len(found) - len(pairs)


def _say_broken(broken: int, pairs: int) -> None:
    click.echo(f"{broken} of {broken + pairs} lines could not be read, and count for nothing", err=True)


def _judge(lines: IO[bytes], level: Level | None, tables: Tables, *, text_alone: bool, as_json: bool) -> int:
    from bot.core.dedupe import Level
    from bot.core.pairs import judge_pair

    levels = [level] if level else [Level.BALANCED] if as_json else list(Level)
    tallies = {each: _Tally() for each in levels}
    labelled = pairs = broken = 0
    for number, pair in _lines(lines):
        if isinstance(pair, str):
            broken += 1
            if as_json:  # keeps the output in step with the input
                click.echo(json.dumps({"line": number, "fault": pair}, ensure_ascii=False))
            continue
        pairs += 1
        labelled += pair.same is not None
        for each in levels:
            verdict = judge_pair(pair, each, by_keys=not text_alone, tables=tables)
            tallies[each].count(is_duplicate=verdict.is_duplicate, same=pair.same)
            if as_json:
                click.echo(json.dumps(_as_json(number, each, verdict), ensure_ascii=False))
    if not as_json:
        _print(tallies, pairs=pairs, labelled=labelled)
    if broken:
        _say_broken(broken, pairs)
    return exits.FAILED if broken else exits.OK


def _as_json(number: int, level: Level, verdict: PairVerdict) -> dict[str, Any]:
    near = verdict.near
    return {
        "line": number,
        "level": str(level),
        "verdict": "duplicate" if verdict.is_duplicate else "different",
        "reason": verdict.reason,
        "resemblance": near.resemblance,
        "scores": near.scores,
        "points": near.points,
        "threshold": near.threshold,
        "adds": near.contributions,
        "candidate": verdict.candidate,
        "shared": verdict.shared,
        "only_a": verdict.only_a,
        "only_b": verdict.only_b,
    }


def _print(tallies: dict[Level, _Tally], *, pairs: int, labelled: int) -> None:
    from bot.cli.words import console, count, table

    columns: Sequence[str] = ("level", "skipped", "kept")
    rows = [[str(level), str(tally.skipped), str(tally.kept)] for level, tally in tallies.items()]
    if labelled:
        columns = (*columns, "found", "missed", "wrongly skipped", "rightly kept")
        for row, tally in zip(rows, tallies.values(), strict=True):
            repeats, others = tally.found + tally.missed, tally.wrongly_skipped + tally.rightly_kept
            row += [
                _of(tally.found, repeats),
                _of(tally.missed, repeats),
                _of(tally.wrongly_skipped, others),
                _of(tally.rightly_kept, others),
            ]
    title = f"{count(pairs, 'pair', 'pairs')}, of which {labelled} say whether they are the same"
    console().print(table(title, columns, rows, right=range(1, len(columns))))


def _of(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})" if whole else str(part)
