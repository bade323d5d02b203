"""What can be said of a configuration that has faults: where the state is, and what its feeds are called.

Looking at what the bot did has to be possible while a person mends the file; nothing is done by an outline.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.config.document import read_document
from bot.config.faults import ConfigFaults, Unfit
from bot.config.grammar import parse_name
from bot.config.loading import config_of
from bot.config.places import default_state_dir, place_beside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.config.loading import Config


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """Enough to look at a bot's store.

    Attributes:
        state_dir: absolute; nothing says that it exists.
        feeds: the names that can be read, in the file's order.
        config: the whole, None when the file has faults.
        faults: how many; 0 with a `config`.
    """

    state_dir: Path
    feeds: tuple[str, ...]
    config: Config | None = None
    faults: int = 0


def outline(path: str | Path, *, env: Mapping[str, str] | None = None) -> Outline:
    """Return what is known of the configuration at `path`, faults or not.

    Raises:
        ConfigError: the file cannot be read, is no TOML, or says of the state directory what cannot be.
    """
    env = os.environ if env is None else env
    path = Path(path)
    raw, mode = read_document(path)
    try:
        config = config_of(raw, path=path, mode=mode, env=env, need_account=False)
    except ConfigFaults as error:
        place = raw.get("state_dir")
        if place is None:
            state_dir = Path.cwd() / default_state_dir(env)
        elif isinstance(place, str):
            try:
                state_dir = place_beside(place, base=path.parent, env=env)
            except Unfit:
                raise error from None
        else:
            raise
        return Outline(state_dir=state_dir, feeds=_names(raw.get("feed")), faults=len(error.faults))
    return Outline(state_dir=config.state_dir, feeds=tuple(feed.name for feed in config.feeds), config=config)


def _names(feeds: object) -> tuple[str, ...]:
    names = []
    for feed in feeds if isinstance(feeds, list) else []:
        try:
            names.append(parse_name(str(feed["name"])))
        except (KeyError, TypeError, Unfit):
            continue
    return tuple(dict.fromkeys(names))
