"""What feeds changed of stories that were posted: one record a post, and one more for each answer that told it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.core.corrections import Change
from bot.store.outbox_rows import OutboxRow, row_of
from bot.store.rows import rows
from bot.store.times import known

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a feed says now in place of what readers were told.

    Attributes:
        id: its row, > 0.
        outbox_id: the post that is corrected.
        said_id: the version of the entry that readers were told.
        entry_id: the version that counts now; where the feed went back, the last other one.
        kind: what the change is.
        noticed_at: when it was seen first.
        changed_at: when the feed last changed its words.
        edits: how often it did, >= 1.
        returns: how often it went back to what readers were told.
        is_back: whether that is what it says now.
        answer_id: the row of the outbox that tells it, None when none does.
    """

    id: int
    outbox_id: int
    said_id: int
    entry_id: int
    kind: Change
    noticed_at: datetime
    changed_at: datetime
    edits: int
    returns: int
    is_back: bool
    answer_id: int | None


class Corrections:
    """The table of corrections. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def posts(self, destination: str, since: datetime, news: datetime | None = None) -> list[OutboxRow]:
        """Return the posts claimed since of which the feed has told more than one version, the oldest first.

        With `news` those alone whose feed had a new body since, or that were settled since: nothing is new of others.
        """
        query = """
            select o.* from outbox o join entries l on l.id = o.entry_id left join sources s on s.name = l.feed
            where o.destination = :destination and o.state = 'sent' and o.claimed_at >= :since and o.reply_to is null
                and (o.settled_at >= :news or s.last_body_at >= :news) and exists (
                    select 1 from entries v
                    where v.lead_id = coalesce(l.lead_id, l.id) and v.of_id = l.id and v.feed = l.feed
                ) order by o.claimed_at, o.id
        """
        values = {
            "destination": destination,
            "since": since.timestamp(),
            "news": news.timestamp() if news is not None else float("-inf"),
        }
        return [row_of(row) for row in rows(self._db, query, values)]

    def of_post(self, outbox_id: int) -> list[Correction]:
        """Return the records of one post, the oldest first."""
        if not self._db["corrections"].exists():  # a database of before, opened for reading
            return []
        query = "select * from corrections where outbox_id = ? order by round"
        return [_correction(row) for row in list(self._db.query(query, [outbox_id]))]

    def since(self, changed: datetime, limit: int) -> list[Correction]:
        """Return what changed since, the newest first."""
        if not self._db["corrections"].exists():  # a database of before, opened for reading
            return []
        query = "select * from corrections where changed_at >= ? order by changed_at desc, id desc limit ?"
        return [_correction(row) for row in list(self._db.query(query, [changed.timestamp(), limit]))]

    def add(self, outbox_id: int, *, said_id: int, entry_id: int, kind: Change, now: datetime) -> None:
        """Note a correction of a post."""
        self._db.execute(
            """
            insert into corrections (outbox_id, round, said_id, entry_id, kind, noticed_at, changed_at)
            values (:post, (select count(*) from corrections where outbox_id = :post), :said, :entry, :kind, :now, :now)
            """,
            {"post": outbox_id, "said": said_id, "entry": entry_id, "kind": kind, "now": now.timestamp()},
        )

    def changed(self, correction_id: int, *, entry_id: int, kind: Change, now: datetime) -> None:
        """Note that the feed changed its words once more: the last ones count."""
        self._db.execute(
            "update corrections set entry_id = ?, kind = ?, changed_at = ?, edits = edits + 1, is_back = 0 where id = ?",
            [entry_id, kind, now.timestamp(), correction_id],
        )

    def went_back(self, correction_id: int, now: datetime) -> None:
        """Note that the feed says again what readers were told."""
        self._db.execute(
            "update corrections set is_back = 1, returns = returns + 1, changed_at = ? where id = ?",
            [now.timestamp(), correction_id],
        )

    def answer(
        self,
        correction_id: int,
        post: OutboxRow,
        entry_id: int,
        *,
        now: datetime,
        not_before: datetime,
        reason: str,
    ) -> int | None:
        """Queue an answer to a post, as stale as the post's own `max_age` says; return its row.

        None when there was an answer with this version of the entry before: each tells at most once.
        """
        cursor = self._db.execute(
            """
            insert into outbox (entry_id, destination, state, reason, queued_at, not_before, expires_at, reply_to, priority)
            values (?, ?, 'queued', ?, ?, ?, ?, ?, ?) on conflict do nothing
            """,
            [
                entry_id,
                post.destination,
                reason,
                now.timestamp(),
                not_before.timestamp(),
                post.expires_at.timestamp(),
                post.id,
                post.priority,
            ],
        )
        if cursor.rowcount != 1 or cursor.lastrowid is None:
            return None
        row_id = cursor.lastrowid
        self._db.execute("update corrections set answer_id = ? where id = ?", [row_id, correction_id])
        return row_id

    def answers(self, outbox_id: int) -> list[OutboxRow]:
        """Return the rows that answer a post, in whatever state, the oldest first."""
        query = "select * from outbox where reply_to = ? order by id"
        return [row_of(row) for row in list(self._db.query(query, [outbox_id]))]

    def told(self, row_id: int, entry_id: int) -> None:
        """Note which version of its entry a row told that is being claimed."""
        self._db.execute("update outbox set told_id = ? where id = ?", [entry_id, row_id])


def _correction(row: dict[str, Any]) -> Correction:
    return Correction(
        id=row["id"],
        outbox_id=row["outbox_id"],
        said_id=row["said_id"],
        entry_id=row["entry_id"],
        kind=Change(row["kind"]),
        noticed_at=known(row["noticed_at"]),
        changed_at=known(row["changed_at"]),
        edits=row["edits"],
        returns=row["returns"],
        is_back=bool(row["is_back"]),
        answer_id=row["answer_id"],
    )
