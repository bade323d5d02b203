"""`mark duplicate`, `mark different` and `mark labels`: what a person says of pairs of entries."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits
from bot.cli.naming import named

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.cli.context import Session
    from bot.store import Store
    from bot.store.entries import StoredEntry
    from bot.store.labels import Label, LabelledPair


def _pair_arguments(command: Callable[..., int]) -> Callable[..., int]:
    one = click.argument("one", metavar="A")
    other = click.argument("other", metavar="B")
    return one(other(command))


@click.command("duplicate")
@_pair_arguments
@click.pass_obj
def mark_duplicate(session: Session, *, one: str, other: str) -> int:
    """Note that of entries A and B one repeats the other: a label for `tune`, which changes no decision by itself.

    A and B are what `why` takes: a link, a guid, the number of an entry, or words of its title or summary.
    """
    return _mark(session, one, other, "duplicate")


@click.command("different")
@_pair_arguments
@click.pass_obj
def mark_different(session: Session, *, one: str, other: str) -> int:
    """Note that entries A and B tell different things: a label for `tune`, which changes no decision by itself.

    A and B are what `why` takes: a link, a guid, the number of an entry, or words of its title or summary.
    """
    return _mark(session, one, other, "different")


def _mark(session: Session, one: str, other: str, word: str) -> int:
    from bot.cli.words import one_line
    from bot.store.labels import Label

    label = Label(word)
    with session.store_to_write(session.load(need_account=False)) as store:
        a, b = named(store, one, "A"), named(store, other, "B")
        if a.id == b.id:
            raise click.ClickException(f"A and B are the same entry, {a.id}, “{one_line(a.entry.label, 70)}”")
        with store.transaction():
            before = store.labels.put(a.id, b.id, label, datetime.now(UTC))
    changed = f" (marked {before} before)" if before not in {None, label} else ""
    click.echo(
        f"marked {label}{changed}: entry {a.id}, “{one_line(a.entry.label, 70)}” ({a.entry.feed}), "
        f"and entry {b.id}, “{one_line(b.entry.label, 70)}” ({b.entry.feed})"
    )
    return exits.OK


@click.command("labels")
@click.option("--json", "as_json", is_flag=True, help="A pair a line, for `tune --pairs`.")
@click.pass_obj
def mark_labels(session: Session, *, as_json: bool) -> int:
    """List the pairs that were marked duplicate or different; with --json as lines that `tune --pairs` reads."""
    from bot.cli.words import ago, console, one_line, table

    with session.store_to_read(session.load(need_account=False)) as store:
        labels = [
            (pair, store.entries.get(pair.one_id), store.entries.get(pair.other_id))
            for pair in store.labels.all()
        ]
    if as_json:
        for pair, one, other in labels:
            click.echo(json.dumps(_as_pair(pair, one, other), ensure_ascii=False))
        return exits.OK
    if not labels:
        click.echo("no pair is marked; `shinglebot mark duplicate A B` and `mark different A B` do it")
        return exits.OK
    now = datetime.now(UTC)
    rows = [
        (pair.label, ago(pair.marked_at, now), *_cells(one, one_line), *_cells(other, one_line))
        for pair, one, other in labels
    ]
    columns = ("label", "marked", "entry", "title", "entry", "title")
    console().print(table("Marked pairs", columns, rows, right=(2, 4)))
    return exits.OK


def _cells(stored: StoredEntry, shorten: Callable[[str, int], str]) -> tuple[str, str]:
    return str(stored.id), shorten(stored.entry.label, 60)


def _as_pair(pair: LabelledPair, one: StoredEntry, other: StoredEntry) -> dict[str, Any]:
    """Give a label in the form of `tune --pairs`; a is the entry that was stored first."""
    from bot.cli.words import iso
    from bot.store.labels import Label

    return {
        "a": _side(one),
        "b": _side(other),
        "same": pair.label is Label.DUPLICATE,
        "entries": [one.id, other.id],
        "marked": iso(pair.marked_at),
    }


def _side(stored: StoredEntry) -> dict[str, Any]:
    from bot.cli.words import iso

    entry = stored.entry
    return {
        "title": entry.title,
        "summary": entry.summary,
        "published": iso(entry.published),
        "seen": iso(stored.first_seen_at),
        "link": entry.link,
        "source": entry.feed,
    }


def labels_of(store: Store, entry_id: int) -> list[tuple[Label, StoredEntry, datetime]]:
    """Give what an entry was marked with, the other entry and when, the latest first."""
    return [
        (
            pair.label,
            store.entries.get(pair.other_id if pair.one_id == entry_id else pair.one_id),
            pair.marked_at,
        )
        for pair in store.labels.of_entry(entry_id)
    ]
