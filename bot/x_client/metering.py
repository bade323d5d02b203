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
        resources: ids of what X returned or did, None without an answer that says so.
        declined: whether X certainly charges nothing, for it said no or never heard of the call.
    """

    resources: Collection[str] | None = None
    declined: bool = False


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
        if meter is None:
            pass
        elif call.declined:
            meter.declined(ticket)
        elif call.resources is None:
            meter.lost(ticket)
        else:
            meter.after(ticket, call.resources)
