"""The settings: every key of the configuration, its default, what it allows and what it becomes.

A field's description says what is allowed there, in the words that a fault shows and that `config.example.toml`
repeats. A key exists only when something reads it. Values of keys are frozen.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, PlainValidator

from bot.config.destination_settings import ContentWarning, DestinationSettings
from bot.config.feed_settings import BasicAuth, Defaults, Feed, Filters, Inherited
from bot.config.fields import BY_REFERENCE, AddressRange, Section, read_by, read_place
from bot.config.follow_settings import Follows
from bot.config.grammar import parse_contact
from bot.config.money import LIMIT, PRICE, parse_limit, parse_price
from bot.config.pacing_settings import Pacing
from bot.config.search_settings import Search
from bot.config.secrets import Secret
from bot.config.shortener_settings import Shortener, Utm
from bot.config.spam_settings import Spam
from bot.config.store_settings import Backup, Retention
from bot.config.watch_settings import Alerts, Watch
from bot.config.web_settings import Web
from bot.core.budget import Limits
from bot.core.prices import PRICES, Item, micros_of, price_list

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Account",
    "Alerts",
    "Backup",
    "BasicAuth",
    "Budget",
    "ContentWarning",
    "Dedup",
    "Defaults",
    "DestinationSettings",
    "Document",
    "Feed",
    "Filters",
    "Follows",
    "Inherited",
    "Network",
    "Pacing",
    "Prices",
    "Retention",
    "Search",
    "Shortener",
    "Spam",
    "Utm",
    "Watch",
    "Web",
]


class Account(Section):
    """The keys of the account that posts, as X's developer console gives them (OAuth 1.0a, user context).

    Without the two of the access token, those count that `shinglebot auth` has stored.
    """

    api_key: Secret = Field(description=BY_REFERENCE)
    api_key_secret: Secret = Field(description=BY_REFERENCE)
    access_token: Secret | None = Field(default=None, description=BY_REFERENCE)
    access_token_secret: Secret | None = Field(default=None, description=BY_REFERENCE)


class Dedup(Section):
    """How alike two stories have to be to count as one."""

    level: Literal["strict", "balanced", "eager"] = Field(
        default="balanced", description='"strict", "balanced" or "eager"'
    )
    method: Literal["table", "classic"] = Field(default="table", description='"table" or "classic"')
    grey: Literal["post", "hold"] = Field(default="post", description='"post" or "hold"')


Limit = Annotated[Decimal | None, PlainValidator(parse_limit)]
Price = Annotated[Decimal, PlainValidator(parse_price)]


class Budget(Section):
    """What may be spent, in dollars; what is over waits, until it is older than its feed's `max_age`."""

    daily: Limit = Field(default=Decimal("1.00"), description=LIMIT)
    monthly: Limit = Field(default=None, description=LIMIT)

    @property
    def limits(self) -> Limits:
        """The same, as the core takes it."""
        return Limits(
            daily=None if self.daily is None else micros_of(self.daily),
            monthly=None if self.monthly is None else micros_of(self.monthly),
        )


class Prices(Section):
    """What X charges, in dollars: the keys are the items of `core.prices`."""

    post: Price = Field(default=PRICES[Item.POST], description=PRICE)
    post_with_url: Price = Field(default=PRICES[Item.POST_WITH_URL], description=PRICE)
    summoned_reply: Price = Field(default=PRICES[Item.SUMMONED_REPLY], description=PRICE)
    delete: Price = Field(default=PRICES[Item.DELETE], description=PRICE)
    media_metadata: Price = Field(default=PRICES[Item.MEDIA_METADATA], description=PRICE)
    read_post: Price = Field(default=PRICES[Item.READ_POST], description=PRICE)
    read_own_post: Price = Field(default=PRICES[Item.READ_OWN_POST], description=PRICE)
    read_user: Price = Field(default=PRICES[Item.READ_USER], description=PRICE)
    read_own_follow: Price = Field(default=PRICES[Item.READ_OWN_FOLLOW], description=PRICE)
    follow: Price = Field(default=PRICES[Item.FOLLOW], description=PRICE)
    repost: Price = Field(default=PRICES[Item.REPOST], description=PRICE)
    unfollow: Price = Field(default=PRICES[Item.UNFOLLOW], description=PRICE)

    @property
    def table(self) -> Mapping[Item, int]:
        """What each item costs, in micro-dollars."""
        return price_list({item: getattr(self, item.key) for item in Item})


class Network(Section):
    """Which private addresses may be polled, and how the bot names itself."""

    allow: tuple[AddressRange, ...] = Field(
        default=(), description='a list of address ranges, such as ["10.1.0.0/16"]'
    )
    contact: Annotated[str, read_by(parse_contact)] | None = Field(
        default=None, description="an e-mail address or an http(s) address"
    )


class Document(Section):
    """The whole file, as it is validated; `load` makes a `Config` of it."""

    state_dir: Annotated[Path | None, PlainValidator(read_place)] = Field(
        default=None, description="a path; a relative one counts from this file"
    )
    account: Account | None = Field(default=None, description="an [account] section")
    destination: tuple[DestinationSettings, ...] = Field(
        default=(), description="any number of [[destination]] sections"
    )
    dedup: Dedup = Field(default=Dedup(), description="a [dedup] section")
    spam: Spam = Field(default=Spam(), description="a [spam] section")
    pacing: Pacing = Field(default=Pacing(), description="a [pacing] section")
    budget: Budget = Field(default=Budget(), description="a [budget] section")
    follows: Follows = Field(default=Follows(), description="a [follows] section")
    prices: Prices = Field(default=Prices(), description="a [prices] section")
    network: Network = Field(default=Network(), description="a [network] section")
    shortener: Shortener | None = Field(default=None, description="a [shortener] section")
    backup: Backup = Field(default=Backup(), description="a [backup] section")
    retention: Retention = Field(default=Retention(), description="a [retention] section")
    web: Web = Field(default=Web(), description="a [web] section")
    watch: Watch = Field(default=Watch(), description="a [watch] section")
    alerts: Alerts = Field(default=Alerts(), description="an [alerts] section")
    defaults: Defaults = Field(default=Defaults(), description="a [defaults] section")
    search: tuple[Search, ...] = Field(default=(), description="any number of [[search]] sections")
    feed: tuple[Feed, ...] = Field(description="one [[feed]] section or more")
