"""`XClient`: what the bot asks of X, each call one request and no retry inside it.

ask (asking: limited, metered, signed, sent, its errors told apart) -> read the JSON (posts)
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from bot.core.model import Receipt
from bot.core.prices import Item
from bot.errors import NotSent, OutcomeUnknown, PublishError, Refused, TooManyPosts
from bot.x_client.asking import Asking, unreadable
from bot.x_client.conversations import XConversations
from bot.x_client.graph import XGraph
from bot.x_client.media import describe, of_post, upload
from bot.x_client.outcomes import AGAIN, LOOK
from bot.x_client.posts import (
    NotUnderstood,
    Page,
    XPost,
    XUser,
    created_id,
    page_from,
    user_from,
    was_deleted,
)
from bot.x_client.wire import Declined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.core.pictures import Uploaded
    from bot.ports import Meter
    from bot.x_client.credentials import FourKeys
    from bot.x_client.limits import RateLimit

FEWEST, MOST = 5, 100
"""Posts on one page of a timeline, as X allows."""

FIRST_PAGE: Final = 10
"""Posts asked for first of those after a known one: nearly always none or one, and a page's whole price is set aside."""

FIELDS: Final = ("tweet.fields", "post.fields")
"""X is changing its vocabulary: the second is asked with when the first is not understood any more."""

WANTED: Final = {
    "tweet.fields": "attachments,created_at,entities,note_tweet,referenced_tweets",
    "post.fields": "attachments,created_at,entities,note_post,referenced_posts",
}

EMPTY_PAGES: Final = 10
"""Pages without a post that are followed in one reading before it is given up."""


class XClient:
    """One account at X. Every failure is exactly one `PublishError`; nothing is tried twice.

    An endpoint whose window X has said to be used up is not asked before the window's end: RateLimited is raised
    without a request.

    Args:
        credentials: of the app and the account, OAuth 1.0a.
        base_url: the address of a simulated X on this machine, None for X itself.
        connect_timeout, read_timeout: seconds.
        meter: is told of every read and deletion, which have a price, and of every refusal for want of credit;
            posts are paid for by whoever claims them.
        clock: aware UTC now.

    Raises:
        ConfigError: `base_url` is not on this machine.
    """

    def __init__(
        self,
        credentials: FourKeys,
        *,
        base_url: str | None = None,
        connect_timeout: float = 5.0,
        read_timeout: float = 20.0,
        meter: Meter | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._asking = Asking(
            credentials,
            base_url=base_url,
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            meter=meter,
            clock=clock,
        )
        self._clock = clock
        self._fields = FIELDS[0]
        # The access token begins with the account's id, which saves a priced look-up.
        owner = re.match(r"([1-9][0-9]{0,18})-", credentials.access_token)
        self._id = owner[1] if owner else None

    @property
    def access_level(self) -> str | None:
        """What X's last answer said that the tokens may do ("read", "read-write", ...), None when it did not say."""
        return self._asking.access_level

    def create_post(self, text: str, media: Sequence[str] = (), *, reply_to: str | None = None) -> Receipt:
        """Post `text` now, once, with the pictures of these ids, as an answer to the post `reply_to` where one is named.

        Raises:
            NotSent: nothing went out (or one of its kinds, which say why).
            Refused: X will never take it (PictureRefused: not with these pictures).
            OutcomeUnknown: it may be out (SaidDuplicate: X says that it is).
        """
        failure: PublishError | None = None
        shown: dict[str, Any] = {"media": {"media_ids": list(media)}} if media else {}
        if reply_to is not None:
            shown["reply"] = {"in_reply_to_tweet_id": str(int(reply_to))}
        try:
            payload = self._asking.ask("POST", "/2/tweets", body={"text": text, **shown})
        except Declined as declined:
            failure = self._asking.error(declined.answer, write=True)
            if media:
                failure = of_post(failure, declined.answer)
        if failure is not None:
            raise failure
        try:
            number = created_id(payload)
        except NotUnderstood as error:
            amiss = str(error)
        else:
            return Receipt(remote_id=number, url=f"https://x.com/i/web/status/{number}")
        raise OutcomeUnknown(f"X took the post, but its answer cannot be read: {amiss}; {LOOK}")

    def upload_picture(self, data: bytes) -> Uploaded:
        """Hand over a JPEG, PNG, WebP or still GIF of at most 5 MB, to be named in a post. Costs nothing.

        Raises:
            PublishError: as `create_post`; it may be done again whatever the outcome.
        """
        return upload(self._asking, data, self._clock)

    def describe_picture(self, number: str, words: str) -> None:
        """Say what is to be seen on an uploaded picture. Costs a metadata request. Raises as `upload_picture`."""
        describe(self._asking, number, words)

    @property
    def limits(self) -> dict[str, RateLimit]:
        """By endpoint, as `POST /2/tweets`, where X's rate limits stand as of its last answer."""
        return self._asking.limits

    @property
    def graph(self) -> XGraph:
        """Who follows the account, and whom it follows."""
        return XGraph(self._asking, self.account_id, self._clock)

    @property
    def conversations(self) -> XConversations:
        """What others say to the account and of its subjects."""
        return XConversations(self._asking, self.account_id, self._clock)

    def repost(self, post_id: str) -> None:
        """Pass another's post on; one that was passed on stays so. Raises as `create_post`, but never OutcomeUnknown."""
        route = f"/2/users/{self.account_id()}/retweets"
        try:
            self._asking.ask("POST", route, body={"tweet_id": str(int(post_id))})
        except Declined as declined:
            if "already" in declined.answer.words.lower():
                return
            failure = self._asking.error(declined.answer, write=True)
            if declined.answer.status == 404:  # noqa: PLR2004 - Not Found
                failure = Refused("the post is gone, or its author shows it to followers alone")
        except OutcomeUnknown as error:
            failure = error
        else:
            return
        if isinstance(failure, OutcomeUnknown):  # twice is once
            failure = NotSent(f"{failure}; it is done again, which passes it on once")
        raise failure

    def me(self) -> XUser:
        """Return the account that the credentials act for. Costs a user read. Raises a PublishError."""
        try:
            return self._asking.priced(
                "GET", "/2/users/me", Item.READ_USER, 1, user_from, lambda user: [user.id]
            )
        except Declined as declined:
            failure = self._asking.error(declined.answer, write=False)
        except NotUnderstood as error:
            failure = unreadable(error)
        raise failure

    def account_id(self) -> str:
        """Return the id of that account; costs nothing where the access token begins with it. Raises a PublishError."""
        if self._id is None:
            self._id = self.me().id
        return self._id

    def own_posts(self, since_id: str | None = None, limit: int = 100) -> list[XPost]:
        """Return the account's own posts, newest first; reposts are left out. Costs an owned read for each.

        With `since_id`: all that are newer, or an error; more than `limit` (>= 1) of them are TooManyPosts.
        Without: the newest `limit`, or all when there are fewer.

        Raises:
            NotSent: they could not be read whole (or one of its kinds).
            Refused: X does not take the question.
        """
        since = int(since_id) if since_id else 0
        posts: dict[int, XPost] = {}
        token: str | None = None
        pages = 0
        while pages <= limit // FEWEST + EMPTY_PAGES:
            most = FIRST_PAGE if since and not pages else MOST
            page = self._page(since_id, max(FEWEST, min(most, limit - len(posts))), token)
            pages += 1
            fresh = [post for post in page.posts if int(post.id) > since]
            posts |= {int(post.id): post for post in fresh}
            token = page.next_token
            # Where X did not take `since_id`, older posts show that everything newer has been seen.
            if token is None or len(fresh) < len(page.posts) or (not since and len(posts) >= limit):
                newest = sorted(posts, reverse=True)
                if since and len(newest) > limit:
                    break
                return [posts[number] for number in newest[:limit]]
            if len(posts) > limit:
                break
        if len(posts) > limit:
            raise TooManyPosts(f"the account has more than {limit} posts since {since_id}")
        raise NotSent(f"X gives page after page and does not come to the end; {AGAIN}")

    def delete_post(self, post_id: str) -> bool:
        """Delete a post of the account; return False when X does not know it (any more). Costs a deletion.

        Raises:
            PublishError: as `create_post`; a deletion may be repeated when its outcome is unknown.
        """
        route = f"/2/tweets/{int(post_id)}"
        try:
            return self._asking.priced(
                "DELETE", route, Item.DELETE, 1, was_deleted, lambda deleted: [post_id] if deleted else []
            )
        except Declined as declined:
            if declined.answer.status == 404:  # noqa: PLR2004 - Not Found
                return False
            failure = self._asking.error(declined.answer, write=True)
        except NotUnderstood as error:
            failure = unreadable(error)
        raise failure

    def _page(self, since_id: str | None, count: int, token: str | None) -> Page:
        """Return one page of the account's posts, asked for in the vocabulary that X understands."""
        params: dict[str, Any] = {"max_results": count, "exclude": "retweets"}
        if since_id:
            params["since_id"] = since_id
        if token:
            params["pagination_token"] = token
        failure: PublishError | None = None
        for fields in sorted(FIELDS, key=lambda name: name != self._fields):
            try:
                page = self._ask_page(params | {fields: WANTED[fields]})
            except Declined as declined:
                failure = failure or self._asking.error(declined.answer, write=False)
                if not declined.answer.named(fields):
                    break
            except NotUnderstood as error:
                failure = failure or unreadable(error)
            else:
                self._fields = fields
                return page
        raise failure or NotSent("X was not asked")

    def _ask_page(self, params: dict[str, Any]) -> Page:
        try:
            return self._one_page(params)
        except Declined as declined:
            # A `since_id` older than a week may be refused; then the newest posts are read down to it.
            if "since_id" not in params or not declined.answer.named("since_id"):
                raise
        return self._one_page({name: params[name] for name in params if name != "since_id"})

    def _one_page(self, params: dict[str, Any]) -> Page:
        return self._asking.priced(
            "GET",
            f"/2/users/{self.account_id()}/tweets",
            Item.READ_OWN_POST,
            params["max_results"],
            page_from,
            lambda page: [post.id for post in page.posts],
            params=params,
        )
