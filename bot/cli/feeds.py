"""`feeds`: how each feed is, and when it is asked next; lists of feeds in and out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click

from bot.cli import exits
from bot.cli.doctoring import feeds_check

if TYPE_CHECKING:
    from bot.cli.context import Session
    from bot.config.outline import Outline
    from bot.store import Store
    from bot.store.sources import SourceState

_JSON = click.option("--json", "as_json", is_flag=True, help="JSON instead of a table.")

LARGEST_LIST: Final = 5_000_000
"""Bytes: 20,000 feeds in OPML."""


@click.group(invoke_without_command=True)
@_JSON
@click.pass_context
def feeds(context: click.Context, *, as_json: bool) -> int:
    """Show how each feed is, how often it is asked, and when next; also while the bot runs.

    `feeds check` examines feeds, `feeds import` and `feeds export` take lists of them in and out.
    """
    if context.invoked_subcommand is not None:
        return exits.OK
    session: Session = context.obj
    now = datetime.now(UTC)
    outline = session.look()
    with session.store_to_read(outline) as store:
        facts = _facts(store, outline, now)
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        _print(facts, now)
    return exits.OK


def _facts(store: Store, outline: Outline, now: datetime) -> list[dict[str, Any]]:
    known = store.sources.all()
    closed = {host: until for host, until in store.hosts.closed().items() if until > now}
    return [_fact(name, known.get(name), closed) for name in outline.feeds]


def _fact(name: str, state: SourceState | None, closed: dict[str, datetime]) -> dict[str, Any]:
    from bot.cli.words import iso

    if state is None:
        return {"feed": name, "health": "new", "next_poll": None, "failures": 0, "fault": None}
    until = closed.get(urlsplit(state.moved_to or state.url).hostname or "")
    gap = state.rhythm.gap
    return {
        "feed": name,
        "health": _health(state, until),
        "last_attempt": iso(state.last_attempt_at),
        "last_success": iso(state.last_good_at),
        "last_change": iso(state.last_body_at),
        "next_poll": None if state.gone_at else iso(max(state.next_poll_at, until or state.next_poll_at)),
        "waits_minutes": round((state.next_poll_at - state.last_attempt_at).total_seconds() / 60, 1)
        if state.last_attempt_at
        else None,
        "gap_minutes": None if gap is None else round(gap.total_seconds() / 60, 1),
        "newest_item": iso(state.rhythm.newest),
        "asks_to_wait_minutes": _asked(state),
        "new_per_day": None if state.new_per_day is None else round(state.new_per_day, 1),
        "failures": state.failures,
        "fault": state.fault,
        "gone_at": iso(state.gone_at),
        "moved_to": state.moved_to and state.moved_to.partition("?")[0],
        "host_closed_until": iso(until),
        "has_validators": state.etag is not None or state.last_modified is not None,
    }


def _health(state: SourceState, closed_until: datetime | None) -> str:
    if state.gone_at is not None:
        return "gone"
    if state.failures:
        return "fails"
    if closed_until is not None:
        return "host wants a rest"
    return "new" if state.last_good_at is None else "moved" if state.moved_to else "ok"


def _asked(state: SourceState) -> float | None:
    spans = [span for span in (state.pace.wait, state.fresh_for) if span is not None]
    return round(max(spans).total_seconds() / 60, 1) if spans else None


def _print(facts: list[dict[str, Any]], now: datetime) -> None:
    from bot.cli.words import ago, console, one_line, table

    def when(time: str | None, otherwise: str) -> str:
        return ago(datetime.fromisoformat(time), now) if time else otherwise

    out = console()
    rows = [
        (
            f["feed"],
            f["health"],
            when(f.get("last_success"), "never"),
            _next(f, now),
            _minutes(f.get("waits_minutes")),
            _minutes(f.get("gap_minutes")),
            str(f["failures"] or ""),
        )
        for f in facts
    ]
    columns = ("feed", "health", "last success", "next poll", "asked every", "an item every", "failures")
    out.print(table("Feeds", columns, rows, right=(4, 5, 6)))
    for f in facts:
        if f["health"] == "gone":
            out.print(
                f"{f['feed']} is gone for good, says its server, and is asked no more: take it out; "
                "`shinglebot once --now` asks once more"
            )
        elif f["fault"]:
            out.print(f"{f['feed']} fails: {one_line(f['fault'], 300)}")
        if f.get("moved_to"):
            out.print(f"{f['feed']} has moved to {f['moved_to']}: put that address into the configuration")
        if f.get("host_closed_until"):
            until = when(f["host_closed_until"], "")
            out.print(f"{f['feed']}: its host is asked too often (429), and again {until}")


def _next(fact: dict[str, Any], now: datetime) -> str:
    from bot.cli.words import ago

    if fact["health"] == "gone":
        return "never"
    at = datetime.fromisoformat(fact["next_poll"]) if fact["next_poll"] else now
    return ago(at, now) if at > now else "now"


def _minutes(minutes: float | None) -> str:
    from datetime import timedelta

    from bot.cli.words import span

    return "" if minutes is None else span(timedelta(minutes=minutes))


@feeds.command(name="import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@click.pass_obj
def feeds_import(session: Session, *, file: Path) -> int:
    """Print the feeds of an OPML file, or of an ini file of feed2tweet or feed2toot, as sections to paste.

    Nothing is written: copy what you want into your configuration. Feeds that are there already are left out, and named.
    """
    from bot.errors import ConfigError
    from bot.feed_lists import as_toml, read_list

    with click.open_file(str(file), "rb") as source:
        text = _text(source.read(LARGEST_LIST + 1), str(file))

    def more(place: str) -> str:
        with (file.parent / Path(place).expanduser()).open("rb") as source:
            return _text(source.read(LARGEST_LIST + 1), place)

    listed = read_list(text, more)
    try:
        outline = session.look()
        names = outline.feeds
        urls = [feed.url for feed in outline.config.feeds if feed.url] if outline.config else []
    except ConfigError:
        if session.config_given:
            raise
        names, urls = (), []
    toml, made, left = as_toml(listed, names=names, urls=urls)
    click.echo(toml, nl=False)
    rest = f", {left} left out" if left else ""
    click.echo(f"{made} to paste into {session.config_path}{rest}; nothing was written", err=True)
    return exits.OK


def _text(body: bytes, name: str) -> str:
    from bot.feed_lists import ListUnreadable
    from bot.sources.charsets import decode

    if len(body) > LARGEST_LIST:
        raise ListUnreadable(
            f"{name} is larger than {LARGEST_LIST // 1_000_000} MB, which no list of feeds is"
        )
    return decode(body)


@feeds.command(name="export")
@click.pass_obj
def feeds_export(session: Session) -> int:
    """Print the configured feeds as OPML, for other readers; addresses are given whole, keys in them included."""
    from bot.feed_lists import as_opml

    config = session.load(need_account=False)
    click.echo(as_opml((feed.name, feed.url) for feed in config.feeds if feed.url), nl=False)
    for feed in config.feeds:
        if not feed.url:
            click.echo(f"{feed.name} is a file of this machine and was left out", err=True)
    return exits.OK


feeds.add_command(feeds_check)
