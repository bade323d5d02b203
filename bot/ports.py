"""The shapes that rooms above the doors rely on, where more than one thing fits them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from bot.core.budget import Spent
    from bot.core.follows import PeoplePage, Profile, Relation
    from bot.core.hits import HitList, Since, Stream
    from bot.core.model import Post, Receipt
    from bot.core.prices import Item
    from bot.core.recognition import OwnPost
    from bot.core.rulers import Ruler


class Publisher(Protocol):
    """Sends one post to one destination. The rooms of `publishers` fit it.

    Attributes:
        name: the destination's name as the outbox stores it.
        ruler: measures texts as the destination does, and knows the most that it takes.
    """

    name: str
    ruler: Ruler

    def key(self, row_id: int, now: datetime, newest_id: str | None) -> str | None:
        """Return what names the post of a row towards the destination at every try; None where it knows no such names.

        `now` is the time of the first try, `newest_id` the newest own post that is known, if any is.
        """
        ...

    def publish(self, post: Post) -> Receipt:
        """Send `post` now, once; raise a `PublishError` that says what is known of the outcome."""
        ...

    def account(self) -> str | None:
        """Return whose posts they are, None where what is sent leaves nothing that could be read back.

        Then nothing is looked up, neither at the start nor after an unknown outcome. Raises a `PublishError` when the
        destination has to be asked and does not tell.
        """
        ...

    def own_posts(self, since_id: str | None, limit: int) -> list[OwnPost]:
        """Return the account's own posts, newest first, whoever made them: all after `since_id`, or an error.

        Without `since_id`: the newest `limit`, or all when there are fewer. Raises TooManyPosts when more than `limit`
        came after `since_id`, and any other `PublishError` when they cannot be read whole.
        """
        ...


class Budget(Protocol):
    """What posts may cost and have cost. `spending` fits it.

    The writing methods are called in the caller's transaction: a reservation is committed together with the claim
    that it pays for, and what becomes of it together with what became of the post.
    """

    def allowed_at(self, post: Post, now: datetime) -> datetime:
        """Return when there is room for the price of `post`: `now`, or when the day's or month's limit ends."""
        ...

    def room_for(self, item: Item, now: datetime, before: Spent = ...) -> tuple[datetime, str]:
        """Return when there is room for one of `item`, `now` or later, and what stands against it until then.

        `before` is what will have been spent by then beside what is known.
        """
        ...

    def reserve(self, outbox_id: int, feed: str, post: Post, now: datetime) -> None:
        """Set the price of `post` aside for a row of the outbox that is being claimed."""
        ...

    def charge(self, outbox_id: int, now: datetime) -> None:
        """What was set aside for the row was spent. Does nothing when nothing is set aside."""
        ...

    def release(self, outbox_id: int, now: datetime) -> None:
        """What was set aside for the row was not spent. Does nothing when nothing is set aside."""
        ...


class Meter(Protocol):
    """Sees every priced call that is no post: reads and deletions. `spending` fits it."""

    def before(self, item: Item, most: int, question: str = "") -> int:
        """Set aside the price of at most `most` resources, durably; return a ticket.

        `question` says what is asked, in any words: what brings the same when it is asked again has the same words, so
        that a call that was lost can be settled by a later one.

        Raises OutOfBudget when there is no room; then the call must not be made.
        """
        ...

    def after(self, ticket: int, resources: Collection[str]) -> None:
        """The call was answered with these resources (ids); an answer may hold none."""
        ...

    def declined(self, ticket: int) -> None:
        """The call is certainly not charged: X said no, or never heard of it."""
        ...

    def lost(self, ticket: int) -> None:
        """Nobody knows whether the call was answered, and so whether it was charged."""
        ...

    def out_of_credit(self, reason: str) -> None:
        """Any call, a post included, was refused because the account may not spend: `before` refuses for a while."""
        ...


class Conversations(Protocol):
    """What others say to an account or of its subjects, at one network. The rooms of `networks` fit it.

    A reading that does not come to its end is an error, never a part of a list; nothing is tried twice.

    Attributes:
        rule: what the network's rules say of automatic answers, a sentence for a person.
        names_author: whether an answer has to name whom it is for, who is else told nothing.
    """

    rule: str
    names_author: bool

    def account(self) -> str:
        """Return the account's id, as hits name authors. Raises a PublishError."""
        ...

    def mentions(self, since: Since, most: int) -> HitList:
        """Return what names the account, at most so many. Raises a PublishError."""
        ...

    def search(self, query: str, since: Since, most: int) -> HitList:
        """Return what a query finds, at most so many. Raises a PublishError."""
        ...

    def price(self, stream: Stream, hits: int) -> int:
        """Return what it costs at most to read so many hits, in micro-dollars: 0 where it is free."""
        ...

    def most(self, pages: int) -> int:
        """Return how many hits so many pages hold at most."""
        ...

    def least(self, stream: Stream) -> int:
        """Return how many hits have to be asked for at least, >= 1."""
        ...


class FollowGraph(Protocol):
    """Who follows an account and whom it follows, at one network. The rooms of `networks` fit it.

    Every call is one request, or two where the network needs a second to answer one question; nothing is tried twice. All
    raise a `PublishError`: Unauthorized where the network does not know the bot, NotOnThisPlan where a follow or unfollow is no
    part of what it may do, RateLimited and OutOfBudget until when to wait, Refused where it will never be done for this person,
    OutcomeUnknown where nobody knows whether it was.

    Attributes:
        rule: what the network's rules say of automatic following, a sentence for a person; "" where they allow it.
        page: how many people a page holds at most.
    """

    rule: str
    page: int

    def profile(self) -> Profile:
        """Return the account itself, with its counts of this moment."""
        ...

    def followers(self, cursor: str | None) -> PeoplePage:
        """Return one page of those who follow the account; the first without a cursor."""
        ...

    def following(self, cursor: str | None) -> PeoplePage:
        """Return one page of those whom the account follows; the first without a cursor."""
        ...

    def relation(self, person: str, key: str | None = None) -> Relation:
        """Return what the network says of one person just now; `key` names a follow of this account that may be there."""
        ...

    def key(self, person: str, now: datetime) -> str | None:
        """Return what a follow that is begun now is called, None where the network knows no such names."""
        ...

    def follow(self, person: str, key: str | None) -> None:
        """Follow a person; one that is followed already stays so."""
        ...

    def unfollow(self, person: str) -> None:
        """Unfollow a person; one that is not followed stays so."""
        ...

    def price(self, people: int) -> int:
        """Return what it costs to read lists of so many people, in micro-dollars: 0 where it is free."""
        ...
