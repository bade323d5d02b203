"""Mentions of an account at X, and what X's search finds: pages of posts by anybody, read since an id.

Mentions of the account that owns the app are owned reads, at a tenth of a cent for each; a search costs half a cent for each
post. Authors are known by their ids: their names would be reads of users, at a cent for each.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from bot.core.hits import Hit, HitList, Since
from bot.core.prices import Item
from bot.errors import NotSent, PublishError
from bot.x_client.asking import Asking, unreadable
from bot.x_client.posts import EPOCH, SEQUENCE_BITS, NotUnderstood, post_from
from bot.x_client.wire import Declined

if TYPE_CHECKING:
    from collections.abc import Callable

FEWEST_MENTIONS, FEWEST_FOUND, MOST = 5, 10, 100
"""Posts on a page, as X allows."""

REACH: Final = timedelta(days=7) - timedelta(hours=1)
"""An older `since_id` is refused, and an older `start_time` by the search: a time within the week is asked for instead."""

SETTLED: Final = timedelta(seconds=15)
"""X wants a `start_time` that is over; its search shows a post after some seconds."""

_SHARED: Final = (
    "author_id,attachments,conversation_id,created_at,entities,in_reply_to_user_id,lang,reply_settings"
)
FIELDS: Final = {
    "tweet.fields": f"{_SHARED},note_tweet,referenced_tweets",
    "post.fields": f"{_SHARED},note_post,referenced_posts",
}
"""X is changing its vocabulary: the second is asked with when the first is not understood any more."""

_OPEN: Final = frozenset({"everyone", "mentionedUsers"})
"""Settings under which somebody who is mentioned may reply; under the others only whom the author follows, or paying accounts."""


class XConversations:
    """What others say, for one account at X. Every failure is exactly one `PublishError`; nothing is tried twice.

    Args:
        asking: sends the requests.
        account: gives the account's id; it may have to ask for it.
        clock: aware UTC now.
    """

    def __init__(self, asking: Asking, account: Callable[[], str], clock: Callable[[], datetime]) -> None:
        self._asking = asking
        self._account = account
        self._clock = clock
        self._fields = next(iter(FIELDS))

    def mentions(self, since: Since, most: int) -> HitList:
        """Return the posts that mention the account, at most so many. Costs an owned read for each."""
        me = self._account()
        route = f"/2/users/{me}/mentions"
        return self._pages(route, Item.READ_OWN_POST, {}, FEWEST_MENTIONS, since, most, "pagination_token")

    def search(self, query: str, since: Since, most: int) -> HitList:
        """Return the posts of the last seven days that a query finds. Costs a read for each."""
        asked = {"query": query}
        return self._pages(
            "/2/tweets/search/recent", Item.READ_POST, asked, FEWEST_FOUND, since, most, "next_token"
        )

    def _pages(
        self,
        route: str,
        item: Item,
        asked: dict[str, Any],
        fewest: int,
        since: Since,
        most: int,
        turning: str,
    ) -> HitList:
        bound = self._bound(since)
        hits: dict[int, Hit] = {}
        token: str | None = None
        left = most
        while left >= fewest:
            count = min(left, MOST)
            params = asked | bound | {"max_results": count} | ({turning: token} if token else {})
            page, token = self._page(route, item, params, since)
            hits |= {int(hit.id): hit for hit in page}
            left -= count
            if token is None:
                break
        newest_first = [hits[number] for number in sorted(hits, reverse=True)]
        fresh = [hit for hit in newest_first if since.id is None or int(hit.id) > int(since.id)]
        return HitList(
            hits=tuple(fresh), newest=newest_first[0].id if newest_first else since.id, whole=token is None
        )

    def _bound(self, since: Since) -> dict[str, Any]:
        now = self._clock()
        if since.id is not None and now - _made_at(since.id) < REACH:
            return {"since_id": since.id}
        return {"start_time": _spell(max(since.at, now - REACH), now)}

    def _page(
        self, route: str, item: Item, params: dict[str, Any], since: Since
    ) -> tuple[list[Hit], str | None]:
        failure: PublishError | None = None
        for fields in sorted(FIELDS, key=lambda name: name != self._fields):
            try:
                page = self._ask(route, item, params | {fields: FIELDS[fields]})
            except Declined as declined:
                if "since_id" in params and declined.answer.named("since_id"):
                    now = self._clock()
                    later = {k: v for k, v in params.items() if k != "since_id"}
                    start = {"start_time": _spell(max(since.at, now - REACH), now)}
                    return self._page(route, item, later | start, since)
                failure = failure or self._asking.error(declined.answer, write=False)
                if not declined.answer.named(fields):
                    break
            except NotUnderstood as error:
                failure = failure or unreadable(error)
            else:
                self._fields = fields
                return page
        raise failure or NotSent("X was not asked")

    def _ask(self, route: str, item: Item, params: dict[str, Any]) -> tuple[list[Hit], str | None]:
        me = self._account()
        return self._asking.priced(
            "GET",
            route,
            item,
            params["max_results"],
            lambda payload: _page_from(payload, me),
            lambda page: [hit.id for hit in page[0]],
            params=params,
        )


def _made_at(post_id: str) -> datetime:
    return datetime.fromtimestamp(((int(post_id) >> SEQUENCE_BITS) + EPOCH) / 1000, UTC)


def _spell(time: datetime, now: datetime) -> str:
    return f"{min(time, now - SETTLED).astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _page_from(payload: Any, me: str) -> tuple[list[Hit], str | None]:
    """Read a page; one that is not whole is not understood."""
    meta = payload.get("meta") if isinstance(payload, dict) else None
    if not isinstance(meta, dict):
        raise NotUnderstood("it holds no meta")
    if payload.get("errors"):
        raise NotUnderstood("it holds errors beside the posts")
    data = payload.get("data", [])
    if not isinstance(data, list) or meta.get("result_count") != len(data):
        raise NotUnderstood("the number of posts is not the one that X gives")
    token = meta.get("next_token")
    if token is not None and not isinstance(token, str):
        raise NotUnderstood("the next page's token is no text")
    return [_hit(form, me) for form in data], token or None


def _hit(form: Any, me: str) -> Hit:
    post = post_from(form)
    author = form.get("author_id")
    if not (isinstance(author, str) and author.isdecimal()):
        raise NotUnderstood("it does not say who wrote a post")
    referenced = form.get("referenced_tweets") or form.get("referenced_posts") or ()
    if not isinstance(referenced, list | tuple):
        raise NotUnderstood("what a post refers to is no list")
    kinds = {str(each.get("type")): str(each.get("id")) for each in referenced if isinstance(each, dict)}
    named = form.get("entities", {}).get("mentions", ()) if isinstance(form.get("entities"), dict) else ()
    mentioned = {str(each.get("id")) for each in named if isinstance(each, dict)}
    mentions_us = me in mentioned or str(form.get("in_reply_to_user_id")) == me
    allowed = str(form.get("reply_settings") or "everyone")
    forbidden = ""
    if allowed not in _OPEN or (allowed == "mentionedUsers" and me not in mentioned):
        forbidden = f"its author lets only some reply ({allowed})"
    return Hit(
        id=post.id,
        reference=post.id,
        author=author,
        text=post.text,
        created_at=post.created_at,
        conversation=str(form.get("conversation_id") or ""),
        original=kinds.get("retweeted"),
        mentions_us=mentions_us,
        forbidden=forbidden,
        language=str(form.get("lang") or "").replace("und", ""),
        links=post.urls,
    )
