"""`archive`: the copies in a whole archive, and what is like one text of it."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli import exits
from bot.cli.archive_similar import similar
from bot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bot.archive.index import Index

FAULTS_SHOWN = 20
LONGEST_SHINGLE = 50
METHODS = ("exact", "shingles", "sampled", "supershingles", "megashingles", "minhash", "simhash", "words")
LEADS = ("first", "oldest", "newest", "longest")
_FIELDS = ("id", "title", "text", "date")


@click.group()
def archive() -> None:
    """Find the copies in a whole archive, and what is like one text of it."""


@archive.command()
@click.argument("archive", metavar="ARCHIVE", type=click.Path(path_type=Path))
@click.option(
    "--index", "folder", type=click.Path(path_type=Path), help="The index's folder [ARCHIVE.index]."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Stories: .jsonl, .csv or .db.")
@click.option(
    "--level",
    type=click.Choice(["strict", "balanced", "eager"]),
    default="balanced",
    show_default=True,
    help="How alike copies have to be.",
)
@click.option("--window", type=click.FloatRange(0), help="Days that dated copies may lie apart.")
@click.option(
    "--lead", type=click.Choice(LEADS), default="first", show_default=True, help="Which copy leads."
)
@click.option(
    "--field", "fields", multiple=True, metavar="WHAT=NAME", help="id, title, text or date is field NAME."
)
@click.option("--table", help="The table, of a SQLite database with several.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="exact",
    show_default=True,
    help="This way, or a published one.",
)
@click.option(
    "--shingle", type=click.IntRange(1, LONGEST_SHINGLE), help="Words of a shingle [3, or as published]."
)
@click.option("--stop-words", type=click.Path(path_type=Path), help="A file of words that are left out.")
@click.option("--processes", type=click.IntRange(1, 256), help="How many [one a core].")
@click.option("--fresh", is_flag=True, help="Remove the index and begin anew.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def dedup(  # noqa: PLR0913 - an option is a parameter
    *,
    archive: Path,
    folder: Path | None,
    output: Path | None,
    level: str,
    window: float | None,
    lead: str,
    fields: tuple[str, ...],
    table: str | None,
    method: str,
    shingle: int | None,
    stop_words: Path | None,
    processes: int | None,
    fresh: bool,
    quiet: bool,
) -> int:
    """Find the copies in ARCHIVE: JSON lines, a CSV, a SQLite database, or a folder of text and HTML files.

    Texts go into an index beside it; a later run adds what is new, and one that was stopped goes on. Stories (a lead
    and its copies) go to --output, to the standard output without one; the summary goes to standard error.
    """
    with array_library():
        from bot.archive.dedup import dedup as find
        from bot.archive.index import Index
        from bot.archive.methods import WIDTHS
        from bot.archive.model import Judging, Lead, Reading
        from bot.archive.readers import Fields, read
        from bot.archive.writing import stories, write
    from bot.core.dedupe import Level

    names = _names(fields)
    reading = Reading(method=method, width=shingle or WIDTHS[method], stop_words=_words(stop_words))
    judging = Judging(level=Level(level), window=window, lead=Lead(lead))
    folder = folder or archive.with_name(f"{archive.name}.index")
    if not archive.exists():
        raise ConfigError(f"there is no archive {archive}")
    if fresh:
        with Index(folder, writing=True):  # nobody else works on it
            pass
        Index.remove(folder)
    try:
        with Index(folder, writing=True) as index, _steps(quiet=quiet) as advance:
            found = find(
                index,
                read(archive, Fields(names=names, table=table)),
                reading,
                judging,
                processes=processes,
                advance=advance,
            )
            write(stories(index), output)
            _tell_faults(index)
    except KeyboardInterrupt:
        click.echo("stopped; what was read is kept, and the same command goes on", err=True)
        raise
    share = found.copies / found.total if found.total else 0.0
    click.echo(
        f"{found.read:,} texts read, {found.new:,} of them new; {found.total:,} in the index {folder}\n"
        f"{found.stories:,} stories with {found.copies:,} copies ({share:.1%} of the texts)",
        err=True,
    )
    return exits.OK


archive.add_command(similar)


@contextmanager
def array_library() -> Iterator[None]:
    """Say what to install where NumPy is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error.name} is not installed: pip install 'shinglebot[archive]'") from None


def _names(fields: tuple[str, ...]) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for field in fields:
        what, _, name = field.partition("=")
        if what not in _FIELDS or not name:
            raise click.UsageError(
                f"--field {field}: write WHAT=NAME, where WHAT is one of {', '.join(_FIELDS)}"
            )
        names[what] = name
    return names


def _words(path: Path | None) -> frozenset[str]:
    if path is None:
        return frozenset()
    try:
        return frozenset(path.read_text("utf-8-sig").casefold().replace("ё", "е").split())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the stop words {path} cannot be read: {error}") from None


def _tell_faults(index: Index) -> None:
    ask = "select place, reason, lost from faults order by rowid"
    for place, reason, lost in islice(index.db.execute(ask), FAULTS_SHOWN):
        click.echo(f"{place}: {reason}{'; left out' if lost else ''}", err=True)
    (count,) = index.db.execute("select count(*) from faults").fetchone()
    if count > FAULTS_SHOWN:
        click.echo(
            f"... and {count - FAULTS_SHOWN:,} more: table faults of {index.folder / 'index.db'}", err=True
        )


@contextmanager
def _steps(*, quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that is told a step, how much of it is done and of how much; a bar shows on a terminal only."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from bot.cli.words import console

    shown = console(stderr=True)
    if quiet or not shown.is_terminal:
        yield lambda _what, _done, _total: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=shown, transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda what, done, total: bar.update(
            task, description=what, completed=done, total=total or None
        )
