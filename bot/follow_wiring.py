"""Who follows whom, wired: from a destination of the configuration to what reads, plans and applies, for the bot and for commands."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.account import open_bluesky, open_client, open_mastodon, spending_of
from bot.following import Applying, FollowMode, FollowsJob, Observing, Planning, Terms
from bot.networks.follow_graphs import BlueskyFollows, MastodonFollows, XFollows

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.config import Config, Destination
    from bot.ports import FollowGraph
    from bot.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowsOf:
    """The follows of one destination: what asks the network, and what works with it."""

    graph: FollowGraph
    observing: Observing
    planning: Planning
    applying: Applying


def follows_of(
    config: Config, destination: Destination, store: Store, *, clock: Callable[[], datetime]
) -> FollowsOf:
    """Wire the follows of a destination; nothing is asked yet.

    Raises:
        ConfigError: there is nothing to log in with, or nobody can be followed there.
        StateError: what is stored cannot be used.
    """
    graph = graph_of(config, destination, store, clock=clock)
    name, rules = destination.name, destination.follows.rules
    return FollowsOf(
        graph=graph,
        observing=Observing(graph, store=store, destination=name, rules=rules, clock=clock),
        planning=planning_of(destination, store, clock=clock),
        applying=Applying(graph, store=store, destination=name, rules=rules, clock=clock, draw=random.random),
    )


def planning_of(destination: Destination, store: Store, *, clock: Callable[[], datetime]) -> Planning:
    """Return what plans by the lists that are stored; it asks nobody."""
    return Planning(store, destination=destination.name, rules=destination.follows.rules, clock=clock)


def follow_jobs(
    config: Config, destination: Destination, store: Store, *, clock: Callable[[], datetime]
) -> tuple[FollowsJob, ...]:
    """Return the job that keeps a destination's follows in step, none where that is off. Raises as `follows_of`."""
    mode = FollowMode(destination.follows.mode)
    if mode is FollowMode.OFF:
        return ()
    wired = follows_of(config, destination, store, clock=clock)
    job = FollowsJob(
        observing=wired.observing,
        planning=wired.planning,
        applying=wired.applying,
        store=store,
        destination=destination.name,
        terms=Terms(
            mode=mode,
            every=destination.follows.every,
            max_price=destination.follows.max_micros,
            per_run=destination.follows.per_run,
        ),
        price=wired.graph.price,
    )
    return (job,)


def graph_of(
    config: Config, destination: Destination, store: Store, *, clock: Callable[[], datetime]
) -> FollowGraph:
    """Return who asks a destination's network. Raises as `follows_of`."""
    match destination.type:
        case "bluesky":
            # Its session is its own: two that refresh one would end each other's.
            return BlueskyFollows(open_bluesky(config, destination, clock=clock, keep_session=False))
        case "mastodon":
            return MastodonFollows(open_mastodon(config, destination, clock=clock))
        case "x":
            client = open_client(config, meter=spending_of(config, store), clock=clock)
            return XFollows(client, config.prices.table)
        case other:
            raise ValueError(f"nobody is followed at a destination of type {other}")
