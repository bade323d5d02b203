"""The readings of who follows an account and whom it follows, and what is remembered of these people.

A reading is kept page by page, each with the cursor of the next, so that what ends it, a crash or an empty purse, costs one
page. It counts for nothing until both lists are whole and were accepted; then, in one transaction, people's histories move on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bot.core.follow_guards import Counts
from bot.core.follows import Kind, Known, Lists, Person
from bot.store.rows import put_row, row_of, rows, write
from bot.store.times import from_seconds, known

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database

    from bot.core.follows import PeoplePage, Profile


class Side(StrEnum):
    """Which list is read, or that both are."""

    FOLLOWERS = "followers"
    FOLLOWING = "following"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One reading of both lists.

    Attributes:
        id: its row, > 0.
        account: the network's id of the account.
        state: "reading", "accepted", "refused" or "broken".
        reason: why it was refused or broke off, "" otherwise.
        yields: whether a person may accept it although it was refused.
        side: which list is read next.
        cursor: of the page that is read next, None for the first.
        stale: pages in a row that showed nobody new.
        pages: that were read.
        told: what the profile said when it began.
        ended_at: None while it is under way.
        counts: the different people in the lists, None while they are not both read.
    """

    id: int
    account: str
    state: str
    reason: str
    yields: bool
    side: Side
    cursor: str | None
    stale: int
    pages: int
    told: Counts
    began_at: datetime
    ended_at: datetime | None
    counts: Counts | None


class Follows:
    """The tables of readings and people. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def begin(self, destination: str, profile: Profile, now: datetime) -> Reading:
        """Begin a reading; one that is under way there is broken off."""
        self.end_open(destination, "another was begun", now)
        number = put_row(
            self._db,
            "follow_readings",
            {
                "destination": destination,
                "account": profile.id,
                "began_at": now.timestamp(),
                "state": "reading",
                "told_followers": profile.followers,
                "told_following": profile.following,
            },
        )
        return _reading_of(row_of(self._db, "follow_readings", number))

    def end_open(self, destination: str, reason: str, now: datetime) -> None:
        """Break off the reading that is under way there, if one is, and forget its people."""
        reading = self.open(destination)
        if reading is not None:
            self.end(reading, "broken", reason, now)

    def open(self, destination: str) -> Reading | None:
        """Return the reading that is under way, None when none is."""
        found = rows(
            self._db,
            "select * from follow_readings where destination = ? and state = 'reading'",
            [destination],
        )
        return _reading_of(found[0]) if found else None

    def newest(
        self, destination: str, account: str | None = None, *, state: str | None = None
    ) -> Reading | None:
        """Return the newest reading that has ended, of any account or state or of these."""
        found = rows(
            self._db,
            """
            select * from follow_readings where destination = ?1 and state != 'reading'
                and (?2 is null or account = ?2) and (?3 is null or state = ?3)
            order by id desc limit 1
            """,
            [destination, account, state],
        )
        return _reading_of(found[0]) if found else None

    def take_page(self, reading: Reading, page: PeoplePage) -> Reading:
        """Keep a page and where the next one is; somebody who was shown before is there once. Return the reading as it is now."""
        before = self._seen(reading.id, reading.side)
        self._db.conn.executemany(
            "insert or replace into follow_seen values (?, ?, ?, ?, ?, ?)",
            [
                (reading.id, reading.side, p.id, p.name, int(p.is_private), int(p.is_suspended))
                for p in page.people
            ],
        )
        stale = 0 if self._seen(reading.id, reading.side) > before else reading.stale + 1
        side = reading.side
        if page.cursor is None:
            side = Side.FOLLOWING if side is Side.FOLLOWERS else Side.DONE
            write(
                self._db,
                f"update follow_readings set {reading.side} = ? where id = ?",  # noqa: S608 - of two words
                [self._seen(reading.id, reading.side), reading.id],
            )
            stale = 0
        write(
            self._db,
            "update follow_readings set list = ?, cursor = ?, stale = ?, pages = pages + 1 where id = ?",
            [side, page.cursor, stale, reading.id],
        )
        return _reading_of(row_of(self._db, "follow_readings", reading.id))

    def seen_so_far(self, reading: Reading) -> int:
        """Return how many different people the list that is being read has shown."""
        return self._seen(reading.id, reading.side)

    def end(
        self, reading: Reading, state: str, reason: str, now: datetime, *, yields: bool = False
    ) -> Reading:
        """End a reading that does not count: "refused" (its people are kept where it `yields`) or "broken"."""
        write(
            self._db,
            "update follow_readings set state = ?, reason = ?, yields = ?, ended_at = ? where id = ?",
            [state, reason, int(yields), now.timestamp(), reading.id],
        )
        if not yields:
            write(self._db, "delete from follow_seen where reading_id = ?", [reading.id])
        return _reading_of(row_of(self._db, "follow_readings", reading.id))

    def accept(self, destination: str, reading: Reading, now: datetime) -> Reading:
        """Let two whole lists count: move everybody's history on, and forget older lists.

        Call it once for a reading, and not for one that an accepted one has followed.
        """
        at, who = now.timestamp(), {"d": destination, "a": reading.account, "r": reading.id}
        write(
            self._db,
            """
            insert into follow_people (destination, account, person, name, follower_since)
            select :d, :a, person, name, :at from follow_seen where reading_id = :r and list = 'followers'
            on conflict do update set name = iif(excluded.name = '', name, excluded.name),
                follower_since = coalesce(follower_since, excluded.follower_since), missing_since = null, misses = 0
            """,
            {**who, "at": at},
        )
        write(
            self._db,
            """
            update follow_people set missing_since = coalesce(missing_since, :at), misses = misses + 1
            where destination = :d and account = :a and follower_since is not null and person not in (
                select person from follow_seen where reading_id = :r and list = 'followers')
            """,
            {**who, "at": at},
        )
        write(
            self._db,
            """
            insert into follow_people (destination, account, person, name, followed_since)
            select :d, :a, person, name, :at from follow_seen where reading_id = :r and list = 'following'
            on conflict do update set name = iif(excluded.name = '', name, excluded.name),
                followed_since = iif(let_go_at is null, coalesce(followed_since, excluded.followed_since), excluded.followed_since),
                let_go_at = null
            """,
            {**who, "at": at},
        )
        write(
            self._db,
            """
            update follow_people set let_go_at = coalesce(let_go_at, :at)
            where destination = :d and account = :a and followed_since is not null and person not in (
                select person from follow_seen where reading_id = :r and list = 'following')
            """,
            {**who, "at": at},
        )
        write(
            self._db,
            "update follow_readings set state = 'accepted', ended_at = coalesce(ended_at, :at) where id = :r",
            {"at": at, "r": reading.id},
        )
        write(
            self._db,
            """
            delete from follow_seen where reading_id in (
                select id from follow_readings where destination = :d and id < :r)
            """,
            {"d": destination, "r": reading.id},
        )
        return _reading_of(row_of(self._db, "follow_readings", reading.id))

    def lists(self, destination: str, reading: Reading) -> Lists:
        """Return the lists of a reading, with the steps that were made since taken into account, and what is remembered."""
        followers, following = self._people(reading.id, "followers"), self._people(reading.id, "following")
        made = rows(
            self._db,
            """
            select person, name, kind from follow_steps where destination = ? and account = ? and state = 'done'
                and settled_at >= ? order by id
            """,
            [destination, reading.account, reading.began_at.timestamp()],
        )
        for step in made:
            if step["kind"] == Kind.FOLLOW:
                following.setdefault(step["person"], Person(id=step["person"], name=step["name"]))
            else:
                following.pop(step["person"], None)
        remembered = rows(
            self._db,
            "select * from follow_people where destination = ? and account = ?",
            [destination, reading.account],
        )
        return Lists(
            followers=followers,
            following=following,
            known={row["person"]: _known_of(row) for row in remembered},
            own_id=reading.account,
        )

    def newcomers(self, destination: str, account: str) -> frozenset[str]:
        """Return the followers of now who were not among those of the first lists that counted."""
        found = rows(
            self._db,
            """
            select person from follow_people where destination = ?1 and account = ?2 and missing_since is null
                and follower_since > (
                    select min(follower_since) from follow_people where destination = ?1 and account = ?2)
            """,
            [destination, account],
        )
        return frozenset(row["person"] for row in found)

    def _seen(self, reading_id: int, side: str) -> int:
        query = "select count(*) as n from follow_seen where reading_id = ? and list = ?"
        return int(rows(self._db, query, [reading_id, side])[0]["n"])

    def _people(self, reading_id: int, side: str) -> dict[str, Person]:
        found = rows(
            self._db, "select * from follow_seen where reading_id = ? and list = ?", [reading_id, side]
        )
        return {
            row["person"]: Person(
                id=row["person"],
                name=row["name"],
                is_private=bool(row["is_private"]),
                is_suspended=bool(row["is_suspended"]),
            )
            for row in found
        }


def _reading_of(row: dict[str, Any]) -> Reading:
    whole = row["followers"] is not None and row["following"] is not None
    return Reading(
        id=row["id"],
        account=row["account"],
        state=row["state"],
        reason=row["reason"],
        yields=bool(row["yields"]),
        side=Side(row["list"]),
        cursor=row["cursor"],
        stale=row["stale"],
        pages=row["pages"],
        told=Counts(followers=row["told_followers"], following=row["told_following"]),
        began_at=known(row["began_at"]),
        ended_at=from_seconds(row["ended_at"]),
        counts=Counts(followers=row["followers"], following=row["following"]) if whole else None,
    )


def _known_of(row: dict[str, Any]) -> Known:
    return Known(
        follower_since=from_seconds(row["follower_since"]),
        missing_since=from_seconds(row["missing_since"]),
        misses=row["misses"],
        followed_since=from_seconds(row["followed_since"]),
        let_go_at=from_seconds(row["let_go_at"]),
        refused=row["refused"],
    )
