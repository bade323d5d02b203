"""What people type and read: commands, tables, exit codes. Below this room nobody prints.

Exit codes: 0 all well; 1 something failed (the message says what); 2 wrong usage; 75 another process holds
the state directory, try later; 78 the configuration or the state directory needs a person, and a service
manager should not start the bot again by itself.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from bot import __version__
from bot.cli import exits
from bot.cli.alerting import alerts
from bot.cli.archive import archive
from bot.cli.authorizing import auth
from bot.cli.backing_up import backup
from bot.cli.budgeting import budget
from bot.cli.comparing import compare
from bot.cli.context import Session
from bot.cli.deciding import mark, outbox
from bot.cli.demonstrating import demo
from bot.cli.endings import ending_on_signals
from bot.cli.explaining import why
from bot.cli.feeds import feeds
from bot.cli.following import follows
from bot.cli.forecasting import forecast
from bot.cli.holding import held
from bot.cli.labelling import mark_different, mark_duplicate, mark_labels
from bot.cli.looking import status
from bot.cli.previewing import preview
from bot.cli.replaying import replay
from bot.cli.replying import replies
from bot.cli.restoring import restore
from bot.cli.running import once, run
from bot.cli.service import service
from bot.cli.serving import web
from bot.cli.setup import check
from bot.cli.spam import mark_ham, mark_spam, spam
from bot.cli.starting import init
from bot.cli.streams import OutputLost, begin, open_streams
from bot.cli.tuning import tune
from bot.cli.undoing import undo
from bot.errors import AlreadyRunning, ConfigError, ShinglebotError, StateError, StoreUnwritable
from bot.service.instances import Instance, become

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "-c",
    "--config",
    "config",
    type=click.Path(path_type=Path, readable=False),  # where it cannot be read, the loader says so
    default=Path("config.toml"),
    show_default=True,
    envvar="SHINGLEBOT_CONFIG",
    show_envvar=True,
    help="The configuration file.",
)
@click.option(
    "-i",
    "--instance",
    metavar="NAME",
    help="The service's instance: its configuration, state and secrets; as root the command runs as the user that owns them.",
)
@click.option("-v", "--verbose", count=True, help="Log more (-v: each decision, -vv: everything).")
@click.version_option(__version__, prog_name="shinglebot")
@click.pass_context
def group(context: click.Context, config: Path, instance: str | None, verbose: int) -> None:
    """Post the news of your feeds to X, each story once."""
    begin(context)
    source = context.get_parameter_source("config")
    given = source is not click.core.ParameterSource.DEFAULT
    if instance is not None:
        if source is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError("--instance names the configuration: leave --config out")
        named = Instance(name=instance)
        become(named, context.obj or sys.argv[1:])
        config, given = named.config, True
    context.obj = Session(config_path=config, config_given=given, verbose=verbose)


def _take_config(context: click.Context, _parameter: click.Parameter, path: Path | None) -> None:
    if path is not None:
        context.obj = replace(context.obj, config_path=path, config_given=True)


def _accept_config(command: click.Command) -> None:
    """Let `--config` stand after the command's name as well as before it."""
    command.params.append(
        click.Option(
            ["-c", "--config"],
            type=click.Path(path_type=Path, readable=False),  # where it cannot be read, the loader says so
            callback=_take_config,
            expose_value=False,
            help="The configuration file; the same as before the command's name.",
        )
    )
    if isinstance(command, click.Group):
        for child in command.commands.values():
            _accept_config(child)


for command in (mark_duplicate, mark_different, mark_labels, mark_spam, mark_ham):
    mark.add_command(command)
for command in (
    init,
    check,
    auth,
    demo,
    run,
    once,
    why,
    status,
    feeds,
    preview,
    held,
    outbox,
    undo,
    mark,
    budget,
    follows,
    replies,
    backup,
    restore,
    replay,
    forecast,
    compare,
    archive,
    tune,
    spam,
    service,
    web,
    alerts,
):
    _accept_config(command)
    group.add_command(command)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and end the process with its exit code."""
    open_streams()
    with ending_on_signals():
        code = _code_of(arguments)
    sys.exit(code)


def _code_of(arguments: Sequence[str] | None) -> int:
    """Run the command line and return its exit code."""
    try:
        typed = list(sys.argv[1:] if arguments is None else arguments)
        result = group.main(typed, prog_name="shinglebot", standalone_mode=False, obj=typed)
        code = result if isinstance(result, int) else exits.OK
        sys.stdout.flush()
    except click.exceptions.Abort:
        click.echo("stopped", err=True)
        code = exits.FAILED
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except ShinglebotError as error:
        click.echo(f"shinglebot: {error}", err=True)
        code = exit_code(error)
    except OutputLost as lost:
        code = exits.OK if lost.was_closed else exits.FAILED
    return code


def exit_code(error: ShinglebotError) -> int:
    """Return the exit code that tells a service manager what to do about `error`."""
    match error:
        case AlreadyRunning() | StoreUnwritable():
            return exits.TEMPORARY
        case ConfigError() | StateError():
            return exits.CONFIG
        case _:
            return exits.FAILED
