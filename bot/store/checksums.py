"""The checksums of the classic ten-word form: what recent entries have, and which share some with a new one."""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.core.classic_verdict import ClassicCandidate, ClassicText
from bot.store.entries import UNTOLD, entries_without
from bot.store.times import known

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database

NEWEST_OF_A_KEY = 64
"""Entries that are looked at for one checksum, newest first: a feed's footer stands in all its entries, and would
otherwise lead to each of them."""

CANDIDATES = 24
"""Those that share most checksums are compared in full; a text of which more than half is common is among the first."""


@dataclass(frozen=True, slots=True)
class Checksums:
    """The tables of checksums; filled where the classic form judges, and with the texts that a person marks."""

    _db: Database

    def add(self, entry_id: int, text: ClassicText, now: datetime) -> bool:
        """Keep the checksums of an entry and make it findable by them; say whether there was anything new to keep.

        Call it in a transaction.
        """
        if not text.whole:
            return False
        cursor = self._db.execute(
            "insert or ignore into classic_texts (entry_id, seen_at, whole, sums) values (?, ?, ?, ?)",
            [entry_id, now.timestamp(), text.whole, struct.pack(f"<{len(text.sums)}i", *text.sums)],
        )
        if not cursor.rowcount:
            return False
        self._db.conn.executemany(
            "insert into classic_keys (key, entry_id) values (?, ?)", [(key, entry_id) for key in text.keys]
        )
        return True

    def candidates(self, text: ClassicText, since: datetime) -> list[ClassicCandidate]:
        """Return the entries seen since that share most keys with `text`, at most `CANDIDATES`, best first."""
        shared: Counter[int] = Counter()
        for key in text.keys:
            newest = "select entry_id from classic_keys where key = ? order by entry_id desc limit ?"
            shared.update(row[0] for row in self._db.execute(newest, [key, NEWEST_OF_A_KEY]))
        found: list[ClassicCandidate] = []
        for entry_id, _ in sorted(shared.items(), key=lambda item: (-item[1], -item[0])):
            candidate = self._candidate(entry_id, since)
            if candidate is not None:
                found.append(candidate)
            if len(found) == CANDIDATES:
                break
        return found

    def _candidate(self, entry_id: int, since: datetime) -> ClassicCandidate | None:
        told = ",".join(f"'{reason}'" for reason in sorted(UNTOLD))
        query = f"""
            select t.seen_at, t.whole, t.sums, e.feed, e.title, e.summary, e.link,
                   coalesce(e.lead_id, e.id) as lead_id
            from classic_texts t join entries e on e.id = t.entry_id
            where t.entry_id = ? and t.seen_at >= ? and not (e.verdict = 'rejected' and e.reason in ({told}))
        """  # noqa: S608 - our own words
        for row in list(self._db.query(query, [entry_id, since.timestamp()])):
            return ClassicCandidate(
                entry_id=entry_id,
                lead_id=row["lead_id"],
                feed=row["feed"],
                title=row["title"] or row["summary"][:100],
                link=row["link"],
                said=f"{row['title']}\n{row['summary']}",
                seen_at=known(row["seen_at"]),
                text=ClassicText(
                    sums=struct.unpack(f"<{len(row['sums']) // 4}i", row["sums"]), whole=row["whole"]
                ),
            )
        return None

    def lacking(self, since: datetime, *, after: int, limit: int) -> list[int]:
        """Return the rows after `after` that came since, repeat no other and have no checksums, in order.

        Texts without a word never have any.
        """
        query = "select entry_id from classic_texts"
        return entries_without(self._db, query, [], since, after=after, limit=limit)

    def forget_before(self, seconds: float) -> None:
        """Drop what was seen before; call it in a transaction."""
        self._db.execute("delete from classic_texts where seen_at < ?", [seconds])
