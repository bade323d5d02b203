"""A progress bar on whatever takes longer than two seconds."""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bot.cli.words import console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AFTER_SECONDS = 2.0


@contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that is told how many of how many are done; the bar shows on a terminal only, on stderr."""
    shown = console(stderr=True)
    if quiet or not shown.is_terminal:
        yield lambda _done, _total: None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=shown,
        transient=True,
    )
    task = bar.add_task(what, total=None)
    started = monotonic()
    on = False

    def advance(done: int, total: int) -> None:
        nonlocal on
        if not on and monotonic() - started > AFTER_SECONDS:
            bar.start()
            on = True
        bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        if on:
            bar.stop()
