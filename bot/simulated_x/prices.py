"""What X charges, and the account that pays: so that a bot's own ledger can be held against X's."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from bot.core.prices import PRICES, READS, Item

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """One line of the bill; `count` is how many resources were charged for, `amount` in dollars."""

    time: datetime
    item: Item
    count: int
    amount: Decimal


class Account:
    """X's own account of what the app has spent.

    Args:
        credit: dollars left, None for as many as are asked for. It may fall a little below zero, as X's does;
            then everything is refused.
    """

    def __init__(self, credit: Decimal | None = None) -> None:
        self.credit = credit
        self.charges: list[Charge] = []
        self._read_today: set[tuple[date, Item, str]] = set()

    @property
    def spent(self) -> Decimal:
        """Dollars charged so far."""
        return sum((charge.amount for charge in self.charges), Decimal(0))

    @property
    def empty(self) -> bool:
        """Whether there is no credit left."""
        return self.credit is not None and self.credit <= 0

    def charge(self, item: Item, now: datetime, resources: Iterable[str] = ("",)) -> Decimal:
        """Charge for `item`, once for each of `resources`; return the dollars.

        A resource that was read on the same UTC day is not charged again.
        """
        named = list(resources)
        if item in READS:
            fresh = {(now.date(), item, name) for name in named} - self._read_today
            self._read_today |= fresh
            count = len(fresh)
        else:
            count = len(named)
        amount = PRICES[item] * count
        if count:
            self.charges.append(Charge(time=now, item=item, count=count, amount=amount))
        if self.credit is not None:
            self.credit -= amount
        return amount
