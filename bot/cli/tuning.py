"""`tune`: what the engine says of labelled pairs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

import click

from bot.cli import exits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.core.dedupe import Level
    from bot.core.pairs import PairVerdict

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
    required=True,
    metavar="FILE.jsonl",
    help="The pairs, one JSON object a line; - reads standard input.",
)
@click.option(
    "--level", type=click.Choice(LEVELS), help="Only this level.  [default: all; with --json balanced]"
)
@click.option("--text-alone", is_flag=True, help="Let likeness alone decide, not equal links and texts.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a pair, in order.")
def tune(*, lines: IO[bytes], level: str | None, text_alone: bool, as_json: bool) -> int:
    """Judge pairs of entries, and count what was found, missed and wrongly skipped.

    A line of FILE.jsonl is {"a": {"title", "summary", "published"}, "b": {...}, "same": true|false}. Each side may
    have "body", "link" and "source" too; "same" may be missing. b is judged as if a had come before it: by their
    links and texts, their ages by "published", as of one feed where their "source" is the same (two that name none are
    of two feeds). `shinglebot mark labels --json` writes such lines. With --json, "scores" holds every score,
    "points" their weighed sum, "threshold" what makes a duplicate at this level. A line that cannot be read is
    named, and changes nothing but the exit code, which is then 1.
    """
    from bot.core.dedupe import Level
    from bot.core.pairs import judge_pair, read_pair

    levels = [Level(level)] if level else [Level.BALANCED] if as_json else list(Level)
    tallies = {each: _Tally() for each in levels}
    labelled = pairs = broken = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            pair = read_pair(line)
        except ValueError as fault:
            broken += 1
            click.echo(f"line {number}: {fault}", err=True)
            if as_json:  # keeps the output in step with the input
                click.echo(json.dumps({"line": number, "fault": str(fault)}, ensure_ascii=False))
            continue
        pairs += 1
        labelled += pair.same is not None
        for each in levels:
            verdict = judge_pair(pair, each, by_keys=not text_alone)
            tallies[each].count(is_duplicate=verdict.is_duplicate, same=pair.same)
            if as_json:
                click.echo(json.dumps(_as_json(number, each, verdict), ensure_ascii=False))
    if not as_json:
        _print(tallies, pairs=pairs, labelled=labelled)
    if broken:
        click.echo(f"{broken} of {broken + pairs} lines could not be read, and count for nothing", err=True)
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
