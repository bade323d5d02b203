"""Mentions of an account at Bluesky, and what its search finds. The account's server asks the network's AppView for both."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from atproto_client.models.app.bsky.feed.get_posts import Params as ForPosts
from atproto_client.models.app.bsky.feed.search_posts import Params as ForSearch
from atproto_client.models.app.bsky.notification.list_notifications import Params as ForNotifications

from bot.core.hits import Hit, HitList, Since
from bot.errors import NotSent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from atproto_client import Client

    from bot.bluesky_client.records import Reference

PAGE: Final = 100
"""Notifications or posts on a page, the most that an AppView gives (lexicons listNotifications, searchPosts)."""

CALLS: Final = frozenset({"mention", "reply", "quote"})
"""Reasons of a notification by which somebody calls for the account."""

BOT: Final = "bot"
"""The label by which an account says of itself that it is automated."""


class BlueskyConversations:
    """What others say, for one account. Every failure is exactly one `PublishError`.

    Args:
        read: makes a call within the account's session.
        did: gives the account's DID, once there is a session.
    """

    def __init__(self, *, read: Callable[[Callable[[Client], Any]], Any], did: Callable[[], str]) -> None:
        self._read = read
        self._did = did

    def mentions(self, since: Since, pages: int) -> HitList:
        """Return what mentions, answers or quotes the account, of at most so many pages."""

        def page(cursor: str | None) -> dict[str, Any]:
            asked = ForNotifications(limit=PAGE, cursor=cursor)
            return self._asked("app.bsky.notification.listNotifications", asked)

        def hits(answer: dict[str, Any]) -> Iterator[tuple[str, Hit | None]]:
            for said in _list(answer.get("notifications")):
                called = _get(said, "reason") in CALLS
                yield str(_get(said, "indexedAt")), _hit(said, self._did(), calls=True) if called else None

        return _pages(page, hits, since, pages)

    def search(self, query: str, since: Since, pages: int) -> HitList:
        """Return the newest posts that have the words of `query`, in the search's own syntax."""
        start = since.id or _spell(since.at)

        def page(cursor: str | None) -> dict[str, Any]:
            asked = ForSearch(q=query, sort="latest", since=start, limit=PAGE, cursor=cursor)
            return self._asked("app.bsky.feed.searchPosts", asked)

        def hits(answer: dict[str, Any]) -> Iterator[tuple[str, Hit | None]]:
            for said in _list(answer.get("posts")):
                yield str(_get(said, "indexedAt")), _hit(said, self._did(), calls=False)

        return _pages(page, hits, since, pages)

    def stands_against(self, uri: str) -> str | None:
        """Return why a post cannot be answered any more, None where it can: it is gone, or its thread is closed to the account."""
        answer = self._asked("app.bsky.feed.getPosts", ForPosts(uris=[uri]))
        posts = _list(answer.get("posts"))
        if not posts:
            return "the post is gone, or its author blocks the account"
        if _get(_get(posts[0], "viewer"), "replyDisabled") is True:
            return "its author lets only some reply"
        return None

    def _asked(self, method: str, params: ForPosts | ForSearch | ForNotifications) -> dict[str, Any]:
        """Ask by the method's name: atproto's own models refuse a page for one record that they do not know."""
        answer = self._read(lambda client: client.invoke_query(method, params=params)).content
        if not isinstance(answer, dict):
            raise NotSent(f"the answer to {method} is no object; it will be asked again")
        return answer


def _pages(
    page: Callable[[str | None], dict[str, Any]],
    hits: Callable[[dict[str, Any]], Iterator[tuple[str, Hit | None]]],
    since: Since,
    pages: int,
) -> HitList:
    """Read pages until they are older than `since`; the marks are the times at which the network saw a post."""
    bound = max(_moment(since.id), since.at) if since.id else since.at
    found: dict[str, Hit] = {}
    newest = since.id
    cursor: str | None = None
    for _ in range(pages):
        answer = page(cursor)
        said = list(hits(answer))
        times = [time for time, _ in said]
        if times and (newest is None or _moment(max(times, key=_moment)) > _moment(newest)):
            newest = max(times, key=_moment)
        found |= {hit.id: hit for time, hit in said if hit is not None and _moment(time) >= bound}
        cursor = answer.get("cursor") or None
        if cursor is None or not said or _moment(times[-1]) < bound:
            cursor = None
            break
    newest_first = sorted(found.values(), key=lambda hit: hit.created_at, reverse=True)
    return HitList(hits=tuple(newest_first), newest=newest, whole=cursor is None)


def reference_of(reference: str) -> tuple[Reference, Reference]:
    """Return the post that an answer goes to and the top of its thread, as a hit's reference names them."""
    from bot.bluesky_client.records import Reference

    uri, cid, root_uri, root_cid = reference.split(" ")
    return Reference(uri=uri, cid=cid), Reference(uri=root_uri, cid=root_cid)


def _hit(said: dict[str, Any], me: str, *, calls: bool) -> Hit | None:
    """Read a post or the notification of one; None for what is no post that this bot can make anything of."""
    uri, cid, author, record = (_get(said, name) for name in ("uri", "cid", "author", "record"))
    text = _get(record, "text")
    if not (isinstance(uri, str) and isinstance(cid, str) and isinstance(text, str)):
        return None
    reply = _get(record, "reply")
    root, parent = _get(reply, "root"), _get(reply, "parent")
    root_uri, root_cid = _get(root, "uri") or uri, _get(root, "cid") or cid
    features = [f for facet in _list(_get(record, "facets")) for f in _list(_get(facet, "features"))]
    named = {_get(feature, "did") for feature in features}
    labels = {_get(label, "val") for label in _list(_get(author, "labels"))}
    return Hit(
        id=uri,
        reference=f"{uri} {cid} {root_uri} {root_cid}",
        author=str(_get(author, "did") or ""),
        name=str(_get(author, "handle") or ""),
        text=text,
        created_at=_moment(str(_get(said, "indexedAt"))),
        conversation=str(root_uri),
        mentions_us=calls or me in named or str(_get(parent, "uri") or "").startswith(f"at://{me}/"),
        by_bot=BOT in labels,
        forbidden="its author lets only some reply"
        if _get(_get(said, "viewer"), "replyDisabled") is True
        else "",
        language=str(next(iter(_list(_get(record, "langs"))), "")),
        links=tuple(link for feature in features if isinstance(link := _get(feature, "uri"), str)),
    )


def _moment(said: str) -> datetime:
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        raise NotSent("the network does not say when a post was made; it will be asked again") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _spell(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _get(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
