"""`backup`: a checked copy of the database, now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits

if TYPE_CHECKING:
    from bot.cli.context import Session
    from bot.store.backups import Backup


@click.command()
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to keep it in, instead of the one of [backup].",
)
@click.option("--list", "only_list", is_flag=True, help="List the backups that are there; make none.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of sentences.")
@click.pass_obj
def backup(session: Session, *, folder: Path | None, only_list: bool, as_json: bool) -> int:
    """Copy the database to a file of its own and check the copy, also while the bot is at work; the oldest go.

    The running bot makes backups by itself, see [backup] in the configuration. They hold no keys and no tokens.
    """
    from datetime import UTC, datetime

    from bot.store import StateDir
    from bot.store.backups import FOLDER, back_up, backups_in

    config = session.load(need_account=False)
    place = folder or config.backup.folder or config.state_dir / FOLDER
    if only_list:
        found = backups_in(place)
        if as_json:
            click.echo(json.dumps([_facts(each) for each in found], ensure_ascii=False))
        else:
            for each in found:
                click.echo(f"{each.at:%Y-%m-%d %H:%M:%S} UTC  {each.size / 1e6:8.1f} MB  {each.path}")
            if not found:
                click.echo(f"There is no backup in {place}.")
        return exits.OK
    made = back_up(StateDir(config.state_dir), place, keep=config.backup.keep, now=datetime.now(UTC))
    if as_json:
        click.echo(json.dumps(_facts(made), ensure_ascii=False))
    else:
        click.echo(f"{made.path}: {made.size / 1e6:.1f} MB, checked")
    return exits.OK


def _facts(made: Backup) -> dict[str, Any]:
    return {"file": str(made.path), "at": made.at.isoformat(), "bytes": made.size}
