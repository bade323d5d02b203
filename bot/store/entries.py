"""Every entry that was ever seen, its verdict with the reason, and the keys that it is known by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.core.corrections import Words
from bot.core.identity import key_hash, still_holds
from bot.core.model import Entry, Key, Match, Reason, Step, Verdict
from bot.store.entry_rows import (
    VERDICT_COLUMNS,
    VERDICT_SET,
    StoredEntry,
    as_json,
    decided,
    steps_as_json,
    stored,
)
from bot.store.finding import rows_named, rows_with_words
from bot.store.rows import padded, put_row, row_of, rows, write
from bot.store.times import from_seconds, known, to_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from sqlite_utils import Database

__all__ = ["INCOMPLETE", "SUMMARY_KEPT", "UNTOLD", "Entries", "StoredEntry", "entries_without"]

CHUNK = 500  # well under SQLite's limit of variables in one statement


class Entries:
    """The table of entries and the table of their keys."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def any(self) -> bool:
        """Say whether any entry is known."""
        return bool(rows(self._db, "select 1 from entries limit 1"))

    def touch(self, feed: str, variants: Collection[int], now: datetime) -> dict[int, datetime | None]:
        """Note that entries of `feed` are still in it; return the published dates of those known, by variant.

        Call it in a transaction.
        """
        found: dict[int, datetime | None] = {}
        values = list(variants)
        for start in range(0, len(values), CHUNK):
            part = padded(values[start : start + CHUNK])
            marks = ",".join("?" * len(part))
            query = f"select id, variant, published from entries where feed = ? and variant in ({marks})"  # noqa: S608 - marks
            there = rows(self._db, query, [feed, *part])
            if not there:
                continue
            found.update({row["variant"]: from_seconds(row["published"]) for row in there})
            ids = padded([row["id"] for row in there])
            marks = ",".join("?" * len(ids))
            update = f"update entries set last_seen_at = ? where id in ({marks})"  # noqa: S608 - marks
            write(self._db, update, [now.timestamp(), *ids])
        return found

    def without_mark(
        self, feed: str, variants: Sequence[int], has_mark: Callable[[Words], bool]
    ) -> list[int]:
        """Return those of `variants`, which are known, whose title and summary had no mark when they were seen first."""
        query = "select title, summary from entries where feed = ? and variant = ?"
        return [
            number
            for number in variants
            for row in rows(self._db, query, [feed, number])
            if not has_mark(Words(title=row["title"], summary=row["summary"]))
        ]

    def known_by(
        self, keys: Iterable[Key], feed: str, now: datetime, *, telling: bool = True
    ) -> tuple[Key, StoredEntry] | None:
        """Return the first of `keys` by which an earlier entry is known and still counts, with that entry.

        An entry that was filtered or incomplete was told to nobody: it does not stand in the way of other
        feeds' copies, nor, when it was incomplete, of its own feed's complete version (`telling`).
        """
        by_hash: dict[bytes, Key] = {}
        for key in keys:
            by_hash.setdefault(key_hash(key), key)
        if not by_hash:
            return None
        hashes = padded(list(by_hash))
        query = f"""
            select e.*, k.seen_at as key_seen_at, k.key as key from entry_keys k join entries e on e.id = k.entry_id
            where k.key in ({",".join("?" * len(hashes))})
        """  # noqa: S608 - marks
        there = {row["key"]: row for row in rows(self._db, query, hashes)}
        for hashed, key in by_hash.items():
            row = there.get(hashed)
            if row is None:
                continue
            same_feed = row["feed"] == feed
            if row["verdict"] == "rejected" and row["reason"] in UNTOLD and not same_feed:
                continue
            if row["verdict"] == "rejected" and row["reason"] in INCOMPLETE and telling:
                continue
            if still_holds(key, same_feed=same_feed, seen_at=known(row["key_seen_at"]), now=now):
                return key, stored(row)
        return None

    def add(
        self,
        entry: Entry,
        verdict: Verdict,
        *,
        variant: int,
        now: datetime,
    ) -> int:
        """Keep `entry` and what was decided of it; return its row. Call it in a transaction."""
        row = {
            "feed": entry.feed,
            "variant": variant,
            "guid": entry.guid,
            "link": entry.link,
            "orig_link": entry.orig_link,
            "title": entry.title,
            "summary": entry.summary[:SUMMARY_KEPT],
            "image": entry.image,
            "image_alt": entry.image_alt,
            "categories": as_json(entry.categories),
            "published": to_seconds(entry.published),
            "updated": to_seconds(entry.updated),
            "first_seen_at": now.timestamp(),
            "last_seen_at": now.timestamp(),
            **dict(zip(VERDICT_COLUMNS, decided(verdict), strict=True)),
            "trace": "[]",
        }
        return put_row(self._db, "entries", row)

    def keep_trace(self, entry_id: int, trace: Iterable[Step]) -> None:
        """Keep the steps of a decision; call it in a transaction."""
        self.conclude([(entry_id, None, trace)])

    def learn_keys(self, keys: Iterable[Key], entry_id: int, now: datetime) -> None:
        """Make `entry_id` known by those of `keys` that lead to no entry that was told; call it in a transaction."""
        self._write_keys(f"{_TAKE} where {_LEADS_TO_UNTOLD}", keys, entry_id, now)

    def take_keys(self, keys: Iterable[Key], entry_id: int, now: datetime) -> None:
        """Make `entry_id` known by `keys`, wherever they led before; call it in a transaction."""
        self._write_keys(_TAKE, keys, entry_id, now)

    def _write_keys(self, query: str, keys: Iterable[Key], entry_id: int, now: datetime) -> None:
        self._db.conn.executemany(query, [(key_hash(key), entry_id, now.timestamp()) for key in keys])

    def titles_seen_at(self, feed: str, times: Sequence[datetime]) -> dict[str, Match]:
        """Return the entries of `feed` last seen at exactly these times, by title; the newest of equal titles."""
        marks = ",".join("?" * len(times))
        query = f"""
            select id, lead_id, feed, title, link, first_seen_at from entries
            where feed = ? and last_seen_at in ({marks}) and title <> '' order by id
        """  # noqa: S608 - marks
        there = rows(self._db, query, [feed, *(time.timestamp() for time in times)])
        return {
            row["title"]: Match(
                entry_id=row["id"],
                lead_id=row["lead_id"] or row["id"],
                feed=row["feed"],
                title=row["title"],
                link=row["link"],
                seen_at=known(row["first_seen_at"]),
            )
            for row in there
        }

    def newest_texts(self, feed: str, limit: int) -> list[Entry]:
        """Return title and summary of the newest entries of `feed` that repeat no other, oldest first."""
        query = """
            select title, summary from entries where feed = ? and verdict <> 'duplicate'
            order by last_seen_at desc, id desc limit ?
        """
        there = rows(self._db, query, [feed, limit])
        return [Entry(feed=feed, title=row["title"], summary=row["summary"]) for row in reversed(there)]

    def get(self, entry_id: int) -> StoredEntry:
        """Return one entry; raise KeyError when there is none."""
        return stored(row_of(self._db, "entries", entry_id))

    def settle(self, entry_id: int, verdict: Verdict) -> None:
        """Change what was decided of an entry; an entry that leaves its hold keeps the hold's number.

        Call it in a transaction.
        """
        write(self._db, f"update entries set {VERDICT_SET} where id = ?", [*decided(verdict), entry_id])  # noqa: S608 - our own words

    def conclude(self, decisions: Iterable[tuple[int, Verdict | None, Iterable[Step]]]) -> None:
        """Keep the steps of decisions, and the verdict where it has changed since `add`; call it in a transaction.

        Each is the entry's number, its verdict (None: as it was added) and its steps.
        """
        settled, traced = [], []
        for entry_id, verdict, trace in decisions:
            text = steps_as_json(trace)
            if verdict is None:
                traced.append((text, entry_id))
            else:
                settled.append((*decided(verdict), text, entry_id))
        self._db.conn.executemany("update entries set trace = ? where id = ?", traced)
        self._db.conn.executemany(f"update entries set {VERDICT_SET}, trace = ? where id = ?", settled)  # noqa: S608 - our own words

    def hand_over(self, lead_id: int, to: int) -> None:
        """Make the copies of one story those of another, led by the entry `to`; call it in a transaction."""
        write(self._db, "update entries set lead_id = ? where lead_id = ?", [to, lead_id])

    def lead_own_copies(self, entry_id: int) -> None:
        """Make an entry the lead of those that repeat it, and of those that repeat them; call it in a transaction."""
        self._db.execute(
            """
            with recursive copies (id) as (
                select id from entries where of_id = :lead and verdict = 'duplicate'
                union select e.id from entries e join copies c on e.of_id = c.id where e.verdict = 'duplicate'
            )
            update entries set lead_id = :lead where id in copies and id <> :lead
            """,
            {"lead": entry_id},
        )

    def in_hold(self, hold_id: int) -> list[StoredEntry]:
        """Return the entries that still wait in a hold, oldest first."""
        query = """
            select * from entries where hold_id = ? and verdict = 'held'
            order by coalesce(published, first_seen_at), id
        """
        return [stored(row) for row in rows(self._db, query, [hold_id])]

    def story(self, lead_id: int) -> list[StoredEntry]:
        """Return the lead and every entry that repeats it, in order of first sight."""
        query = "select * from entries where id = ? or lead_id = ? order by first_seen_at, id"
        return [stored(row) for row in rows(self._db, query, [lead_id, lead_id])]

    def versions(self, entry_id: int) -> list[StoredEntry]:
        """Return the entry and what its own feed told later under its guid or link, or in nearly the same words; oldest first."""
        query = """
            select v.* from entries l join entries v on v.lead_id = coalesce(l.lead_id, l.id)
            where l.id = ? and v.of_id = l.id and v.feed = l.feed and v.verdict = 'duplicate'
                and v.reason in ('same_guid', 'same_link', 'near_duplicate') order by v.id
        """
        return [self.get(entry_id), *(stored(row) for row in rows(self._db, query, [entry_id]))]

    def most_copied(self, since: datetime, limit: int) -> list[int]:
        """Return the leads of the stories that were repeated since, those that most feeds repeated first.

        Copies in the lead's own feed, which are most often edits, count only among equals.
        The plus signs have SQLite read the newest entries by their index, not every story.
        """
        query = """
            select c.lead_id, count(distinct case when c.feed <> l.feed then c.feed end) as others, count(*) as copies
            from entries c join entries l on l.id = c.lead_id
            where c.first_seen_at >= ? and +c.lead_id is not null
            group by +c.lead_id order by others desc, copies desc, c.lead_id desc limit ?
        """
        return [row["lead_id"] for row in rows(self._db, query, [since.timestamp(), limit])]

    def find_exact(self, what: str, limit: int) -> list[StoredEntry]:
        """Return the entries with the link or guid `what`, in any form of it, or with that number.

        Those whose own link it is come first, the one that the link is known by before the others; then what else is
        known by it, newest first.
        """
        return [stored(row) for row in rows_named(self._db, what, limit)]

    def find_text(self, text: str, limit: int = 10) -> list[StoredEntry]:
        """Return the newest entries whose title or summary holds `text`, newest first."""
        return [stored(row) for row in rows_with_words(self._db, text, limit)]

    def seen_since(self, since: datetime) -> Iterator[StoredEntry]:
        """Yield what was first seen since, in the order in which it was stored."""
        query = "select * from entries where first_seen_at >= ? order by id"
        for row in rows(self._db, query, [since.timestamp()]):
            yield stored(row)

    def skipped_since(self, since: datetime) -> list[int]:
        """Return the numbers of the entries first seen since that repeat another, the oldest first."""
        # The index by time holds the verdict: no row is read.
        query = """
            select id from entries where verdict = 'duplicate' and first_seen_at >= ? order by first_seen_at
        """
        return [row["id"] for row in rows(self._db, query, [since.timestamp()])]

    def seen_at_newest(self, number: int) -> datetime | None:
        """Return when the `number`-th newest entry was first seen, None where there are fewer."""
        query = "select first_seen_at from entries order by first_seen_at desc limit 1 offset ?"
        found = rows(self._db, query, [number - 1])
        return known(found[0]["first_seen_at"]) if found else None

    def count_since(self, since: datetime) -> list[tuple[str, str, str, int]]:
        """Count what was first seen since, as (feed, verdict, reason, how many)."""
        # The plus keeps SQLite from reading every entry in order of feed, where an index knows the newest.
        query = """
            select feed, verdict, reason, count(*) as n from entries where first_seen_at >= ?
            group by +feed, verdict, reason order by feed, n desc
        """
        there = rows(self._db, query, [since.timestamp()])
        return [(row["feed"], row["verdict"], row["reason"], row["n"]) for row in there]


INCOMPLETE = frozenset({Reason.NO_LINK, Reason.EMPTY})
"""Rejected for one of these, an entry may come back complete and is then judged anew."""

UNTOLD = INCOMPLETE | {Reason.FILTERED, Reason.SECRET}
"""An entry rejected for one of these was told to nobody, so it hides no other feed's copy of its story."""

SUMMARY_KEPT = 2000
"""Characters of a summary that are kept: more than any destination takes."""


_TAKE = """
    insert into entry_keys (key, entry_id, seen_at) values (?, ?, ?)
    on conflict (key) do update set entry_id = excluded.entry_id, seen_at = excluded.seen_at
"""

_LEADS_TO_UNTOLD = f"""exists (
    select 1 from entries e where e.id = entry_keys.entry_id
    and e.verdict = 'rejected' and e.reason in ({", ".join(f"'{reason}'" for reason in sorted(UNTOLD))})
)"""  # noqa: S608 - our own words


def entries_without(
    db: Database, having: str, values: Sequence[Any], since: datetime, *, after: int, limit: int
) -> list[int]:
    """Return the rows after `after` of entries first seen since, which repeat no other and are not among `having`."""
    query = f"""
        select id from entries where first_seen_at >= ? and +id > ? and verdict <> 'duplicate'
        and id not in ({having}) order by id limit ?
    """  # noqa: S608 - our own words
    return [row["id"] for row in rows(db, query, [since.timestamp(), after, *values, limit])]
