"""`init` and `check`: from nothing to a configuration that holds."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from bot.cli import exits
from bot.cli.context import Session
from bot.errors import ConfigError, StateError

if TYPE_CHECKING:
    from bot.cli.online import Outcome
    from bot.config import Config

_USUAL: Final = Path("config.toml")


def path_of_config(ctx: click.Context) -> Path:
    """Return the configuration file that was meant: the one that a person named, or the usual one."""
    session = ctx.find_object(Session)
    return session.config_path if session else _USUAL


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
@click.option("--new-store", is_flag=True, help="The database is lost: begin with an empty one.")
@click.option(
    "--adopt-store", is_flag=True, help="The database in the state directory is the newest: go on with it."
)
@click.pass_context
def init(ctx: click.Context, *, full: bool, daily: str | None, new_store: bool, adopt_store: bool) -> None:
    """Write a starter configuration, to be edited; ask for the day's limit in dollars.

    With an option, say instead what is to become of a state directory whose database was lost or exchanged.
    """
    path = path_of_config(ctx)
    if new_store and adopt_store:
        raise click.UsageError("--new-store and --adopt-store exclude each other.")
    if not (new_store or adopt_store):
        _write_starter(ctx, path, full=full, daily=daily)
        return
    if daily is not None:
        raise click.UsageError("--daily is for a new configuration; in one that is there, edit [budget].")
    _settle_store(path, new=new_store)


def _settle_store(path: Path, *, new: bool) -> None:
    from bot.config import load

    config = load(path, need_account=False)
    from bot import app  # after the file was found sound: it takes a while

    if not new:
        app.adopt_store(config)
        click.echo(f"The database in {config.state_dir} is the bot's own from now on.")
        return
    for file in app.accept_new_store(config):
        click.echo(f"Set aside: {file}")
    click.echo(
        f"{config.state_dir} has a new, empty database. At its next poll each feed is seeded silently, whatever its first_run says: what is there now may have been posted before."
    )
    limits = config.budget.limits
    if limits.daily is not None or limits.monthly is not None:
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


def _write_starter(ctx: click.Context, path: Path, *, full: bool, daily: str | None) -> None:
    starter = _example() if full else resources.files("bot.config").joinpath("starter.toml").read_bytes()
    if daily is None and not os.path.lexists(path):
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
    program = "shinglebot" if path == _USUAL else f"shinglebot -c {shlex.quote(str(path))}"
    click.echo(
        f"Wrote {path}; only you may read it. Now\n"
        f"  1. put your feed's address into it\n"
        f"  2. {program} check\n"
        f"  3. {program} once --dry-run   shows what would be posted, and changes nothing\n"
        f"  4. hand over the account's keys as the file says, then\n"
        f"     {program} run"
    )
    _tell_shared_state()


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


@click.command()
@click.option(
    "--need-account", is_flag=True, help="The account's keys have to be there, as `run` needs them."
)
@click.option(
    "--online",
    is_flag=True,
    help="Ask X, too, who the bot is and whether it may post. X charges one user read.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
@click.pass_context
def check(ctx: click.Context, *, need_account: bool, online: bool, as_json: bool) -> None:
    """Read the configuration and list every fault in it, or the settings in force.

    Exits with 0 when the bot can run with it, and with 78 when a person has to mend something; with --online also
    with 1 when X, or the shortener of links, could not be asked or did not take its key.
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
    """Raise ConfigError when there are no tokens of an account, in the configuration or stored."""
    from bot.store import StateDir
    from bot.store.tokens import read_tokens

    if not config.names_tokens and read_tokens(StateDir(config.state_dir)) is None:
        from bot.account import needs_auth

        raise needs_auth(config)


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

    from bot.cli.settings_table import account_lines, feeds_table, settings_line

    count = len(config.warnings)
    remarks = f", with {count} warning{'s'[: count > 1]}:" if count else ""
    click.echo(f"{config.path} {'is ok' if writable else 'has no fault'}{remarks}")
    for warning in config.warnings:
        click.echo(f"  {warning}")
    click.echo(f"\nState directory: {state}")
    for line in account_lines(config):
        click.echo(line)
    click.echo(f"Settings: {settings_line(config)}\n")
    Console(highlight=False, markup=False, emoji=False).print(feeds_table(config))


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
