"""What is said of destinations: what each is, whether it can be logged in to, and the settings in force there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bot.config.destination_settings import SECRET_KEYS
from bot.config.destinations import X
from bot.errors import StateError

if TYPE_CHECKING:
    from rich.table import Table

    from bot.config import Config, Destination
    from bot.config.destinations import Warned
    from bot.core.filters import Patterns

NETWORKS: Final = {"bluesky": "Bluesky", "mastodon": "Mastodon", "stdout": "standard output", X: "X"}

_FIELDS: Final = ("title", "summary", "category", "link")


def is_plain(config: Config) -> bool:
    """Whether posts go to X alone, all of them, with no setting of its own: then nothing is to be said of destinations."""
    (first, *others) = config.destinations
    return (
        not others
        and first.type == X
        and first.pacing == config.pacing
        and len(first.feeds) == len(config.feeds)
        and not _overrides(first)
    )


def is_posted_to_x(config: Config) -> bool:
    """Whether X is among the destinations."""
    return config.destinations[0].type == X


def priced_destination(config: Config) -> Destination | None:
    """Return the one destination where posts cost something: X; None where nothing goes there."""
    return config.destinations[0] if is_posted_to_x(config) else None


def others(config: Config) -> tuple[Destination, ...]:
    """Return the destinations beside X that somebody has to be logged in to."""
    return tuple(each for each in config.destinations if each.type in SECRET_KEYS)


def where(destination: Destination) -> str:
    """Say which account that is, as far as the configuration knows."""
    if destination.type == "bluesky":
        return f"{destination.handle} at {destination.server}"
    return destination.server or NETWORKS[destination.type]


def login_state(config: Config, destination: Destination) -> str:
    """Say whether there is what opens a destination beside X, and where it came from."""
    from bot.account import stored_for
    from bot.store.sessions import StoredMastodon

    key = SECRET_KEYS[destination.type]
    if (origin := destination.origin) is not None:
        missing = f"not found, looked for ${{{origin.name}}}" if origin.name else "not found"
        return f"{key}: {f'from {origin.place}' if origin.place else missing}"
    try:
        stored = stored_for(config, destination)
    except StateError as error:
        return str(error)
    words = key.replace("_", " ")
    if stored is None:
        return f"{words}: none yet: run `shinglebot auth {destination.name}`"
    whose = f" of {stored.user}" if isinstance(stored, StoredMastodon) and stored.user else ""
    return f"{words}{whose}, stored by `shinglebot auth {destination.name}`"


def destination_lines(config: Config) -> list[str]:
    """Return what is to be said of the secrets of the destinations beside X."""
    return [f"{each.name}: {where(each)}, {login_state(config, each)}" for each in others(config)]


def destinations_table(config: Config) -> Table:
    """Return a row for each destination: its name, and the settings in force under the names of their keys."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False, show_lines=True)
    table.add_column("Destination", overflow="fold", max_width=24)
    table.add_column("Settings in force", overflow="fold")
    common = config.pacing.spelled()
    for each in config.destinations:
        network = NETWORKS[each.type]
        lines = [network if each.type in {X, "stdout"} else f"{network}, {where(each)}"]
        whole = len(each.feeds) == len(config.feeds)
        lines.append(f"feeds {'all' if whole else ', '.join(_printable(name) for name in each.feeds)}")
        own = {key: value for key, value in each.pacing.spelled().items() if value != common[key]}
        paces = ", ".join(f"{key} {_listed(value)}" for key, value in own.items())
        lines.append(f"pacing {paces or 'as [pacing] says'}")
        if each.follows.mode != "off":
            lines.append(f"follows {each.follows.mode}")
        lines += [f"{key} {_listed(value)}" for key, value in _overrides(each).items()]
        table.add_row(Text(each.name, style="bold"), Text("\n".join(lines)))
    return table


def destination_object(config: Config, destination: Destination) -> dict[str, Any]:
    """Return the settings of one destination as JSON takes them; None where each feed's own count. No secret is in it."""
    login = None
    if destination.type in SECRET_KEYS:
        origin = destination.origin
        login = {
            "key": SECRET_KEYS[destination.type],
            "name": (origin.name or None) if origin else None,
            "found_in": origin.place if origin else None,
            "message": login_state(config, destination),
        }
    return {
        "name": destination.name,
        "type": destination.type,
        "server": destination.server,
        "handle": destination.handle,
        "login": login,
        "feeds": list(destination.feeds),
        "pacing": destination.pacing.spelled(),
        "follows": destination.follows.spelled(),
        "template": destination.template,
        "link": None if destination.link is None else str(destination.link),
        "picture": None if destination.picture is None else str(destination.picture),
        "hashtags": None if destination.hashtags is None else list(destination.hashtags),
        "shorten": destination.shorten,
        "utm": None if destination.utm is None else dict(destination.utm),
        "languages": list(destination.languages),
        "visibility": destination.visibility if destination.type == "mastodon" else None,
        "card": destination.card if destination.type == "bluesky" else None,
        "warnings": [
            {"text": each.text, **{k: list(v) for k, v in _expressions(each.patterns).items()}}
            for each in destination.warnings
        ],
    }


def _overrides(destination: Destination) -> dict[str, object]:
    """Return what is set for a destination beside its feeds and its pace, in the words of the configuration."""
    said: dict[str, object] = {
        "template": destination.template and _printable(destination.template),
        "link": destination.link,
        "picture": destination.picture,
        "hashtags": destination.hashtags if destination.hashtags is None else _tags(destination.hashtags),
        "shorten": destination.shorten,
        "utm": None
        if destination.utm is None
        else " ".join(f"{name}={value}" for name, value in destination.utm) or "none",
        "languages": list(destination.languages) or None,
        "visibility": destination.visibility if destination.type == "mastodon" else None,
        "card": destination.card if destination.type == "bluesky" else None,
        "warnings": "; ".join(_warning(each) for each in destination.warnings) or None,
    }
    return {key: value for key, value in said.items() if value is not None}


def _tags(hashtags: tuple[str, ...]) -> str:
    return " ".join(f"#{tag}" for tag in hashtags) or "none"


def _warning(warned: Warned) -> str:
    expressions = _expressions(warned.patterns)
    return f"“{warned.text}” for " + ", ".join(
        f"{field} {', '.join(_printable(pattern) for pattern in patterns)}"
        for field, patterns in expressions.items()
    )


def _expressions(patterns: Patterns) -> dict[str, list[str]]:
    by_field = {field: [p.pattern for p in getattr(patterns, field)] for field in _FIELDS}
    return {field: found for field, found in by_field.items() if found}


def _listed(value: object) -> str:
    if isinstance(value, list):
        return " and ".join(value) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
