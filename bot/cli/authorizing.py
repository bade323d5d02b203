"""`auth`: let the bot act for the accounts that it posts to."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from bot.cli import exits

if TYPE_CHECKING:
    from bot.cli.context import Session
    from bot.config import Config, Destination


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--force", is_flag=True, help="Replace what is stored without a question.")
@click.pass_obj
def auth(session: Session, *, name: str | None, force: bool) -> int:
    """Let the bot act for the account of a destination; without NAME, of the only one, or list them.

    X: open an address, agree there, type the PIN. It needs api_key and api_key_secret in [account], without access_token and
    access_token_secret. X charges one user read for telling whether they may post.

    Bluesky: type an app password, made for this bot in the account's settings; it is not shown.

    Mastodon: open an address, agree there, type the code.

    What is got so is kept in the state directory, in a file that only you may read.
    """
    config = session.load(need_account=False)
    chosen = _chosen(config, name)
    if chosen is None:
        _list(config)
        return exits.OK
    match chosen.type:
        case "x":
            from bot.cli.authorizing_x import authorize_x

            return authorize_x(config, force=force)
        case "bluesky":
            from bot.cli.authorizing_networks import authorize_bluesky

            return authorize_bluesky(config, chosen, force=force)
        case "mastodon":
            from bot.cli.authorizing_networks import authorize_mastodon

            return authorize_mastodon(config, chosen, force=force)
        case "stdout":
            raise click.UsageError(f"{chosen.name} is the standard output: nobody has to log in there")


def _chosen(config: Config, name: str | None) -> Destination | None:
    """Return the destination that is meant, None where there are several and none was named."""
    known = {destination.name: destination for destination in config.destinations}
    if name is None:
        able = [destination for destination in config.destinations if destination.needs_login]
        if not able:
            raise click.UsageError(f"{config.path} has no destination that anybody could log in to")
        return able[0] if len(able) == 1 else None
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, 1)
    hint = (
        f"did you mean {near[0]}?"
        if near
        else f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
    )
    raise click.UsageError(f"{config.path} has no destination {name}: {hint}")


def _list(config: Config) -> None:
    from bot.cli.destinations import login_state, where
    from bot.cli.settings_table import x_login_state

    click.echo("There are several destinations; name one:\n")
    for destination in config.destinations:
        if not destination.needs_login:
            continue
        state = x_login_state(config) if destination.type == "x" else login_state(config, destination)
        click.echo(f"  shinglebot auth {destination.name}\n      {where(destination)}, {state}")
