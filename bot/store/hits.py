"""What others said to the bot or of its subjects: each read once, with what became of it, and who said stop."""

from __future__ import annotations

import hashlib
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any, Final

from bot.core.dedupe import WINDOW, Candidate
from bot.core.hits import Stream
from bot.core.model import ANSWERS, Entry, Fresh
from bot.core.pacing import MIDDLE
from bot.core.signature import SIGNATURE_VERSION, decode, encode
from bot.store.entries import Entries
from bot.store.hit_rows import KnownHit, Reading, known_hit
from bot.store.rows import rows
from bot.store.times import from_seconds, known

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlite_utils import Database

    from bot.core.hits import Hit
    from bot.core.signature import Signature

ANSWERED: Final = "answered"
POSTED: Final = "posted"

TEXTS_KEPT: Final = timedelta(hours=23)
"""What others wrote is forgotten so long after it was read: X wants the text of a post that was deleted gone within 24 hours, and says of
none that it was; an hour is for the next look at the clock. It is the strictest of the networks' rules, so it serves them all. Ids and
outcomes stay for good, hashes of the words for SIGNATURES_KEPT, so that nothing is answered twice."""

SIGNATURES_KEPT: Final = WINDOW
"""What was answered is held against copies for so long; no words can be made of its hashes."""

_FORGOTTEN: Final = "(its words are not kept)"

_UNDECIDED: Final = ("no_match", "excluded", "language", "not_summoned", "no_answer")
"""Outcomes of one stream that another stream's rule may still change."""


class Hits:
    """The tables of hits, readings and opt-outs. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def reading(self, destination: str, stream: Stream, search: str, now: datetime) -> Reading | None:
        """Return where a reading stands, with what it has cost on the UTC day of `now`; None before the first look."""
        query = "select * from hit_readings where destination = ? and stream = ? and search = ?"
        found = rows(self._db, query, [destination, stream, search])
        if not found:
            return None
        row = found[0]
        return Reading(
            stream=Stream(row["stream"]),
            search=row["search"],
            newest_id=row["newest_id"],
            since_at=known(row["since_at"]),
            read_at=from_seconds(row["read_at"]),
            not_before=known(row["not_before"]),
            failures=row["failures"],
            reason=row["reason"],
            micros=row["micros"] if row["day"] == day_of(now) else 0,
        )

    def begin(
        self, destination: str, stream: Stream, search: str, now: datetime, not_before: datetime
    ) -> None:
        """Note the first look at a stream: what is there already is not answered."""
        self._db.execute(
            """
            insert or ignore into hit_readings (destination, stream, search, since_at, not_before)
            values (?, ?, ?, ?, ?)
            """,
            [destination, stream, search, now.timestamp(), not_before.timestamp()],
        )

    def spend(self, destination: str, reading: Reading, micros: int, now: datetime) -> None:
        """Note what a reading has cost on the UTC day of `now`, or may cost before it is made."""
        self._db.execute(
            "update hit_readings set day = ?, micros = ? where destination = ? and stream = ? and search = ?",
            [day_of(now), micros, destination, reading.stream, reading.search],
        )

    def was_read(
        self, destination: str, reading: Reading, newest: str | None, now: datetime, not_before: datetime
    ) -> None:
        """Note that a stream was read to its end."""
        self._db.execute(
            """
            update hit_readings set newest_id = coalesce(?, newest_id), read_at = ?, not_before = ?, failures = 0,
                reason = null where destination = ? and stream = ? and search = ?
            """,
            [newest, now.timestamp(), not_before.timestamp(), destination, reading.stream, reading.search],
        )

    def wait(
        self, destination: str, reading: Reading, until: datetime, reason: str, *, failed: bool = True
    ) -> None:
        """Read a stream later, and say why."""
        self._db.execute(
            """
            update hit_readings set not_before = ?, reason = ?, failures = failures + ?
            where destination = ? and stream = ? and search = ?
            """,
            [until.timestamp(), reason, int(failed), destination, reading.stream, reading.search],
        )

    def readings(self, destination: str, now: datetime) -> list[Reading]:
        """Return every reading of a destination."""
        query = "select stream, search from hit_readings where destination = ? order by stream, search"
        named = rows(self._db, query, [destination])
        found = [self.reading(destination, Stream(r["stream"]), r["search"], now) for r in named]
        return [reading for reading in found if reading is not None]

    def is_settled(self, destination: str, hit: Hit, stream: Stream) -> bool:
        """Say whether a hit was decided: it is not looked at again, unless another stream's rule may want it."""
        query = "select stream, outcome from hits where destination = ? and id = ?"
        found = rows(self._db, query, [destination, hit.id])
        if not found:
            return False
        return found[0]["stream"] == stream or found[0]["outcome"] not in _UNDECIDED

    def is_handled(self, destination: str, hit: Hit) -> bool:
        """Say whether a hit, what it repeats, or what repeats the same was answered or passed on."""
        query = """
            select 1 from hits where destination = :destination and outbox_id is not null
                and (id in (:id, :original) or original in (:id, :original)) limit 1
        """
        values = {"destination": destination, "id": hit.id, "original": hit.original or hit.id}
        return bool(rows(self._db, query, values))

    def in_conversation(self, destination: str, conversation: str) -> bool:
        """Say whether somebody in a conversation was answered; never where it is not known."""
        query = """
            select 1 from hits where destination = ? and conversation = ? and answered_at is not null limit 1
        """
        return bool(conversation) and bool(rows(self._db, query, [destination, conversation]))

    def turns(
        self, destination: str, author: str, since: datetime, now: datetime
    ) -> tuple[int, datetime | None]:
        """Return how often an author was answered since, and when last, None for never; an answer on its way counts as of now."""
        query = """
            select count(*) filter (where h.answered_at > :since) as n, max(
                case when o.state in ('queued', 'sending', 'unknown') then :now else max(h.answered_at, coalesce(o.claimed_at, 0)) end
            ) as last
            from hits h join outbox o on o.id = h.outbox_id
            where h.destination = :destination and h.author = :author and h.answered_at is not null
        """
        values = {
            "since": since.timestamp(),
            "now": now.timestamp(),
            "destination": destination,
            "author": author,
        }
        row = rows(self._db, query, values)[0]
        return row["n"], from_seconds(row["last"])

    def has_stopped(self, destination: str, author: str) -> bool:
        """Say whether an author said stop."""
        query = "select 1 from opt_outs where destination = ? and author = ?"
        return bool(rows(self._db, query, [destination, author]))

    def stop(self, destination: str, hit: Hit, now: datetime) -> list[int]:
        """Never answer an author again; let go what waits for them, and return those rows."""
        self._db.execute(
            "insert or ignore into opt_outs values (?, ?, ?, ?)",
            [destination, hit.author, hit.id, now.timestamp()],
        )
        query = """
            select o.id from hits h join outbox o on o.id = h.outbox_id
            where h.destination = ? and h.author = ? and o.state = 'queued'
        """
        waiting = [row["id"] for row in rows(self._db, query, [destination, hit.author])]
        for row_id in waiting:
            self._db.execute(
                """
                update outbox set state = 'dropped', reason = 'its author said stop', settled_at = ?, waits_for = null,
                    text_hash = null where id = ?
                """,
                [now.timestamp(), row_id],
            )
        return waiting

    def stopped(self) -> list[tuple[str, str, datetime]]:
        """Return who said stop, as (destination, author, when), the newest first."""
        found = rows(self._db, "select * from opt_outs order by at desc", [])
        return [(row["destination"], row["author"], known(row["at"])) for row in found]

    def comparable(self, destination: str, since: datetime) -> list[tuple[str, Candidate]]:
        """Return the answered and passed-on hits since, with their ids, for comparison."""
        query = """
            select rowid, * from hits where destination = ? and seen_at > ? and signature is not null
                and signature_version = ? and outbox_id is not null order by seen_at desc limit 2000
        """
        found = rows(self._db, query, [destination, since.timestamp(), SIGNATURE_VERSION])
        return [
            (
                row["id"],
                Candidate(
                    entry_id=row["rowid"],
                    lead_id=row["rowid"],
                    feed=row["author"],
                    title="",
                    link=None,
                    seen_at=known(row["seen_at"]),
                    published=known(row["created_at"]),
                    signature=decode(row["signature"]),
                ),
            )
            for row in found
        ]

    def number_due(self, destination: str, search: str, day: str) -> int:
        """Return how many answers and reposts of a rule count for a UTC day."""
        query = "select count(*) as n from hits where destination = ? and search = ? and due_on = ?"
        return int(rows(self._db, query, [destination, search, day])[0]["n"])

    def number_answered(self, destination: str, search: str) -> int:
        """Return how many answers a rule has given, ever."""
        query = (
            "select count(*) as n from hits where destination = ? and search = ? and answered_at is not null"
        )
        return int(rows(self._db, query, [destination, search])[0]["n"])

    def said_since(self, destination: str, since: datetime) -> frozenset[str]:
        """Return the texts of answers that were queued since."""
        query = """
            select e.title from hits h join outbox o on o.id = h.outbox_id join entries e on e.id = o.entry_id
            where h.destination = ? and h.answered_at > ?
        """
        return frozenset(row["title"] for row in rows(self._db, query, [destination, since.timestamp()]))

    def skip(
        self,
        destination: str,
        hit: Hit,
        stream: Stream,
        search: str,
        outcome: str,
        detail: str,
        now: datetime,
    ) -> None:
        """Keep a hit that is not answered, and why."""
        self._put(destination, hit, stream, search, outcome, detail, now, {})

    def queue(  # noqa: PLR0913 - what there is to know of an answer, by name
        self,
        destination: str,
        hit: Hit,
        stream: Stream,
        search: str,
        *,
        text: str,
        repost: bool,
        signature: Signature | None,
        now: datetime,
        not_before: datetime,
        expires_at: datetime,
        priority: int = MIDDLE,
    ) -> int:
        """Keep a hit and queue its answer, or its repost; return the row of the outbox."""
        entry = Entry(
            feed=ANSWERS,
            guid=f"{destination} {'repost of' if repost else 'answer to'} {hit.id}",
            title=text,
            published=hit.created_at,
        )
        entry_id = Entries(self._db).add(entry, Fresh(), variant=_variant(entry), now=now)
        who = f"@{hit.name}" if hit.name else hit.author
        why = f"{'passes on' if repost else 'answers'} post {hit.id} of {who}, for {search}"
        cursor = self._db.execute(
            """
            insert into outbox (
                entry_id, destination, state, reason, queued_at, not_before, expires_at, priority, answers, summoned, repost_of
            ) values (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                entry_id,
                destination,
                why,
                now.timestamp(),
                not_before.timestamp(),
                expires_at.timestamp(),
                priority,
                None if repost else hit.reference,
                int(hit.mentions_us and not repost),
                hit.reference if repost else None,
            ],
        )
        row_id = int(cursor.lastrowid or 0)
        more = {
            "answered_at": None if repost else not_before.timestamp(),
            "due_on": day_of(not_before),
            "outbox_id": row_id,
            "signature": encode(signature) if signature is not None else None,
            "signature_version": SIGNATURE_VERSION if signature is not None else None,
        }
        self._put(destination, hit, stream, search, POSTED if repost else ANSWERED, text, now, more)
        return row_id

    def _put(
        self,
        destination: str,
        hit: Hit,
        stream: Stream,
        search: str,
        outcome: str,
        detail: str,
        now: datetime,
        more: dict[str, Any],
    ) -> None:
        row = {
            "destination": destination,
            "id": hit.id,
            "stream": stream,
            "search": search,
            "author": hit.author,
            "name": hit.name,
            "conversation": hit.conversation,
            "original": hit.original,
            "text": hit.text,
            "created_at": hit.created_at.timestamp(),
            "seen_at": now.timestamp(),
            "outcome": outcome,
            "detail": detail,
            **more,
        }
        names = ", ".join(row)
        marks = ", ".join(f":{name}" for name in row)
        self._db.execute(f"insert or replace into hits ({names}) values ({marks})", row)  # noqa: S608 - our own names

    def newest(self, limit: int, outcomes: Sequence[str] = ()) -> list[KnownHit]:
        """Return the hits that were seen last, the newest first; with `outcomes` only those."""
        marks = ",".join("?" * len(outcomes))
        where = f"where outcome in ({marks})" if outcomes else ""
        query = f"select * from hits {where} order by seen_at desc, created_at desc limit ?"  # noqa: S608 - marks
        return [known_hit(row) for row in rows(self._db, query, [*outcomes, limit])]

    def forget_texts(self, now: datetime) -> None:
        """Forget what others wrote that was read TEXTS_KEPT ago or longer, and later its hashes; what became of it stays.

        A post that still waits to be passed on keeps the words by which people know it in the queue.
        """
        texts = {"before": (now - TEXTS_KEPT).timestamp(), "forgotten": _FORGOTTEN, "posted": POSTED}
        self._db.execute(
            """
            update entries set title = :forgotten where title <> :forgotten and id in (
                select o.entry_id from hits h join outbox o on o.id = h.outbox_id
                where h.outcome = :posted and h.seen_at < :before and o.state not in ('queued', 'sending', 'unknown')
            )
            """,
            texts,
        )
        self._db.execute(
            """
            update hits set text = null, detail = iif(outcome = :posted, :forgotten, detail)
            where seen_at < :before and text is not null
            """,
            texts,
        )
        self._db.execute(
            "update hits set signature = null where seen_at < ? and signature is not null",
            [(now - SIGNATURES_KEPT).timestamp()],
        )


def day_of(now: datetime) -> str:
    """Return the UTC day of a moment, as "2026-12-03"."""
    return f"{now.astimezone(UTC):%Y-%m-%d}"


def _variant(entry: Entry) -> int:
    digest = hashlib.blake2b((entry.guid or "").encode(), digest_size=8).digest()
    return int.from_bytes(digest, signed=True)
