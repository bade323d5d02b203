"""`preview`: how the newest entries of feeds would read as posts, and what was done to their words.

Each feed is asked once, plainly, and nothing is kept: no store is written, no shortener and no X is called. The posts
come from the Composer that publishing uses; a link stands as it is unless its short form is kept already.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits
from bot.cli.words import ago, console, count, hanging, iso, one_line
from bot.errors import StateError
from bot.publishers import DESTINATION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bot.cli.context import Session
    from bot.composing import Composer, Style
    from bot.config import Config, Destination, Feed
    from bot.core.compose import Composed
    from bot.core.model import Entry, Post
    from bot.core.prices import Item
    from bot.http_client import HttpClient
    from bot.sources.collect import Address
    from bot.sources.parsed import Parse
    from bot.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """An entry and the post that it would be: `unfit` says why there is none, `unwanted` why none would be made."""

    entry: Entry
    post: Post | None = None
    made: Composed | None = None
    unfit: str | None = None
    unwanted: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Previewed:
    """A feed, and its newest entries as they would read at a destination; `fault` says why there are none.

    Attributes:
        destination: None where there is no configuration, for X.
        among: whether there are others.
    """

    address: Address
    style: Style
    destination: Destination | None = None
    among: bool = False
    shown: tuple[_Shown, ...] = ()
    fault: str | None = None

    @property
    def name(self) -> str:
        """The destination's."""
        return self.destination.name if self.destination else DESTINATION

    @property
    def on_x(self) -> bool:
        """Whether posts go to X, which alone costs, and folds long ones."""
        return self.destination is None or self.destination.type == DESTINATION


@click.command()
@click.argument("what", metavar="[FEED]", required=False)
@click.option(
    "--count", "most", type=click.IntRange(1, 100), default=5, show_default=True, help="Entries of each feed."
)
@click.option("--template", help="Try this template in place of the configured one.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of lines.")
@click.pass_obj
def preview(session: Session, *, what: str | None, most: int, template: str | None, as_json: bool) -> int:
    """Show how a feed's newest entries would read: a configured one by its name, any other by its address or file.

    Without FEED all that are configured are shown. Each is asked once; nothing is kept, posted or made short. Exit
    code 1 when one cannot be read.
    """
    from bot.cli.doctoring import chosen_feeds, config_where_there_is_one
    from bot.cli.progress import progress
    from bot.composers import composer_for
    from bot.configured import feed_client
    from bot.core.prices import price_list
    from bot.parsing import Parser

    if template is not None:
        _check(template)
    config = config_where_there_is_one(session, needed=what is None)
    chosen = chosen_feeds(config, what)
    destinations = config.destinations if config else (None,)
    seen: list[_Previewed] = []
    with ExitStack() as stack:
        store = _store(config, stack)
        composers = [composer_for(config, each, chosen, template, store) for each in destinations]
        parse = stack.enter_context(Parser())
        advance = stack.enter_context(progress("feeds", quiet=as_json or len(chosen) == 1))
        client = feed_client(config)
        for number, (address, feed) in enumerate(chosen, start=1):
            entries, fault = _newest(address, client, parse, most)
            here = [
                _Previewed(
                    address=address,
                    style=styles[address.feed],
                    destination=destination,
                    among=len(destinations) > 1,
                    shown=tuple(_show(entry, feed, composer) for entry in entries),
                    fault=fault,
                )
                for destination, (composer, styles) in zip(destinations, composers, strict=True)
                if destination is None or feed is None or feed.name in destination.feeds
            ]
            seen += here[:1] if fault else here  # what is wrong with a feed is so everywhere
            advance(number, len(chosen))
    prices = config.prices.table if config else price_list()
    hide = _hiding(config)
    if as_json:
        click.echo(hide(json.dumps([_as_json(each, prices) for each in seen], ensure_ascii=False, indent=1)))
    else:
        for each in seen:
            _print(each, prices, hide)
    return exits.FAILED if any(each.fault for each in seen) else exits.OK


def _check(template: str) -> None:
    from bot.core.template import check_template

    if faults := check_template(template):
        raise click.UsageError(f"--template: {'; '.join(faults)}")


def _store(config: Config | None, stack: ExitStack) -> Store | None:
    """Return the bot's own store, to look short links up in; None where there is none to be read."""
    from bot.store import StateDir, Store

    if config is None or config.shortener is None:
        return None
    try:
        return stack.enter_context(Store.read_only(StateDir(config.state_dir)))
    except StateError:
        return None


def _newest(
    address: Address, client: HttpClient, parse: Parse, most: int
) -> tuple[Sequence[Entry], str | None]:
    """Ask one feed once; return its newest entries, newest first, or what went wrong."""
    from bot.sources.collect import Body, Failed, Validators, collect

    collected = collect(address, client, Validators(), parse=parse)
    match collected:
        case Body(parsed=parsed):
            undated = datetime.min.replace(tzinfo=UTC)
            newest_first = sorted(parsed.entries, key=lambda e: e.published or undated, reverse=True)
            return newest_first[:most], None
        case Failed(fault=fault):
            return (), fault
        case _:
            return (), "its server says that nothing has changed, to a request that asked for all of it"


def _show(entry: Entry, feed: Feed | None, composer: Composer) -> _Shown:
    unwanted = _unwanted(entry, feed) if feed else None
    try:
        return _Shown(
            entry=entry, post=composer.forms(entry)[0], made=composer.telling(entry), unwanted=unwanted
        )
    except ValueError as error:
        return _Shown(entry=entry, unfit=str(error), unwanted=unwanted)


def _unwanted(entry: Entry, feed: Feed) -> str | None:
    """Say which of its owner's rules keeps an entry from being posted, None where none does."""
    from bot.core.filters import reject

    rejected = reject(
        entry,
        include=feed.include.patterns,
        exclude=feed.exclude.patterns,
        max_age=feed.max_age,
        floor=None,
        now=_now(),
    )
    return rejected.detail if rejected else None


def _hiding(config: Config | None) -> Callable[[str], str]:
    """Return what takes the configuration's secrets out of a text: a feed may be told some, and say them."""
    from bot.logs import MASK, forms_of

    forms = tuple(forms_of(config.texts_to_mask())) if config else ()

    def hide(text: str) -> str:
        for form in forms:
            text = text.replace(form, MASK)
        return text

    return hide


def _print(seen: _Previewed, prices: Mapping[Item, int], hide: Callable[[str], str]) -> None:
    from bot.core.budget import in_dollars
    from bot.core.prices import item_of

    out = console()
    to = f", to {seen.name}" if seen.among and not seen.fault else ""
    out.print(f"{one_line(seen.address.feed, 100)}{to}", style="bold")
    if seen.fault:
        out.print(hide(hanging(f"  ! {one_line(seen.fault, 400)}", indent=4)))
        return
    template = seen.style.template.replace("\n", "\\n")
    out.print(f"  template {one_line(template, 400)}, {count(len(seen.shown), 'entry', 'entries')}")
    for shown in seen.shown:
        when = f"published {ago(shown.entry.published, _now())}" if shown.entry.published else "no date"
        if shown.post is None:
            out.print(hide(f"  no post: {shown.unfit} ({one_line(shown.entry.label, 70)}, {when})"))
            continue
        link = "with a link" if shown.post.has_link else "no link"
        price = in_dollars(prices[item_of(shown.post)]) if seen.on_x else "free"
        out.print(f"  [{shown.post.weight}/{shown.post.limit}, {link}, {price}] {when}")
        out.print(
            hide("\n".join(f"       | {one_line(line, 25_000)}" for line in shown.post.text.splitlines()))
        )
        for note in _notes(shown, on_x=seen.on_x):
            out.print(hide(hanging(f"       {note}", indent=9)))


def _notes(shown: _Shown, *, on_x: bool) -> list[str]:
    notes = []
    if shown.unwanted:
        notes.append(f"would not be posted: {one_line(shown.unwanted, 300)}")
    if shown.post and on_x and (folded := _before_the_fold(shown.post)):
        notes.append(f"X shows at first: … {folded[-40:]}")
    if shown.post and shown.post.media:
        notes.append(f"picture: {one_line(', '.join(shown.post.media), 300)}")
    if shown.post and shown.post.warning:
        notes.append(f"readers are warned: {one_line(shown.post.warning, 300)}")
    if shown.made and shown.made.cut:
        notes.append(f"cut: {', '.join(shown.made.cut)}")
    if shown.made and shown.made.left_out:
        notes.append(f"no room for: {', '.join(shown.made.left_out)}")
    if shown.made and shown.made.neutralised:
        notes.append(f"without its sign, to act on nobody: {' '.join(shown.made.neutralised)}")
    return notes


def _before_the_fold(post: Post) -> str | None:
    """Return what X shows of a long post before a reader asks for more, about; None for one of the usual length."""
    from bot.core.weighted_length import MAX_WEIGHT
    from bot.core.wording import shorten

    return shorten(post.text, MAX_WEIGHT) if post.weight > MAX_WEIGHT else None


def _as_json(seen: _Previewed, prices: Mapping[Item, int]) -> dict[str, Any]:
    from bot.core.budget import as_decimal
    from bot.core.prices import item_of

    def entry(shown: _Shown) -> dict[str, Any]:
        post, made = shown.post, shown.made
        fields: dict[str, Any] = {
            "title": shown.entry.label,
            "link": shown.entry.link,
            "published": iso(shown.entry.published),
            "not_posted": shown.unwanted,
            "fault": shown.unfit,
        }
        if post is None or made is None:
            return fields | {"text": None}
        return fields | {
            "text": post.text,
            "weight": post.weight,
            "limit": post.limit,
            "has_link": post.has_link,
            "price": as_decimal(prices[item_of(post)] if seen.on_x else 0),
            "shown_at_first": _before_the_fold(post) if seen.on_x else None,
            "pictures": list(post.media),
            "warning": post.warning or None,
            "cut": list(made.cut),
            "left_out": list(made.left_out),
            "neutralised": list(made.neutralised),
        }

    return {
        "feed": seen.address.feed,
        "destination": seen.name,
        "template": seen.style.template,
        "fault": seen.fault,
        "entries": [entry(shown) for shown in seen.shown],
    }


def _now() -> datetime:
    return datetime.now(UTC)
