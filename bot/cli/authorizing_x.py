"""`auth` at X: the account's tokens, with a PIN."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Final

import click

from bot.cli import exits

if TYPE_CHECKING:
    from bot.config import Config
    from bot.x_client import Granted

_PIN: Final = re.compile(r"[0-9A-Za-z_-]{4,64}")
"""X's PINs have seven digits (2026); nothing promises that they always will."""


def authorize_x(config: Config, *, force: bool) -> int:
    """Get the tokens of an account of X with a PIN, and store them."""
    from bot import account

    flow = account.begin_authorization(config)
    if not force:
        _ask_before_replacing(config)
    address = flow.address()
    click.echo(
        "Open this address, signed in on x.com as the account that is to post, and agree:\n\n"
        f"  {address}\n\n"
        "Then type the PIN that the page shows."
    )
    granted = flow.tokens(_pin())
    remarks = _look_at(config, granted)
    account.keep(config, granted)
    click.echo(f"The bot may act for @{granted.username} (id {granted.user_id}) from its next start on.")
    for remark in remarks:
        click.echo(remark)
    return exits.OK


def _ask_before_replacing(config: Config) -> None:
    from bot.account import stored_tokens
    from bot.errors import StateError

    try:
        stored = stored_tokens(config)
    except StateError as error:
        what = str(error)
    else:
        if stored is None:
            return
        what = f"the tokens of @{stored.username} (id {stored.user_id}) are stored already"
    confirm_replacing(what)


def confirm_replacing(what: str) -> None:
    """Ask whether what is stored is to be replaced; raise UsageError where nobody can be asked.

    `what` is there, in words: "the tokens of @gazette are stored already".
    """
    if not sys.stdin.isatty():
        raise click.UsageError(f"{what}; say --force to replace them")
    click.confirm(f"{what[0].upper()}{what[1:]}. Replace them?", abort=True)


def _pin() -> str:
    """Return what was typed, without the blanks that some pages put between the digits."""
    click.echo("PIN: ", nl=False)
    typed = "".join(sys.stdin.readline().split())
    if not sys.stdin.isatty():
        click.echo()
    if not typed:
        raise click.ClickException("no PIN was typed, and nothing was changed; run `shinglebot auth` again")
    if not _PIN.fullmatch(typed):
        raise click.ClickException(
            "that is no PIN, and nothing was changed: X shows seven digits; run `shinglebot auth` again"
        )
    return typed


def _look_at(config: Config, granted: Granted) -> list[str]:
    """Ask X what the tokens may do, and return what is to be said of it.

    Raises:
        ClickException: they may only read, so that the bot could not post.
    """
    from bot.account import client_of, identify
    from bot.core.budget import in_dollars
    from bot.core.prices import Item
    from bot.errors import PublishError

    price = in_dollars(config.prices.table[Item.READ_USER])
    try:
        identity = identify(client_of(config, granted))
    except PublishError as error:
        return [
            f"Whether it may post could not be seen: {error}",
            "The tokens were stored; `shinglebot check --online` asks again.",
        ]
    if identity.may_write is False:
        raise click.ClickException(
            "these tokens may only read, so they were not stored: give the app the permission Read and write on "
            "console.x.com, under its user authentication settings, and then run `shinglebot auth` again "
            "(a token keeps the permission that it was made with)"
        )
    level = identity.access_level or "X did not say what"
    return [
        f"It may post ({level}). Asking that cost {price}."
        if identity.may_write
        else f"{level} it may do; that question cost {price}.",
        "A bot that is running goes on with its old tokens until it is started anew.",
    ]
