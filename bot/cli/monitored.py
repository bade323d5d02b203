"""Who asks a running bot how it does: the door for monitors, opened for as long as it works."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot import logs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.app import App
    from bot.config import Config

log = logging.getLogger("bot")


@contextmanager
def watching(app: App, config: Config, port: int | None) -> Iterator[None]:
    """Answer monitors at `port` while the context lasts; None answers none. A port that is taken costs the door alone, and is told."""
    from bot.app import utc_now
    from bot.watching import Watched, watched

    if port is None:
        yield
        return
    bot = Watched(
        state_dir=config.state_dir,
        feeds=[feed.name for feed in config.feeds],
        destinations=[destination.name for destination in config.destinations],
        heartbeats=app.heartbeats,
        clock=utc_now,
        secrets=config.texts_to_mask(),
    )
    door = watched(bot, port)
    try:
        door.__enter__()
    except OSError as error:
        logs.event(log, logging.ERROR, "monitors cannot ask: choose another port", port=port, fault=error)
        yield
        return
    logs.event(log, logging.INFO, "monitors may ask", at=f"http://127.0.0.1:{port}/healthz")
    try:
        yield
    finally:
        door.__exit__(None, None, None)
