"""The bot's accounts, and the posts on them that no row of the outbox had made when they were read.

Such a post was made by a person, or by the bot itself before its database was put back from a backup. Its words are
kept as a hash and its links, so that a row that says the same is settled by it instead of posted again, also when its
feed shows it only later.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.core.recognition import OwnPost
from bot.store.times import known

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlite_utils import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAccount:
    """Whose posts were read at a destination.

    Attributes:
        id: the destination's own.
        newest_id: the newest own post that is known, None when there was none.
        checked_at: when its newest posts were last read whole.
    """

    id: str
    newest_id: str | None
    checked_at: datetime


class OwnPosts:
    """The tables of accounts and of posts that are nobody's. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def account(self, destination: str) -> KnownAccount | None:
        """Return whose posts were read there last, None when none ever were."""
        rows = list(self._db.query("select * from accounts where destination = ?", [destination]))
        if not rows:
            return None
        row = rows[0]
        return KnownAccount(
            id=row["account_id"], newest_id=row["newest_id"], checked_at=known(row["checked_at"])
        )

    def checked(self, destination: str, account_id: str, newest_id: str | None, now: datetime) -> None:
        """Note that the newest posts of an account were read whole, and which is the newest."""
        self._db.execute(
            "insert or replace into accounts values (?, ?, ?, ?)",
            [destination, account_id, newest_id, now.timestamp()],
        )

    def newest_is(self, destination: str, remote_id: str) -> None:
        """Note that the account's newest post is now this one."""
        self._db.execute("update accounts set newest_id = ? where destination = ?", [remote_id, destination])

    def forget_account(self, destination: str) -> None:
        """Know nothing of an account any more: what comes is another world, as in a rehearsal."""
        self._db.execute("delete from accounts where destination = ?", [destination])
        self._db.execute("delete from own_posts where destination = ?", [destination])

    def unknown_among(self, destination: str, posts: Iterable[OwnPost]) -> list[OwnPost]:
        """Return those of `posts` that are neither a row's nor noted already, in their order."""
        query = """
            select 1 from outbox where destination = :destination and remote_id = :id union all
            select 1 from own_posts where destination = :destination and remote_id = :id
        """
        return [
            post
            for post in posts
            if not list(self._db.query(query, {"destination": destination, "id": post.id}))
        ]

    def note(self, destination: str, account_id: str, posts: Iterable[OwnPost], now: datetime) -> None:
        """Keep posts that no row of the outbox made."""
        self._db.conn.executemany(
            """
            insert or ignore into own_posts (
                destination, remote_id, account_id, text_hash, links, url, created_at, noticed_at, answers
            ) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                (
                    destination,
                    post.id,
                    account_id,
                    post.words,
                    json.dumps(post.links),
                    post.url,
                    post.created_at.timestamp(),
                    now.timestamp(),
                    post.answers,
                )
                for post in posts
            ],
        )

    def unclaimed(self, destination: str, account_id: str) -> list[OwnPost]:
        """Return the noted posts of an account that no row has turned out to be, oldest first."""
        query = """
            select * from own_posts where destination = ? and account_id = ? and outbox_id is null
            order by length(remote_id), remote_id
        """
        return [_post(row) for row in list(self._db.query(query, [destination, account_id]))]

    def belongs_to(self, destination: str, remote_id: str, outbox_id: int) -> None:
        """Note that a post turned out to be that of a row; does nothing for a post that was never noted."""
        self._db.execute(
            "update own_posts set outbox_id = ? where destination = ? and remote_id = ?",
            [outbox_id, destination, remote_id],
        )

    def forget_before(self, created: datetime) -> None:
        """Forget the noted posts that were made before."""
        self._db.execute("delete from own_posts where created_at < ?", [created.timestamp()])


def _post(row: dict[str, Any]) -> OwnPost:
    return OwnPost(
        id=row["remote_id"],
        words=row["text_hash"],
        links=tuple(json.loads(row["links"])),
        created_at=known(row["created_at"]),
        url=row["url"],
        answers=row["answers"],
    )
