"""What X charges: the one table of prices, with the day on which it was read, and the owner's own beside it."""

from __future__ import annotations

from datetime import date
from decimal import Context, Decimal, Inexact, InvalidOperation
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.core.model import Post


class Item(StrEnum):
    """What is charged for: a write by the request, a read by each resource that it returns."""

    POST = "post"
    POST_WITH_URL = "post with url"
    SUMMONED_REPLY = "summoned reply"
    DELETE = "delete"
    MEDIA_METADATA = "media metadata"
    READ_POST = "read post"
    READ_OWN_POST = "read own post"
    READ_USER = "read user"
    READ_OWN_FOLLOW = "read own follow"
    FOLLOW = "follow"
    REPOST = "repost"
    UNFOLLOW = "unfollow"

    @property
    def key(self) -> str:
        """Its name in the configuration: `post_with_url`."""
        return self.value.replace(" ", "_")

    @property
    def doing(self) -> str:
        """What is done there, to go before a verb: "reading the account" waits."""
        return _DOING[self]


_DOING: Final[Mapping[Item, str]] = MappingProxyType(
    {
        Item.POST: "posting",
        Item.POST_WITH_URL: "posting with a link",
        Item.SUMMONED_REPLY: "replying",
        Item.DELETE: "deleting",
        Item.MEDIA_METADATA: "describing a picture",
        Item.READ_POST: "reading posts",
        Item.READ_OWN_POST: "reading the account's posts",
        Item.READ_USER: "reading the account",
        Item.READ_OWN_FOLLOW: "reading who follows",
        Item.FOLLOW: "following",
        Item.REPOST: "passing posts on",
        Item.UNFOLLOW: "unfollowing",
    }
)


READS: Final = frozenset({Item.READ_POST, Item.READ_OWN_POST, Item.READ_USER, Item.READ_OWN_FOLLOW})
"""A resource that was read on the same UTC day is not charged again."""

PRICES_OF: Final = date(2026, 8, 22)
"""The day on which the price card was read: docs.x.com, x-api/getting-started/pricing."""

PRICES: Final[Mapping[Item, Decimal]] = MappingProxyType(
    {
        Item.POST: Decimal("0.015"),
        Item.POST_WITH_URL: Decimal("0.200"),
        Item.SUMMONED_REPLY: Decimal("0.010"),
        Item.DELETE: Decimal("0.005"),  # "Content: manage"; that this is the class of a delete is our reading
        Item.MEDIA_METADATA: Decimal("0.005"),  # the upload itself is not on the card
        Item.READ_POST: Decimal("0.005"),
        Item.READ_OWN_POST: Decimal("0.001"),  # an owned read, for the account that owns the app
        Item.READ_USER: Decimal("0.010"),
        Item.READ_OWN_FOLLOW: Decimal(
            "0.001"
        ),  # an owned read, too: each follower, each account that is followed
        Item.FOLLOW: Decimal("0.015"),  # "User Interaction: Create"
        Item.REPOST: Decimal("0.015"),  # of the same class
        Item.UNFOLLOW: Decimal("0.010"),  # "Interaction: Delete"
    }
)
"""Dollars."""

MICROS: Final = 1_000_000
"""Micro-dollars in a dollar. Sums of them are exact, and a tenth of a cent is a thousand."""


def micros_of(dollars: Decimal) -> int:
    """Return dollars, of at most six decimals, as micro-dollars. Raises ValueError for more decimals, and past 28 digits."""
    try:
        micros = Context(traps=[Inexact, InvalidOperation]).multiply(
            dollars, MICROS
        )  # rounded, it would be another sum
    except ArithmeticError:
        raise ValueError(f"{dollars} dollars are too large, or too exact, to be money") from None
    if micros != micros.to_integral_value():
        raise ValueError(f"{dollars} dollars have more than six decimals")
    return int(micros)


def price_list(own: Mapping[Item, Decimal] = MappingProxyType({})) -> Mapping[Item, int]:
    """Return what each item costs, in micro-dollars: the table's prices, and in their place the owner's `own`."""
    return MappingProxyType({item: micros_of(own.get(item, PRICES[item])) for item in Item})


def item_of(post: Post) -> Item:
    """Return what a post of our own is charged as; what X will read as a link makes it dear, whoever put it there."""
    if post.repost_of is not None:
        return Item.REPOST
    # What a summoned reply with a link costs is not documented: the dearer is reckoned with.
    return Item.POST_WITH_URL if post.has_link else Item.SUMMONED_REPLY if post.summoned else Item.POST


def price_of(post: Post, prices: Mapping[Item, int]) -> int:
    """Return what a post of our own costs, in micro-dollars, with the description of its picture."""
    return prices[item_of(post)] + (prices[Item.MEDIA_METADATA] if post.media else 0)
