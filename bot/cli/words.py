"""How things are said to people: times, ages, verdicts, tables."""

from __future__ import annotations

import shutil
import sys
import textwrap
import unicodedata
from datetime import timedelta
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.core.model import Match


def console(*, stderr: bool = False) -> Console:
    """Return a console that neither reads markup in feeds' texts nor colours words in them."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def span(delta: timedelta) -> str:
    """Say a span in its largest fitting unit: 40 s, 5 min, 3.2 h, 12 days."""
    seconds = abs(delta.total_seconds())
    for below, unit, words in _UNITS:
        if seconds < below:
            return words.format(seconds / unit)
    return f"{seconds / 86400:.1f} days"


_UNITS = ((90, 1, "{:.0f} s"), (90 * 60, 60, "{:.0f} min"), (48 * 3600, 3600, "{:.1f} h"))


def count(number: int, one: str, many: str) -> str:
    """Say a number with its noun: 1 entry, 2 entries."""
    return f"{number:,} {one if number == 1 else many}"


def ago(time: datetime | None, now: datetime) -> str:
    """Say when `time` was or will be, seen from `now`; "never" for None."""
    if time is None:
        return "never"
    if abs(now - time) < timedelta(seconds=1):
        return "just now"
    return f"{span(now - time)} ago" if time <= now else f"in {span(time - now)}"


def one_line(text: str, width: int) -> str:
    """Return `text` on one line of at most `width` cells, without anything that moves a terminal's cursor."""
    clean = "".join(c if unicodedata.category(c)[0] != "C" or c == "\u200d" else " " for c in text)
    clean = " ".join(clean.split())
    return clean if len(clean) <= width else clean[: width - 1].rstrip() + "…"


def matched(of: Match, now: datetime) -> str:
    """Say which earlier entry a duplicate repeats."""
    alike = f", resemblance {of.resemblance:.2f}" if of.resemblance is not None else ""
    return f"“{one_line(of.title, 70)}” ({of.feed}, {ago(of.seen_at, now)}{alike})"


def wrong_hint(entry_id: int, of_id: int | None) -> str:
    """Say what posts an entry that was skipped; `of_id` is the one that it is like, None where a key or rule decided."""
    label = f", and `shinglebot mark different {entry_id} {of_id}` for `tune`" if of_id is not None else ""
    return f"wrong? `shinglebot outbox add {entry_id}` posts it{label}"


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()
) -> Table:
    """Return a table for people; the columns numbered in `right` are aligned to the right."""
    made = Table(
        title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False
    )
    for number, column in enumerate(columns):
        made.add_column(column, justify="right" if number in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*row)
    return made


def hanging(text: str, *, indent: int) -> str:
    """Return `text` as wide as the terminal, later lines indented; as it is where nobody looks or a post is quoted."""
    if not sys.stdout.isatty():
        return text
    width = max(shutil.get_terminal_size().columns, 40)
    lines = []
    for line in text.splitlines():
        if line.lstrip().startswith("|"):
            lines.append(line)
        else:
            begin = len(line) - len(line.lstrip())
            lines += textwrap.wrap(
                line,
                width,
                subsequent_indent=" " * (begin or indent),
                break_long_words=False,
                break_on_hyphens=False,
            ) or [""]
    return "\n".join(lines)


LONGEST_ARGUMENT = 8192
"""Characters: longer than any link that a browser takes."""


def sayable(text: str, otherwise: str) -> str:
    """Return an argument without space around it; raise UsageError when it is empty, too long or no text."""
    text = text.strip()
    if not text:
        raise click.UsageError(otherwise)
    if len(text) > LONGEST_ARGUMENT:
        raise click.UsageError(f"that is {len(text):,} characters long; {otherwise}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise click.UsageError("that holds bytes that are no UTF-8 text") from None
    return text


def iso(time: datetime | None) -> str | None:
    """Return ISO 8601 with Z for programs; None stays None."""
    return None if time is None else time.isoformat().replace("+00:00", "Z")
