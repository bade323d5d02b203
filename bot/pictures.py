"""The picture of a post: found, fetched, looked at and given to the destination, before the post's row is claimed.

    wanted?    the feed's posts show one; what answers a post of the bot's own shows none
    kept?      what the destination has already, and will have for a while, is taken; what was left out stays out
    find       the entry's own picture or, where the owner asks for it, the one that the article's page names
    fetch      through the guarded door, within its deadline and cap
    look       its kind and size, from its bytes
    give       to the destination; its name there is kept in a transaction of its own
    describe   its alt text, which has a price
    failed?    the row waits a minute, once, while others have their turn; then the post goes without, and says why

All of it may be done twice without harm: a picture that no post shows is forgotten by the destination. A process that
dies between the answer and the store has given one that nobody sees.

A feed is a stranger's, and so are the addresses that it names. Private ones are refused, also those that the owner
allows for feeds: what lies there would be shown to everybody. Only what lies on the feed's own host is as near as the feed.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from bot import kill_points, logs
from bot.core.pictures import LARGEST, NoPicture, PictureUse, alt_text, picture_in
from bot.errors import (
    FetchError,
    FetchForbidden,
    FetchRefused,
    FetchTooLarge,
    OutOfBudget,
    OutOfCredit,
    PublishError,
    Refused,
    Unauthorized,
)
from bot.http_client import NotModified
from bot.sources.charsets import decode
from bot.sources.page_pictures import picture_of_page
from bot.store.pictures import KeptPicture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from bot.core.model import Entry
    from bot.core.pictures import Picture, Uploaded
    from bot.http_client import HttpClient
    from bot.store import Store
    from bot.store.outbox import OutboxRow

log = logging.getLogger(__name__)

TRIES: Final = 2
"""A picture that fails is asked for once more: news that waits longer than a minute for its picture is late."""

AGAIN_AFTER: Final = timedelta(minutes=1)

PAGE_SECONDS: Final = 4.0
PICTURE_SECONDS: Final = 6.0
"""Most seconds that either takes: together ten, in which nothing else is sent."""

LARGEST_PAGE: Final = 3_000_000
"""Bytes of an article's page; the pages of large newspapers have up to two million."""

MARGIN: Final = timedelta(minutes=5)
"""A picture that the destination is about to forget is given anew."""

LONGEST_KEPT: Final = timedelta(days=31)
"""What is said to be kept for longer was written by a clock that has been set back since."""

WANTED: Final = "image/jpeg, image/png, image/webp, image/gif;q=0.9, */*;q=0.1"

_PASSING: Final = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.TOO_EARLY,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """The picture is not there yet, and worth waiting for.

    Attributes:
        reason: why, in words.
        until: when to try again.
    """

    reason: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """The ways to pictures.

    Attributes:
        page, picture: to what may lie anywhere, but on no private address.
        near_page, near_picture: to what lies on a feed's own host, which may lie where the owner allows feeds to.
    """

    page: HttpClient
    picture: HttpClient
    near_page: HttpClient
    near_picture: HttpClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A picture on the way to the destination: where it is, and what its feed or page says is to be seen on it."""

    url: str
    alt: str


class LeftOut(Exception):
    """There is no picture; the value says why, and `passing` whether that may change."""

    def __init__(self, why: str, *, passing: bool = False) -> None:
        super().__init__(why)
        self.passing = passing


class Looking:
    """Finds pictures and fetches them through the guarded doors.

    Args:
        doors: the ways to pictures.
        hosts: the host of each feed's own address, by its name.
    """

    def __init__(self, doors: Doors, hosts: Mapping[str, str]) -> None:
        self._doors = doors
        self._hosts = hosts

    def find(self, entry: Entry, use: PictureUse) -> Found | None:
        """Return where the picture is, None when nobody names one. Raises LeftOut."""
        if entry.image is not None:
            return Found(url=entry.image, alt=entry.image_alt)
        page = entry.orig_link or entry.link
        if use is not PictureUse.PAGE or page is None:
            return None
        door = self._doors.near_page if self._is_near(page, entry) else self._doors.page
        url, body, kind = self._fetch(door, page, "its page", "text/html, */*;q=0.1", LARGEST_PAGE)
        named = picture_of_page(decode(body, kind), url)
        if named is None:
            raise LeftOut("neither its feed nor its page names a picture")
        return Found(url=named.link, alt=named.alt)

    def fetch(self, url: str, entry: Entry) -> tuple[bytes, Picture]:
        """Return the bytes of a picture and what it is. Raises LeftOut."""
        door = self._doors.near_picture if self._is_near(url, entry) else self._doors.picture
        _, data, _ = self._fetch(door, url, "its picture", WANTED, LARGEST)
        try:
            return data, picture_in(data)
        except NoPicture as error:
            raise LeftOut(f"its picture is not shown: {error}") from None

    @staticmethod
    def _fetch(door: HttpClient, url: str, what: str, wanted: str, cap: int) -> tuple[str, bytes, str | None]:
        """Return where it was in the end, its bytes, and what its server calls it. Raises LeftOut."""
        try:
            answer = door.get(url, headers={"Accept": wanted})
        except FetchTooLarge:
            raise LeftOut(f"{what} has more than {cap / 1e6:.1f} MB") from None
        except FetchError as error:
            passing = not isinstance(error, FetchForbidden | FetchRefused) or (
                isinstance(error, FetchRefused) and error.status in _PASSING
            )
            # What may be allowed to feeds is not allowed to what they name.
            why = str(error).partition(". If it is yours")[0]
            raise LeftOut(f"{what} was not fetched: {why}", passing=passing) from None
        if isinstance(answer, NotModified):  # nobody asked whether it was
            raise LeftOut(f"{what} was not sent")
        return answer.url, answer.body, answer.content_type

    def _is_near(self, url: str, entry: Entry) -> bool:
        return (urlsplit(url).hostname or "") == self._hosts.get(entry.feed, "\0")


class Pictures:
    """Gets the pictures of posts to one destination.

    Args:
        uses: whether a feed's posts show one, by the feed's name; none for any other.
        hosts: the host of each feed's own address, by its name.
        doors: the ways to pictures.
        give: hands a picture to the destination.
        describe: gives one that it has its alt text.
        clock: aware UTC now.
        mask: takes every secret out of a text.
    """

    def __init__(
        self,
        store: Store,
        *,
        uses: Mapping[str, PictureUse],
        hosts: Mapping[str, str],
        doors: Doors,
        give: Callable[[bytes], Uploaded],
        describe: Callable[[str, str], None],
        clock: Callable[[], datetime],
        mask: Callable[[str], str] = lambda text: text,
    ) -> None:
        self._store = store
        self._uses = uses
        self._looking = Looking(doors, hosts)
        self._give = give
        self._describe = describe
        self._clock = clock
        self._mask = mask

    def known(self, entry: Entry) -> tuple[str, ...]:  # noqa: ARG002 - the shape of `PicturesShown`
        """Return nothing: what the destination has is known of rows, not of entries."""
        return ()

    def get(self, row: OutboxRow, entry: Entry) -> tuple[str, ...] | Later:
        """Return what the destination calls the picture of `row`, nothing when it goes without, or until when to wait."""
        use = self._uses.get(entry.feed, PictureUse.NONE)
        kept = self._store.pictures.get(row.id) or KeptPicture()
        if use is PictureUse.NONE or kept.left_out or row.reply_to is not None:
            return ()
        now = self._clock()
        said = entry.image_alt
        if (
            kept.media_id is None
            or kept.expires_at is None
            or not now + MARGIN < kept.expires_at <= now + LONGEST_KEPT
        ):
            try:
                found = self._looking.find(entry, use)
                if found is None:
                    return ()
                said = found.alt
                kept = self._hand_over(
                    row, entry, replace(kept, url=found.url, media_id=None, described=False)
                )
            except LeftOut as failure:
                return self._failed(row, entry, kept, failure)
            if kept.media_id is None:
                return ()
        return self._described(row, kept, alt_text(said, entry.title)) or (kept.media_id,)

    def leave_out(self, row_id: int, why: str) -> None:
        """Have the post of a row go without its picture: the destination does not show it. Call it in a transaction."""
        kept = self._store.pictures.get(row_id) or KeptPicture()
        self._store.pictures.put(row_id, replace(kept, media_id=None, left_out=True, reason=self._mask(why)))

    def _hand_over(self, row: OutboxRow, entry: Entry, kept: KeptPicture) -> KeptPicture:
        url = kept.url or ""
        data, _ = self._looking.fetch(url, entry)
        if kill_points.hook is not None:
            kill_points.hook("before_upload")
        try:
            given = self._give(data)
        except (Unauthorized, OutOfCredit) as error:
            # The post will meet the same, and waits; if it does not, it goes without.
            kept = replace(kept, reason=self._mask(str(error)))
            self._keep(row, kept)
            return kept
        except PublishError as error:
            raise LeftOut(
                f"its picture was not taken: {error}", passing=not isinstance(error, Refused)
            ) from None
        if kill_points.hook is not None:
            kill_points.hook("after_upload")
        kept = replace(kept, media_id=given.id, expires_at=given.expires_at, reason=None)
        self._keep(row, kept)
        return kept

    def _described(self, row: OutboxRow, kept: KeptPicture, words: str) -> Later | None:
        """Give the picture its alt text, if it has none yet; return until when that is worth waiting for."""
        if kept.described or kept.media_id is None or not words or kept.tries >= TRIES:
            return None
        try:
            self._describe(kept.media_id, words)
        except PublishError as error:
            match error:
                case OutOfBudget() | Unauthorized() | OutOfCredit():  # the post will meet the same, and waits
                    tries = kept.tries
                case Refused():
                    tries = TRIES
                case _:
                    tries = kept.tries + 1
            why = self._mask(f"its picture is not described: {error}")
            failed = replace(kept, tries=tries, reason=why)
            self._keep(row, failed)
            return self._later(failed) if kept.tries < tries < TRIES else None
        self._keep(row, replace(kept, described=True, reason=None))
        return None

    def _failed(
        self, row: OutboxRow, entry: Entry, kept: KeptPicture, failure: LeftOut
    ) -> tuple[str, ...] | Later:
        tries = kept.tries + 1
        left_out = not failure.passing or tries >= TRIES
        kept = replace(
            kept, media_id=None, tries=tries, left_out=left_out, reason=self._mask(str(failure)),
            url=kept.url or entry.image,
        )  # fmt: skip
        self._keep(row, kept)
        if not left_out:
            return self._later(kept)
        logs.event(
            log,
            logging.WARNING,
            "picture left out",
            outbox=row.id,
            feed=entry.feed,
            title=entry.label[:100],
            reason=kept.reason,
        )
        return ()

    def _later(self, kept: KeptPicture) -> Later:
        return Later(reason=f"its picture is not ready yet: {kept.reason}", until=self._clock() + AGAIN_AFTER)

    def _keep(self, row: OutboxRow, kept: KeptPicture) -> None:
        with self._store.transaction():
            self._store.pictures.put(row.id, kept)
            if kill_points.hook is not None:
                kill_points.hook("in_upload")


class PicturesShown:
    """The pictures of a dry run: their addresses in place of what the destination would call them; asks nobody.

    Args:
        uses: as for `Pictures`.
    """

    def __init__(self, uses: Mapping[str, PictureUse]) -> None:
        self._uses = uses

    def known(self, entry: Entry) -> tuple[str, ...]:
        """Return where the picture of `entry` would come from, nothing when its post would go without."""
        use = self._uses.get(entry.feed, PictureUse.NONE)
        if use is PictureUse.NONE:
            return ()
        if entry.image is not None:
            return (entry.image,)
        page = entry.orig_link or entry.link
        return (f"as {page} names it",) if use is PictureUse.PAGE and page else ()

    def get(self, row: OutboxRow, entry: Entry) -> tuple[str, ...]:
        """Return the same as `known`, nothing for an answer."""
        return self.known(entry) if row.reply_to is None else ()

    def leave_out(self, row_id: int, why: str) -> None:
        """Do nothing: nobody refuses."""
