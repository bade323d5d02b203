"""How it stands with each destination: told by `status` for people and programs."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from bot.cli.next_turn import next_post

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from bot.config import Config
    from bot.store import Store


def destination_facts(
    store: Store, config: Config | None, names: Sequence[str], now: datetime
) -> list[dict[str, Any]]:
    """Return what is queued, unknown and sent at each of `names`, and what stands against more."""
    from bot.cli.destinations import NETWORKS, where
    from bot.cli.words import iso
    from bot.store.outbox import State

    configured = {each.name: each for each in config.destinations} if config else {}
    facts = []
    for name in names:
        destination = configured.get(name)
        pause, account = store.outbox.paused(name), store.own_posts.account(name)
        counts, last = store.outbox.counts(name), store.outbox.last_sent(name)
        facts.append(
            {
                "destination": name,
                "network": NETWORKS[destination.type] if destination else None,
                "where": where(destination) if destination else None,
                "account": account.id if account else None,
                "paused": {"destination": name, "until": iso(pause[0]), "reason": pause[1]}
                if pause
                else None,
                "queued": counts.get(State.QUEUED, 0),
                "unknown": counts.get(State.UNKNOWN, 0),
                "next_post": next_post(store, destination, now) if destination else None,
                "last_post": {"at": iso(last.claimed_at or last.settled_at), "url": last.remote_url}
                if last
                else None,
            }
        )
    return facts


def print_destinations(out: Console, facts: list[dict[str, Any]], now: datetime) -> None:
    """Print a row for each destination."""
    from bot.cli.words import table

    rows = [
        (
            each["destination"],
            each["where"] or "not in the configuration any more",
            str(each["queued"]),
            str(each["unknown"]),
            _turn(each, now),
            _last(each["last_post"], now),
        )
        for each in facts
    ]
    columns = ("destination", "account", "queued", "unknown", "next post", "last post")
    out.print(table("Destinations", columns, rows, right=(2, 3)))


def _turn(fact: dict[str, Any], now: datetime) -> str:
    turn, pause = fact["next_post"], fact["paused"]
    if pause and (until := datetime.fromisoformat(pause["until"])) > now:
        return f"paused, next try {_when(until, now)}"
    if not turn:
        return ""
    return f"{_when(datetime.fromisoformat(turn['at']), now)}, waits for {turn['waits_for']}"


def _last(last: dict[str, Any] | None, now: datetime) -> str:
    if last is None:
        return "none yet"
    return f"{_when(datetime.fromisoformat(last['at']), now)} {last['url'] or ''}".rstrip()


def _when(time: datetime, now: datetime) -> str:
    from bot.cli.words import ago

    return ago(time, now)
