"""`BlueskyClient`: what the bot asks of a PDS, each call one request (and one login or refresh where that is due)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

import httpx
from atproto_client import Client, Session, SessionEvent
from atproto_client.exceptions import RequestErrorBase
from atproto_client.models.utils import get_model_as_json
from atproto_client.request import Request
from atproto_core.exceptions import AtProtocolError

from bot import __version__
from bot.bluesky_client.conversations import BlueskyConversations, reference_of
from bot.bluesky_client.failures import error_for, is_logged_out, is_missing
from bot.bluesky_client.graph import BlueskyGraph
from bot.bluesky_client.records import COLLECTION, Blob, BlueskyPost, NewPost, post_from
from bot.bluesky_client.sessions import InMemory, Sessions
from bot.bluesky_client.wire import Wire, cap_loggers
from bot.core.model import Receipt
from bot.core.record_keys import is_record_key
from bot.errors import FetchError, NotSent, OutcomeUnknown, PublishError, Refused, TooManyPosts

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.http_client import HttpClient

T = TypeVar("T")

PAGE: Final = 100
"""Records on one page, the most that a server gives."""

MOST_PAGES: Final = 100

VENDORS: Final = (AtProtocolError, httpx.HTTPError, httpx.InvalidURL, ValueError, FetchError, PublishError)
"""Every family of errors that comes out of atproto and what is below it; pydantic's are ValueErrors."""


class BlueskyClient:
    """One account on one PDS. Every failure is exactly one `PublishError`; nothing that writes is tried twice.

    A session is kept and refreshed; the app password is sent only where there is none that the server accepts.

    Args:
        service: the address of the account's server, such as "https://bsky.social".
        handle: the account's name, or its DID.
        app_password: made for this bot in the account's settings.
        http: the door, with its limits.
        sessions: where the session is kept.
        clock: aware UTC now.
    """

    def __init__(
        self,
        *,
        service: str,
        handle: str,
        app_password: str,
        http: HttpClient,
        sessions: Sessions | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        cap_loggers()
        self._service = service
        self._handle = handle.removeprefix("@")
        self._app_password = app_password
        self._sessions = sessions or InMemory()
        self._clock = clock
        self._http = http
        self._client = self._fresh()

    @property
    def handle(self) -> str:
        """The account's name as the server has it, or as it was given before the first login."""
        session = self._session()
        return str(session.handle) if session is not None else self._handle

    def account(self) -> str:
        """Return the account's DID, which stays when its name changes. Raises a PublishError."""
        self._read(lambda client: client.com.atproto.server.get_session())
        return self._did()

    @property
    def conversations(self) -> BlueskyConversations:
        """What others say to the account and of its subjects."""
        return BlueskyConversations(read=self._read, did=self._did)

    def repost(self, key: str, reference: str, now: datetime) -> Receipt:
        """Pass another's post on, under `key`: twice is once. Raises as `put_post`."""
        subject = reference_of(reference)[0]
        if (why := self.conversations.stands_against(subject.uri)) is not None:
            raise Refused(why)
        record = {
            "$type": "app.bsky.feed.repost",
            "subject": {"uri": subject.uri, "cid": subject.cid},
            "createdAt": now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        data = {"collection": "app.bsky.feed.repost", "rkey": key, "record": record}
        self._write(lambda client: client.com.atproto.repo.put_record({"repo": self._did(), **data}))
        return Receipt(remote_id=key)

    @property
    def graph(self) -> BlueskyGraph:
        """Who follows the account, and whom it follows."""
        return BlueskyGraph(read=self._read, write=self._write, did=self._did, clock=self._clock)

    def put_post(self, key: str, post: NewPost, *, answers: str | None = None) -> Receipt:
        """Write `post` under `key`: for a key that is there already, in its place, so that twice is once.

        `answers` is the key of the own post that it answers, or a hit's reference, None where it stands alone.

        Raises:
            NotSent: nothing was written (or one of its kinds, which say why).
            Refused: the server will never take it.
            OutcomeUnknown: it may be there.
        """
        if not is_record_key(key):
            raise ValueError(f"{key!r} is no record key")
        if answers is not None and answers.startswith("at:"):
            reference = reference_of(answers)
            # The account's server takes an answer to anything; the network would show it to nobody.
            if (why := self.conversations.stands_against(reference[0].uri)) is not None:
                raise Refused(why)
            post = replace(post, answers=reference)
        elif answers is not None:
            above = self.post(answers)
            if above is None:
                raise Refused("the post that it answers is gone")
            post = replace(post, answers=(above.itself, above.root or above.itself))
        data = {"collection": COLLECTION, "rkey": key, "record": post.record()}
        answer = self._write(lambda client: client.com.atproto.repo.put_record({"repo": self._did(), **data}))
        if str(answer.uri).rpartition("/")[2] != key:
            raise OutcomeUnknown("the server took the post, but says that it has it under another key")
        return Receipt(remote_id=key, url=self.address(key))

    def address(self, key: str) -> str:
        """Return where a person can look at a post."""
        return f"https://bsky.app/profile/{self.handle}/post/{key}"

    def posts(self, since_key: str | None = None, limit: int = PAGE) -> list[BlueskyPost]:
        """Return the account's own posts, replies among them, newest first by their keys.

        With `since_key`: all that are newer, or an error. Without: the newest `limit`, or all when there are fewer.

        Raises:
            TooManyPosts: more than `limit` are newer.
            NotSent: they could not be read whole (or one of its kinds).
        """
        posts: list[BlueskyPost] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = self._page(cursor)
            read = [post_from(record.uri, record.cid, _plain(record.value)) for record in page.records]
            known = [post for post in read if post is not None]
            fresh = [post for post in known if since_key is None or post.key > since_key]
            posts += fresh
            if since_key is not None and len(posts) > limit:
                raise TooManyPosts(f"the account has more than {limit} posts since {since_key}")
            whole = not page.cursor or not page.records or len(fresh) < len(known)
            if whole or (since_key is None and len(posts) >= limit):
                return sorted(posts, key=lambda post: post.key, reverse=True)[:limit]
            cursor = page.cursor
        raise NotSent("the server gives page after page and does not come to the end; it will be asked again")

    def _page(self, cursor: str | None) -> Any:
        params = {"collection": COLLECTION, "limit": PAGE, "cursor": cursor}
        return self._read(
            lambda client: client.com.atproto.repo.list_records({"repo": self._did(), **params})
        )

    def post(self, key: str) -> BlueskyPost | None:
        """Return the post under `key`, None when there is none. Raises a PublishError."""
        params = {"collection": COLLECTION, "rkey": key}

        def ask(client: Client) -> BlueskyPost | None:
            try:
                record = client.com.atproto.repo.get_record({"repo": self._did(), **params})
            except RequestErrorBase as error:
                if is_missing(error):
                    return None
                raise
            return post_from(record.uri, record.cid, _plain(record.value))

        return self._read(ask)

    def upload(self, data: bytes, media_type: str) -> Blob:
        """Give a file to the server, for a post to name soon. Raises a PublishError."""
        # By its name: the method of atproto's own hands the bytes to httpx in a way that httpx is giving up.
        answer = self._write(
            lambda client: client.invoke_procedure(
                "com.atproto.repo.uploadBlob", content=data, headers={"Content-Type": media_type}
            )
        )
        blob = answer.content.get("blob") if isinstance(answer.content, dict) else None
        if not isinstance(blob, dict):
            raise NotSent("the server took the picture, but does not say where it is; it will be tried again")
        return Blob(reference=blob)

    def delete_post(self, key: str) -> bool:
        """Delete a post; return False when there is none (any more).

        Raises:
            PublishError: as `put_post`; a deletion may be repeated when its outcome is unknown.
        """
        if self.post(key) is None:
            return False
        data = {"collection": COLLECTION, "rkey": key}
        self._write(lambda client: client.com.atproto.repo.delete_record({"repo": self._did(), **data}))
        return True

    def _read(self, call: Callable[[Client], T]) -> T:
        return self._told(call, write=False)

    def _write(self, call: Callable[[Client], T]) -> T:
        return self._told(call, write=True)

    def _told(self, call: Callable[[Client], T], *, write: bool) -> T:
        """Make a call; every failure leaves as a PublishError, without the vendor's, which holds tokens."""
        failure: PublishError
        try:
            return self._call(call)
        except VENDORS as error:
            failure = self._meant(error, write=write)
        raise failure

    def _meant(self, error: Exception, *, write: bool) -> PublishError:
        return error if isinstance(error, PublishError) else error_for(error, write=write, now=self._clock())

    def _call(self, call: Callable[[Client], T]) -> T:
        """Make a call within a session; once more, within a fresh one, where the server did not know it."""
        self._enter()
        try:
            return call(self._client)
        except VENDORS as error:
            if not is_logged_out(error):
                raise
        self._sessions.save(None)
        self._client = self._fresh()
        self._enter()
        return call(self._client)

    def _enter(self) -> None:
        """Take up the session that was kept, or log in."""
        if self._session() is not None:
            return
        kept = self._sessions.load()
        if kept is not None:
            try:
                session = Session.decode(kept)
                session.access_jwt_payload  # noqa: B018 - reads it, or raises
            except Exception:  # noqa: BLE001 - a file that anybody may have spoilt; the next login mends it
                self._sessions.save(None)
            else:
                self._client.login(session_string=kept, fetch_bsky_profile=False)
                self._stay_private()
                return
        failure: PublishError
        try:
            self._client.login(self._handle, self._app_password, fetch_bsky_profile=False)
        except VENDORS as error:
            failure = self._meant(error, write=False)
        else:
            self._stay_private()
            return
        raise failure

    def _stay_private(self) -> None:
        """Ask the server that keeps the account, as its session says; never in the clear where the login was not."""
        session = self._session()
        kept_at = session.pds_endpoint if session is not None else None
        if kept_at is None or (self._service.startswith("https:") and not kept_at.startswith("https:")):
            self._client.update_base_url(self._service)

    def _session(self) -> Session | None:
        return self._client._session  # noqa: SLF001 - atproto shows its session as text only

    def _did(self) -> str:
        session = self._session()
        if session is None:
            raise NotSent("the bot is not logged in")
        return str(session.did)

    def _fresh(self) -> Client:
        request = Request(transport=Wire(self._http), trust_env=False)
        request.add_additional_header("User-Agent", f"shinglebot/{__version__}")
        client = Client(self._service, request=request)
        client.on_session_change(self._keep)
        return client

    def _keep(self, event: SessionEvent, session: Session) -> None:
        if event is not SessionEvent.IMPORT:
            self._sessions.save(session.encode())


def _plain(value: Any) -> Any:
    """Return a record as JSON has it, whether atproto knows its type or not."""
    return json.loads(get_model_as_json(value))
