"""The feeds: their health, rhythm and money, and what a new one would bring."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from bot.composers import composer_for
from bot.configured import feed_client
from bot.core.prices import item_of
from bot.parsing import Parser
from bot.publishers import DESTINATION
from bot.sources.collect import Address, Body, Failed, Validators, collect
from bot.web.pages import Refusal

if TYPE_CHECKING:
    from datetime import datetime

    from starlette.responses import Response

    from bot.balance import FeedCost
    from bot.core.model import Entry, Post
    from bot.store.sources import SourceState
    from bot.web.pages import Visit

FAULTS: Final = 3
TRIED: Final = 5
LONGEST_ADDRESS: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedRow:
    """A configured feed, what is known of it and what it has cost; None where nothing is."""

    name: str
    url: str
    state: SourceState | None
    faults: tuple[tuple[datetime, str], ...]
    cost: FeedCost | None


def overview(visit: Visit) -> Response:
    """Show every configured feed."""
    desk = visit.desk
    balance = desk.balance.at(visit.now)
    with desk.reading() as store:
        known = store.sources.all()
        shown = [
            FeedRow(
                name=feed.name,
                url=desk.hide(feed.url or str(feed.file)),
                state=known.get(feed.name),
                faults=tuple((at, desk.hide(what)) for at, what in store.sources.faults(feed.name, FAULTS)),
                cost=balance.feeds.get(feed.name),
            )
            for feed in desk.config.feeds
        ]
        held = [hold for hold in store.holds.waiting() if hold.waiting]
    return visit.show(
        "feeds.html", feeds=shown, held=held, costs=balance.costs, is_saved_known=balance.is_saved_known
    )


def attempt(visit: Visit) -> Response:
    """Ask a new feed once, and show what it would have posted and the lines for the configuration."""
    url = visit.asked.get("url", "").strip()
    if not url:
        return visit.show("attempt.html", url="", fault="", posts=(), toml="", known=False)
    if visit.session is None:
        # Looking changes nothing, but makes this machine ask an address that the visitor chose.
        return visit.redirect("/enter", then=visit.here)
    parts = urlsplit(url) if len(url) <= LONGEST_ADDRESS else None
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise Refusal("Give the whole address of a feed, beginning with https:// or http://.", status=400)
    entries, fault = _ask(visit, url, parts.hostname)
    destination = visit.desk.config.destinations[0]
    address = Address(feed=parts.hostname, url=url)
    composer, _ = composer_for(visit.desk.config, destination, [(address, None)], None, None)
    prices = visit.desk.config.prices.table if destination.type == DESTINATION else None
    posts: list[tuple[Entry, Post | None, int | None, str]] = []
    for entry in entries:
        try:
            post = composer.forms(entry)[0]
        except ValueError as error:
            posts.append((entry, None, None, str(error)))
        else:
            posts.append((entry, post, prices[item_of(post)] if prices else None, ""))
    return visit.show(
        "attempt.html",
        url=url,
        fault=visit.desk.hide(fault),
        posts=posts,
        toml=_toml(parts.hostname, url, [feed.name for feed in visit.desk.config.feeds]),
        known=any(feed.url == url for feed in visit.desk.config.feeds),
    )


def _ask(visit: Visit, url: str, name: str) -> tuple[list[Entry], str]:
    with Parser() as parse:
        found = collect(
            Address(feed=name, url=url), feed_client(visit.desk.config), Validators(), parse=parse
        )
    match found:
        case Body(parsed=parsed):
            newest = sorted(
                parsed.entries, key=lambda e: e.published.timestamp() if e.published else 0.0, reverse=True
            )
            return newest[:TRIED], "" if newest else "the feed can be read, and holds no entry"
        case Failed(fault=fault):
            return [], fault
        case _:
            return [], "its server says that nothing has changed, to a request that asked for all of it"


def _toml(host: str, url: str, taken: list[str]) -> str:
    name, number = host.removeprefix("www."), 2
    wanted = name
    while wanted in taken:
        wanted, number = f"{name} {number}", number + 1
    # A string of JSON is one of TOML, but for DEL, which no address holds.
    return f"[[feed]]\nname = {json.dumps(wanted)}\nurl = {json.dumps(url)}\n"
