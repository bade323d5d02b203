"""What every command is given: the configuration's path, and how much to say."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot import logs

if TYPE_CHECKING:
    from pathlib import Path

    from bot.config import Config


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

    def load(self, *, need_account: bool) -> Config:
        """Read the configuration and have its secrets masked in the logs; raise ConfigError with every fault."""
        from bot.config import load

        config = load(self.config_path, need_account=need_account)
        self.log_to_stderr(secrets=[secret.reveal() for secret in config.secrets])
        for warning in config.warnings:
            logs.event(logging.getLogger("bot"), logging.WARNING, "configuration", warning=warning)
        return config

    def log_to_stderr(self, *, secrets: list[str] | None = None, quiet: int = logging.WARNING) -> None:
        """Send the logs to standard error, from `quiet` up, and more for each -v."""
        level = (
            (quiet, logging.INFO, logging.DEBUG)[min(self.verbose, 2)]
            if quiet > logging.INFO
            else (logging.DEBUG if self.verbose > 1 else logging.INFO)
        )
        logs.set_up(level=level, secrets=secrets or [])
