"""`MastodonClient`: what the bot asks of a Mastodon server, each call one request and no retry inside it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from mastodon import Mastodon

from bot import __version__
from bot.core.model import Receipt
from bot.errors import NotSent, OutcomeUnknown, PictureRefused, PublishError, Refused, TooManyPosts
from bot.mastodon_client.conversations import MastodonConversations
from bot.mastodon_client.failures import VENDORS, error_for, is_missing
from bot.mastodon_client.graph import MastodonGraph
from bot.mastodon_client.statuses import Limits, NewStatus, Status, User, limits_from, status_from
from bot.mastodon_client.wire import session_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.http_client import Called, HttpClient

T = TypeVar("T")

VERSION: Final = "4.3.0"
"""What the library is told that the server is: it would ask, several times, and refuse what it believes to be too old."""

PAGE: Final = 40
"""Statuses on one page, the most that a server gives."""

MOST_PAGES: Final = 100


class MastodonClient:
    """One account on one server. Every failure is exactly one `PublishError`; nothing is tried twice.

    Args:
        server: its address, such as "https://mastodon.social".
        access_token: of the account, with the scopes of `authorizing.SCOPES`.
        http: the door, with its limits.
        clock: aware UTC now.

    Attributes:
        remaining: by "METHOD /path", the requests that the server's last answer left in its window.
    """

    def __init__(
        self,
        *,
        server: str,
        access_token: str,
        http: HttpClient,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._server = server.rstrip("/")
        self._clock = clock
        self.remaining: dict[str, int] = {}
        self._mastodon = Mastodon(
            api_base_url=self._server,
            session=session_for(http, self._heard),
            ratelimit_method="throw",
            mastodon_version=VERSION,
            version_check_mode="created",
            user_agent=f"shinglebot/{__version__}",
        )
        # Given to its constructor, a token that is the name of a file would be read as one.
        self._mastodon.access_token = access_token
        self._me: User | None = None
        self._graph: MastodonGraph | None = None

    @property
    def graph(self) -> MastodonGraph:
        """Who follows the account, and whom it follows."""
        if self._graph is None:
            self._graph = MastodonGraph(self._mastodon, self._clock)
        return self._graph

    @property
    def conversations(self) -> MastodonConversations:
        """What others say to the account and of its subjects."""
        return MastodonConversations(self._mastodon, lambda: self.me().id, self._clock)

    def me(self) -> User:
        """Return whose the token is; asked once. Raises a PublishError."""
        if self._me is None:
            self._me = self._told(self._ask_me, write=False)
        return self._me

    def limits(self) -> Limits:
        """Return what the server takes. Raises a PublishError."""
        return self._told(lambda: limits_from(self._mastodon.instance_v2()), write=False)

    def post(self, status: NewStatus, key: str) -> Receipt:
        """Write a status now; a second time with the same `key`, within an hour, gives the first one back.

        Args:
            status: what to write.
            key: at most 255 printable ASCII characters.

        Raises:
            NotSent: nothing went out (or one of its kinds, which say why).
            Refused: the server will never take it.
            PictureRefused: the server does not know its pictures (any more): nothing went out.
            OutcomeUnknown: it may be out.
        """
        read = self._told(lambda: self._post(status, key), write=True)
        try:
            written = status_from(read)
        except (ValueError, KeyError, TypeError) as error:
            raise OutcomeUnknown(
                f"the server took the status, but its answer cannot be read: {error}"
            ) from None
        return Receipt(remote_id=written.id, url=written.url)

    def own_statuses(self, since_id: str | None = None, limit: int = PAGE) -> list[Status]:
        """Return the account's own statuses, replies among them, newest first; boosts are left out.

        With `since_id`: all that are newer, or an error. Without: the newest `limit`, or all when there are fewer.

        Raises:
            TooManyPosts: more than `limit` are newer.
            NotSent: they could not be read whole (or one of its kinds).
        """
        me = self.me().id
        statuses: dict[int, Status] = {}
        max_id: int | None = None
        for _ in range(MOST_PAGES):
            page = self._page(me, since_id, max_id)
            fresh = [one for one in page if since_id is None or int(one.id) > int(since_id)]
            statuses |= {int(one.id): one for one in fresh}
            if since_id is not None and len(statuses) > limit:
                raise TooManyPosts(f"the account has more than {limit} statuses since {since_id}")
            ended = not page or len(fresh) < len(page)
            if ended or (since_id is None and len(statuses) >= limit):
                return [statuses[number] for number in sorted(statuses, reverse=True)[:limit]]
            max_id = min(int(one.id) for one in page)
        raise NotSent("the server gives page after page and does not come to the end; it will be asked again")

    def upload(self, data: bytes, media_type: str) -> str:
        """Give a picture to the server; return its id, for a status to name when it `is_ready`. Raises a PublishError."""
        read = self._told(
            lambda: self._mastodon.media_post(data, mime_type=media_type, file_name="picture"),
            write=True,
        )
        return str(read["id"])

    def describe(self, media_id: str, words: str) -> None:
        """Give an upload its alt text; a second replaces the first. Raises a PublishError."""
        self._told(lambda: self._mastodon.media_update(int(media_id), description=words), write=True)

    def is_ready(self, media_id: str) -> bool:
        """Say whether the server has done with a picture. Raises Refused when it could not, or another PublishError."""
        read = self._told(lambda: self._mastodon.media(int(media_id)), write=False)
        return read["url"] is not None

    def delete(self, status_id: str) -> bool:
        """Delete a status; return False when there is none (any more). May be repeated. Raises a PublishError."""
        failure: PublishError
        try:
            self._mastodon.status_delete(int(status_id))
        except VENDORS as error:
            if is_missing(error):
                return False
            failure = error_for(error, write=True, now=self._clock())
        else:
            return True
        raise failure

    def _ask_me(self) -> User:
        read = self._mastodon.account_verify_credentials()
        host = urlsplit(self._server).netloc
        return User(id=str(read["id"]), name=f"{read['username']}@{host}", is_bot=bool(read["bot"]))

    def _post(self, status: NewStatus, key: str) -> Any:
        try:
            return self._mastodon.status_post(
                status.text,
                in_reply_to_id=status.reply_to,
                media_ids=list(status.media) or None,
                sensitive=status.sensitive,
                visibility=status.visibility.value,
                spoiler_text=status.warning or None,
                language=status.language,
                idempotency_key=key,
            )
        except VENDORS as error:
            if not is_missing(error):
                raise
        if status.media:
            raise PictureRefused("the server does not know its picture (any more)")
        raise Refused("the server says that it was posted and deleted, or that what it answers is gone")

    def _page(self, account: str, since_id: str | None, before: int | None) -> list[Status]:
        since = int(since_id) if since_id else None

        def ask() -> list[Status]:
            read = self._mastodon.account_statuses(
                int(account), exclude_reblogs=True, limit=PAGE, since_id=since, max_id=before
            )
            return [status_from(one) for one in read]

        return self._told(ask, write=False)

    def _told(self, call: Callable[[], T], *, write: bool) -> T:
        """Make a call; every failure leaves as a PublishError, without the vendor's, which holds the request."""
        failure: PublishError
        try:
            return call()
        except PublishError as error:
            failure = error
        except VENDORS as error:
            failure = error_for(error, write=write, now=self._clock())
        raise failure

    def _heard(self, method: str, path: str, answer: Called) -> None:
        left: Any = answer.headers.get("x-ratelimit-remaining", "")
        if left.isdecimal():
            self.remaining[f"{method} {path}"] = int(left)
