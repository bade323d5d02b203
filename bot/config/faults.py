"""What is wrong with a configuration, as values: where, what was found, what is allowed, what to do.

Texts that were found are shown cut and escaped, so that no file can write to the terminal through them;
secrets are never shown, and it is `settings` that knows which keys hold them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, time
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from bot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SHOWN_LENGTH: Final = 60
"""A found text is cut here: enough to recognise it, and a fault stays on a line or two."""

Loc = tuple[str | int, ...]
"""Where a value stands: keys and list positions from the top, positions from 0."""


class Unfit(ValueError):
    """A value that its key does not take. Raised by the grammars, and turned into a `Fault` by `load`.

    Attributes:
        hint: what to do, "" when what is allowed says it all.
        found: how to show the value instead of the usual way, None for the usual way.
    """

    def __init__(self, hint: str = "", *, found: str | None = None) -> None:
        super().__init__(hint)
        self.hint = hint
        self.found = found


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing to mend.

    Attributes:
        path: the key's path, `feed[2].interval ("Habr")`; lists count from 1.
        found: what stands there, without secrets.
        allowed: what may stand there.
        hint: what to do, "" when the rest says it.
    """

    path: str
    found: str
    allowed: str
    hint: str = ""

    def __str__(self) -> str:
        said = f"{self.path}: found {self.found}"
        if self.allowed:
            said += f"; allowed: {self.allowed}"
        return f"{said} ({self.hint})" if self.hint else said


class ConfigFaults(ConfigError):
    """The file could be read, and says what the bot does not take.

    Attributes:
        faults: at least one, in the order of the settings.
    """

    def __init__(self, path: Path, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        count = "a fault" if len(self.faults) == 1 else f"{len(self.faults)} faults"
        counts_from = "; lists count from 1" if any("[" in f.path for f in self.faults) else ""
        lines = [f"{path} has {count}{counts_from}:", *(f"  {fault}" for fault in self.faults)]
        super().__init__("\n".join(lines))


def shown(value: object) -> str:
    """Return `value` as a fault shows it: scalars as TOML writes them, all else by its kind."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return shown_text(str(value), quote=False) if abs(value) < 10**SHOWN_LENGTH else "a huge number"
        case float():
            return repr(value)
        case str():
            return shown_text(value)
        case _:
            return kind_of(value)


def shown_text(text: str, *, quote: bool = True) -> str:
    """Return `text` on one line, cut to `SHOWN_LENGTH`, what does not print escaped."""
    cut = text if len(text) <= SHOWN_LENGTH else text[: SHOWN_LENGTH - 1] + "…"
    quoted = json.dumps(cut, ensure_ascii=False)
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in quoted)
    return escaped if quote else escaped[1:-1]


_KINDS: Final = (
    (type(None), "nothing"),
    (bool, "a boolean"),
    (int | float, "a number"),
    (str, "a text"),
    (list | tuple, "a list"),
    (dict, "a table"),
    (date | time, "a date or time"),
)


def kind_of(value: object) -> str:
    """Return what kind of TOML value `value` is, in words."""
    return next((words for kind, words in _KINDS if isinstance(value, kind)), "something else")


def spell_path(loc: Loc, *, name: str | None = None) -> str:
    """Return `loc` as people write it, `feed[2].interval ("Habr")`.

    Args:
        loc: keys and positions; positions are shown counted from 1.
        name: the feed's name when `loc` leads into a feed that has one.
    """
    spelled = ""
    for part in loc:
        if isinstance(part, int):
            spelled += f"[{part + 1}]"
        else:
            bare = part.isascii() and part.replace("-", "_").isidentifier()
            spelled += ("." if spelled else "") + (part if bare else shown_text(part))
    return f"{spelled} ({shown_text(name)})" if name else spelled


def nearest(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that `key` was most likely meant to be, None when nothing is near.

    A difference of case, dashes or a plural is always near; else difflib's ratio of 0.6, its own default.
    """
    names = sorted(known)
    folded = {name.replace("_", ""): name for name in names}
    plain = key.casefold().replace("-", "").replace("_", "").replace(" ", "")
    if plain in folded:
        return folded[plain]
    close = get_close_matches(plain, folded, n=1)
    return folded[close[0]] if close else None
