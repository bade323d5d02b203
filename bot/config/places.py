"""Where the bot's own files are, unless the configuration says otherwise. Touches no disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.config.faults import Unfit

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME: Final = "shinglebot"


def default_state_dir(env: Mapping[str, str]) -> Path:
    """Return where state is kept unless `state_dir` says: systemd's directory, else `~/.local/state/shinglebot`.

    systemd hands over a list when a unit has several state directories; the first is ours.
    """
    given = env.get("STATE_DIRECTORY", "").partition(":")[0]
    return Path(given) if given else _home_of(env, "XDG_STATE_HOME", ".local/state") / _NAME


def place_beside(text: str, *, base: Path, env: Mapping[str, str]) -> Path:
    """Return the absolute path that `text` means in a file that lies in `base`; a leading `~/` is the user's home.

    Raises:
        Unfit: it is empty or holds control characters.
    """
    if not text.strip():
        raise Unfit("it is empty: name a path, or take the key out")
    if not text.isprintable():
        raise Unfit("a path has no control characters")
    if text == "~" or text.startswith("~/"):
        return _home(env) / text[2:]
    return Path.cwd() / base / text


def _home_of(env: Mapping[str, str], variable: str, beneath: str) -> Path:
    given = Path(env.get(variable, ""))
    return given if given.is_absolute() else _home(env) / beneath  # XDG: a relative path is to be ignored


def _home(env: Mapping[str, str]) -> Path:
    if home := env.get("HOME"):
        return Path(home)
    try:
        return Path.home()
    except RuntimeError:  # a user without an entry in passwd, as in some containers
        return Path("/nonexistent")
