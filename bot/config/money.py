"""Dollars in the configuration: exact decimals, as a text or a number, never a float on the way."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

from bot.config.faults import Unfit
from bot.core.budget import as_decimal
from bot.core.prices import micros_of

MOST_DOLLARS: Final = 1_000_000
"""A limit above it is a slip of the finger."""

LIMIT: Final = 'dollars above 0, such as "1.00", or "none"'
PRICE: Final = "dollars from 0 to 100, such as 0.015"
DEAREST: Final = 100
_MOST_DIGITS: Final = 28
"""Before or after the point: more, as of 1e999999999, is no money, and no arithmetic should be tried on it."""


def parse_limit(value: object) -> Decimal | None:
    """Return a limit in dollars, None for "none", which has to be said. Raises Unfit."""
    if value is None or value == "none":
        return None
    dollars = _dollars(value)
    if dollars <= 0:
        raise Unfit("to spend nothing, stop the bot, or rehearse with --dry-run")
    if dollars > MOST_DOLLARS:
        raise Unfit
    return dollars


def parse_price(value: object) -> Decimal:
    """Return a price in dollars. Raises Unfit."""
    dollars = _dollars(value)
    if not 0 <= dollars <= DEAREST:
        raise Unfit
    return dollars


def spell_dollars(dollars: Decimal | None) -> str:
    """Return dollars as the configuration would write them: "1.00", "0.015", "none"."""
    if dollars is None:
        return "none"
    return as_decimal(micros_of(dollars))


def _dollars(value: object) -> Decimal:
    match value:
        case Decimal():
            dollars = value
        case bool():
            raise Unfit
        case int():
            dollars = Decimal(value)
        case float():
            dollars = Decimal(
                repr(value)
            )  # the shortest decimal that is this number: what stands in the file
        case str():
            if "$" in value or "," in value:
                raise Unfit("digits and a point alone")
            try:
                dollars = Decimal(value.strip())
            except InvalidOperation:
                raise Unfit from None
        case _:
            raise Unfit
    if not dollars.is_finite() or abs(dollars.adjusted()) > _MOST_DIGITS:
        raise Unfit
    try:
        micros_of(dollars)
    except ValueError:
        raise Unfit("at most six decimals") from None
    return dollars
