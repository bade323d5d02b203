"""The signature cache: what recent entries look like, and which share a key with a new one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot.core.bodies import BODY_VERSION, BodySignature, body_keys, decode_body, encode_body
from bot.core.dedupe import Candidate
from bot.core.signature import SIGNATURE_VERSION, Signature, candidate_keys, decode, encode
from bot.store.entries import UNTOLD, entries_without
from bot.store.frequencies import Frequencies
from bot.store.rows import padded, rows, write
from bot.store.times import from_seconds, known

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlite_utils import Database


NEWEST_OF_A_KEY = 64
"""Entries that are looked at for one key, newest first. A key is a pair of rare words, so few have more; a feed of a
thousand like titles would otherwise be compared with itself a million times."""

NEWEST_OF_A_BODY_KEY = 32
"""The same for bodies, whose keys are runs of five words: what more than this many share is no passage of a story."""

CANDIDATES = 24
"""As many share enough keys to be worth a comparison: measured on a million entries, the right one is among them for
.987 to 1.0 of every kind of edit."""

BODY_CANDIDATES = 8
"""Those that share most keys of the body join them; a copy shares a dozen of 24, an article that quotes it one or two."""

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)

_TOLD = ",".join(f"'{reason}'" for reason in sorted(UNTOLD))


class Signatures:
    """The tables of signatures, of samples of bodies, and of the candidate keys of both."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._frequencies = Frequencies(db)
        self._chosen: tuple[Signature, Mapping[int, int], tuple[int, ...]] | None = None

    def add(self, entry_id: int, signature: Signature, now: datetime) -> None:
        """Keep the signature of an entry, instead of an older version's, and make it findable; call it in a transaction.

        `now` is when the bot first saw the entry.
        """
        self._forget("entry_id = ?", [entry_id])
        keep = """
            insert into signatures (entry_id, version, seen_at, body) values (?, ?, ?, ?)
            on conflict (entry_id) do update set version = excluded.version, body = excluded.body
        """
        write(self._db, keep, [entry_id, SIGNATURE_VERSION, now.timestamp(), encode(signature)])
        self._db.conn.executemany(
            "insert or ignore into signature_keys (key, entry_id) values (?, ?)",
            [(key, entry_id) for key in self._keys(signature, self._frequencies.current())],
        )

    def add_body(self, entry_id: int, feed: str, body: BodySignature, repeated: frozenset[int]) -> None:
        """Keep the sample of an entry's body beside its signature, whole, findable by what is not `repeated`.

        Call it in a transaction, after `add`.
        """
        keep = "insert into bodies (entry_id, feed, version, sample) values (?, ?, ?, ?)"
        write(self._db, keep, [entry_id, feed, BODY_VERSION, encode_body(body)])
        self._db.conn.executemany(
            "insert or ignore into body_keys (key, entry_id) values (?, ?)",
            [(key, entry_id) for key in body_keys(body.without(repeated))],
        )

    def candidates(
        self,
        signature: Signature,
        since: datetime,
        limit: int = CANDIDATES,
        body: BodySignature | None = None,
    ) -> list[Candidate]:
        """Return the entries seen since that share most keys with `signature`, at most `limit`, best first.

        With a `body`, the entries that share most of its keys follow, at most 8, and each has the sample of its own.
        """
        keys = {
            key: None for learned in self._frequencies.orders(since) for key in self._keys(signature, learned)
        }
        found = self._sharing("signature_keys", list(keys), since, limit, newest=NEWEST_OF_A_KEY)
        if body is None:
            return [_candidate(row, None) for row in found]
        met = {row["entry_id"] for row in found}
        for row in self._sharing(
            "body_keys", body_keys(body), since, BODY_CANDIDATES, newest=NEWEST_OF_A_BODY_KEY
        ):
            if row["entry_id"] not in met:
                found.append(row)
        bodies = self._bodies([row["entry_id"] for row in found])
        return [_candidate(row, bodies.get(row["entry_id"])) for row in found]

    def _forget(self, which: str, values: Sequence[Any]) -> None:
        """Drop the keys of the signatures that are `which`: of each order by which they can have been chosen."""
        chosen = f"select entry_id, body from signatures where version = ? and {which}"  # noqa: S608 - our own words
        kept = rows(self._db, chosen, [SIGNATURE_VERSION, *values])
        if not kept:
            return
        orders = self._frequencies.orders(_LONG_AGO)
        for row in kept:
            signature = decode(row["body"])
            keys = {key for learned in orders for key in candidate_keys(signature, learned)}
            self._db.conn.executemany(
                "delete from signature_keys where key = ? and entry_id = ?",
                [(key, row["entry_id"]) for key in keys],
            )

    def _keys(self, signature: Signature, learned: Mapping[int, int]) -> tuple[int, ...]:
        """Return the keys of a signature; those that an entry was looked up by are those that it is kept under."""
        if self._chosen is None or self._chosen[0] is not signature or self._chosen[1] is not learned:
            self._chosen = signature, learned, candidate_keys(signature, learned)
        return self._chosen[2]

    def _sharing(
        self, table: str, keys: Sequence[int], since: datetime, limit: int, *, newest: int
    ) -> list[dict[str, Any]]:
        """Return those that share most of the keys, best first; of each key the newest alone are looked at."""
        if not keys:
            return []
        keys = padded(keys)
        of_a_key = f"select entry_id from {table} where key = ? order by entry_id desc limit {newest}"  # noqa: S608 - our own words
        found = " union all ".join([f"select * from ({of_a_key})"] * len(keys))  # noqa: S608 - our own words
        query = f"""
            select s.entry_id, s.seen_at, s.body, e.feed, e.title, e.link, e.published,
                   coalesce(e.lead_id, e.id) as lead_id, k.shared
            from (select entry_id, count(*) as shared from ({found}) group by entry_id) k
            join signatures s on s.entry_id = k.entry_id
            join entries e on e.id = k.entry_id
            where s.seen_at >= ? and s.version = ?
              and not (e.verdict = 'rejected' and e.reason in ({_TOLD}))
            order by k.shared desc, s.seen_at desc limit ?
        """  # noqa: S608 - our own words
        return rows(self._db, query, [*keys, since.timestamp(), SIGNATURE_VERSION, limit])

    def _bodies(self, entry_ids: Sequence[int]) -> dict[int, BodySignature]:
        entry_ids = padded(entry_ids)
        marks = ",".join("?" * len(entry_ids))
        query = f"select entry_id, sample from bodies where version = ? and entry_id in ({marks})"  # noqa: S608 - marks
        there = rows(self._db, query, [BODY_VERSION, *entry_ids])
        return {row["entry_id"]: decode_body(row["sample"]) for row in there}

    def newest_bodies(self, feed: str, limit: int) -> list[BodySignature]:
        """Return the samples of the newest bodies of `feed`, at most `limit`, newest first."""
        query = "select sample from bodies where feed = ? and version = ? order by entry_id desc limit ?"
        return [decode_body(row["sample"]) for row in rows(self._db, query, [feed, BODY_VERSION, limit])]

    def lacking(self, since: datetime, *, after: int, limit: int) -> list[int]:
        """Return the rows after `after` that came since, repeat no other and have no signature of this version, in order."""
        query = "select entry_id from signatures where version = ?"
        return entries_without(self._db, query, [SIGNATURE_VERSION], since, after=after, limit=limit)

    def of_entry(self, entry_id: int) -> tuple[Signature | None, BodySignature | None]:
        """Return what is kept of an entry; None for what is not, or was made by another version."""
        query = "select body from signatures where entry_id = ? and version = ?"
        there = rows(self._db, query, [entry_id, SIGNATURE_VERSION])
        signature = decode(there[0]["body"]) if there else None
        has_bodies = self._db["bodies"].exists()  # a database of before, opened for reading, has none
        return signature, self._bodies([entry_id]).get(entry_id) if has_bodies else None

    def forget_before(self, seconds: float) -> None:
        """Drop what was seen before, bodies and keys included; call it in a transaction.

        Labelled entries stay: a label can then be judged again by what the bot knew of both.
        """
        labelled = "select one_id from labels union select other_id from labels"
        which = f"seen_at < ? and entry_id not in ({labelled})"
        self._forget(which, [seconds])
        self._db.execute(f"delete from signatures where {which}", [seconds])  # noqa: S608 - our own words
        self._frequencies.forget_before(seconds)

    def learn(self, now: datetime) -> int | None:
        """Learn which words the stream has more often, when that is due; return how many keys' words were moved.

        Call it in a transaction.
        """
        moved = self._frequencies.learn(now)
        if (
            moved is not None
        ):  # once a week at most: keys of another version's signatures, which nobody can tell any more
            write(
                self._db, "delete from signature_keys where entry_id not in (select entry_id from signatures)"
            )
        return moved


def _candidate(row: dict[str, Any], body: BodySignature | None) -> Candidate:
    return Candidate(
        entry_id=row["entry_id"],
        lead_id=row["lead_id"],
        feed=row["feed"],
        title=row["title"],
        link=row["link"],
        seen_at=known(row["seen_at"]),
        published=from_seconds(row["published"]),
        signature=decode(row["body"]),
        body=body,
    )
