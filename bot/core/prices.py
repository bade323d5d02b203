"""What X charges: the one table of prices, with the day on which it was read."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class Item(StrEnum):
    """What is charged for: a write by the request, a read by each resource that it returns."""

    POST = "post"
    POST_WITH_URL = "post with url"
    SUMMONED_REPLY = "summoned reply"
    DELETE = "delete"
    READ_POST = "read post"
    READ_OWN_POST = "read own post"
    READ_USER = "read user"


READS: Final = frozenset({Item.READ_POST, Item.READ_OWN_POST, Item.READ_USER})
"""A resource that was read on the same UTC day is not charged again."""

PRICES_OF: Final = date(2026, 8, 22)
"""The day on which the price card was read: docs.x.com, x-api/getting-started/pricing."""

PRICES: Final[Mapping[Item, Decimal]] = MappingProxyType(
    {
        Item.POST: Decimal("0.015"),
        Item.POST_WITH_URL: Decimal("0.200"),
        Item.SUMMONED_REPLY: Decimal("0.010"),
        Item.DELETE: Decimal("0.005"),  # "Content: manage"; that this is the class of a delete is our reading
        Item.READ_POST: Decimal("0.005"),
        Item.READ_OWN_POST: Decimal("0.001"),  # an owned read, for the account that owns the app
        Item.READ_USER: Decimal("0.010"),
    }
)
"""Dollars."""
