"""How much room the store takes, how much is left, and how old its newest backup is: for `status`."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import click

from bot.store import StateDir
from bot.store.backups import FOLDER, backups_in

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from bot.config.outline import Outline


def room_facts(outline: Outline) -> dict[str, Any]:
    """Return the bytes of the database, of its log and free on its disk, and the newest backup."""
    database = StateDir(outline.state_dir).database
    config = outline.config
    folder = config.backup.folder if config is not None else None
    found = backups_in(folder or outline.state_dir / FOLDER)
    return {
        "bytes": _size(database),
        "log_bytes": _size(database.with_name(f"{database.name}-wal")),
        "free_bytes": shutil.disk_usage(outline.state_dir).free,
        "newest_backup": {"file": str(found[0].path), "at": found[0].at.isoformat()} if found else None,
        "is_backed_up": config is None or config.backup.every is not None,
    }


def print_room(facts: dict[str, Any], now: datetime) -> None:
    """Print it as a line."""
    from datetime import datetime as read

    from bot.cli.words import span

    room = facts["store"]
    backup = "no backup yet" if room["is_backed_up"] else "backups are off"
    if room["newest_backup"]:
        backup = f"backed up {span(now - read.fromisoformat(room['newest_backup']['at']))} ago"
    log = f" and {room['log_bytes'] / 1e6:.1f} MB of log" if room["log_bytes"] else ""
    click.echo(f"Store: {room['bytes'] / 1e6:.1f} MB{log}, {room['free_bytes'] / 1e9:.1f} GB free; {backup}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
