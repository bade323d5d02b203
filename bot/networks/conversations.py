"""The talking half of each network, in one shape: X, Mastodon and Bluesky fit `ports.Conversations`.

What differs between them stands here: what their rules say, what reading costs, and how a query is put to their search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.core.hits import HitList, Stream
from bot.core.prices import Item
from bot.core.queries import looked_for, matches, parse_query
from bot.errors import NotSent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.bluesky_client import BlueskyClient
    from bot.core.hits import Since
    from bot.mastodon_client import MastodonClient
    from bot.x_client import XClient

FEWEST_MENTIONS, FEWEST_FOUND = 5, 10
"""Posts that X wants to be asked for at least (docs.x.com, 2026-08-22)."""

X_PAGE: Final = 100
BLUESKY_PAGE: Final = 100
MASTODON_PAGE: Final = 40
"""The most that each gives: docs.x.com; lexicon app.bsky.feed.searchPosts; docs.joinmastodon.org notifications."""

X_RULE: Final = (
    "X lets an app answer only where the author named or quoted the account, once for each such post (since 2026-02-23); "
    "answers to whoever uses a word are forbidden by its developer guidelines, except with X's own approval"
)
MASTODON_RULE: Final = "Mastodon's servers expect a bot to be marked as one and to answer those alone who call for it; each has rules of its own"
BLUESKY_RULE: Final = 'Bluesky\'s guidelines for bots: answer only who calls for it, and label the account with "bot" in its profile'
"""docs.x.com developer guidelines; docs.joinmastodon.org; docs.bsky.app starter guide for bots; all 2026-08."""


class XTalk:
    """X. Reading has a price.

    Args:
        client: of the account.
        prices: of each item, in micro-dollars.
    """

    rule = X_RULE
    names_author = False

    def __init__(self, client: XClient, prices: Mapping[Item, int]) -> None:
        self._client = client
        self._prices = prices

    def account(self) -> str:
        """See `ports.Conversations`."""
        return self._client.account_id()

    def mentions(self, since: Since, most: int) -> HitList:
        """See `ports.Conversations`."""
        return self._client.conversations.mentions(since, most)

    def search(self, query: str, since: Since, most: int) -> HitList:
        """See `ports.Conversations`."""
        return self._client.conversations.search(query, since, most)

    def least(self, stream: Stream) -> int:
        """See `ports.Conversations`."""
        return FEWEST_MENTIONS if stream is Stream.MENTIONS else FEWEST_FOUND

    def price(self, stream: Stream, hits: int) -> int:
        """See `ports.Conversations`."""
        return hits * self._prices[Item.READ_OWN_POST if stream is Stream.MENTIONS else Item.READ_POST]

    def most(self, pages: int) -> int:
        """See `ports.Conversations`."""
        return pages * X_PAGE


@dataclass(slots=True, kw_only=True)
class Offline:
    """What is known of a network without asking it; every question is a NotSent."""

    rule: str
    names_author: bool

    def account(self) -> str:
        """See `ports.Conversations`."""
        raise NotSent("nobody is asked")

    def mentions(self, _since: Since, _most: int) -> HitList:
        """See `ports.Conversations`."""
        raise NotSent("nobody is asked")

    def search(self, _query: str, _since: Since, _most: int) -> HitList:
        """See `ports.Conversations`."""
        raise NotSent("nobody is asked")

    def price(self, _stream: Stream, _hits: int) -> int:
        """See `ports.Conversations`."""
        return 0

    def most(self, pages: int) -> int:
        """See `ports.Conversations`."""
        return pages

    def least(self, _stream: Stream) -> int:
        """See `ports.Conversations`."""
        return 1


class _Gratis:
    """What costs nothing, and whose search knows words alone: each alternative is searched for, and the rest is seen to here."""

    page: int

    def __init__(self, find: Callable[[str, Since, int], HitList]) -> None:
        self._find = find

    def search(self, query: str, since: Since, most: int) -> HitList:
        """See `ports.Conversations`."""
        pages = max(most // self.page, 1)
        group = parse_query(query, local=True)
        lists = [self._find(words, since, pages) for words in looked_for(group)]
        hits = {hit.id: hit for found in lists for hit in found.hits if matches(group, hit)}
        marks = [found.newest for found in lists if found.newest is not None]
        return HitList(
            hits=tuple(sorted(hits.values(), key=lambda hit: hit.created_at, reverse=True)),
            # Of several searches the one that came least far counts: what is read twice is decided once.
            newest=min(marks, key=lambda mark: (len(mark), mark)) if len(marks) == len(lists) else since.id,
            whole=all(found.whole for found in lists),
        )

    def price(self, _stream: Stream, _hits: int) -> int:
        """See `ports.Conversations`."""
        return 0

    def most(self, pages: int) -> int:
        """See `ports.Conversations`."""
        return pages * self.page

    def least(self, _stream: Stream) -> int:
        """See `ports.Conversations`."""
        return 1


class MastodonTalk(_Gratis):
    """Mastodon. Only who is named in an answer is told of it."""

    rule = MASTODON_RULE
    names_author = True
    page = MASTODON_PAGE

    def __init__(self, client: MastodonClient) -> None:
        super().__init__(client.conversations.search)
        self._client = client

    def account(self) -> str:
        """See `ports.Conversations`."""
        return self._client.me().id

    def mentions(self, since: Since, most: int) -> HitList:
        """See `ports.Conversations`."""
        return self._client.conversations.mentions(since, max(most // self.page, 1))


class BlueskyTalk(_Gratis):
    """Bluesky."""

    rule = BLUESKY_RULE
    names_author = False
    page = BLUESKY_PAGE

    def __init__(self, client: BlueskyClient) -> None:
        super().__init__(client.conversations.search)
        self._client = client

    def account(self) -> str:
        """See `ports.Conversations`."""
        return self._client.account()

    def mentions(self, since: Since, most: int) -> HitList:
        """See `ports.Conversations`."""
        return self._client.conversations.mentions(since, max(most // self.page, 1))
