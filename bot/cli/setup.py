"""`check`: whether a configuration holds, and what is in force."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from bot.cli import exits
from bot.cli.context import Session
from bot.errors import ConfigError, StateError

if TYPE_CHECKING:
    from bot.cli.online import Outcome
    from bot.config import Config

USUAL: Final = Path("config.toml")


def path_of_config(ctx: click.Context) -> Path:
    """Return the configuration file that was meant: the one that a person named, or the usual one."""
    session = ctx.find_object(Session)
    return session.config_path if session else USUAL


@click.command()
@click.option(
    "--need-account",
    is_flag=True,
    help="The keys and passwords of all accounts have to be there, as `run` needs them.",
)
@click.option(
    "--online",
    is_flag=True,
    help="Ask X and the other destinations, too, who the bot is and whether it may post. X charges one user read.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
@click.pass_context
def check(ctx: click.Context, *, need_account: bool, online: bool, as_json: bool) -> None:
    """Read the configuration and list every fault in it, or the settings in force.

    Exits with 0 when the bot can run with it, and with 78 when a person has to mend something; with --online also
    with 1 when a destination, or the shortener of links, could not be asked, or the latter did not take its key.
    """
    from bot.config import load

    path = path_of_config(ctx)
    try:
        config = load(path, need_account=need_account or online)
        if need_account and not online:
            _need_tokens(config)
    except ConfigError as error:
        click.echo(json.dumps(_trouble(path, error), ensure_ascii=False) if as_json else str(error))
        ctx.exit(exits.CONFIG)
    writable, state = look_at_state(config.state_dir)
    outcome = _outcome(ctx, config) if online and writable else None
    if as_json:
        from bot.cli.settings_table import as_json_object

        said = as_json_object(config, writable=writable, state=state)
        if outcome:
            said |= {"ok": outcome.code == exits.OK, "online": outcome.facts}
        click.echo(json.dumps(said, ensure_ascii=False))
    else:
        _report(config, writable=writable, state=state)
        for line in outcome.lines if outcome else ():
            click.echo(line)
    ctx.exit(outcome.code if outcome else exits.OK if writable else exits.CONFIG)


def _outcome(ctx: click.Context, config: Config) -> Outcome:
    """Ask X, with the log set up so that no secret reaches it."""
    from bot.cli.online import ask_all

    session = ctx.find_object(Session)
    if session:
        session.log_to_stderr(secrets=config.texts_to_mask())
    return ask_all(config)


def _need_tokens(config: Config) -> None:
    """Raise ConfigError when a destination has nothing to log in with, in the configuration or stored."""
    from bot.account import needs_auth, require_login, stored_tokens
    from bot.cli.destinations import is_posted_to_x

    if is_posted_to_x(config) and not config.names_tokens and stored_tokens(config) is None:
        raise needs_auth(config)
    for destination in config.destinations:
        require_login(config, destination)


def _trouble(path: Path, error: ConfigError) -> dict[str, Any]:
    from bot.config import ConfigFaults

    faults = error.faults if isinstance(error, ConfigFaults) else ()
    return {
        "ok": False,
        "config": str(path),
        "message": str(error),
        "faults": [
            {"path": f.path, "found": f.found, "allowed": f.allowed, "hint": f.hint or None} for f in faults
        ],
    }


def _report(config: Config, *, writable: bool, state: str) -> None:
    from rich.console import Console

    from bot.cli.destinations import destination_lines, destinations_table, is_plain
    from bot.cli.settings_table import account_lines, feeds_table, settings_line

    count = len(config.warnings)
    remarks = f", with {count} warning{'s'[: count > 1]}:" if count else ""
    click.echo(f"{config.path} {'is ok' if writable else 'has no fault'}{remarks}")
    for warning in config.warnings:
        click.echo(f"  {warning}")
    click.echo(f"\nState directory: {state}")
    for line in (*account_lines(config), *destination_lines(config)):
        click.echo(line)
    click.echo(f"Settings: {settings_line(config)}\n")
    console = Console(highlight=False, markup=False, emoji=False)
    if not is_plain(config):
        console.print(destinations_table(config))
    console.print(feeds_table(config))


def look_at_state(directory: Path) -> tuple[bool, str]:
    """Return whether the bot can keep its state in `directory`, and a sentence about it. Changes nothing."""
    try:
        if directory.is_dir():
            return _look_inside(directory)
        return _look_above(directory)
    except OSError as error:
        return False, f"{directory} cannot be looked at ({error.strerror}): name another with state_dir"
    except StateError as error:
        return False, str(error)


def _may(path: Path, what: int) -> bool:
    """Return whether this user may do `what`; a read-only file system forbids writing, too."""
    return os.access(path, what, effective_ids=os.access in os.supports_effective_ids)


def _look_above(directory: Path) -> tuple[bool, str]:
    if directory.exists() or directory.is_symlink():
        return False, f"{directory} is no directory: name another with state_dir, or move it away"
    above = next(parent for parent in directory.parents if parent.exists())
    if above.is_dir() and _may(above, os.W_OK | os.X_OK):
        return True, f"{directory} will be made"
    return False, f"{directory} cannot be made, for {above} is not to be written: name another with state_dir"


def _look_inside(directory: Path) -> tuple[bool, str]:
    """Say whether a directory that is there can be used; raise StateError when what it holds is damaged."""
    if not _may(directory, os.R_OK | os.W_OK | os.X_OK):
        return (
            False,
            f"{directory} may not be read and written by this user: chown it, or name another with state_dir",
        )
    for file in sorted(directory.iterdir()):
        if file.is_file() and not _may(file, os.R_OK | os.W_OK):
            return False, f"{file} may not be read and written by this user: it was made by another; chown it"
    from bot.store import StateDir, Store

    state = StateDir(directory)
    fitted = ""
    if state.has_database() and state.database.stat().st_size:
        from bot.tuning.in_use import in_words

        with Store.read_only(state) as store:
            fitted = "".join(f"\n  {in_words(table)}" for table in store.near_tables.in_use())
    elif state.mark() is not None:
        return False, (
            f"the database {state.database} of this bot is missing or empty: put it back from a backup, "
            "or say that a fresh start is meant with `shinglebot init --new-store`"
        )
    return True, f"{directory} can be written{fitted}"
