"""A lane for each destination: its publisher, its pace, its money and how posts read there. What holds one up holds no other.

In a dry run every publisher shows what it is given; in a rehearsal X is simulated, and the others show.
"""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from bot import logs
from bot.account import X_PATIENCE, open_client, stored_tokens
from bot.answer_wiring import answer_jobs
from bot.composing import Composer, Manner, Warned
from bot.configured import (
    longest_post,
    pacing_of,
    picture_doors,
    picture_hosts,
    picture_uses,
    shortener_client,
    shortener_of,
    style_of,
)
from bot.core.rulers import BlueskyRuler, MastodonRuler, Ruler, XRuler
from bot.core.weighted_length import MAX_WEIGHT
from bot.corrections import Corrections
from bot.errors import ConfigError
from bot.follow_wiring import follow_jobs
from bot.foreseeing import Foreseeing
from bot.listening import told_of_post
from bot.pictures import Pictures, PicturesShown
from bot.preparing import Preparing
from bot.publishers import DESTINATION
from bot.publishers.stdout import StdoutPublisher
from bot.publishers.x import XPublisher
from bot.publishing import Publishing
from bot.shorteners import shorten
from bot.shortening import Shortening
from bot.simulated_x import SimulatedUser, SimulatedX
from bot.spending import Free, Spending
from bot.x_client import XClient

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from bot.answering import Answering
    from bot.config import Config, Destination
    from bot.core.model import Post
    from bot.core.timing import Moment
    from bot.heartbeats import Heartbeats
    from bot.listening import Listeners
    from bot.publishers.bluesky import BlueskyPublisher
    from bot.publishers.mastodon import MastodonPublisher
    from bot.scheduler import Job
    from bot.store import Store

    AnyPublisher = XPublisher | BlueskyPublisher | MastodonPublisher | StdoutPublisher

log = logging.getLogger("bot")


class Mode(Enum):
    """What the bot is run for."""

    REAL = "real"
    DRY_RUN = "dry run"
    SIMULATE = "simulate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What every lane of a bot is given.

    Attributes:
        config: what the owner wants.
        mode: what the bot is run for.
        listeners: who is told.
        clock: aware UTC now.
        steady: the clock that nobody sets.
        patience: seconds that an answer of X may take.
        stop: ends a `drain`.
        heartbeats: where whoever works on a lane gives signs of life.
    """

    config: Config
    mode: Mode
    listeners: Listeners
    clock: Callable[[], datetime]
    steady: Callable[[], Moment]
    patience: float = X_PATIENCE
    stop: threading.Event
    heartbeats: Heartbeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """The way of stories to one destination.

    Attributes:
        destination: where it leads.
        publishing, corrections, foreseeing: its work; the last for dry runs.
        jobs: of the scheduler.
        hearing: those of them that hear and answer others.
    """

    destination: Destination
    publishing: Publishing
    corrections: Corrections
    foreseeing: Foreseeing
    jobs: tuple[Job, ...]
    hearing: tuple[Answering, ...] = ()

    @property
    def name(self) -> str:
        """The destination's name."""
        return self.destination.name


@contextmanager
def open_lane(destination: Destination, store: Store, around: Surroundings) -> Iterator[Lane]:
    """Wire a lane over `store` for as long as the context lasts, and take up what an earlier process left.

    Raises:
        ConfigError: there are no credentials for it, and the mode needs some.
        StateError: what is stored of it cannot be used.
    """
    config, clock = around.config, around.clock
    spending = Spending(
        store,
        destination=DESTINATION,
        prices=config.prices.table,
        limits=config.budget.limits,
        clock=clock,
    )
    budget = spending if destination.type == DESTINATION else Free()
    if budget is spending:
        spending.recover()
    with _publisher(destination, around, spending) as publisher:
        going = [feed for feed in config.feeds if feed.name in destination.feeds]
        styles = {feed.name: style_of(feed, destination) for feed in config.feeds}
        manner = manner_of(destination)
        preparing = Preparing(
            styles,
            shortening=_shortening(store, around),
            pictures=_pictures(store, destination, publisher, around),
        )
        corrections = Corrections(
            store,
            publisher.name,
            answering=[feed.name for feed in going if feed.corrections == "post"],
            clock=clock,
        )
        publishing = Publishing(
            publisher,
            store=store,
            corrections=corrections,
            pacing=pacing_of(destination.pacing),
            styles=styles,
            manner=manner,
            budget=budget,
            clock=clock,
            steady=around.steady,
            report=lambda report: told_of_post(report, around.listeners),
            stop=around.stop,
            preparing=preparing,
        )
        if interrupted := publishing.recover():
            logs.event(
                log,
                logging.WARNING,
                "interrupted posts found",
                destination=publisher.name,
                rows=len(interrupted),
            )
        _tell_pause(store, publisher.name, clock())
        foreseeing = Foreseeing(
            publisher.name,
            store=store,
            publishing=publishing,
            composer=Composer(styles, ruler=publisher.ruler, manner=manner, known=preparing.known),
            pacing=pacing_of(destination.pacing),
            budget=budget,
            prices=config.prices.table,
            tell=around.listeners.would_wait,
        )
        dry = around.mode is Mode.DRY_RUN
        answering = _answering(destination, store, around)
        following = follow_jobs(config, destination, store, clock=clock) if around.mode is Mode.REAL else ()
        yield Lane(
            destination=destination,
            publishing=publishing,
            corrections=corrections,
            foreseeing=foreseeing,
            hearing=answering,
            jobs=(corrections, publishing, *answering, *([foreseeing] if dry else []), *following),
        )


def _answering(destination: Destination, store: Store, around: Surroundings) -> tuple[Answering, ...]:
    """Return what hears and answers; in a rehearsal nobody says anything, and a dry run without a login hears nothing."""
    if around.mode is Mode.SIMULATE:
        return ()
    try:
        return answer_jobs(around.config, destination, store, clock=around.clock)
    except ConfigError as error:
        if around.mode is Mode.REAL:
            raise
        why = str(error).partition("\n")[0]
        logs.event(log, logging.WARNING, "nothing is heard", destination=destination.name, reason=why)
        return ()


def ruler_of(destination: Destination, config: Config) -> Ruler:
    """Return how texts are measured there, as far as that is known without asking."""
    match destination.type:
        case "bluesky":
            return BlueskyRuler()
        case "mastodon":
            return MastodonRuler()
        case _:
            return XRuler(longest_post(config))


def manner_of(destination: Destination) -> Manner:
    """Return what of a post is the destination's own, beside its text."""
    return Manner(
        card=destination.card,
        alts=destination.type == "bluesky",
        warnings=tuple(Warned(words=each.text, patterns=each.patterns) for each in destination.warnings),
    )


def _tell_pause(store: Store, name: str, now: datetime) -> None:
    """Tell of the pause that an earlier process left."""
    paused = store.outbox.paused(name)
    if paused and paused[0] > now:
        logs.event(
            log,
            logging.WARNING,
            "nothing is sent yet",
            destination=name,
            until=f"{paused[0]:%Y-%m-%d %H:%M:%S} UTC",
            reason=paused[1],
        )


def _shortening(store: Store, around: Surroundings) -> Shortening | None:
    """Return what makes links short; a rehearsal makes none, for they would be real, and bears those that are kept."""
    config = around.config
    service = shortener_of(config)
    if service is None or config.shortener is None:
        return None
    secrets = config.texts_to_mask()
    real = around.mode is Mode.REAL
    return Shortening(
        store,
        service=service.identity,
        shorten=partial(shorten, shortener_client(config), service) if real else None,
        tries=config.shortener.tries,
        clock=around.clock,
        mask=lambda text: logs.masked(text, secrets),
    )


def _pictures(
    store: Store, destination: Destination, publisher: AnyPublisher, around: Surroundings
) -> Pictures | PicturesShown | None:
    """Return what gets the pictures of posts; where nobody takes any, it tells where they are."""
    config = around.config
    uses = picture_uses(config.feeds, destination)
    if not uses:
        return None
    if isinstance(publisher, StdoutPublisher):
        return PicturesShown(uses)
    secrets = config.texts_to_mask()
    return Pictures(
        store,
        uses=uses,
        hosts=picture_hosts(config),
        doors=picture_doors(config),
        give=publisher.upload_picture,
        describe=publisher.describe_picture,
        clock=around.clock,
        mask=lambda text: logs.masked(text, secrets),
    )


@contextmanager
def _publisher(destination: Destination, around: Surroundings, spending: Spending) -> Iterator[AnyPublisher]:
    config, name = around.config, destination.name
    shown = partial(StdoutPublisher, name=name, ruler=ruler_of(destination, config))
    match destination.type:
        case "x":
            with _x(around, spending) as publisher:
                yield publisher
        case "stdout":
            yield shown(_print if around.mode is Mode.REAL else around.listeners.would_post)
        case _ if around.mode is not Mode.REAL:
            yield shown(around.listeners.would_post)
        case "bluesky":
            # The doors are imported by those alone who go through them: reading their libraries takes seconds.
            from bot.account import open_bluesky
            from bot.publishers.bluesky import BlueskyPublisher

            yield BlueskyPublisher(
                open_bluesky(config, destination, clock=around.clock),
                name=name,
                languages=destination.languages,
                clock=around.clock,
            )
        case "mastodon":
            from bot.account import open_mastodon
            from bot.mastodon_client import Visibility
            from bot.publishers.mastodon import MastodonPublisher

            yield MastodonPublisher(
                open_mastodon(config, destination, clock=around.clock),
                name=name,
                visibility=Visibility(destination.visibility),
                language=next(iter(destination.languages), None),
                clock=around.clock,
                pause=around.stop.wait,
            )


@contextmanager
def _x(around: Surroundings, spending: Spending) -> Iterator[XPublisher | StdoutPublisher]:
    config, limit = around.config, longest_post(around.config)
    match around.mode:
        case Mode.DRY_RUN:
            yield StdoutPublisher(around.listeners.would_post, name=DESTINATION, ruler=XRuler(limit))
        case Mode.SIMULATE:
            with SimulatedX([SimulatedUser(username="newsbot", premium=limit > MAX_WEIGHT)]) as simulated:
                around.listeners.simulated(simulated.base_url)
                client = XClient(simulated.credentials(), base_url=simulated.base_url, meter=spending)
                yield XPublisher(client, limit=limit)
        case Mode.REAL:
            stored = stored_tokens(config)
            yield XPublisher(
                open_client(config, meter=spending, clock=around.clock, patience=around.patience),
                username=stored.username if stored else None,
                limit=limit,
            )


def _print(post: Post) -> None:
    sys.stdout.write(f"{post.text}\n")
    sys.stdout.flush()
