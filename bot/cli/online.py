"""`check --online`: what X says of the account, what the question costs, and what only its owner can do on X.

The other destinations are asked as well, and the shortener of links, where there is one, whether it takes its key.
"""

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


def ask_all(config: Config) -> Outcome:
    """Ask X and the other destinations, and the shortener of links where there is one; raises as `ask_x`.

    The exit code is that of the worst answer: a refusal, which needs a person, before a server that is down.
    """
    from dataclasses import replace

    from bot.cli.destinations import is_posted_to_x, others
    from bot.cli.online_networks import ask_network
    from bot.cli.shorteners import ask_shortener

    outcome = (
        ask_x(config) if is_posted_to_x(config) else Outcome(code=exits.OK, lines=(), facts={"ok": True})
    )
    told: dict[str, Any] = {}
    for destination in others(config):
        code, lines, told[destination.name] = ask_network(config, destination)
        outcome = replace(
            outcome,
            code=max(outcome.code, code),
            lines=(*outcome.lines, *lines),
            facts=outcome.facts | {"ok": outcome.facts["ok"] and code == exits.OK, "destinations": told},
        )
    said = ask_shortener(config)
    if said is None:
        return outcome
    code, words = said
    taken = code == exits.OK
    return replace(
        outcome,
        code=max(outcome.code, code),
        lines=(*outcome.lines, words),
        facts=outcome.facts
        | {"ok": outcome.facts["ok"] and taken, "shortener": {"ok": taken, "message": words}},
    )


def ask_x(config: Config) -> Outcome:
    """Ask X who the bot is. Raises ConfigError and StateError as `account.open_client`; X's refusals are values."""
    from bot.account import identify, open_metered_client
    from bot.core.budget import in_dollars
    from bot.core.prices import Item
    from bot.errors import OutOfCredit, PublishError, Unauthorized

    price = config.prices.table[Item.READ_USER]
    owners = ("What only the account's owner can do:", *(f"  - {each}" for each in OWNERS))
    try:
        with open_metered_client(config) as (client, bill):
            identity = identify(client)
            cost = bill.micros if bill else None
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
    return Outcome(
        code=exits.CONFIG if identity.may_write is False else exits.OK,
        lines=(_who(identity), _level(identity), _cost(cost, price), *owners),
        facts={
            "ok": identity.may_write is not False,
            "message": _level(identity),
            "id": identity.user.id,
            "username": identity.user.username,
            "name": identity.user.name,
            "access_level": identity.access_level,
            "may_post": identity.may_write,
            "price": in_dollars(price),
            "cost": None if cost is None else in_dollars(cost),
            "in_ledger": cost is not None,
            "owner": list(OWNERS),
        },
    )


def _cost(cost: int | None, price: int) -> str:
    """Say what the question cost by the ledger; None: there is no ledger, and `price` is the most that it cost."""
    from bot.core.budget import in_dollars
    from bot.core.prices import PRICES_OF

    card = f"a user read by the price card of {PRICES_OF} or your own"
    if cost is None:
        return (
            f"The question cost {in_dollars(price)}, {card}, or nothing if it was asked before on this UTC day. "
            "It stands in no ledger: the bot has none before its first run"
        )
    if cost == 0:
        return "The question cost $0: the account was read before on this UTC day. The ledger knows of it"
    return (
        f"The question cost {in_dollars(cost)}, {card}; it stands in the ledger, and the next one on the same "
        "UTC day is free"
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
