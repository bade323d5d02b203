"""`alerts`: what people were told of, and whether they can be told."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from bot.cli import exits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.cli.context import Session
    from bot.core.alerts import Known

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of a table.")


@click.group(invoke_without_command=True)
@_JSON
@click.pass_context
def alerts(context: click.Context, *, as_json: bool) -> int:
    """Show the troubles that a running bot found, and when it told of them; `alerts test` sends a message.

    [alerts] in the configuration says who is told: each trouble once when it has lasted, then after a day and every
    week, and its end. A bot that tells nobody keeps no list; /healthz of `run --watch` says what is wrong now.
    """
    if context.invoked_subcommand is not None:
        return exits.OK
    with context.obj.store_to_read(context.obj.look()) as store:
        known = store.alerts.all()
    if as_json:
        click.echo(json.dumps([_as_json(one) for one in known], ensure_ascii=False, indent=1))
    else:
        _print(known, datetime.now(UTC))
    return exits.OK


@alerts.command("test")
@click.pass_obj
def alerts_test(session: Session) -> int:
    """Send a message to everybody in [alerts] to, and say who did not take it."""
    from bot.alerting import MISSING, Message, Services, can_tell
    from bot.cli.monitored import name_of
    from bot.cli.words import count

    config = session.load(need_account=False)
    addresses = [one.reveal() for one in config.alerts.to]
    if not addresses:
        raise click.ClickException(
            f"{config.path} says of nobody who is told: put addresses into [alerts] to"
        )
    if not can_tell():
        raise click.ClickException(MISSING)
    services = Services(addresses)
    failed = services.tell(
        Message(
            title=f"shinglebot {name_of(config)}: a test",
            text="Troubles of the bot will be told here.",
            is_good=True,
        ),
        range(1, len(addresses) + 1),
    )
    for place in failed:
        why = "no service is known for it" if place in services.unreadable else "it took no message"
        click.echo(
            f"address {place} of alerts.to: {why}; https://appriseit.com/services/ says how each is spelled"
        )
    click.echo(
        f"{count(len(addresses) - len(failed), 'address', 'addresses')} of {len(addresses)} took the message"
    )
    return exits.FAILED if failed else exits.OK


def _print(known: Sequence[Known], now: datetime) -> None:
    from bot.cli.words import ago, console, one_line, table

    if not known:
        click.echo("nothing is wrong, as far as a running bot with [alerts] has noted")
        return
    rows = [
        (
            "over" if one.over else "yes",
            ago(one.since, now),
            ago(one.told_at, now) if one.told_at else "not yet",
            one_line(one.text, 300),
        )
        for one in sorted(known, key=lambda one: (one.over, one.since))
    ]
    console().print(table("", ("now", "since", "told last", "what"), rows))


def _as_json(one: Known) -> dict[str, object]:
    from bot.cli.words import iso

    return {
        "key": one.key,
        "text": one.text,
        "since": iso(one.since),
        "told_at": iso(one.told_at),
        "times": one.times,
        "over": one.over,
    }
