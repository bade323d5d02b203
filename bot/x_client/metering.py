"""What a priced call came to, told to the meter whichever way the call ends."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bot.core.prices import Item
    from bot.ports import Meter


@dataclass(slots=True)
class PricedCall:
    """A request under way.

    Attributes:
        resources: ids of what X returned or did; empty when it certainly charges nothing, for it declined or never
            heard of it; None when nobody knows.
    """

    resources: Collection[str] | None = None


@contextmanager
def priced(meter: Meter | None, item: Item, most: int, question: str) -> Iterator[PricedCall]:
    """Meter the one request that is made inside, of at most `most` resources; `question` says what is asked.

    Raises:
        OutOfBudget: there is no room for it; nothing inside was begun.
    """
    call = PricedCall()
    ticket = meter.before(item, most, question) if meter else 0
    try:
        yield call
    finally:
        if meter and call.resources is None:
            meter.lost(ticket)
        elif meter and call.resources is not None:
            meter.after(ticket, call.resources)
