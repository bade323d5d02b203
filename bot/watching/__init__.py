"""What a monitor may ask a running bot: `/healthz` and `/metrics`, on loopback alone.

A request opens a read-only connection of its own to the store, so it delays nothing and outlives no restore.
"""

from __future__ import annotations

from bot.watching.facts import Backups, Facts, look
from bot.watching.health import faults_of, troubles_of
from bot.watching.metrics import exposition
from bot.watching.server import Watched, watched

__all__ = ["Backups", "Facts", "Watched", "exposition", "faults_of", "look", "troubles_of", "watched"]
