"""The settings in force, as a table for people and as an object for programs. No secret is in either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bot.cli.destinations import destination_object, is_posted_to_x, others
from bot.cli.shorteners import shortener_line
from bot.config import show_url, spell_duration, spell_take
from bot.config.money import spell_dollars
from bot.core.prices import PRICES_OF, Item
from bot.core.weighted_length import MAX_WEIGHT
from bot.errors import StateError

if TYPE_CHECKING:
    from rich.table import Table

    from bot.config import Config, Feed, Filters


_SHORT: Final = (
    "interval",
    "first_run",
    "max_age",
    "catch_up",
    "dedup_key",
    "repost_after",
    "near_duplicates",
    "spam",
    "approval",
    "priority",
    "settle",
    "preferred",
)


def account_lines(config: Config) -> list[str]:
    """Return what is to be said of the account's secrets: names and places."""
    if not config.origins:
        if is_posted_to_x(config):
            return ["Account: none; the bot runs with --dry-run and --simulate"]
        return ["Account at X: none, and nothing goes there"]
    found = sum(origin.place is not None for origin in config.origins)
    account = "Account at X" if others(config) else "Account"
    lines = [f"{account}: {found} of {len(config.origins)} secrets found"]
    for origin in config.origins:
        missing = (
            f"not found, looked for ${{{origin.name}}}" if origin.name else "not found, there is no such key"
        )
        lines.append(f"  {origin.key}: {f'from {origin.place}' if origin.place else missing}")
    if (stored := _stored_account(config)) is not None:
        lines.append(f"  tokens: {stored}")
    return lines


def x_login_state(config: Config) -> str:
    """Say on one line whether there is what opens the account at X."""
    lacking = [origin.key for origin in config.origins if origin.place is None]
    if lacking:
        return f"not found: {', '.join(lacking)}"
    stored = _stored_account(config)
    return f"tokens: {stored}" if stored is not None else "its tokens stand in the configuration"


def _stored_account(config: Config) -> str | None:
    """Say whose tokens `shinglebot auth` has stored, None when the configuration says where they are."""
    from bot.store import StateDir
    from bot.store.tokens import read_tokens

    if config.names_tokens:
        return None
    try:
        stored = read_tokens(StateDir(config.state_dir))
    except StateError as error:
        return str(error)
    if stored is None:
        return "none yet: run `shinglebot auth`"
    return f"of @{stored.username} (id {stored.user_id}), stored by `shinglebot auth`"


def _table_in_use(config: Config) -> str:
    """Say which table weighs likeness at the configured level; the packaged one where there is no store yet."""
    from bot.core.classic_verdict import Method
    from bot.core.dedupe import Level
    from bot.store import StateDir, Store
    from bot.tuning.in_use import name_of, table_at

    if Method(config.dedup.method) is Method.CLASSIC:
        return "none: the classic form judges"
    try:
        with Store.read_only(StateDir(config.state_dir)) as store:
            return name_of(table_at(store, Level(config.dedup.level)))
    except (StateError, OSError):
        return name_of(None)


def settings_line(config: Config) -> str:
    """Return what holds for all feeds together, on one line."""
    objects = as_json_object(config, writable=True, state="")
    said = [
        f"{section}.{key} {' and '.join(value) or 'none' if isinstance(value, list) else value}"
        for section in ("dedup", "pacing", "budget")
        for key, value in objects[section].items()
    ]
    if config.network.allow:
        said.append(f"network.allow {' '.join(objects['network']['allow'])}")
    if config.network.contact:
        said.append(f"network.contact {config.network.contact}")
    if line := shortener_line(config):
        said.append(line[0].lower() + line[1:])
    return ", ".join(said)


def feeds_table(config: Config) -> Table:
    """Return a row for each feed: its name, and its source, settings and text under the names of their keys."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False, show_lines=True)
    table.add_column("Feed", overflow="fold", max_width=24)
    table.add_column("Settings in force", overflow="fold")
    for feed in config.feeds:
        values = feed_object(feed)
        lines = [values["source"], ", ".join(f"{key} {_written(values[key])}" for key in _SHORT)]
        lines.append(f"template {_escaped(values['template'])}")
        if feed.corrections == "post":
            lines.append(f"corrections post, as {_escaped(values['correction_template'])}")
        if feed.utm.pairs:
            lines.append(f"utm {' '.join(f'{name}={value}' for name, value in feed.utm.pairs)}")
        if feed.max_length > MAX_WEIGHT:
            lines.append(f"max_length {feed.max_length:,}, which takes an account with Premium")
        elif feed.max_length < MAX_WEIGHT:
            lines.append(f"max_length {feed.max_length}")
        if feed.picture != "none":
            lines.append(f"picture {feed.picture}")
        if not feed.shorten:
            lines.append("shorten false")
        if feed.hashtags:
            lines.append(f"hashtags {' '.join(f'#{tag}' for tag in feed.hashtags)}")
        lines += [f"{kind} {_spell_filters(values[kind])}" for kind in ("include", "exclude") if values[kind]]
        table.add_row(Text(feed.name, style="bold"), Text("\n".join(lines)))
    return table


def as_json_object(config: Config, *, writable: bool, state: str) -> dict[str, Any]:
    """Return all of it as JSON takes it.

    Args:
        config: what was read.
        writable: whether the state directory can be used.
        state: the sentence about it.
    """
    return {
        "ok": writable,
        "config": str(config.path),
        "faults": [],
        "warnings": list(config.warnings),
        "state_dir": {"path": str(config.state_dir), "writable": writable, "message": state},
        "account": {
            "complete": config.account is not None,
            "tokens": _stored_account(config) if config.origins else None,
            "secrets": [
                {"key": origin.key, "name": origin.name or None, "found_in": origin.place}
                for origin in config.origins
            ],
        },
        "destinations": [destination_object(config, each) for each in config.destinations],
        "dedup": {
            "level": config.dedup.level,
            "method": config.dedup.method,
            "grey": config.dedup.grey,
            "table": _table_in_use(config),
        },
        "pacing": config.pacing.spelled(),
        "budget": {
            "daily": spell_dollars(config.budget.daily),
            "monthly": spell_dollars(config.budget.monthly),
        },
        "prices": {item.key: spell_dollars(getattr(config.prices, item.key)) for item in Item}
        | {"of": PRICES_OF.isoformat()},
        "network": {
            "allow": [str(network) for network in config.network.allow],
            "contact": config.network.contact,
        },
        "shortener": shortener_line(config),
        "feeds": [feed_object(feed) for feed in config.feeds],
    }


def feed_object(feed: Feed) -> dict[str, Any]:
    """Return the settings of one feed, as the configuration would write them; an address without its query."""
    return {
        "name": feed.name,
        "source": show_url(feed.url)[1:-1] if feed.url else str(feed.file),
        "template": feed.template,
        "hashtags": list(feed.hashtags),
        "max_length": feed.max_length,
        "picture": str(feed.picture),
        "shorten": feed.shorten,
        "utm": dict(feed.utm.pairs),
        "first_run": spell_take(feed.first_run, nothing="seed"),
        "max_age": spell_duration(feed.max_age),
        "catch_up": spell_take(feed.catch_up, nothing="none"),
        "interval": "auto" if feed.interval is None else spell_duration(feed.interval),
        "dedup_key": str(feed.dedup_key),
        "repost_after": "none" if feed.repost_after is None else spell_duration(feed.repost_after),
        "near_duplicates": feed.near_duplicates,
        "spam": feed.spam,
        "approval": feed.approval,
        "corrections": feed.corrections,
        "correction_template": feed.correction_template,
        "priority": feed.priority,
        "settle": spell_duration(feed.settle),
        "preferred": feed.preferred,
        "headers": sorted(feed.headers),
        "basic_auth": feed.basic_auth is not None,
        "include": _filters(feed.include),
        "exclude": _filters(feed.exclude),
    }


def _written(value: object) -> str:
    """Return a value as the configuration would write it, without quotes."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _filters(filters: Filters) -> dict[str, list[str]]:
    by_field = {name: getattr(filters, name) for name in type(filters).model_fields}
    return {name: [p.pattern for p in patterns] for name, patterns in by_field.items() if patterns}


def _spell_filters(filters: dict[str, list[str]]) -> str:
    return "; ".join(
        f"{name}: {', '.join(_escaped(p) for p in patterns)}" for name, patterns in filters.items()
    )


def _escaped(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
