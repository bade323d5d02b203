"""The short links that were made, kept for good, and the shorteners that fail.

A link is asked for once: what was made is found here after any restart, and by the canonical key of the long link also
after another shortener, or none, was configured. That is how a post with a short link is recognised.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.core.urls import link_key
from bot.store.times import from_seconds, known

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlite_utils import Database


class Trouble(StrEnum):
    """Why a shortener is not asked."""

    DOWN = "down"
    BUSY = "busy"
    KEY = "key"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortLink:
    """How far a link has got with a service.

    Attributes:
        short: None when none was made.
        tries: calls that failed, >= 0.
        first_at: when it was first wanted.
        refused: whether the service will never shorten it.
    """

    short: str | None
    tries: int
    first_at: datetime
    refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """A shortener that fails.

    Attributes:
        service: its identity.
        cause: what is wrong with it.
        failures: calls in a row, >= 1.
        reason: the last one's, in words.
        since, last_at: when the first and the last of them failed.
        closed_until: it is not asked before, None when it may be.
    """

    service: str
    cause: Trouble
    failures: int
    reason: str
    since: datetime
    last_at: datetime
    closed_until: datetime | None


class ShortLinks:
    """The tables of short links and of failing shorteners. Every method that writes is called in a transaction."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, service: str, link: str) -> ShortLink | None:
        """Return how far `link` has got, None when it was never wanted of `service`."""
        if not self._db["short_links"].exists():  # a database of before, opened for reading
            return None
        query = "select * from short_links where service = ? and link = ?"
        rows = list(self._db.query(query, [service, link]))
        if not rows:
            return None
        row = rows[0]
        return ShortLink(
            short=row["short"],
            tries=row["tries"],
            first_at=known(row["first_at"]),
            refused=bool(row["refused"]),
        )

    def leading_to(self, links: Iterable[str | None]) -> list[str]:
        """Return every short link that was made for one of `links`, by any service, with whatever parameters."""
        places = {key for link in links if link and (key := link_key(link, anchored=True))}
        query = "select short from short_links where place = ? and short is not null order by short"
        return [row["short"] for place in sorted(places) for row in list(self._db.query(query, [place]))]

    def stands_for_another(self, short: str, link: str) -> bool:
        """Say whether a short link was made for the link of another article than that of `link`."""
        query = "select 1 from short_links where short = ? and place <> ? limit 1"
        return bool(list(self._db.query(query, [short, _place(link)])))

    def made(self, service: str, link: str, short: str, now: datetime) -> None:
        """Keep a short link for good. One that is kept already stays: posts may bear it."""
        self._db.execute(
            """
            insert into short_links (service, link, short, place, tries, first_at, made_at, refused)
            values (:service, :link, :short, :place, 0, :now, :now, 0)
            on conflict do update set short = :short, made_at = :now, refused = 0, reason = null where short is null
            """,
            {
                "service": service,
                "link": link,
                "short": short,
                "place": _place(link),
                "now": now.timestamp(),
            },
        )

    def not_made(
        self,
        service: str,
        link: str,
        reason: str,
        now: datetime,
        *,
        tried: bool = True,
        refused: bool = False,
    ) -> None:
        """Note that a link could not be shortened now: a call failed (`tried`), or it may not be made yet."""
        self._db.execute(
            """
            insert into short_links (service, link, place, tries, first_at, refused, reason)
            values (:service, :link, :place, :tries, :now, :refused, :reason)
            on conflict do update set tries = tries + :tries, refused = :refused, reason = :reason where short is null
            """,
            {
                "service": service,
                "link": link,
                "place": _place(link),
                "tries": int(tried),
                "now": now.timestamp(),
                "refused": int(refused),
                "reason": reason,
            },
        )

    def failing(self) -> list[Failing]:
        """Return the shorteners that fail, by their names; none of a database of before that is opened for reading."""
        if not self._db["shorteners"].exists():
            return []
        return [
            Failing(
                service=row["service"],
                cause=Trouble(row["cause"]),
                failures=row["failures"],
                reason=row["reason"],
                since=known(row["since"]),
                last_at=known(row["last_at"]),
                closed_until=from_seconds(row["closed_until"]),
            )
            for row in list(self._db.query("select * from shorteners order by service"))
        ]

    def failed(
        self,
        service: str,
        cause: Trouble,
        reason: str,
        now: datetime,
        *,
        closed_until: datetime | None,
    ) -> None:
        """Note one more failure in a row, and until when the service is not asked."""
        self._db.execute(
            """
            insert into shorteners values (:service, :cause, 1, :reason, :now, :now, :closed)
            on conflict do update set cause = :cause, failures = failures + 1, reason = :reason, last_at = :now,
                closed_until = :closed
            """,
            {
                "service": service,
                "cause": cause,
                "reason": reason,
                "now": now.timestamp(),
                "closed": closed_until.timestamp() if closed_until else None,
            },
        )

    def works(self, service: str) -> None:
        """Note that the service answered as it should."""
        self._db.execute("delete from shorteners where service = ?", [service])


def _place(link: str) -> str:
    # With the fragment: two stories on one page are two, and a look-up that is too narrow harms less than one too wide.
    return link_key(link, anchored=True) or ""
