"""The follow half of each network, in one shape: X, Mastodon and Bluesky fit `ports.FollowGraph`.

What differs between them stands here: what their rules say, what reading costs, how large a page is, and whether a follow has a name.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from bot.core.prices import Item
from bot.core.record_keys import record_key

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from bot.bluesky_client import BlueskyClient
    from bot.core.follows import PeoplePage, Profile, Relation
    from bot.mastodon_client import MastodonClient
    from bot.x_client import XClient

X_PAGE: Final = 1000
MASTODON_PAGE: Final = 80
BLUESKY_PAGE: Final = 100
"""The most that each gives: docs.x.com rate limits; docs.joinmastodon.org accounts; lexicon app.bsky.graph.getFollowers."""

X_RULE: Final = (
    "X's developer guidelines forbid automatic following and following back, and accounts are suspended for it; since "
    "2026-04-20 no self-serve plan can follow through the API at all"
)
"""docs.x.com, developer guidelines and changelog, 2026-08-22."""


class XFollows:
    """X. Reading has a price, and so has each step.

    Args:
        client: of the account.
        prices: of each item, in micro-dollars.
    """

    rule = X_RULE
    page = X_PAGE

    def __init__(self, client: XClient, prices: Mapping[Item, int]) -> None:
        self._client = client
        self._prices = prices

    def profile(self) -> Profile:
        """See `ports.FollowGraph`."""
        return self._client.graph.profile()

    def followers(self, cursor: str | None) -> PeoplePage:
        """See `ports.FollowGraph`."""
        return self._client.graph.people("followers", cursor)

    def following(self, cursor: str | None) -> PeoplePage:
        """See `ports.FollowGraph`."""
        return self._client.graph.people("following", cursor)

    def relation(self, person: str, _key: str | None = None) -> Relation:
        """See `ports.FollowGraph`."""
        return self._client.graph.relation(person)

    def key(self, _person: str, _now: datetime) -> str | None:
        """Return None: at X a follow has no name."""
        return None

    def follow(self, person: str, _key: str | None) -> None:
        """See `ports.FollowGraph`."""
        self._client.graph.follow(person)

    def unfollow(self, person: str) -> None:
        """See `ports.FollowGraph`."""
        self._client.graph.unfollow(person)

    def price(self, people: int) -> int:
        """Return what the lists cost, with the account itself before and after."""
        return people * self._prices[Item.READ_OWN_FOLLOW] + self._prices[Item.READ_USER]


class MastodonFollows:
    """Mastodon. All is free."""

    rule = ""
    page = MASTODON_PAGE

    def __init__(self, client: MastodonClient) -> None:
        self._client = client

    def profile(self) -> Profile:
        """See `ports.FollowGraph`."""
        return self._client.graph.profile()

    def followers(self, cursor: str | None) -> PeoplePage:
        """See `ports.FollowGraph`."""
        return self._client.graph.people("followers", cursor)

    def following(self, cursor: str | None) -> PeoplePage:
        """See `ports.FollowGraph`."""
        return self._client.graph.people("following", cursor)

    def relation(self, person: str, _key: str | None = None) -> Relation:
        """See `ports.FollowGraph`."""
        return self._client.graph.relation(person)

    def key(self, _person: str, _now: datetime) -> str | None:
        """Return None: at Mastodon a follow has no name."""
        return None

    def follow(self, person: str, _key: str | None) -> None:
        """See `ports.FollowGraph`."""
        self._client.graph.follow(person)

    def unfollow(self, person: str) -> None:
        """See `ports.FollowGraph`."""
        self._client.graph.unfollow(person)

    def price(self, _people: int) -> int:
        """Return 0."""
        return 0


class BlueskyFollows:
    """Bluesky. All is free, and a follow has a key: written twice, it is there once."""

    rule = ""
    page = BLUESKY_PAGE

    def __init__(self, client: BlueskyClient) -> None:
        self._client = client

    def profile(self) -> Profile:
        """See `ports.FollowGraph`."""
        return self._client.graph.profile()

    def followers(self, cursor: str | None) -> PeoplePage:
        """See `ports.FollowGraph`."""
        return self._client.graph.people("followers", cursor)

    def following(self, cursor: str | None) -> PeoplePage:
        """See `ports.FollowGraph`."""
        return self._client.graph.people("following", cursor)

    def relation(self, person: str, key: str | None = None) -> Relation:
        """See `ports.FollowGraph`."""
        return self._client.graph.relation(person, key)

    def key(self, person: str, now: datetime) -> str | None:
        """Return the key of a record that is made now."""
        return record_key(now, zlib.crc32(person.encode()))

    def follow(self, person: str, key: str | None) -> None:
        """See `ports.FollowGraph`."""
        if key is None:
            raise ValueError("a follow at Bluesky has a key")
        self._client.graph.follow(person, key)

    def unfollow(self, person: str) -> None:
        """See `ports.FollowGraph`."""
        self._client.graph.unfollow(person)

    def price(self, _people: int) -> int:
        """Return 0."""
        return 0
