"""`auth` at Bluesky, with an app password, and at Mastodon, with a code."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

import click

from bot.cli import exits
from bot.cli.authorizing_x import confirm_replacing

if TYPE_CHECKING:
    from bot.config import Config, Destination

_APP_PASSWORD: Final = re.compile(r"[a-z0-9]{4}(?:-[a-z0-9]{4}){3}")
"""What servers of the AT Protocol make; they take the account's own password as well, and do not tell which it was."""

SHORTEST: Final = 6
LONGEST_CODE: Final = 200

RUNNING: Final = "A bot that is running goes on with what it had until it is started anew."

BOT_FLAG: Final = (
    "The account does not say that it is a bot: switch on “This is an automated account” in its Preferences, under "
    "Public profile"
)


def authorize_bluesky(config: Config, destination: Destination, *, force: bool) -> int:
    """Ask for an app password, log in with it, and store it."""
    from bot.account import grant_bluesky, require_unnamed

    require_unnamed(config, destination)
    if not force:
        _ask_before_replacing(config, destination)
    click.echo(
        f"An app password for this bot alone opens {destination.handle}. Make one in the account's settings, under Privacy and\n"
        "security, App passwords (on Bluesky's own server: https://bsky.app/settings/app-passwords), and type it here. The\n"
        "account's own password would do as well, and more than the bot should be able to do: do not give it away."
    )
    password = _password()
    handle, did = grant_bluesky(config, destination, password)
    click.echo(f"The bot may act for {handle} ({did}) from its next start on.")
    if not _APP_PASSWORD.fullmatch(password):
        click.echo(
            "This does not look like an app password (xxxx-xxxx-xxxx-xxxx). If it is the account's own, make an app password "
            f"and run `shinglebot auth {destination.name} --force`."
        )
    click.echo(RUNNING)
    return exits.OK


def authorize_mastodon(config: Config, destination: Destination, *, force: bool) -> int:
    """Register the bot at the server, ask for the code of the account's owner, and store what it stands for."""
    from bot.account import begin_mastodon, grant_mastodon, require_unnamed
    from bot.errors import NotSent

    require_unnamed(config, destination)
    if not force:
        _ask_before_replacing(config, destination)
    flow = begin_mastodon(config, destination, anew=force)
    click.echo(
        f"Open this address, signed in at {destination.server} as the account that is to post, and agree:\n\n"
        f"  {flow.address()}\n\n"
        "Then type the code that the page shows."
    )
    code = _code()
    try:
        granted = grant_mastodon(config, destination, flow, code)
    except NotSent as error:
        raise click.ClickException(
            f"{error}. Nothing was changed; run `shinglebot auth {destination.name}` again, and with --force if the server "
            "does not know the bot any more"
        ) from None
    if granted.user is None:
        click.echo(f"The token was stored. Whose it is could not be seen: {granted.trouble}")
    else:
        click.echo(f"The bot may act for @{granted.user.name} from its next start on.")
        if not granted.user.is_bot:
            click.echo(f"{BOT_FLAG}.")
    click.echo(RUNNING)
    return exits.OK


def _ask_before_replacing(config: Config, destination: Destination) -> None:
    from bot.account import stored_for
    from bot.errors import StateError
    from bot.store.sessions import StoredMastodon

    try:
        stored = stored_for(config, destination)
    except StateError as error:
        confirm_replacing(str(error))
        return
    if stored is None:
        return
    whose = (stored.user if isinstance(stored, StoredMastodon) else stored.handle) or destination.name
    kind = "access token" if isinstance(stored, StoredMastodon) else "app password"
    confirm_replacing(f"the {kind} of {whose} is stored already")


def _password() -> str:
    """Return what was typed, which no terminal shows."""
    if sys.stdin.isatty():
        typed: str = click.prompt("App password", hide_input=True)
    else:
        typed = sys.stdin.readline()
    password = typed.strip()
    if not password:
        raise click.ClickException("no app password was typed, and nothing was changed")
    if len(password) < SHORTEST or not password.isascii() or not password.isprintable() or " " in password:
        raise click.ClickException(
            "that is no app password, and nothing was changed: it has letters, digits and dashes, and no blanks"
        )
    return password


def _code() -> str:
    click.echo("Code: ", nl=False)
    typed = "".join(sys.stdin.readline().split())
    if not sys.stdin.isatty():
        click.echo()
    if not typed:
        raise click.ClickException("no code was typed, and nothing was changed")
    if len(typed) > LONGEST_CODE or not typed.isascii() or not typed.isprintable():
        raise click.ClickException(
            "that is no code, and nothing was changed: copy what the page shows, whole"
        )
    return typed
