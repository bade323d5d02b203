"""How long what others wrote is kept: as long as a decision may need it, and no longer.

What an entry is known by (its keys, its title and links, its verdict with the reason) is kept for good: without it the
story would be news again. Its summary, picture, categories and the steps of its decision only explain, and go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database

AT_A_TIME: Final = 2000
"""Entries in one transaction: a tenth of a second in which nothing else is written."""

_OPEN: Final = "'queued', 'sending', 'unknown', 'unconfirmed'"


def drop_texts(db: Database, before: datetime, *, at_a_time: int = AT_A_TIME) -> int:
    """Drop the texts of entries that were last in their feed before; return of how many, at most `at_a_time`.

    Entries that wait (held, or in the outbox) and those that a person has labelled keep theirs. Call it in a transaction,
    until it returns 0.
    """
    query = f"""
        update entries set summary = '', image = null, image_alt = '', categories = '[]', trace = '[]'
        where id in (
            select id from entries e
            where e.first_seen_at < :before and e.last_seen_at < :before and e.verdict <> 'held'
            and (e.summary <> '' or e.trace <> '[]' or e.image is not null)
            and not exists (select 1 from outbox o where o.entry_id = e.id and o.state in ({_OPEN}))
            and e.id not in (select one_id from labels union select other_id from labels)
            limit :most
        )
    """  # noqa: S608 - our own words
    return db.execute(query, {"before": before.timestamp(), "most": at_a_time}).rowcount
