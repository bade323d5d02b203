"""The configuration: TOML -> typed, frozen settings. It lists every fault at once, with its key's path.

Nothing below `app` sees a `Config`: each room gets its few values. Secrets travel as `Secret`, which shows
itself as `***`; only the door that needs one reveals it.
"""

from __future__ import annotations

from bot.config.destinations import Destination, Warned
from bot.config.durations import parse_duration, spell_duration
from bot.config.faults import ConfigFaults, Fault, Unfit
from bot.config.grammar import parse_take, show_url, spell_take
from bot.config.loading import Config, load
from bot.config.places import default_state_dir
from bot.config.secrets import Origin, Secret
from bot.config.settings import Account, BasicAuth, Dedup, Defaults, Feed, Filters, Network, Pacing

__all__ = [
    "Account",
    "BasicAuth",
    "Config",
    "ConfigFaults",
    "Dedup",
    "Defaults",
    "Destination",
    "Fault",
    "Feed",
    "Filters",
    "Network",
    "Origin",
    "Pacing",
    "Secret",
    "Unfit",
    "Warned",
    "default_state_dir",
    "load",
    "parse_duration",
    "parse_take",
    "show_url",
    "spell_duration",
    "spell_take",
]
