"""Mentions, threads, the search and boosts at the simulated Mastodon.

Sources: Mastodon's API documentation (notifications, statuses, search). What is strict here: notifications have numbers of their own
and need `read:notifications`, the search needs `read:search`, a thread that is gone is a 404, a boost twice is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

SCOPES = {
    ("GET", "notifications"): "read:notifications",
    ("GET", "search"): "read:search",
    ("GET", "context"): "read:statuses",
    ("POST", "reblog"): "write:statuses",
}
MOST = 40
WORDS = re.compile(r"[^\W_]+")


@dataclass(kw_only=True)
class Talk:
    """What was said to the accounts with tokens.

    Attributes:
        notifications: of mentions, by the account's name: (number, status), the oldest first.
        boosts: ids of statuses, by the account's name.
    """

    notifications: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    boosts: dict[str, list[str]] = field(default_factory=dict)
    number: int = 900


def say(world: Any, name: str, text: str, *, above: str | None = None, visibility: str = "public") -> str:
    """Have somebody say something, as in a client of Mastodon; return the status's id."""
    account = next((one for one in world.accounts.values() if one.name == name), None)
    if account is None:
        world.account(name)
        account = next(one for one in world.accounts.values() if one.name == name)
        account.bot = False
    number = world.number()
    account.statuses[number] = {
        "id": number,
        "created_at": datetime.fromtimestamp(world.clock(), UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z"),
        "in_reply_to_id": above,
        "visibility": visibility,
        "language": "en",
        "url": f"{world.url}/@{name}/{number}",
        "content": f"<p>{text}</p>",
        "source": text,
        "account": {"id": account.id, "username": name},
        "card": None,
    }
    for other in list(world.accounts.values()):
        if f"@{other.name}" in text and other.name != name:
            world.talk.number += 3
            world.talk.notifications.setdefault(other.name, []).append((world.talk.number, number))
    return number


def answer(  # noqa: PLR0911 - a table of routes
    world: Any, account: Any, method: str, parts: list[str], query: dict[str, list[str]]
) -> tuple[int, Any] | None:
    """Answer what this module is about; None for anything else."""
    match method, parts:
        case "GET", ["v1", "notifications"]:
            return 200, _notifications(world, account, query)
        case "GET", ["v1", "statuses", number, "context"]:
            status = _find(world, number)
            if status is None:
                return 404, {"error": "Record not found"}
            return 200, {"ancestors": _above(world, status), "descendants": []}
        case "GET", ["v2", "search"]:
            if query.get("type") != ["statuses"] or not query.get("q", [""])[0]:
                return 422, {"error": "Validation failed"}
            return 200, {"statuses": _search(world, query), "accounts": [], "hashtags": []}
        case "POST", ["v1", "statuses", number, "reblog"]:
            status = _find(world, number)
            if status is None:
                return 404, {"error": "Record not found"}
            boosts = world.talk.boosts.setdefault(account.name, [])
            if number not in boosts:
                boosts.append(number)
            return 200, _shown(world, status) | {"id": f"9{number}", "reblog": _shown(world, status)}
    return None


def _notifications(world: Any, account: Any, query: dict[str, list[str]]) -> list[dict[str, Any]]:
    above, below = int(query.get("since_id", ["0"])[0]), int(query.get("max_id", ["9" * 18])[0])
    limit = min(int(query.get("limit", ["40"])[0]), MOST)
    if query.get("types[]", ["mention"]) != ["mention"]:
        return []
    known = world.talk.notifications.get(account.name, [])
    found = []
    for number, status_id in reversed(known):
        status = _find(world, status_id)
        if above < number < below and status is not None:
            shown = _shown(world, status)
            found.append(
                {
                    "id": str(number),
                    "type": "mention",
                    "created_at": status["created_at"],
                    "account": shown["account"],
                    "status": shown,
                }
            )
    return found[:limit]


def _search(world: Any, query: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Find public statuses that have every word; the server's search knows no OR."""
    asked = [word.lower() for word in WORDS.findall(query["q"][0])]
    above, offset = int(query.get("min_id", ["0"])[0]), int(query.get("offset", ["0"])[0])
    every = [s for one in world.accounts.values() for s in one.statuses.values()]
    found = [
        _shown(world, status)
        for status in sorted(every, key=lambda one: -int(one["id"]))
        if int(status["id"]) > above
        and status["visibility"] == "public"
        and set(asked) <= {word.lower() for word in WORDS.findall(status["source"])}
    ]
    return found[offset : offset + 20]


def _above(world: Any, status: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while status["in_reply_to_id"] and (status := _find(world, status["in_reply_to_id"])) is not None:
        found.insert(0, _shown(world, status))
    return found


def _find(world: Any, number: str) -> dict[str, Any] | None:
    return next((one.statuses[number] for one in world.accounts.values() if number in one.statuses), None)


def _shown(world: Any, status: dict[str, Any]) -> dict[str, Any]:
    author = world.accounts[status["account"]["id"]]
    named = [one for one in world.accounts.values() if f"@{one.name}" in status["source"]]
    above = _find(world, status["in_reply_to_id"]) if status["in_reply_to_id"] else None
    return {name: value for name, value in status.items() if name != "source"} | {
        "account": {"id": author.id, "username": author.name, "acct": author.name, "bot": author.bot},
        "mentions": [{"id": one.id, "username": one.name, "acct": one.name} for one in named],
        "in_reply_to_account_id": above["account"]["id"] if above is not None else None,
        "reblog": None,
    }
