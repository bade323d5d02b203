"""A backup takes the place of the database, and what went out since it was made is looked for before anything is sent.

    check      the file is whole, of a version that this one knows, and of the bot that was installed here
    copy       to a name beside the database, brought up to date
    count      more was begun than the copy knows of: so every destination's own posts are read twice at the next start
    money      what was spent since is taken over from the database that is replaced, where that can still be read
    exchange   the old files are set aside under new names, the copy gets the name; nothing is deleted

A crash in between leaves a state that the bot refuses to work with, and the command can be given again.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import StateError, StoreLost
from bot.store.backups import checked_copy
from bot.store.carrying import read_ledger
from bot.store.claim_count import ClaimCount
from bot.store.connection import clear_errors
from bot.store.database import Store
from bot.store.last_end import LastEnd
from bot.store.times import known

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from bot.store.state_dir import StateDir

DRAFT = "shinglebot.db.restoring"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What was put back.

    Attributes:
        knows_until: the time of the newest that it knows, None when it knows nothing.
        entries: how many it has.
        queued: how many posts wait in it.
        carried: priced calls that were taken over from the database before; None where that could not be read.
        set_aside: the new names of the files that were replaced.
    """

    knows_until: datetime | None
    entries: int
    queued: int
    carried: int | None
    set_aside: list[Path]


def restore(
    state: StateDir, backup: Path, destinations: Iterable[str], now: datetime, *, another: bool = False
) -> Restored:
    """Put a backup in the place of the bot's database, while no bot is at work.

    Args:
        state: of the bot, which is stopped.
        backup: any copy of a database of this bot, with its log beside it if it has one.
        destinations: that are configured; those that the backup knows of are added.
        now: names the files that are set aside.
        another: take it also when it belongs to another installation than the mark says.

    Raises:
        AlreadyRunning: the bot is at work.
        StateError: the file cannot be used, or (StoreLost) is another bot's; nothing was changed.
        StoreUnwritable: there is no room.
    """
    with state.lock():
        draft = state.path / DRAFT
        _require_file(state, backup)
        checked_copy(backup, draft)
        try:
            identity = _require_own(state, draft, backup, another=another)
            spent = read_ledger(state.database)
            with Store.of_copy(draft, backup) as store:
                db = store._db  # noqa: SLF001 - of this room
                carried = None
                with store.transaction():
                    if spent is not None:
                        carried = store.take_over(spent)
                    db.execute("delete from upkeep")
                known_there = [
                    row["destination"] for row in db.query("select distinct destination from outbox")
                ]
                for destination in dict.fromkeys([*destinations, *known_there]):
                    ClaimCount(db, state.claims(destination), destination).fall_behind()
                (facts,) = list(
                    db.query(
                        "select count(*) as entries, max(last_seen_at) as newest,"
                        " (select count(*) from outbox where state = 'queued') as queued from entries"
                    )
                )
                db.execute("pragma wal_checkpoint(truncate)").fetchall()
            LastEnd(state.database).forget()
            moved = state.set_database_aside(f"{now:%Y%m%dT%H%M%SZ}")
            draft.replace(state.database)
            state.write_mark(identity)
        finally:
            for part in ("", "-wal", "-shm"):
                draft.with_name(f"{draft.name}{part}").unlink(missing_ok=True)
    return Restored(
        knows_until=None if facts["newest"] is None else known(facts["newest"]),
        entries=facts["entries"],
        queued=facts["queued"],
        carried=carried,
        set_aside=moved,
    )


def _require_file(state: StateDir, backup: Path) -> None:
    try:
        if not backup.is_file() or not backup.stat().st_size:
            raise StateError(f"{backup} is no backup: it is missing, empty or no file. Nothing was changed")
        if state.database.exists() and backup.samefile(state.database):
            raise StateError(f"{backup} is the database itself: name a backup of it. Nothing was changed")
    except OSError as error:
        raise StateError(f"{backup} cannot be read: {error.strerror}. Nothing was changed") from error


def _require_own(state: StateDir, draft: Path, backup: Path, *, another: bool) -> str:
    """Return whose database the draft is; raise where it is no bot's, or not that of the bot installed here."""
    with clear_errors(backup):
        connection = sqlite3.connect(f"{draft.absolute().as_uri()}?mode=ro", uri=True)
        try:
            tables = {row[0] for row in connection.execute("select name from sqlite_master")}
            rows = (
                connection.execute("select store_id from install").fetchall() if "install" in tables else []
            )
        finally:
            connection.close()
    if not rows or "entries" not in tables:
        raise StateError(f"{backup} is no database of a bot that was ever in use. Nothing was changed")
    found = str(rows[0][0])
    try:
        mark = state.mark()
    except StoreLost:  # damaged: it is written anew
        mark = None
    if mark is not None and mark != found and not another:
        raise StoreLost(
            f"{backup} is the database of another bot than the one installed in {state.path}. Nothing was changed. "
            "Give --another to take it all the same"
        )
    return found
