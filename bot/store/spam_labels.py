"""What a person called spam or ham, with the text as it was, and what was judged so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.store.rows import rows

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database


class SpamLabels:
    """The table of labels; empty for reading where the database is older than it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, entry_id: int, *, spam: bool, now: datetime) -> None:
        """Label an entry, in place of an earlier label; call it in a transaction."""
        self._db.execute(
            "insert or replace into spam_labels "
            "select id, ?, trim(title || char(10) || summary, char(10)), ? from entries where id = ?",
            [int(spam), now.timestamp(), entry_id],
        )

    def texts(self) -> list[tuple[str, bool]]:
        """Return the labelled texts, each with whether it is spam, in the order in which they were labelled."""
        if not self._db["spam_labels"].exists():
            return []
        query = "select text, spam from spam_labels where text != '' order by marked_at, entry_id"
        return [(row["text"], bool(row["spam"])) for row in rows(self._db, query, [])]

    def counts(self) -> tuple[int, int]:
        """Return how many labels of spam and of ham are kept."""
        labels = [spam for _, spam in self.texts()]
        return sum(labels), len(labels) - sum(labels)

    def judged(self) -> list[dict[str, Any]]:
        """Return of each feed with such entries how many were rejected as spam, wait in the margin, and came."""
        query = """
            select feed, sum(verdict = 'rejected' and reason = 'spam') as rejected,
                   sum(verdict = 'held' and reason = 'maybe_spam') as held, count(*) as entries
            from entries group by feed having rejected + held > 0 order by feed
        """
        return [dict(row) for row in rows(self._db, query, [])]
