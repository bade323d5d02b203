"""`held`: what waits for a person, and what the person says. Safe while the bot is at work."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from bot.cli.context import Session
    from bot.store import Store
    from bot.store.entries import StoredEntry
    from bot.store.holds import Hold

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")

SUMMARY_LISTED = 300
"""Characters of a summary in the list; `held show` has all that is kept."""


@click.group(invoke_without_command=True)
@_JSON
@click.pass_context
def held(context: click.Context, *, as_json: bool) -> int:
    """List what is held; `held release` posts it, `held discard` drops it, `held show` shows more of it.

    Floods wait as a batch. Entries of feeds with approval = "all", and entries that may be repeats (dedup.grey =
    "hold"), wait one by one.
    """
    if context.invoked_subcommand is not None:
        return exits.OK
    with context.obj.store_to_read(context.obj.look()) as store:
        holds = store.holds.waiting()
        if as_json:
            click.echo(json.dumps([_as_json(store, hold) for hold in holds], ensure_ascii=False, indent=1))
        elif holds:
            _print(store, holds, datetime.now(UTC))
        else:
            click.echo("nothing is held")
    return exits.OK


def _print(store: Store, holds: Sequence[Hold], now: datetime) -> None:
    from bot.cli.words import ago, console, count, one_line, table
    from bot.core.model import Reason

    out = console()
    asked = [hold for hold in holds if hold.reason is Reason.APPROVAL]
    for hold in holds:
        if hold.reason is Reason.UNSURE:
            for stored in store.entries.in_hold(hold.id):
                _print_doubt(out, store, hold, stored, now, summary=SUMMARY_LISTED)
        elif hold.reason is not Reason.APPROVAL:
            batch = [
                (str(e.id), _published(e, now), one_line(e.entry.label, 100))
                for e in store.entries.in_hold(hold.id)
            ]
            title = f"Hold {hold.id}, {hold.feed}, {ago(hold.created_at, now)}: {hold.detail}"
            out.print(table(title, ("entry", "published", "title"), batch, right=(0,)))
    if asked:
        rows = [
            (
                str(hold.id),
                hold.feed,
                ago(hold.created_at, now),
                _published(e, now),
                str(len(store.entries.story(e.id)) - 1),
                one_line(e.entry.label, 100),
            )
            for hold in asked
            for e in store.entries.in_hold(hold.id)
        ]
        columns = ("hold", "feed", "waits since", "published", "copies since", "title")
        title = f"{count(len(rows), 'entry waits', 'entries wait')} for approval"
        out.print(table(title, columns, rows, right=(0, 4)))
    out.print(
        "`shinglebot held release ID...` posts them within the pacing, `held discard ID...` drops them, "
        "`held show ID...` shows their texts"
    )
    if any(hold.reason is Reason.UNSURE for hold in holds):
        out.print(
            "of what may be a repeat, `held release` says that it is another story and posts it, "
            "`held discard` that it is a duplicate"
        )


def _published(stored: StoredEntry, now: datetime) -> str:
    from bot.cli.words import ago

    return ago(stored.entry.published, now) if stored.entry.published else "undated"


def _print_doubt(
    out: Console, store: Store, hold: Hold, stored: StoredEntry, now: datetime, *, summary: int
) -> None:
    """Print the two texts of a doubt side by side, and what was measured of them."""
    from bot.cli.words import ago, one_line, table
    from bot.pipeline.telling import explained, in_short, near_step

    near = near_step(stored.trace)
    numbers = near.numbers if near else {}
    facts = explained(stored.trace)
    other = store.entries.get(stored.of_id) if stored.of_id is not None else None
    sides = [stored] if other is None else [stored, other]
    rows = [
        ("feed", *(side.entry.feed for side in sides)),
        ("first seen", *(ago(side.first_seen_at, now) for side in sides)),
        ("title", *(one_line(side.entry.title, 500) for side in sides)),
        ("summary", *(one_line(side.entry.summary, summary) for side in sides)),
        ("only there", *(str(numbers.get(name, "")) for name in ("only_here", "only_there")[: len(sides)])),
        ("link", *(side.entry.link or "none" for side in sides)),
    ]
    title = f"Hold {hold.id}, {hold.feed}, {ago(hold.created_at, now)}: may be a repeat"
    columns = ["", f"new: entry {stored.id}", *(f"earlier: entry {side.id}" for side in sides[1:])]
    out.print(table(title, columns, rows))
    if "points" in facts:
        out.print(
            f"  {facts['points']} points where {facts['threshold']} make a repeat; "
            f"weighed most: {in_short(facts.get('weighed', {})) or 'nothing'}"
        )
    out.print(f"  shared words: {numbers.get('shared') or 'none'}\n")


@held.command("show")
@click.argument("holds", metavar="ID|FEED|all...", nargs=-1, required=True)
@_JSON
@click.pass_obj
def held_show(session: Session, *, holds: tuple[str, ...], as_json: bool) -> int:
    """Show the texts of what waits in holds; of a doubt, both texts side by side with all that was measured."""
    from bot.cli.words import ago, console, one_line
    from bot.core.model import Reason
    from bot.store.entries import SUMMARY_KEPT

    now = datetime.now(UTC)
    with session.store_to_read(session.look()) as store:
        chosen = _chosen(store, holds)
        if as_json:
            click.echo(json.dumps([_as_json(store, hold) for hold in chosen], ensure_ascii=False, indent=1))
            return exits.OK
        out = console()
        for hold in chosen:
            for stored in store.entries.in_hold(hold.id):
                if hold.reason is Reason.UNSURE:
                    _print_doubt(out, store, hold, stored, now, summary=SUMMARY_KEPT)
                    continue
                out.print(f"Hold {hold.id}, entry {stored.id} of {hold.feed}: {hold.detail}", style="bold")
                out.print(f"  {one_line(stored.entry.title, 500)}")
                if stored.entry.summary:
                    out.print(f"  {one_line(stored.entry.summary, SUMMARY_KEPT)}")
                out.print(f"  published {_published(stored, now)}, link {stored.entry.link or 'none'}")
                for copy in store.entries.story(stored.id)[1:]:
                    out.print(
                        f"  copy: entry {copy.id} of {copy.entry.feed}, {ago(copy.first_seen_at, now)}: "
                        f"“{one_line(copy.entry.label, 100)}”"
                    )
                out.print()
    return exits.OK


def _choice(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the arguments that say which holds, and which of their entries."""
    for option in (
        click.option(
            "--entry",
            "entries",
            multiple=True,
            type=click.IntRange(1, 2**63 - 1),
            metavar="N",
            help="Only this entry of the holds (may be repeated); the others go on waiting.",
        ),
        click.option("--all", "everything", is_flag=True, help="All that is held."),
        click.argument("holds", metavar="[ID|FEED|all]...", nargs=-1),
    ):
        command = option(command)
    return command


@held.command("release")
@_choice
@click.pass_obj
def held_release(
    session: Session, *, holds: tuple[str, ...], everything: bool, entries: tuple[int, ...]
) -> int:
    """Queue the entries of holds, named by number, or of all holds of a feed, or of all.

    Releasing what may be a repeat says that it is another story: the pair is labelled "different".
    """
    from bot.cli.words import count
    from bot.configured import routes_of
    from bot.core.filters import MAX_AGE
    from bot.held import release

    config = session.load(need_account=False)
    ages = {feed.name: feed.max_age for feed in config.feeds}
    with session.store_to_write(config) as store:
        for hold, only in _with_entries(store, holds, entries, everything=everything):
            released = release(
                store,
                hold.id,
                routes=routes_of(config),
                max_ages=ages,
                priorities={feed.name: feed.priority for feed in config.feeds},
                default_max_age=MAX_AGE,
                now=datetime.now(UTC),
                only=only,
            )
            click.echo(f"hold {hold.id} of {hold.feed}: {count(len(released), 'entry', 'entries')} queued")
    return exits.OK


@held.command("discard")
@_choice
@click.pass_obj
def held_discard(
    session: Session, *, holds: tuple[str, ...], everything: bool, entries: tuple[int, ...]
) -> int:
    """Drop the entries of holds, named by number, or of all holds of a feed, or of all.

    They stay known, so that later copies of them are skipped, too. Discarding what may be a repeat says that it is
    one: it joins the story, and the pair is labelled "duplicate".
    """
    from bot.cli.words import count
    from bot.held import discard

    with session.store_to_write(session.load(need_account=False)) as store:
        for hold, only in _with_entries(store, holds, entries, everything=everything):
            dropped = discard(store, hold.id, datetime.now(UTC), only)
            click.echo(
                f"hold {hold.id} of {hold.feed}: {count(len(dropped), 'entry', 'entries')} discarded"
                + ("; later copies are skipped, too" if dropped else "")
            )
    return exits.OK


def _with_entries(
    store: Store, holds: tuple[str, ...], entries: tuple[int, ...], *, everything: bool
) -> list[tuple[Hold, frozenset[int] | None]]:
    """Give the holds that are meant, each with those of its entries that are, None for all of them."""
    if not holds and not everything:
        if not entries:
            raise click.UsageError("say which: numbers of holds, names of feeds, or --all")
        everything = True
    chosen = store.holds.waiting() if everything else _chosen(store, holds)
    if not entries:
        return [(hold, None) for hold in chosen]
    wanted = frozenset(entries)
    found = [(hold, wanted & {e.id for e in store.entries.in_hold(hold.id)}) for hold in chosen]
    missing = wanted.difference(*(only for _, only in found))
    if missing:
        raise click.ClickException(
            f"entry {min(missing)} waits in none of these holds; `shinglebot held` lists what waits"
        )
    return [(hold, only) for hold, only in found if only]


def _chosen(store: Store, names: Sequence[str]) -> list[Hold]:
    """Give the waiting holds of these numbers and feeds; raise ClickException for a name that fits none."""
    waiting = store.holds.waiting()
    for name in names:
        if not any(_fits(hold, name) for hold in waiting):
            there = ", ".join(f"{h.id} ({h.feed})" for h in waiting[:HOLDS_NAMED]) or "none"
            more = f" and {len(waiting) - HOLDS_NAMED} more" if len(waiting) > HOLDS_NAMED else ""
            raise click.ClickException(f"no hold is {name}; waiting: {there}{more}")
    return [hold for hold in waiting if any(_fits(hold, name) for name in names)]


HOLDS_NAMED = 10


def _fits(hold: Hold, name: str) -> bool:
    return name in {"all", str(hold.id), hold.feed}


def _as_json(store: Store, hold: Hold) -> dict[str, Any]:
    from bot.cli.words import iso

    entries = store.entries.in_hold(hold.id)
    return {
        "id": hold.id,
        "feed": hold.feed,
        "reason": str(hold.reason),
        "detail": hold.detail,
        "since": iso(hold.created_at),
        "titles": [stored.entry.label for stored in entries],
        "entries": [_entry_as_json(store, stored) for stored in entries],
    }


def _entry_as_json(store: Store, stored: StoredEntry) -> dict[str, Any]:
    from bot.pipeline.telling import near_step

    near = near_step(stored.trace)
    facts = _text_as_json(stored) | {"copies": len(store.entries.story(stored.id)) - 1}
    if stored.of_id is not None:
        facts["may_repeat"] = _text_as_json(store.entries.get(stored.of_id))
        facts["measured"] = dict(near.numbers) if near else {}
    return facts


def _text_as_json(stored: StoredEntry) -> dict[str, Any]:
    from bot.cli.words import iso

    entry = stored.entry
    return {
        "entry": stored.id,
        "feed": entry.feed,
        "title": entry.title,
        "summary": entry.summary,
        "link": entry.link,
        "published": iso(entry.published),
        "first_seen": iso(stored.first_seen_at),
    }
