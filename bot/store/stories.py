"""Stories as people look at them: the newest first, by feed, reason, time and words; and counts by the day."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from bot.core.model import BY_HAND
from bot.store.entry_rows import StoredEntry, stored
from bot.store.rows import rows

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from datetime import datetime

    from sqlite_utils import Database

    Measured = tuple[float, float | None, float | None]
    """Points, threshold and resemblance."""


_NEVER: Final = 1e12
"""Seconds since 1970: after all that was seen."""


class Stories:
    """The table of entries, read for people. Nothing here writes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def newest(
        self,
        since: datetime,
        *,
        feed: str = "",
        verdict: str = "",
        reason: str = "",
        text: str = "",
        limit: int,
        offset: int = 0,
    ) -> list[int]:
        """Return the leads of stories of which something was first seen since, the newest first.

        A story is among them when one of its entries fits all that is given; "" fits anything.
        """
        given: dict[str, Any] = {"since": since.timestamp(), "limit": limit, "offset": offset}
        given |= {"feed": feed, "verdict": verdict, "reason": reason, "by_hand": BY_HAND}
        wanted = ["+feed = :feed"] if feed else ["feed <> :by_hand"]
        wanted += ["verdict = :verdict"] if verdict else []
        wanted += ["reason = :reason"] if reason else []
        if text:
            wanted.append("(title like :text escape '\\' or summary like :text escape '\\')")
            given["text"] = "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        query = f"""
            select coalesce(lead_id, id) as lead, max(first_seen_at) as at from entries
            where first_seen_at >= :since and {" and ".join(wanted)}
            group by 1 order by at desc, lead desc limit :limit offset :offset
        """  # noqa: S608 - our own words
        return [row["lead"] for row in rows(self._db, query, given)]

    def some_of(self, lead_id: int, limit: int) -> list[StoredEntry]:
        """Return the lead and the entries that repeat it, in order of first sight, at most `limit` of them."""
        query = """
            select * from (select * from entries where id = :lead union all select * from entries where lead_id = :lead)
            order by first_seen_at, id limit :limit
        """
        return [stored(row) for row in rows(self._db, query, {"lead": lead_id, "limit": limit})]

    def count_of(self, lead_id: int) -> int:
        """Return how many entries repeat a story's lead."""
        return int(rows(self._db, "select count(*) as n from entries where lead_id = ?", [lead_id])[0]["n"])

    def by_day(self, since: datetime, until: datetime | None = None) -> list[tuple[str, str, int]]:
        """Count what was first seen since, and before `until`, as (UTC day, verdict, how many), the oldest day first."""
        query = """
            select date(day * 86400, 'unixepoch') as day, verdict, n from (
                select cast(first_seen_at as integer) / 86400 as day, verdict, count(*) as n from entries
                where first_seen_at >= ? and first_seen_at < ? group by 1, 2 order by 1)
        """
        end = until.timestamp() if until else _NEVER
        return [
            (row["day"], row["verdict"], row["n"]) for row in rows(self._db, query, [since.timestamp(), end])
        ]

    def posts_by_day(self, since: datetime) -> dict[str, int]:
        """Count the posts that went out since, by UTC day."""
        query = """
            select date(coalesce(claimed_at, settled_at), 'unixepoch') as day, count(*) as n from outbox
            where state = 'sent' and settled_at >= ? group by 1
        """
        return {row["day"]: row["n"] for row in rows(self._db, query, [since.timestamp()])}

    def likenesses(
        self, since: datetime, limit: int, known: MutableMapping[int, Measured | None]
    ) -> list[dict[str, Any]]:
        """Return what was measured of the newest entries that were compared: id, verdict, reason, points, threshold, resemblance.

        Of an entry that repeats nothing they are those of its nearest miss.

        Args:
            since: when they were first seen.
            limit: entries that are looked at, compared or not, the newest.
            known: what was read of traces before, by entry, None where nothing was compared; what is missing is read, and
                put there. A trace's comparison stays what it was.
        """
        query = """
            select id, verdict, reason, resemblance from entries where first_seen_at >= ? order by first_seen_at desc limit ?
        """
        newest = rows(self._db, query, [since.timestamp(), limit])
        missing = [row["id"] for row in newest if row["id"] not in known]
        read = self._measured(missing)
        known.update((entry_id, read.get(entry_id)) for entry_id in missing)
        found = []
        for row in newest:
            measured = known.get(row["id"])
            if measured is not None:
                points, threshold, resemblance = measured
                own = row["resemblance"]
                row |= {
                    "points": points,
                    "threshold": threshold,
                    "resemblance": own if own is not None else resemblance,
                }
                found.append(row)
        return found

    def _measured(self, entry_ids: list[int]) -> dict[int, Measured]:
        query = """
            select e.id, json_extract(step.value, '$.numbers.points') as points,
                json_extract(step.value, '$.numbers.threshold') as threshold,
                json_extract(step.value, '$.numbers.resemblance') as resemblance
            from entries e, json_each(e.trace) step
            where e.id in (select value from json_each(?))
                and json_extract(step.value, '$.name') = 'near-duplicates' and points is not null
        """
        read = rows(self._db, query, [json.dumps(entry_ids)]) if entry_ids else []
        return {row["id"]: (row["points"], row["threshold"], row["resemblance"]) for row in read}
