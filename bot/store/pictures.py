"""What became of the picture of each post: given to the destination, left out and why, or to be tried again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.store.times import from_seconds, to_seconds

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPicture:
    """The picture of one row of the outbox.

    Attributes:
        url: where it is, None when none was found.
        media_id: the destination's own name of it, None when it was not given there.
        expires_at: when the destination forgets it, None with `media_id`.
        described: whether the destination has its alt text.
        tries: how often it failed, >= 0.
        left_out: whether the post goes without.
        reason: why the last try failed or why it is left out, None when there is nothing to say.
    """

    url: str | None = None
    media_id: str | None = None
    expires_at: datetime | None = None
    described: bool = False
    tries: int = 0
    left_out: bool = False
    reason: str | None = None


class Pictures:
    """The table of pictures. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, outbox_id: int) -> KeptPicture | None:
        """Return what is known of the picture of a row, None when nothing is."""
        if not self._db["pictures"].exists():  # a database of before, opened for reading
            return None
        rows = list(self._db.query("select * from pictures where outbox_id = ?", [outbox_id]))
        if not rows:
            return None
        row = rows[0]
        return KeptPicture(
            url=row["url"],
            media_id=row["media_id"],
            expires_at=from_seconds(row["expires_at"]),
            described=bool(row["described"]),
            tries=row["tries"],
            left_out=bool(row["left_out"]),
            reason=row["reason"],
        )

    def put(self, outbox_id: int, kept: KeptPicture) -> None:
        """Keep what became of the picture of a row."""
        self._db.execute(
            "insert or replace into pictures values (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                outbox_id,
                kept.url,
                kept.media_id,
                to_seconds(kept.expires_at),
                int(kept.described),
                kept.tries,
                int(kept.left_out),
                kept.reason,
            ],
        )

    def forget_uploads(self) -> None:
        """Forget what was given to a destination: the account is another."""
        self._db.execute("delete from pictures where media_id is not null")
