"""What the sections of the configuration become: feeds and their rules, the door to them, the pace of posts."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_network
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from bot import __version__
from bot.composing import Style
from bot.core.pacing import Pacing
from bot.core.pictures import LARGEST as LARGEST_PICTURE
from bot.core.pictures import PictureUse
from bot.core.routes import Routes
from bot.core.weighted_length import LONGEST_WEIGHT, MAX_WEIGHT
from bot.errors import ConfigError
from bot.http_client import HttpClient
from bot.http_client.wire import tls_context
from bot.pictures import LARGEST_PAGE, PAGE_SECONDS, PICTURE_SECONDS, Doors
from bot.pipeline import FeedRules
from bot.polling import Feed
from bot.publishers import DESTINATION
from bot.shorteners import service_of
from bot.shorteners.calls import LARGEST, SECONDS
from bot.sources.collect import Address
from bot.spam.model_file import load_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.config import Config, Destination
    from bot.config.pacing_settings import Pacing as PacingSettings
    from bot.config.settings import Feed as FeedSettings
    from bot.http_client.addresses import Network
    from bot.shorteners import Service


def rules_of(settings: FeedSettings, preferred: tuple[str, ...] = ()) -> FeedRules:
    """Return what the pipeline needs to know of a configured feed.

    `preferred` are the names of all preferred feeds; a replay, where nothing waits to be posted, names none.
    """
    return FeedRules(
        name=settings.name,
        url=url_of(settings),
        interval=settings.interval,
        first_run=settings.first_run,
        catch_up=settings.catch_up,
        max_age=settings.max_age,
        include=settings.include.patterns,
        exclude=settings.exclude.patterns,
        dedup_key=settings.dedup_key,
        repost_after=settings.repost_after,
        near_duplicates=settings.near_duplicates,
        approval=settings.approval == "all",
        priority=settings.priority,
        settle=settings.settle,
        preferred=preferred,
    )


OVERRIDDEN: Final = ("template", "hashtags", "link", "shorten", "utm")
"""What a destination may want otherwise than a feed."""


def feed_of(settings: FeedSettings, preferred: tuple[str, ...] = ()) -> Feed:
    """Return a configured feed as the poller takes it; `preferred` are the names of all preferred feeds."""
    auth = settings.basic_auth
    return Feed(
        address=Address(
            feed=settings.name,
            url=url_of(settings),
            path=settings.file,
            headers={name: value.reveal() for name, value in settings.headers.items()},
            basic_auth=(auth.user.reveal(), auth.password.reveal()) if auth else None,
        ),
        rules=rules_of(settings, preferred),
    )


def feeds_of(config: Config) -> tuple[Feed, ...]:
    """Return all configured feeds as the poller takes them.

    Raises ConfigError when the model of `[spam]` cannot be used.
    """
    preferred = tuple(settings.name for settings in config.feeds if settings.preferred)
    routes = routes_of(config)
    model = load_model(config.spam.model) if config.spam.model else None
    feeds = ((feed_of(settings, preferred), model if settings.spam else None) for settings in config.feeds)
    return tuple(
        replace(feed, rules=replace(feed.rules, destinations=routes.to(feed.rules.name), spam=spam))
        for feed, spam in feeds
    )


def routes_of(config: Config) -> Routes:
    """Return where the stories of each feed go."""
    return Routes(
        every=tuple(destination.name for destination in config.destinations),
        of={
            feed.name: tuple(d.name for d in config.destinations if feed.name in d.feeds)
            for feed in config.feeds
        },
    )


def url_of(settings: FeedSettings) -> str:
    """Return the address that a feed is known by: that of its file, where it is one."""
    if settings.url is not None:
        return settings.url
    if settings.file is None:
        raise ConfigError(f"feed {settings.name} has neither url nor file")
    return settings.file.absolute().as_uri()


def feed_client(config: Config | None) -> HttpClient:
    """Return the door to feeds, as the bot with this configuration uses it; None: without an owner to name."""
    return HttpClient(user_agent=_user_agent(config), allow=config.network.allow if config else ())


def style_of(settings: FeedSettings, destination: Destination | None = None) -> Style:
    """Return how the posts of a configured feed read, at a destination that may want some of it otherwise."""
    style = _style_of(settings)
    return style if destination is None else restyled(style, destination)


def restyled(style: Style, destination: Destination) -> Style:
    """Return how posts read at a destination that may want some of it otherwise than `style`."""
    own = {key: getattr(destination, key) for key in OVERRIDDEN}
    style = replace(style, **{key: value for key, value in own.items() if value is not None})
    # A feed's longest post is meant for X.
    return style if destination.type == DESTINATION else replace(style, max_length=LONGEST_WEIGHT)


def _style_of(settings: FeedSettings) -> Style:
    return Style(
        template=settings.template,
        hashtags=settings.hashtags,
        link=settings.link,
        shorten=settings.shorten,
        correction=settings.correction_template,
        utm=settings.utm.pairs,
        max_length=settings.max_length,
    )


def longest_post(config: Config) -> int:
    """Return what the account's posts may weigh, by what the feeds ask for: over 280 takes an account with Premium."""
    return max([MAX_WEIGHT, *(feed.max_length for feed in config.feeds)])


def shortener_of(config: Config) -> Service | None:
    """Return the shortener of links, None where there is none."""
    return service_of(config.shortener.wanted) if config.shortener else None


def shortener_client(config: Config) -> HttpClient:
    """Return the door to the shortener: quicker to give up than that to feeds, and for small answers."""
    return HttpClient(
        user_agent=_user_agent(config),
        allow=config.network.allow,
        connect_timeout=SECONDS / 2,
        read_timeout=SECONDS,
        total_timeout=SECONDS,
        wire_cap=LARGEST,
        decoded_cap=LARGEST,
    )


def ping_client(config: Config) -> HttpClient:
    """Return the door to the monitor that is pinged: wherever its owner says, on the own network, too."""
    return HttpClient(
        user_agent=_user_agent(config),
        allow=(ip_network("0.0.0.0/0"), ip_network("::/0")),
        connect_timeout=SECONDS,
        read_timeout=2 * SECONDS,
        total_timeout=2 * SECONDS,
        wire_cap=LARGEST,
        decoded_cap=LARGEST,
    )


def picture_uses(
    feeds: Iterable[FeedSettings], destination: Destination | None = None
) -> dict[str, PictureUse]:
    """Return which feeds' posts show pictures, by their names; those whose posts show none are left out.

    A destination may want it otherwise than the feed.
    """
    own = destination.picture if destination is not None else None
    uses = {feed.name: feed.picture if own is None else own for feed in feeds}
    return {name: use for name, use in uses.items() if use is not PictureUse.NONE}


def picture_hosts(config: Config) -> dict[str, str]:
    """Return the hosts of feeds' own addresses, by their names."""
    hosts = {feed.name: urlsplit(feed.url).hostname for feed in config.feeds if feed.url}
    return {name: host for name, host in hosts.items() if host}


def picture_doors(config: Config) -> Doors:
    """Return the doors to pictures and to the pages that name them."""
    trusted = tls_context()  # read once for all of them: it takes a tenth of a second

    def door(seconds: float, cap: int, allow: Sequence[Network]) -> HttpClient:
        return HttpClient(
            user_agent=_user_agent(config),
            allow=allow,
            connect_timeout=seconds / 2,
            read_timeout=seconds,
            total_timeout=seconds,
            wire_cap=cap,
            decoded_cap=cap,
            tls=trusted,
        )

    near = config.network.allow
    return Doors(
        page=door(PAGE_SECONDS, LARGEST_PAGE, ()),
        picture=door(PICTURE_SECONDS, LARGEST_PICTURE, ()),
        near_page=door(PAGE_SECONDS, LARGEST_PAGE, near),
        near_picture=door(PICTURE_SECONDS, LARGEST_PICTURE, near),
    )


def address_of(settings: FeedSettings) -> Address:
    """Return where a configured feed is and how it is asked."""
    return feed_of(settings).address


def _user_agent(config: Config | None) -> str:
    contact = f" (+{config.network.contact})" if config and config.network.contact else ""
    return f"shinglebot/{__version__}{contact}"


def pacing_of(settings: PacingSettings) -> Pacing:
    """Return how fast posts go out."""
    return Pacing(
        min_gap=settings.min_gap,
        per_hour=settings.posts_per_hour,
        per_day=settings.posts_per_day,
        spread=settings.spread,
        quiet=settings.quiet_hours,
        order=settings.order,
    )
