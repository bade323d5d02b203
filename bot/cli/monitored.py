"""Who watches a running bot: monitors that ask, one that is pinged, and people who are told of troubles."""

from __future__ import annotations

import logging
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bot import logs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.alerting import Watchman
    from bot.app import App
    from bot.config import Config
    from bot.watching import Watched

log = logging.getLogger("bot")


@contextmanager
def watching(app: App, config: Config, port: int | None) -> Iterator[None]:
    """Answer monitors, ping one and tell people, as configured, while the context lasts; a `port` goes before that of `[watch]`.

    What cannot be done costs no post, and is told.
    """
    bot = watched_of(app, config)
    with ExitStack() as stack:
        _answer(stack, bot, port or config.watch.port)
        if watchman := _watchman(app, config, bot):
            stack.enter_context(watchman)
        yield


def watched_of(app: App, config: Config) -> Watched:
    """Return what monitors may know of a running bot."""
    from bot.app import utc_now
    from bot.store.backups import FOLDER
    from bot.watching import Backups, Watched

    backup = config.backup
    return Watched(
        state_dir=config.state_dir,
        feeds=[feed.name for feed in config.feeds],
        destinations=[destination.name for destination in config.destinations],
        heartbeats=app.heartbeats,
        clock=utc_now,
        secrets=config.texts_to_mask(),
        backups=Backups(folder=backup.folder or config.state_dir / FOLDER, every=backup.every)
        if backup.every is not None
        else None,
    )


def name_of(config: Config) -> str:
    """Return the name by which messages call a bot: that of its configuration, or of the folder of a plain `config.toml`."""
    path = config.path.absolute()
    return path.parent.name if path.stem == "config" else path.stem


def _answer(stack: ExitStack, bot: Watched, port: int | None) -> None:
    from bot.watching import watched

    if port is None:
        return
    try:
        stack.enter_context(watched(bot, port))
    except OSError as error:
        logs.event(log, logging.ERROR, "monitors cannot ask: choose another port", port=port, fault=error)
    else:
        logs.event(log, logging.INFO, "monitors may ask", at=f"http://127.0.0.1:{port}/healthz")


def _watchman(app: App, config: Config, bot: Watched) -> Watchman | None:
    from bot.alerting import MISSING, Ping, Services, Watchman, can_tell
    from bot.app import utc_now
    from bot.configured import ping_client

    watch = config.watch
    services: Services | None = None
    if config.alerts.to and can_tell():
        services = Services([one.reveal() for one in config.alerts.to])
        for place in services.unreadable:
            logs.event(log, logging.ERROR, "no service is known for an address of alerts.to", address=place)
    elif config.alerts.to:
        logs.event(log, logging.ERROR, "nobody can be told of troubles", reason=MISSING)
    if services is None and watch.ping is None:
        return None
    return Watchman(
        name=name_of(config),
        troubles=bot.troubles,
        store=app.store.another,
        tell=services.tell if services is not None else lambda _message, places: list(places),
        places=services.readable if services is not None else (),
        ping=Ping(client=ping_client(config), address=watch.ping.reveal(), every=watch.ping_every)
        if watch.ping is not None
        else None,
        clock=utc_now,
    )
