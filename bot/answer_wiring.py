"""Answers, wired: from the searches of the configuration to the job of a destination, for the bot and for commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.account import open_bluesky, open_client, open_mastodon, spending_of
from bot.answering import Answering
from bot.networks.conversations import (
    BLUESKY_RULE,
    MASTODON_RULE,
    X_RULE,
    BlueskyTalk,
    MastodonTalk,
    Offline,
    XTalk,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.answering import Judged
    from bot.config import Config, Destination
    from bot.core.answers import AnswerRule
    from bot.ports import Conversations
    from bot.store import Store


def answer_jobs(
    config: Config,
    destination: Destination,
    store: Store,
    *,
    clock: Callable[[], datetime],
    report: Callable[[Judged], None] = lambda _: None,
) -> tuple[Answering, ...]:
    """Return the job that hears and answers at a destination, none where nothing is looked for there.

    Raises:
        ConfigError: there is nothing to log in with.
        StateError: what is stored cannot be used.
    """
    if not rules_of(config, destination):
        return ()
    return (
        answering_of(
            config, destination, store, talk_of(config, destination, store, clock=clock), clock, report
        ),
    )


def rules_of(config: Config, destination: Destination) -> tuple[AnswerRule, ...]:
    """Return what is looked for at a destination, in the file's order."""
    if not destination.needs_login:
        return ()
    return tuple(
        search.rule
        for search in config.searches
        if search.destinations is None or destination.name in search.destinations
    )


def answering_of(
    config: Config,
    destination: Destination,
    store: Store,
    network: Conversations,
    clock: Callable[[], datetime],
    report: Callable[[Judged], None] = lambda _: None,
) -> Answering:
    """Return the job over a network."""
    return Answering(
        network,
        store=store,
        destination=destination.name,
        rules=rules_of(config, destination),
        stop_words=[word for search in config.searches for word in search.stop_words],
        clock=clock,
        report=report,
    )


def offline(destination: Destination) -> Offline:
    """Return a network that nobody asks, for judging texts by what is stored."""
    rule = {"x": X_RULE, "bluesky": BLUESKY_RULE, "mastodon": MASTODON_RULE}[destination.type]
    return Offline(rule=rule, names_author=destination.type == "mastodon")


def talk_of(
    config: Config, destination: Destination, store: Store, *, clock: Callable[[], datetime]
) -> Conversations:
    """Return who listens at a destination's network. Raises as `answer_jobs`."""
    match destination.type:
        case "bluesky":
            # Its session is its own: two that refresh one would end each other's.
            return BlueskyTalk(open_bluesky(config, destination, clock=clock, keep_session=False))
        case "mastodon":
            return MastodonTalk(open_mastodon(config, destination, clock=clock))
        case "x":
            return XTalk(
                open_client(config, meter=spending_of(config, store), clock=clock), config.prices.table
            )
        case other:
            raise ValueError(f"nobody says anything at a destination of type {other}")
