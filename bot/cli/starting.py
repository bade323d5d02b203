"""`init`: from nothing to a configuration, and what is to become of a state directory whose database was lost."""

from __future__ import annotations

import errno
import os
import re
import shlex
import sys
from importlib import resources
from pathlib import Path
from typing import Final

import click

from bot.cli import exits
from bot.cli.setup import USUAL, path_of_config

NETWORKS: Final = ("x", "bluesky", "mastodon")


def _limit(text: str) -> str:
    """Return a day's limit as the configuration writes it. Raises BadParameter, which says what is allowed."""
    from bot.config.faults import Unfit
    from bot.config.money import LIMIT, parse_limit, spell_dollars

    try:
        return spell_dollars(parse_limit(text.strip().removeprefix("$")))
    except Unfit as error:
        hint = f"; {error}" if str(error) else ""
        raise click.BadParameter(f"allowed: {LIMIT}{hint}") from None


@click.command()
@click.option("--full", is_flag=True, help="Write every key with its explanation, not only the usual ones.")
@click.option(
    "--daily",
    metavar="DOLLARS",
    callback=lambda _context, _option, text: None if text is None else _limit(text),
    help='The most that a day may cost, such as 2.50, or "none"; without it, a person at a terminal is asked.',
)
@click.option(
    "--to",
    metavar="NETWORKS",
    callback=lambda _context, _option, text: None if text is None else _networks(text),
    help=f"Where posts are to go: one of {', '.join(NETWORKS)}, or several with commas between; without it, a person at a "
    "terminal is asked, and else it is x.",
)
@click.option("--new-store", is_flag=True, help="The database is lost: begin with an empty one.")
@click.option(
    "--adopt-store", is_flag=True, help="The database in the state directory is the newest: go on with it."
)
@click.pass_context
def init(
    ctx: click.Context,
    *,
    full: bool,
    daily: str | None,
    to: tuple[str, ...] | None,
    new_store: bool,
    adopt_store: bool,
) -> None:
    """Write a starter configuration, to be edited; ask where posts are to go, and for X what a day may cost in dollars.

    With an option, say instead what is to become of a state directory whose database was lost or exchanged.
    """
    path = path_of_config(ctx)
    if new_store and adopt_store:
        raise click.UsageError("--new-store and --adopt-store exclude each other.")
    if not (new_store or adopt_store):
        if full and to is not None and to != ("x",):
            raise click.UsageError(
                "--full writes the keys of every network: take the # from those that you want."
            )
        if daily is not None and to is not None and "x" not in to:
            raise click.UsageError("--daily is for X; posts elsewhere cost nothing.")
        _write_starter(ctx, path, full=full, daily=daily, to=to)
        return
    if daily is not None:
        raise click.UsageError("--daily is for a new configuration; in one that is there, edit [budget].")
    if to is not None:
        raise click.UsageError(
            "--to is for a new configuration; in one that is there, add a [[destination]]."
        )
    _settle_store(path, new=new_store)


def _settle_store(path: Path, *, new: bool) -> None:
    from bot.config import load

    config = load(path, need_account=False)
    from bot import app  # after the file was found sound: it takes a while

    if not new:
        app.adopt_store(config)
        click.echo(f"The database in {config.state_dir} is the bot's own from now on.")
        return
    moved, carried = app.accept_new_store(config)
    for file in moved:
        click.echo(f"Set aside: {file}")
    click.echo(
        f"{config.state_dir} has a new, empty database. At its next poll each feed is seeded silently, whatever its first_run says: what is there now may have been posted before."
    )
    limits = config.budget.limits
    if carried is not None:
        click.echo(
            "What was spent before is known from the old database, and the limits of [budget] count it."
        )
    elif limits.daily is not None or limits.monthly is not None:
        click.echo(
            "It knows nothing of what was spent before, so the limits of [budget] may be spent again in this UTC day "
            "and month. Before the bot runs again, look at console.x.com for what is spent, lower daily (and "
            "monthly) by it until the day (the month) is over, and set X's own spending limit there."
        )


def _example() -> bytes:
    """Return the file with every key: packaged beside the starter, or in the source tree that this runs from."""
    packaged = resources.files("bot.config").joinpath("example.toml")
    if packaged.is_file():
        return packaged.read_bytes()
    return (Path(__file__).parents[2] / "config.example.toml").read_bytes()


def _asked_limit() -> str | None:
    """Ask a person at a terminal what a day may cost, until the answer can be one; return None without a person."""
    from bot.config.money import spell_dollars
    from bot.config.settings import Budget
    from bot.core.budget import in_dollars
    from bot.core.prices import PRICES_OF, Item, price_list

    if not sys.stdin.isatty():
        return None
    prices = price_list()
    click.echo(
        f"X charges {in_dollars(prices[Item.POST_WITH_URL])} for a post with a link and "
        f"{in_dollars(prices[Item.POST])} for one without ({PRICES_OF}). What is over the limit waits."
    )
    answer: str = click.prompt(
        'The most dollars that a day may cost ("none" for no limit)',
        default=spell_dollars(Budget().daily),
        value_proc=_limit,
    )
    return answer


def _with_limit(text: bytes, daily: str) -> bytes:
    """Return a starter's text with another limit of the day; its line may be there as a comment."""
    changed, count = re.subn(rb'(?m)^(?:# )?daily = ".*"$', f'daily = "{daily}"'.encode(), text)
    assert count == 1, "the starter has one line for the day's limit"  # noqa: S101 - both files are ours
    return changed


def _networks(text: str) -> tuple[str, ...]:
    """Return the networks that are named, in the order of `NETWORKS`. Raises BadParameter, which says what is allowed."""
    named = {part.strip().casefold() for part in text.split(",")}
    if named <= {*NETWORKS}:
        return tuple(network for network in NETWORKS if network in named)
    raise click.BadParameter(f"allowed: {', '.join(NETWORKS)}, or several with commas between")


def _asked_networks() -> tuple[str, ...]:
    """Ask a person at a terminal where posts are to go, until the answer can be one; without a person it is X."""
    if not sys.stdin.isatty():
        return ("x",)
    answer: tuple[str, ...] = click.prompt(
        f"Where posts are to go: {', '.join(NETWORKS)}, or several with commas between",
        default="x",
        value_proc=_networks,
    )
    return answer


def _starter(networks: tuple[str, ...]) -> bytes:
    """Return the starter's text for these networks: what belongs to others is left out, what they want is put in."""
    packaged = resources.files("bot.config")
    paragraphs = packaged.joinpath("starter.toml").read_text(encoding="utf-8").split("\n\n")
    written: list[str] = []
    for paragraph in paragraphs:
        if "x" in networks or not re.search(r"(?m)^\[(account|budget)\]$", paragraph):
            written.append(paragraph)
        if re.search(r"(?m)^\[account\]$", paragraph):
            written += [
                packaged.joinpath(f"starter_{network}.toml").read_text(encoding="utf-8").rstrip("\n")
                for network in networks
                if network != "x"
            ]
    return "\n\n".join(written).encode()


def _write_starter(
    ctx: click.Context, path: Path, *, full: bool, daily: str | None, to: tuple[str, ...] | None
) -> None:
    is_new = not os.path.lexists(path)
    if to is None:
        to = _asked_networks() if is_new and daily is None and not full else ("x",)
    starter = _example() if full else _starter(to)
    if daily is None and is_new and "x" in to:
        daily = _asked_limit()
    if daily is not None:
        starter = _with_limit(starter, daily)
    try:
        _write_new(path, starter)
    except FileExistsError:
        click.echo(
            f"{path} is there already and was left as it is: edit it, or name another place.", err=True
        )
        ctx.exit(exits.FAILED)
    except OSError as error:
        click.echo(
            f"{path} cannot be written ({error.strerror}): name another place with --config.", err=True
        )
        ctx.exit(exits.FAILED)
    click.echo(f"Wrote {path}; only you may read it. Now")
    program = "shinglebot" if path == USUAL else f"shinglebot -c {shlex.quote(str(path))}"
    for number, step in enumerate(_steps(program, to), start=1):
        click.echo(f"  {number}. {step}")
    _tell_shared_state()


def _steps(program: str, networks: tuple[str, ...]) -> list[str]:
    """Return what is to be done next, with the program as it is called here."""
    own = {"bluesky": "your account's handle", "mastodon": "your account's server"}
    words = ["your feed's address", *(own[network] for network in networks if network in own)]
    *first, last = words
    steps = [
        f"put {', '.join(first)} and {last} into it" if first else f"put {last} into it",
        f"{program} check",
        f"{program} once --dry-run   shows what would be posted, and changes nothing",
    ]
    steps += [f"{program} auth {network}   lets the bot post there" for network in networks if network in own]
    start = f"{program} run"
    if "x" in networks:
        return [*steps, f"hand over the account's keys as the file says, then\n     {start}"]
    return [*steps, start]


def _tell_shared_state() -> None:
    """Say so when the state directory of a file without `state_dir` is in use already."""
    from bot.config import default_state_dir
    from bot.store import StateDir

    directory = Path.cwd() / default_state_dir(os.environ)
    try:
        in_use = StateDir(directory).database.exists()
    except OSError:  # `check` says what is wrong with it
        return
    if in_use:
        click.echo(
            f"A bot keeps its state in {directory} already, and this configuration would go on with it. If it is meant "
            "for another bot, take the # from its state_dir line."
        )


def _write_new(path: Path, body: bytes) -> None:
    """Write `body` to `path`, which must not exist; its directory is made; nobody else may read it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, f"{path.parent} is no directory") from None
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(body)
    except OSError:
        path.unlink(missing_ok=True)  # half a file would stand in the way of the next try
        raise
