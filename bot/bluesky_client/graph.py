"""Followers and followed at Bluesky: pages of people from the AppView, and follows as records of the account's own repository.

A follow has a key, like a post: written twice under it, it is there once. The AppView learns of records a little later, so what
the account itself did is asked of its own repository.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from atproto_client.exceptions import RequestErrorBase

from bot.bluesky_client.failures import is_missing
from bot.core.follows import PeoplePage, Person, Profile, Relation
from bot.core.record_keys import is_record_key
from bot.errors import NotSent

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from atproto_client import Client

FOLLOW: Final = "app.bsky.graph.follow"

PAGE: Final = 100
"""People on a page, the most that the AppView gives."""

_NOT_FOUND: Final = "app.bsky.graph.defs#notFoundActor"


class BlueskyGraph:
    """The follow half of one account. Every failure is exactly one `PublishError`; nothing that writes is tried twice.

    Args:
        read, write: make a call within a session, and tell failures apart.
        did: gives the account's DID, once logged in.
        clock: aware UTC now.
    """

    def __init__(
        self,
        *,
        read: Callable[[Callable[[Client], Any]], Any],
        write: Callable[[Callable[[Client], Any]], Any],
        did: Callable[[], str],
        clock: Callable[[], datetime],
    ) -> None:
        self._read = read
        self._write = write
        self._did = did
        self._clock = clock

    def profile(self) -> Profile:
        """Return the account with its counts. Raises a PublishError."""
        read = self._read(lambda client: client.app.bsky.actor.get_profile({"actor": self._did()}))
        if read.followers_count is None or read.follows_count is None:
            raise NotSent("the server does not say how many follow; it will be asked again")
        return Profile(
            id=str(read.did),
            name=str(read.handle),
            followers=int(read.followers_count),
            following=int(read.follows_count),
        )

    def people(self, side: str, cursor: str | None) -> PeoplePage:
        """Return a page of the "followers" or of those whom the account is "following". Raises a PublishError."""

        def ask(client: Client) -> PeoplePage:
            params = {"actor": self._did(), "limit": PAGE, "cursor": cursor}
            graph = client.app.bsky.graph
            if side == "followers":
                answer = graph.get_followers(params)
                people = answer.followers
            else:
                answer = graph.get_follows(params)
                people = answer.follows
            return PeoplePage(
                people=tuple(Person(id=str(one.did), name=str(one.handle)) for one in people),
                cursor=answer.cursor or None,
            )

        page: PeoplePage = self._read(ask)
        return page

    def relation(self, person: str, key: str | None = None) -> Relation:
        """Return what the server says of one person and the account; a follow under `key` counts, too. Raises a PublishError."""
        answer = self._read(
            lambda client: client.app.bsky.graph.get_relationships({"actor": self._did(), "others": [person]})
        )
        if len(answer.relationships) != 1:
            raise NotSent("the server does not say who follows whom; it will be asked again")
        one = answer.relationships[0]
        if one.py_type == _NOT_FOUND:
            return Relation(exists=False)
        if str(getattr(one, "did", "")) != person:
            raise NotSent("the server tells of another account; it will be asked again")
        keys = [each for each in (_key_of(one.following), key) if each is not None]
        return Relation(
            following=any(self._follows(person, each) for each in keys),
            followed_by=bool(one.followed_by),
            blocked=any(
                getattr(one, name, None)
                for name in ("blocking", "blocked_by", "blocking_by_list", "blocked_by_list")
            ),
        )

    def follow(self, person: str, key: str) -> None:
        """Write the follow of a person under `key`; a second time is once. Raises a PublishError."""
        if not is_record_key(key):
            raise ValueError(f"{key!r} is no record key")
        record = {
            "$type": FOLLOW,
            "subject": person,
            "createdAt": f"{self._clock():%Y-%m-%dT%H:%M:%S}.{self._clock().microsecond // 1000:03d}Z",
        }
        data = {"collection": FOLLOW, "rkey": key, "record": record}
        self._write(lambda client: client.com.atproto.repo.put_record({"repo": self._did(), **data}))

    def unfollow(self, person: str) -> None:
        """Delete the follow of a person; one that is not there stays so. Raises a PublishError."""
        answer = self._read(
            lambda client: client.app.bsky.graph.get_relationships({"actor": self._did(), "others": [person]})
        )
        uri = getattr(answer.relationships[0], "following", None) if answer.relationships else None
        key = _key_of(uri)
        if key is None:
            raise NotSent(
                "the server does not say under which key the follow is kept; it will be asked again"
            )
        if not self._follows(person, key):
            return
        data = {"collection": FOLLOW, "rkey": key}
        self._write(lambda client: client.com.atproto.repo.delete_record({"repo": self._did(), **data}))

    def _follows(self, person: str, key: str) -> bool:
        """Return whether the account's own repository has that follow. Raises a PublishError."""

        def ask(client: Client) -> bool:
            params = {"repo": self._did(), "collection": FOLLOW, "rkey": key}
            try:
                record = client.com.atproto.repo.get_record(params)
            except RequestErrorBase as error:
                if is_missing(error):
                    return False
                raise
            return str(getattr(record.value, "subject", "")) == person

        return bool(self._read(ask))


def _key_of(uri: str | None) -> str | None:
    return uri.rpartition("/")[2] if uri else None
