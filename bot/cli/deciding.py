"""`outbox` and `mark`: what a person decides. Safe while the bot is at work."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from bot.cli import exits
from bot.cli.words import sayable

if TYPE_CHECKING:
    from bot.cli.context import Session

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")


@click.group(invoke_without_command=True)
@click.option("--state", "states", multiple=True, help="Only rows in this state (may be repeated).")
@click.option(
    "--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="Newest rows shown."
)
@_JSON
@click.pass_context
def outbox(context: click.Context, *, states: tuple[str, ...], limit: int, as_json: bool) -> int:
    """List what is to be posted, what was, and what may have been."""
    if context.invoked_subcommand is not None:
        return exits.OK
    from bot.cli.next_turn import reason_of
    from bot.cli.pausing import destination_names, pauses_at
    from bot.cli.words import ago, console, iso, one_line, table
    from bot.store.outbox import State
    from bot.versions import entry_of

    try:
        wanted = [State(state) for state in states] or None
    except ValueError:
        raise click.UsageError(f"--state is one of {', '.join(State)}") from None
    now = datetime.now(UTC)
    seen = context.obj.look()
    with context.obj.store_to_read(seen) as store:
        rows = [
            (replace(row, reason=reason_of(row, now)), entry_of(store, row))
            for row in store.outbox.rows(wanted, limit)
        ]
        names = destination_names(store, seen.config)
        pauses = {pause.destination: pause.in_words(now) for pause in pauses_at(store, names, now)}
    rows = [
        (
            replace(row, reason=row.reason or pauses.get(row.destination)) if row.state == "queued" else row,
            entry,
        )
        for row, entry in rows
    ]
    if as_json:
        facts = [
            {
                "id": row.id,
                "entry": row.entry_id,
                "destination": row.destination,
                "state": str(row.state),
                "reason": row.reason,
                "answers": row.reply_to,
                "feed": entry.feed,
                "title": entry.label,
                "text": row.text,
                "queued": iso(row.queued_at),
                "not_before": iso(row.not_before),
                "expires": iso(row.expires_at),
                "attempt": row.attempt,
                "url": row.remote_url,
            }
            for row, entry in rows
        ]
        click.echo(json.dumps(facts, ensure_ascii=False, indent=1))
        return exits.OK
    to = ["to"] if len(names) > 1 else []
    shown = [
        (
            str(r.id),
            *([r.destination] if to else []),
            r.state,
            ago(r.queued_at, now),
            entry.feed,
            one_line(entry.label, 60),
            " ".join(filter(None, (r.remote_url, r.reason))),
        )
        for r, entry in rows
    ]
    if shown:
        console().print(
            table(
                "Outbox, newest first",
                ("id", *to, "state", "queued", "feed", "title", "where or why"),
                shown,
                right=(0,),
            )
        )
    else:
        click.echo("the outbox holds nothing" + (f" in state {', '.join(states)}" if states else " yet"))
    return exits.OK


_ROW = click.argument("row_id", metavar="ID", type=click.IntRange(1, 2**63 - 1))


@outbox.command("drop")
@_ROW
@click.pass_obj
def outbox_drop(session: Session, *, row_id: int) -> int:
    """Do not post a queued row, or let an unconfirmed one rest."""
    return _decide(session, row_id, "dropped", {"queued", "unconfirmed"})


@outbox.command("sent")
@_ROW
@click.argument("remote_id", required=False)
@click.pass_obj
def outbox_sent(session: Session, *, row_id: int, remote_id: str | None) -> int:
    """Say that an unknown or unconfirmed row did go out: you found it on the account (as post REMOTE_ID)."""
    return _decide(session, row_id, "sent", {"unknown", "unconfirmed"}, remote_id)


@outbox.command("requeue")
@_ROW
@click.pass_obj
def outbox_requeue(session: Session, *, row_id: int) -> int:
    """Send an unknown, unconfirmed, refused, expired or dropped row again: you looked, and it is NOT on the account."""
    return _decide(session, row_id, "queued", {"unknown", "unconfirmed", "refused", "expired", "dropped"})


@outbox.command("add")
@click.argument("what", metavar="ENTRY")
@click.pass_obj
def outbox_add(session: Session, *, what: str) -> int:
    """Queue an entry that was skipped or seeded: you say that it is to be posted after all.

    ENTRY is what `why` takes: the number of an entry, a link, a guid, or words of its title or summary. It goes out
    within the pacing, in the words of its feed's template.
    """
    from bot.cli.naming import named
    from bot.cli.words import one_line
    from bot.configured import routes_of
    from bot.core.filters import MAX_AGE
    from bot.held import add

    config = session.load(need_account=False)
    ages = {feed.name: feed.max_age for feed in config.feeds}
    with session.store_to_write(config) as store:
        before = add(
            store,
            named(store, what, "ENTRY").id,
            routes=routes_of(config),
            max_ages=ages,
            priorities={feed.name: feed.priority for feed in config.feeds},
            default_max_age=MAX_AGE,
            now=datetime.now(UTC),
        )
        rows = ", ".join(str(row.id) for row in store.outbox.of_entry(before.id))
    of = f" of entry {before.of_id}" if before.of_id is not None else ""
    click.echo(
        f"entry {before.id} is queued as row {rows}: “{one_line(before.entry.label, 70)}” ({before.entry.feed}); "
        f"it was {before.verdict}, {before.reason}{of}"
    )
    if before.of_id is not None and before.resemblance is not None:
        click.echo(f"`shinglebot mark different {before.id} {before.of_id}` keeps it as a label for `tune`")
    return exits.OK


@outbox.command("resume")
@click.argument("name", metavar="[DESTINATION]", required=False)
@click.pass_obj
def outbox_resume(session: Session, *, name: str | None) -> int:
    """Try again at once after a pause: the credentials, the credit or the limits were mended.

    Without DESTINATION all are tried again.
    """
    from bot.cli.pausing import destination_names

    config = session.load(need_account=False)
    with session.store_to_write(config) as store, store.transaction():
        names = destination_names(store, config)
        if name is not None and name not in names:
            raise click.UsageError(f"there is no destination {name}; there is {', '.join(names)}")
        wanted = names if name is None else [name]
        paused = [
            one
            for one in wanted
            if store.outbox.paused(one) is not None or store.ledger.stop(one) is not None
        ]
        for one in paused:
            store.outbox.end_pause(one)
            store.ledger.end_stop(one)
    several = f" of {', '.join(paused)}" if len(names) > 1 else ""
    click.echo(f"the pause{several} is ended" if paused else "nothing was paused")
    return exits.OK


def _decide(
    session: Session, row_id: int, wanted: str, allowed: set[str], remote_id: str | None = None
) -> int:
    from bot.deciding import decide
    from bot.errors import NotDecidable
    from bot.store.outbox import State

    config = session.load(need_account=False)
    with session.store_to_write(config) as store:
        try:
            decide(
                store,
                row_id,
                State(wanted),
                frozenset(map(State, allowed)),
                max_ages={feed.name: feed.max_age for feed in config.feeds},
                now=datetime.now(UTC),
                remote_id=remote_id,
            )
        except NotDecidable as error:
            raise click.ClickException(str(error)) from None
    click.echo(f"row {row_id} is now {wanted}")
    return exits.OK


@click.group()
def mark() -> None:
    """Tell the bot what it cannot know."""


@mark.command("seen")
@click.argument("what", metavar="URL-GUID-OR-TEXT")
@click.pass_obj
def mark_seen(session: Session, *, what: str) -> int:
    """Make an entry known by any of its keys, so that it is not posted; what is queued of it is dropped.

    A text is known for good where it is an entry's whole title and summary, and for 14 days what tells the same in
    nearly the same words.
    """
    from bot.core.classic_verdict import Method
    from bot.core.dedupe import Level
    from bot.marking import mark_seen as mark_it
    from bot.tuning.in_use import TablesInUse

    what = sayable(what, "say what was seen: a link, a guid, or the text of a title")
    config = session.load(need_account=False)
    with session.store_to_write(config) as store:
        feeds = [feed.name for feed in config.feeds]
        level = Level(config.dedup.level)
        done = mark_it(
            store,
            what,
            feeds,
            datetime.now(UTC),
            level,
            tables=TablesInUse(store, level)(),
            method=Method(config.dedup.method),
        )
    click.echo(done)
    return exits.OK
