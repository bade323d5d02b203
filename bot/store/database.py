"""The store: the one file with its rooms, how it is checked, migrated and written to."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Self

from sqlite_utils import Database

from bot.errors import StateError, StoreDamaged, StoreLost, StoreUnwritable
from bot.store.alerts import Alerts
from bot.store.better_copies import BetterCopies
from bot.store.carrying import put_ledger
from bot.store.checksums import Checksums
from bot.store.claim_count import ClaimCount
from bot.store.connection import (
    BUSY_SECONDS,
    MAKE_ROOM,
    START_AGAIN,
    Connection,
    clear_errors,
    closed_on_error,
    connect,
    shorten_log,
    told,
)
from bot.store.corrections import Corrections
from bot.store.deletions import Deletions
from bot.store.doors import require_database, require_known
from bot.store.entries import Entries
from bot.store.follow_steps import FollowSteps
from bot.store.follows import Follows
from bot.store.hits import Hits
from bot.store.holds import Holds
from bot.store.hosts import Hosts
from bot.store.labels import Labels
from bot.store.last_end import WHOLE_CHECK_EVERY, LastEnd
from bot.store.later_dates import LaterDates
from bot.store.ledger import Ledger
from bot.store.migrations import migrations
from bot.store.near_tables import NearTables
from bot.store.outbox import Outbox
from bot.store.own_posts import OwnPosts
from bot.store.pictures import Pictures
from bot.store.reserve import Reserve
from bot.store.retention import drop_texts
from bot.store.short_links import ShortLinks
from bot.store.signatures import Signatures
from bot.store.sources import Sources
from bot.store.spam_labels import SpamLabels
from bot.store.stories import Stories
from bot.store.unknowns import Unknowns
from bot.store.upkeep import Chore, Upkeep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from bot.store.carrying import LedgerRead
    from bot.store.entries import StoredEntry
    from bot.store.state_dir import StateDir


class Store:
    """The database of one bot, and its rooms.

    Use it from one thread; `transaction` is the only way to write.
    """

    def __init__(self, db: Database, path: Path | None = None, state: StateDir | None = None) -> None:
        self._db = db
        self._path = path
        self._state = state
        self._together = False
        self._claims: dict[str, ClaimCount] = {}
        self._reserve: Reserve | None = None
        self._last_end: LastEnd | None = None
        self.sources = Sources(db)
        self.hosts = Hosts(db)
        self.entries = Entries(db)
        self.signatures = Signatures(db)
        self.checksums = Checksums(db)
        self.holds = Holds(db)
        self.labels = Labels(db)
        self.ledger = Ledger(db)
        self.near_tables = NearTables(db)
        self.outbox = Outbox(db)
        self.deletions = Deletions(db)
        self.corrections = Corrections(db)
        self.unknowns = Unknowns(db)
        self.later_dates = LaterDates(db)
        self.better_copies = BetterCopies(db)
        self.own_posts = OwnPosts(db)
        self.pictures = Pictures(db)
        self.short_links = ShortLinks(db)
        self.hits = Hits(db)
        self.follows = Follows(db)
        self.follow_steps = FollowSteps(db)
        self.upkeep = Upkeep(db)
        self.alerts = Alerts(db)
        self.spam_labels = SpamLabels(db)
        self.stories = Stories(db)

    @classmethod
    def open(cls, state: StateDir, now: datetime) -> Self:
        """Open the bot's database, under the lock of `state`; make it when none was ever installed here.

        Raises StoreLost when a bot was installed here and this is not its database, StoreUnwritable when the
        disk is full or the file is locked, and StateError when it is damaged or cannot be opened.
        """
        state.prepare()
        mark = state.mark()
        path = state.database
        if mark is not None and (not path.exists() or path.stat().st_size == 0):
            raise StoreLost(f"the database {path} of this bot is missing or empty. {START_AGAIN}")
        reserve = Reserve(state.path)
        reserve.keep()
        with clear_errors(path):
            last_end = LastEnd(path)
            untouched = last_end.is_untouched()
            db = connect(path)
            with closed_on_error(db):
                store = cls(db, path, state)
                store._settle(state, mark, now, untouched=untouched)
                last_end.forget()
                store._reserve, store._last_end = reserve, last_end
        return store

    def _settle(self, state: StateDir, mark: str | None, now: datetime, *, untouched: bool) -> None:
        db = self._db
        require_known(db, state.database)
        found = self.identity()
        if mark is not None and found != mark:
            raise StoreLost(f"{state.database} is not the database that this bot was using. {START_AGAIN}")
        is_whole = not untouched or self.upkeep.is_due(Chore.WHOLE_CHECK, WHOLE_CHECK_EVERY, now)
        if is_whole:
            problems = [row["quick_check"] for row in db.query("pragma quick_check(1)")]
            if problems != ["ok"]:
                what = " ".join(problems[0].split())
                raise StoreDamaged(f"the database {state.database} is damaged ({what}). {START_AGAIN}")
        migrations.apply(db)
        if is_whole:
            with self.transaction():
                self.upkeep.done(Chore.WHOLE_CHECK, now)
        if found is None:
            found = str(uuid.uuid4())
            with self.transaction():
                db.execute("insert into install values (1, ?, ?)", [found, now.timestamp()])
        if mark is None:
            # A first start, or one that crashed before its mark was written: nothing can have been posted.
            if self.entries.any():
                raise StoreLost(
                    f"{state.database} was in use before, but the mark beside it is missing: it may be an old copy. "
                    "Nothing is posted until a person decides: run `shinglebot init --adopt-store` if it is the "
                    "newest there is, or `shinglebot init --new-store` to start afresh."
                )
            state.write_mark(found)
        elif self.sources.remember_items() and not self.entries.any():
            raise StoreLost(f"{state.database} has lost its entries. {START_AGAIN}")

    @classmethod
    def adopt(cls, state: StateDir) -> None:
        """Write the mark of the database that lies in `state`, because a person says that it belongs there."""
        with cls.read_only(state) as store:
            store_id = store.identity()
        if store_id is None:
            raise StoreLost(f"{state.database} was never in use. {START_AGAIN}")
        state.write_mark(store_id)

    def identity(self) -> str | None:
        """Return what the mark of this database says, None when it was never installed."""
        rows = list(self._db.query("select store_id from install")) if self._db["install"].exists() else []
        return str(rows[0]["store_id"]) if rows else None

    @classmethod
    def in_memory(cls) -> Self:
        """Make an empty store that ends with the process, for replays."""
        store = cls(connect(":memory:"))
        migrations.apply(store._db)
        return store

    @classmethod
    def read_only(cls, state: StateDir) -> Self:
        """Open the database to look at it, while another process may be writing.

        Raises StateError when there is none yet or it cannot be read, StoreLost when there was one.
        """
        path = state.database
        require_database(state)
        with clear_errors(path):
            # Without a -wal file nobody has it open; asking for none keeps this process from leaving one behind.
            how = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "mode=ro&immutable=1"
            connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?{how}", uri=True, timeout=BUSY_SECONDS, factory=Connection
            )
            db = Database(connection)
            with closed_on_error(db):
                require_known(db, path)
                if not db["entries"].exists():
                    raise StoreLost(f"{path} holds no data of a bot. {START_AGAIN}")
                return cls(db)

    @classmethod
    def alongside(cls, state: StateDir) -> Self:
        """Open the database for a person's decision, while the bot may be at work on it.

        Raises StateError when there is none yet or it is not that of the bot installed here.
        """
        require_database(state)
        if state.mark() is None:
            raise StoreLost(f"the mark beside {state.database} is missing. {START_AGAIN}")
        with clear_errors(state.database):
            db = connect(state.database)
            with closed_on_error(db):
                require_known(db, state.database)
                if not db["entries"].exists():
                    raise StoreLost(f"{state.database} holds no data of a bot. {START_AGAIN}")
                # A new version's command may come before the bot is started anew; an older bot passes new tables over.
                migrations.apply(db)
                return cls(db)

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy of the database to the new file `path`."""
        target = sqlite3.connect(path)
        try:
            self._db.conn.backup(target)
        finally:
            target.close()

    @classmethod
    def of_copy(cls, path: Path, original: Path) -> Self:
        """Open the copy at `path`, migrated; make an empty store when there is no such file.

        A copy has no mark: it belongs to a rehearsal and is thrown away. Faults are told of the `original`.
        """
        with clear_errors(original):
            db = connect(path)
            with closed_on_error(db):
                require_known(db, original)
                migrations.apply(db)
                return cls(db, path)

    def another(self) -> Self:
        """Open the same database once more, for another thread, which closes it.

        Raises StateError for one in memory, which no other connection sees.
        """
        if self._path is None:
            raise StateError("a store in memory has one connection")
        with clear_errors(self._path):
            store = type(self)(connect(self._path), self._path, self._state)
            store._reserve = self._reserve  # noqa: SLF001 - of the same class
            return store

    def claims(self, destination: str) -> ClaimCount:
        """Return the count of the posts that were begun at a destination, in the database and beside it."""
        if destination not in self._claims:
            path = self._state.claims(destination) if self._state is not None else None
            self._claims[destination] = ClaimCount(self._db, path, destination)
        return self._claims[destination]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all or nothing; the file is locked for writing from the start, so that nothing read goes stale.

        Within `together` it is all or nothing of its own, and is kept when that ends.
        """
        if self._reserve is not None and self._reserve.is_gone:
            self._reserve.keep()
        with self._transaction():
            yield

    def surely(self, write: Callable[[], None]) -> None:
        """Have `write` write what must not be lost, all or nothing: on a full disk the reserve is let go for it.

        `write` may be called twice. Afterwards nothing is written until there is room for the reserve again.
        """
        try:
            with self.transaction():
                write()
        except StoreUnwritable as error:
            is_full = isinstance(error.__cause__, sqlite3.Error) and (
                error.__cause__.sqlite_errorcode & 0xFF in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
            )
            if self._together or self._reserve is None or (is_full and not self._reserve.let_go()):
                raise
            with self._transaction():
                write()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        undo: tuple[str, ...]
        if self._together:
            begin, keep, undo = "savepoint one", "release one", ("rollback to one", "release one")
        else:
            begin, keep, undo = "begin immediate", "commit", ("rollback",)
        try:
            self._db.conn.execute(begin)
            try:
                yield
                self._db.conn.execute(keep)
            except BaseException:
                if self._db.conn.in_transaction:  # a full disk undoes everything by itself
                    for step in undo:
                        self._db.conn.execute(step)
                raise
        except sqlite3.OperationalError as error:
            if "no such" in str(error):
                raise StateError(f"the database has lost a part of itself: {error}. {START_AGAIN}") from error
            raise StoreUnwritable(
                f"the database could not be written: {error}; what was begun was undone. {MAKE_ROOM}"
            ) from error

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep the transactions within at its end, all with one wait for the disk; none where it ends by an error."""
        with self.transaction():
            self._together = True
            try:
                yield
            finally:
                self._together = False

    def find(self, what: str, limit: int, *, exactly: bool = False) -> list[StoredEntry]:
        """Return the entries that `what` names: a link, a guid, a row's number, or (unless `exactly`) words.

        Those whose own link it is come first, then the one that is known by it, and the others, newest first; at most
        `limit`.
        """
        found: dict[int, StoredEntry] = {}
        for entry in self.entries.find_exact(what, limit):
            found.setdefault(entry.id, entry)
        if not found and not exactly:
            for entry in self.entries.find_text(what, limit):
                found.setdefault(entry.id, entry)
        return list(found.values())[:limit]

    def tidy(self, now: datetime, signature_window: float) -> None:
        """Drop the signatures older than `signature_window` seconds and all but the newest faults; learn from the others."""
        with self.transaction():
            self.signatures.forget_before(now.timestamp() - signature_window)
            self.ledger.tidy(now)
            self.signatures.learn(now)
            self.checksums.forget_before(now.timestamp() - signature_window)
            self.sources.forget_faults_before(now.timestamp() - _FAULTS_KEPT_SECONDS)
            self.own_posts.forget_before(now - _OWN_POSTS_KEPT)
            self.hits.forget_texts(now)
            self.upkeep.done(Chore.TIDY, now)
        shorten_log(self._db)

    def take_over(self, spent: LedgerRead) -> int:
        """Take over what another database knows of the money, in a transaction; return how many calls that were."""
        return put_ledger(self._db, spent)

    def drop_texts(self, before: datetime, stopping: Callable[[], bool]) -> int:
        """Drop the texts of entries that were last seen before, in short transactions; return of how many."""
        dropped = 0
        while not stopping():
            with self.transaction():
                count = drop_texts(self._db, before)
            dropped += count
            if not count:
                break
        return dropped

    def close(self) -> None:
        """Close the file."""
        self._db.close()
        if self._last_end is not None:
            self._last_end.write()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close the file. What SQLite said while it was read becomes an error of the bot's own."""
        self.close()
        if isinstance(error, sqlite3.DatabaseError):
            raise told(error, "the database") from error


_FAULTS_KEPT_SECONDS = 30 * 86400.0
_OWN_POSTS_KEPT = timedelta(days=90)  # a feed of a quarter's stories shows nothing again after that
