"""`check --online`: what X says of the account, what the question costs, and what only its owner can do on X."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.cli import exits

if TYPE_CHECKING:
    from bot.account import Identity
    from bot.config import Config

OWNERS: Final = (
    "on x.com, Settings > Your account > Account information > Automation: switch the label on",
    "in the account's bio: say that it is a bot, and who runs it",
    "on console.x.com: set a spending limit for the billing cycle",
    "on console.x.com, in the app's settings: the permission Read and write, before its tokens are made",
)
"""What X's rules for automated accounts want of an owner and no program can see (docs.x.com, 2026-08-22)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of the question.

    Attributes:
        code: the exit code that it asks for.
        lines: for people.
        facts: for programs.
    """

    code: int
    lines: tuple[str, ...]
    facts: dict[str, Any]


def ask_x(config: Config) -> Outcome:
    """Ask X who the bot is. Raises ConfigError and StateError as `account.open_client`; X's refusals are values."""
    from bot.account import identify, open_metered_client
    from bot.core.budget import in_dollars
    from bot.core.prices import PRICES_OF, Item
    from bot.errors import OutOfCredit, PublishError, Unauthorized

    price = in_dollars(config.prices.table[Item.READ_USER])
    owners = ("What only the account's owner can do:", *(f"  - {each}" for each in OWNERS))
    try:
        with open_metered_client(config) as client:
            identity = identify(client)
    except (Unauthorized, OutOfCredit) as error:
        return Outcome(
            code=exits.CONFIG,
            lines=(f"X: {error}", *owners),
            facts={"ok": False, "message": str(error), "owner": list(OWNERS)},
        )
    except PublishError as error:
        return Outcome(
            code=exits.FAILED,
            lines=(f"X: {error}",),
            facts={"ok": False, "message": str(error), "owner": list(OWNERS)},
        )
    cost = (
        f"The question cost {price}, a user read by the price card of {PRICES_OF} or your own; "
        "the next one on the same UTC day is free"
    )
    return Outcome(
        code=exits.CONFIG if identity.may_write is False else exits.OK,
        lines=(_who(identity), _level(identity), cost, *owners),
        facts={
            "ok": identity.may_write is not False,
            "message": _level(identity),
            "id": identity.user.id,
            "username": identity.user.username,
            "name": identity.user.name,
            "access_level": identity.access_level,
            "may_post": identity.may_write,
            "price": price,
            "owner": list(OWNERS),
        },
    )


def _who(identity: Identity) -> str:
    from bot.cli.words import one_line

    user = identity.user
    return f"X: the bot is @{user.username} (id {user.id}), “{one_line(user.name, 80)}”"


def _level(identity: Identity) -> str:
    if identity.may_write is None:
        return "X does not say whether it may post"
    if identity.may_write:
        return f"It may post ({identity.access_level})"
    return (
        f"It may NOT post ({identity.access_level}): give the app the permission Read and write on console.x.com, and "
        "then make its tokens anew, there or with `shinglebot auth`"
    )
