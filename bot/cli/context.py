"""What every command is given: the configuration's path, and how much to say."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from bot import logs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bot.config import Config
    from bot.config.outline import Outline
    from bot.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The options of the group.

    Attributes:
        config_path: where the configuration is, or would be.
        config_given: whether a person named it.
        verbose: how often -v was given.
    """

    config_path: Path
    config_given: bool
    verbose: int

    def load(self, *, need_account: bool, warn: bool = False) -> Config:
        """Read the configuration and have its secrets masked in the logs; raise ConfigError with every fault.

        Its warnings are logged where the caller is about to act by it (`warn`); `shinglebot check` shows them all.
        """
        from bot.config import load

        config = load(self.config_path, need_account=need_account)
        self.log_to_stderr(secrets=config.texts_to_mask())
        for warning in config.warnings if warn else ():
            logs.event(logging.getLogger("bot"), logging.WARNING, "configuration", warning=warning)
        return config

    def look(self) -> Outline:
        """Read as much of the configuration as looking takes, and say on standard error when it has faults."""
        from bot.config.outline import outline

        seen = outline(self.config_path)
        self.log_to_stderr(secrets=seen.config.texts_to_mask() if seen.config else ())
        if seen.faults:
            count = "a fault" if seen.faults == 1 else f"{seen.faults} faults"
            click.echo(f"{self.config_path} has {count}; `shinglebot check` says more", err=True)
        return seen

    def store_to_read(self, config: Config | Outline) -> Store:
        """Open the bot's store to look at it; raise StateError when there is none yet."""
        from bot.store import StateDir, Store

        return Store.read_only(StateDir(config.state_dir))

    def store_to_write(self, config: Config) -> Store:
        """Open the bot's store for a person's decision, also while the bot is at work; raise StateError without one."""
        from bot.store import StateDir, Store

        return Store.alongside(StateDir(config.state_dir))

    def log_to_stderr(self, *, secrets: Sequence[str] = (), quiet: int = logging.WARNING) -> None:
        """Send the logs to standard error, from `quiet` up, and more for each -v."""
        level = (
            (quiet, logging.INFO, logging.DEBUG)[min(self.verbose, 2)]
            if quiet > logging.INFO
            else (logging.DEBUG if self.verbose > 1 else logging.INFO)
        )
        logs.set_up(level=level, secrets=secrets)
