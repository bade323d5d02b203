"""`restore`: a backup takes the place of the database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.cli import exits

if TYPE_CHECKING:
    from bot.cli.context import Session


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--another", is_flag=True, help="Take it also when it is the database of another installation.")
@click.pass_obj
def restore(session: Session, *, file: Path, another: bool) -> int:
    """Put the backup FILE in the place of the database, while the bot is stopped. What was there is set aside.

    Nothing is sent afterwards before the newest own posts of every account have been read twice, 90 seconds apart: what
    went out since the backup was made is recognised there, and not posted again. What persons decided since is lost.
    """
    from datetime import UTC, datetime

    from bot.cli.words import count
    from bot.store import StateDir
    from bot.store.restoring import restore as put_back

    config = session.load(need_account=False)
    names = [destination.name for destination in config.destinations]
    done = put_back(StateDir(config.state_dir), file, names, datetime.now(UTC), another=another)
    for moved in done.set_aside:
        click.echo(f"Set aside: {moved}")
    until = f" and what happened until {done.knows_until:%Y-%m-%d %H:%M} UTC" if done.knows_until else ""
    click.echo(
        f"{config.state_dir} has the database of {file}. It knows {count(done.entries, 'entry', 'entries')}{until}."
    )
    click.echo(
        "Before anything is sent, the bot reads the newest own posts of each account twice, 90 seconds apart; what went "
        "out since is recognised there."
    )
    if done.queued:
        click.echo(
            f"{count(done.queued, 'post waits', 'posts wait')} in it. What you dropped, released, marked or deleted since "
            "is not known to it: look with `shinglebot outbox list` before you start the bot."
        )
    if done.carried is None:
        click.echo(
            "What was spent since is not known, for the database before could not be read: look at console.x.com, and "
            "lower the limits of [budget] by it until the day is over."
        )
    elif done.carried:
        click.echo(f"{count(done.carried, 'priced call', 'priced calls')} made since were taken over.")
    return exits.OK
