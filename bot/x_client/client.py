"""`XClient`: what the bot asks of X, each call one request and no retry inside it.

may it be asked (limiter) -> is there money (metering) -> sign (tweepy) -> send and read (wire)
    -> tell errors apart (outcomes) -> read the JSON (posts)
"""

from __future__ import annotations

import ipaddress
import json
import re
from datetime import UTC, datetime
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

import tweepy
from urllib3.exceptions import HTTPError

from bot import __version__
from bot.core.model import Receipt
from bot.core.prices import Item
from bot.errors import (
    ConfigError,
    NotSent,
    OutcomeUnknown,
    OutOfCredit,
    PublishError,
    RateLimited,
    TooManyPosts,
)
from bot.x_client.credentials import FourKeys, secrets_of
from bot.x_client.failures import error_for
from bot.x_client.limiter import Limiter, endpoint_of
from bot.x_client.metering import PricedCall, priced
from bot.x_client.outcomes import AGAIN, LOOK, Answer, error_from
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
from bot.x_client.wire import Declined, Wire, X, attempt, cap_loggers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from bot.ports import Meter
    from bot.x_client.limits import RateLimit

T = TypeVar("T")

FEWEST, MOST = 5, 100
"""Posts on one page of a timeline, as X allows."""

FIRST_PAGE: Final = 10
"""Posts asked for first of those after a known one: nearly always none or one, and a page's whole price is set aside."""

FIELDS: Final = ("tweet.fields", "post.fields")
"""X is changing its vocabulary: the second is asked with when the first is not understood any more."""

WANTED: Final = {
    "tweet.fields": "attachments,created_at,entities,note_tweet",
    "post.fields": "attachments,created_at,entities,note_post",
}

EMPTY_PAGES: Final = 10
"""Pages without a post that are followed in one reading before it is given up."""

VENDORS: Final = (OSError, HTTPError, HTTPException, tweepy.TweepyException)
"""Every family of errors that may come out of tweepy; requests' own are OSErrors."""


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

    Attributes:
        access_level: what X's last answer said that the tokens may do ("read", "read-write",
            "read-write-directmessages"), None when it did not say.

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
        cap_loggers()
        on_this_machine(base_url)
        self.access_level: str | None = None
        self._limiter = Limiter(clock)
        self._meter = meter
        self._secrets = secrets_of(credentials)
        self._clock = clock
        self._fields = FIELDS[0]
        # The access token begins with the account's id, which saves a priced look-up.
        owner = re.match(r"([1-9][0-9]{0,18})-", credentials.access_token)
        self._id = owner[1] if owner else None
        self._tweepy = tweepy.Client(
            consumer_key=credentials.consumer_key,
            consumer_secret=credentials.consumer_secret,
            access_token=credentials.access_token,
            access_token_secret=credentials.access_token_secret,
            wait_on_rate_limit=False,
        )
        self._tweepy.user_agent = f"shinglebot/{__version__}"
        session = self._tweepy.session
        session.trust_env = False  # no .netrc, no proxy
        session.adapters.clear()
        session.mount(
            X,
            Wire(
                base_url=base_url,
                connect_timeout=connect_timeout,
                read_timeout=read_timeout,
                heard=self._heard,
            ),
        )

    def create_post(self, text: str) -> Receipt:
        """Post `text` now, once.

        Raises:
            NotSent: nothing went out (or one of its kinds, which say why).
            Refused: X will never take it.
            OutcomeUnknown: it may be out (SaidDuplicate: X says that it is).
        """
        failure: PublishError | None = None
        try:
            payload = self._ask("POST", "/2/tweets", body={"text": text})
        except Declined as declined:
            failure = self._error(declined.answer, write=True)
        if failure is not None:
            raise failure
        try:
            number = created_id(payload)
        except NotUnderstood as error:
            amiss = str(error)
        else:
            return Receipt(remote_id=number, url=f"https://x.com/i/web/status/{number}")
        raise OutcomeUnknown(f"X took the post, but its answer cannot be read: {amiss}; {LOOK}")

    @property
    def limits(self) -> dict[str, RateLimit]:
        """By endpoint, as `POST /2/tweets`, where X's rate limits stand as of its last answer."""
        return self._limiter.limits

    def me(self) -> XUser:
        """Return the account that the credentials act for. Costs a user read. Raises a PublishError."""
        try:
            return self._ask_priced(
                "GET", "/2/users/me", Item.READ_USER, 1, user_from, lambda user: [user.id]
            )
        except Declined as declined:
            failure = self._error(declined.answer, write=False)
        except NotUnderstood as error:
            failure = _unreadable(error)
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
            return self._ask_priced(
                "DELETE", route, Item.DELETE, 1, was_deleted, lambda deleted: [post_id] if deleted else []
            )
        except Declined as declined:
            if declined.answer.status == 404:  # noqa: PLR2004 - Not Found
                return False
            failure = self._error(declined.answer, write=True)
        except NotUnderstood as error:
            failure = _unreadable(error)
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
                failure = failure or self._error(declined.answer, write=False)
                if not declined.answer.named(fields):
                    break
            except NotUnderstood as error:
                failure = failure or _unreadable(error)
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
        return self._ask_priced(
            "GET",
            f"/2/users/{self.account_id()}/tweets",
            Item.READ_OWN_POST,
            params["max_results"],
            page_from,
            lambda page: [post.id for post in page.posts],
            params=params,
        )

    def _ask_priced(
        self,
        method: str,
        route: str,
        item: Item,
        most: int,
        reader: Callable[[Any], T],
        ids: Callable[[T], Collection[str]],
        *,
        params: dict[str, Any] | None = None,
    ) -> T:
        """Send one request that has a price, and return what `reader` makes of its success; tell the meter.

        Raises:
            Declined: X said no.
            NotUnderstood: X said yes, and `reader` finds it amiss.
            PublishError: as `_ask`; OutOfBudget when there is no room for the price.
        """
        self._limiter.check(endpoint_of(method, route))  # before the meter: what is not asked has no price
        asked = " ".join(
            (method, route, *(f"{name}={value}" for name, value in sorted((params or {}).items())))
        )
        with priced(self._meter, item, most, asked) as call:
            result = reader(self._ask(method, route, params=params, call=call))
            call.resources = ids(result)
        return result

    def _ask(
        self,
        method: str,
        route: str,
        *,
        params: dict[str, Any] | None = None,
        body: dict[str, Any] | None = None,
        call: PricedCall | None = None,
    ) -> Any:
        """Send one request and return the JSON of a success; note in `call` what certainly costs nothing.

        Errors are raised outside their handlers, so that none carries a vendor's, whose request is signed.

        Raises:
            Declined: X said no; the caller knows what that means here.
            RateLimited: the endpoint's window is used up, and X was not asked.
            PublishError: nothing, or nothing that can be read, came back.
        """
        endpoint = endpoint_of(method, route)
        self._limiter.check(endpoint)
        failure: PublishError
        with attempt() as watched:
            try:
                response = self._tweepy.request(method, route, params=params, json=body, user_auth=True)
            except Declined as declined:
                meant = self._error(declined.answer, write=method != "GET")
                if isinstance(meant, RateLimited):
                    self._limiter.close(endpoint, meant.retry_at)
                if isinstance(meant, OutOfCredit) and self._meter:
                    self._meter.out_of_credit(str(meant))
                if call:  # after a 5xx X may have done what was asked
                    known = declined.answer.status < 500  # noqa: PLR2004
                    call.declined = known and not isinstance(meant, OutcomeUnknown)
                raise
            except VENDORS as error:
                if call and not watched.sent:
                    call.declined = True
                failure = error_for(error, sent=watched.sent, write=method != "GET")
            else:
                try:
                    return json.loads(response.content)
                except (ValueError, RecursionError):
                    failure = (
                        NotSent(f"X's answer is no JSON; {AGAIN}")
                        if method == "GET"
                        else OutcomeUnknown(f"X took the request, but its answer is no JSON; {LOOK}")
                    )
        raise failure

    def _error(self, answer: Answer, *, write: bool) -> PublishError:
        return error_from(answer, write=write, now=self._clock(), secrets=self._secrets)

    def _heard(self, method: str, path: str, answer: Answer) -> None:
        self._limiter.heard(endpoint_of(method, path), answer.headers)
        self.access_level = answer.headers.get("x-access-level") or None


def _unreadable(error: NotUnderstood) -> NotSent:
    return NotSent(f"X's answer cannot be read: {error}; {AGAIN}")


def on_this_machine(base_url: str | None) -> None:
    """Raise ConfigError when the address of a simulated X could lead credentials to another machine."""
    if base_url is not None and not _is_local(base_url):
        raise ConfigError("a simulated X must be on this machine: http://127.0.0.1 and its port")


def _is_local(url: str) -> bool:
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost"
    return loopback and parts.scheme in {"http", "https"}
