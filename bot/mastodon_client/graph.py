"""Followers and followed at Mastodon: pages of people, what the server says of one of them, and following."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from bot.core.follows import PeoplePage, Person, Profile, Relation
from bot.errors import NotOnThisPlan, PublishError, Refused
from bot.mastodon_client.failures import VENDORS, error_for, is_forbidden, is_missing

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from mastodon import Mastodon

T = TypeVar("T")

PAGE: Final = 80
"""Accounts on a page, the most that a server gives."""

_OF_THE_PERSON: Final = ("blocked", "not allowed", "moved", "yourself")
"""Words of a 403 of a follow that are about the other account; a token's own 403 speaks of scopes."""


class MastodonGraph:
    """The follow half of one account. Every failure is exactly one `PublishError`; nothing is tried twice.

    Args:
        mastodon: the library, with the account's token.
        clock: aware UTC now.
    """

    def __init__(self, mastodon: Mastodon, clock: Callable[[], datetime]) -> None:
        self._mastodon = mastodon
        self._clock = clock
        self._id: str | None = None

    def profile(self) -> Profile:
        """Return the account with its counts. Raises a PublishError."""

        def ask() -> Profile:
            read = self._mastodon.account_verify_credentials()
            return Profile(
                id=str(read["id"]),
                name=str(read["username"]),
                followers=_count(read["followers_count"]),
                following=_count(read["following_count"]),
            )

        profile = self._told(ask, write=False)
        self._id = profile.id
        return profile

    def people(self, side: str, cursor: str | None) -> PeoplePage:
        """Return a page of the "followers" or of those whom the account is "following". Raises a PublishError."""
        account = self._id or self.profile().id
        method = self._mastodon.account_followers if side == "followers" else self._mastodon.account_following

        def ask() -> PeoplePage:
            before = int(cursor) if cursor else None
            read = method(int(account), max_id=before, limit=PAGE)
            # The pages' ids are those of the follows, which no account shows: only the answer's own link names the next.
            after = getattr(read, "_pagination_next", None)
            following = after.get("max_id") if after is not None else None
            return PeoplePage(
                people=tuple(_person(one) for one in read),
                cursor=None if following is None else str(int(following)),
            )

        return self._told(ask, write=False)

    def relation(self, person: str) -> Relation:
        """Return what the server says of one person and the account. Raises a PublishError."""

        def ask() -> Relation:
            read = self._mastodon.account_relationships([int(person)])
            if not read:
                return Relation(exists=False)
            one = read[0]
            if str(one["id"]) != person:
                raise ValueError("it tells of another account")
            return Relation(
                following=_flag(one["following"]),
                requested=_flag(one["requested"]),
                followed_by=_flag(one["followed_by"]),
                blocked=_flag(one["blocking"]) or _flag(one["blocked_by"]),
            )

        return self._told(ask, write=False)

    def follow(self, person: str) -> None:
        """Follow a person, or ask one who wants to be asked. Raises a PublishError."""
        self._change(lambda: self._mastodon.account_follow(int(person)))

    def unfollow(self, person: str) -> None:
        """Unfollow a person. Raises a PublishError."""
        self._change(lambda: self._mastodon.account_unfollow(int(person)))

    def _change(self, call: Callable[[], Any]) -> None:
        failure: PublishError
        try:
            _flag(call()["following"])
        except VENDORS as error:
            failure = error_for(error, write=True, now=self._clock())
            if is_missing(error):
                failure = Refused("the server knows no such account (any more)")
            elif is_forbidden(error):
                of_person = any(words in str(failure).lower() for words in _OF_THE_PERSON)
                failure = Refused(str(failure)) if of_person else NotOnThisPlan(f"{failure}. {_SCOPES}")
        else:
            return
        raise failure

    def _told(self, call: Callable[[], T], *, write: bool) -> T:
        failure: PublishError
        try:
            return call()
        except VENDORS as error:
            failure = error_for(error, write=write, now=self._clock())
            if is_forbidden(error):
                failure = NotOnThisPlan(f"{failure}. {_SCOPES}")
        raise failure


_SCOPES: Final = (
    "The token needs the scopes read:follows and write:follows: with follows.mode set, `shinglebot auth` asks for them; a token of "
    "your own gets them in the account's settings, under Development"
)


def _person(read: Any) -> Person:
    return Person(
        id=str(int(read["id"])),
        name=str(read["acct"]),
        is_private=bool(read["locked"]),
        is_suspended=bool(read.get("suspended") or False),
    )


def _count(said: Any) -> int:
    if isinstance(said, bool) or not isinstance(said, int) or said < 0:
        raise ValueError("a count is no number")
    return said


def _flag(said: Any) -> bool:
    if not isinstance(said, bool):
        raise ValueError(f"{said!r} is neither yes nor no")  # noqa: TRY004 - one family for all that cannot be read
    return said
