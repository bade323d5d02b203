"""`feeds check`: feeds examined, and what was found said to people."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli import exits
from bot.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.cli.context import Session
    from bot.config import Config
    from bot.config.settings import Feed
    from bot.examining import Examination
    from bot.sources.collect import Address


@click.command(name="check")
@click.argument("what", metavar="[URL]", required=False)
@click.option("--json", "as_json", is_flag=True, help="JSON instead of lines.")
@click.pass_obj
def feeds_check(session: Session, *, what: str | None, as_json: bool) -> int:
    """Examine a feed, by its address or its configured name; without one, all that are configured.

    Of a web page, the feed that it names is examined. Each is asked three times at most, with pauses. Exit code 1 when
    one cannot be read.
    """
    from bot import configured
    from bot.cli.progress import progress
    from bot.examining import Doctor
    from bot.parsing import Parser

    config = config_where_there_is_one(session, needed=what is None)
    chosen = chosen_feeds(config, what)
    client = configured.feed_client(config)
    seen = []
    with (
        Parser() as parse,
        progress("feeds", quiet=as_json or len(chosen) == 1) as advance,
    ):
        for number, (address, feed) in enumerate(chosen, start=1):
            doctor = Doctor(
                client=client,
                clock=lambda: datetime.now(UTC),
                wait=threading.Event().wait,
                price=_price(config, feed),
                parse=parse,
            )
            found = doctor.examine(address)
            seen.append(found)
            if not as_json:
                _print(found, feed)
            advance(number, len(chosen))
    if as_json:
        click.echo(json.dumps([_as_json(found) for found in seen], ensure_ascii=False, indent=1))
    return exits.OK if all(found.readable for found in seen) else exits.FAILED


def config_where_there_is_one(session: Session, *, needed: bool) -> Config | None:
    """Return the configuration, None where there is none and nobody named one; raise ConfigError where it is needed."""
    try:
        return session.load(need_account=False)
    except ConfigError:
        if needed or session.config_given:
            raise
        return None  # an address can be examined before there is a configuration


def chosen_feeds(config: Config | None, what: str | None) -> Sequence[tuple[Address, Feed | None]]:
    """Return the configured feeds, or the one of that name, address or file; another than a configured one has no settings."""
    from bot.config import Unfit
    from bot.config.grammar import parse_url
    from bot.configured import address_of
    from bot.sources.collect import Address

    feeds = config.feeds if config else ()
    if what is None:
        return [(address_of(feed), feed) for feed in feeds]
    named = [feed for feed in feeds if what in {feed.name, feed.url}]
    if named:
        return [(address_of(feed), feed) for feed in named]
    if "://" not in what and Path(what).is_file():
        path = Path(what).absolute()
        return [(Address(feed=what, url=path.as_uri(), path=path), None)]
    url = what if "://" in what else f"https://{what}"
    try:
        return [(Address(feed=what, url=parse_url(url)), None)]
    except Unfit as unfit:
        raise click.UsageError(f"that is neither a configured feed nor an address: {unfit}") from None


def _price(config: Config | None, feed: Feed | None) -> int:
    from bot.composing import LinkUse
    from bot.core.prices import Item, price_list

    prices = config.prices.table if config else price_list()
    return prices[Item.POST if feed and feed.link is LinkUse.NEVER else Item.POST_WITH_URL]


def _print(found: Examination, feed: Feed | None) -> None:
    from bot.cli.words import console, hanging, one_line
    from bot.config import show_url

    out = console()
    where = show_url(found.url)[1:-1] if "://" in found.url else found.url
    out.print(found.name if found.name == where else f"{one_line(found.name, 100)}  {where}", style="bold")
    for finding in found.findings:
        mark = " " if finding.is_well else "!"
        out.print(hanging(f"  {mark} {finding.what}: {one_line(finding.says, 400)}", indent=4))
    if found.posts_a_day is not None and found.micros_a_month is not None:
        link = "without a link" if feed and str(feed.link) == "never" else "with their links"
        out.print(
            f"    forecast: about {found.posts_a_day:.1f} posts a day, ${found.micros_a_month / 1e6:,.2f} in 30 days "
            f"{link}, before duplicates, filters and your limits"
        )
    for url, title in found.offered[1:]:
        out.print(f"    also there: {url}" + (f" ({one_line(title, 80)})" if title else ""))


def _as_json(found: Examination) -> dict[str, Any]:
    from bot.config import show_url

    return {
        "feed": found.name,
        "url": show_url(found.url)[1:-1] if "://" in found.url else found.url,
        "readable": found.readable,
        "findings": [{"what": f.what, "well": f.is_well, "says": f.says} for f in found.findings],
        "feeds_of_page": [{"url": url, "title": title} for url, title in found.offered],
        "posts_a_day": None if found.posts_a_day is None else round(found.posts_a_day, 2),
        "dollars_a_month": None if found.micros_a_month is None else round(found.micros_a_month / 1e6, 2),
    }
