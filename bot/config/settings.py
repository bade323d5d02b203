"""The settings: every key of the configuration, its default, what it allows and what it becomes.

A field's description says what is allowed there, in the words that a fault shows and that `config.example.toml`
repeats. A key exists only when something reads it. Values of keys are frozen, and nothing here opens a file
except to see that a local feed is no directory.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    ValidationInfo,
)

from bot.composing import LinkUse
from bot.config.durations import parse_duration
from bot.config.faults import Unfit
from bot.config.grammar import (
    NAME_LENGTH,
    TAKE_MAX,
    IpNetwork,
    parse_catch_up,
    parse_contact,
    parse_first_run,
    parse_hashtag,
    parse_name,
    parse_network,
    parse_pattern,
    parse_url,
)
from bot.config.money import LIMIT, PRICE, parse_limit, parse_price
from bot.config.places import place_beside
from bot.config.secrets import Secret
from bot.core.budget import Limits
from bot.core.compose import DEFAULT_TEMPLATE, check_template
from bot.core.filters import Patterns, Take, TakeKind
from bot.core.identity import DedupKey
from bot.core.prices import PRICES, Item, micros_of, price_list

if TYPE_CHECKING:
    from collections.abc import Callable

HASHTAGS_MAX: Final = 10
"""More would leave no room for a title: ten of ten letters take 120 of 280 characters."""

HEADERS_MAX: Final = 20

FASTEST_POLL: Final = "1m"
"""No server asked to be polled more often, and few feeds change within five minutes."""

POSTS_PER_HOUR_MAX: Final = 400
"""X takes 100 posts from a user in 15 minutes (docs.x.com, rate limits)."""

POSTS_PER_DAY_MAX: Final = 2400
"""What X allows an account in a day (its page on limits), whoever posts."""


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Unfit("a text in quotes is wanted")
    return value


def _read(parse: Callable[[str], Any], *already: type) -> PlainValidator:
    """Return a validator that reads a text by `parse`, and leaves values of the types `already` as they are."""
    return PlainValidator(
        lambda value: value if already and isinstance(value, already) else parse(_text(value))
    )


def _span(low: str, high: str, *, none: str | None = None) -> PlainValidator:
    """Return a validator of durations from `low` to `high`; the word `none`, if any, gives None."""
    least, most = parse_duration(low), parse_duration(high)

    def read(value: object) -> timedelta | None:
        if none is not None and (value is None or value == none):
            return None
        span = value if isinstance(value, timedelta) else _parse_span(value)
        if not least <= span <= most:
            raise Unfit
        return span

    return PlainValidator(read)


def _parse_span(value: object) -> timedelta:
    if type(value) is int:
        raise Unfit("put it in quotes, with its unit")
    try:
        return parse_duration(_text(value))
    except Unfit:
        raise
    except ValueError as error:
        raise Unfit(str(error)) from None


def _allowed_span(low: str, high: str, such_as: str) -> str:
    return f'a duration from {low} to {high}, such as "{such_as}"'


def _template(text: str) -> str:
    if complaints := check_template(text):
        raise Unfit("; ".join(complaints))
    return text


def _link_use(text: str) -> LinkUse:
    try:
        return LinkUse(text)
    except ValueError:
        raise Unfit from None


def _dedup_key(text: str) -> DedupKey:
    try:
        return DedupKey(text)
    except ValueError:
        raise Unfit from None


def _surroundings(info: ValidationInfo) -> tuple[Path, Mapping[str, str]]:
    """Return where relative paths count from, and the environment: what `load` hands to the validation."""
    context: dict[str, Any] = info.context or {}
    return context.get("base", Path()), context.get("env", os.environ)


def _place(value: object, info: ValidationInfo) -> Path:
    if isinstance(value, Path):
        return value
    base, env = _surroundings(info)
    return place_beside(_text(value), base=base, env=env)


def _local_feed(value: object, info: ValidationInfo) -> Path:
    # Whether it can be read now is a warning (`cross_checks`): files come and go, and one spoils its own feed only.
    path = _place(value, info)
    if os.path.isdir(path):  # noqa: PTH112 - False also where it may not be looked at
        raise Unfit(f"{path} is a directory: name the feed's file in it")
    return path


Pattern = Annotated[re.Pattern[str], _read(parse_pattern, re.Pattern)]
Hashtag = Annotated[str, _read(parse_hashtag)]
AddressRange = Annotated[IpNetwork, _read(parse_network, ipaddress.IPv4Network, ipaddress.IPv6Network)]

_BY_REFERENCE: Final = 'a reference, such as "${X_API_KEY}", to what is kept outside this file'
_PATTERNS: Final = "a list of regular expressions, in single quotes"


class Section(BaseModel):
    """One table of the file: unknown keys are faults, values are frozen, no message shows an input."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, arbitrary_types_allowed=True
    )


class Account(Section):
    """The keys of the account that posts, as X's developer console gives them (OAuth 1.0a, user context).

    Without the two of the access token, those count that `shinglebot auth` has stored.
    """

    api_key: Secret = Field(description=_BY_REFERENCE)
    api_key_secret: Secret = Field(description=_BY_REFERENCE)
    access_token: Secret | None = Field(default=None, description=_BY_REFERENCE)
    access_token_secret: Secret | None = Field(default=None, description=_BY_REFERENCE)


class Dedup(Section):
    """How alike two stories have to be to count as one."""

    level: Literal["strict", "balanced", "eager"] = Field(
        default="balanced", description='"strict", "balanced" or "eager"'
    )
    method: Literal["table", "classic"] = Field(default="table", description='"table" or "classic"')
    grey: Literal["post", "hold"] = Field(default="post", description='"post" or "hold"')


class Pacing(Section):
    """How fast posts go out; what is over waits, until it is older than its feed's `max_age`."""

    min_gap: Annotated[timedelta, _span("0s", "1d")] = Field(
        default=timedelta(minutes=5), description=_allowed_span("0s", "1d", "5m")
    )
    posts_per_hour: StrictInt = Field(
        default=12, ge=1, le=POSTS_PER_HOUR_MAX, description=f"a whole number from 1 to {POSTS_PER_HOUR_MAX}"
    )
    posts_per_day: StrictInt = Field(
        default=50, ge=1, le=POSTS_PER_DAY_MAX, description=f"a whole number from 1 to {POSTS_PER_DAY_MAX}"
    )


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
    read_post: Price = Field(default=PRICES[Item.READ_POST], description=PRICE)
    read_own_post: Price = Field(default=PRICES[Item.READ_OWN_POST], description=PRICE)
    read_user: Price = Field(default=PRICES[Item.READ_USER], description=PRICE)

    @property
    def table(self) -> Mapping[Item, int]:
        """What each item costs, in micro-dollars."""
        return price_list({item: getattr(self, item.key) for item in Item})


class Network(Section):
    """Which private addresses may be polled, and how the bot names itself."""

    allow: tuple[AddressRange, ...] = Field(
        default=(), description='a list of address ranges, such as ["10.1.0.0/16"]'
    )
    contact: Annotated[str, _read(parse_contact)] | None = Field(
        default=None, description="an e-mail address or an http(s) address"
    )


class Inherited(Section):
    """The keys of a feed that may also stand in `[defaults]`, for all feeds that do not have them."""

    template: Annotated[str, _read(_template)] = Field(
        default=DEFAULT_TEMPLATE, description="a text with fields in braces"
    )
    link: Annotated[LinkUse, _read(_link_use)] = Field(
        default=LinkUse.ALWAYS, description='"always", "never" or "budget"'
    )
    hashtags: tuple[Hashtag, ...] = Field(
        default=(),
        max_length=HASHTAGS_MAX,
        description=f'a list of at most {HASHTAGS_MAX} hashtags, such as ["news", "Kyiv"]',
    )
    first_run: Annotated[Take, _read(parse_first_run, Take)] = Field(
        default=Take(kind=TakeKind.NONE), description=f'"seed", "newest N" (N from 1 to {TAKE_MAX}) or "all"'
    )
    max_age: Annotated[timedelta, _span("1h", "3650d")] = Field(
        default=timedelta(days=3), description=_allowed_span("1h", "3650d", "3d")
    )
    catch_up: Annotated[Take, _read(parse_catch_up, Take)] = Field(
        default=Take(kind=TakeKind.NEWEST, count=25),
        description=f'"none", "newest N" (N from 1 to {TAKE_MAX}) or "all"',
    )
    interval: Annotated[timedelta | None, _span(FASTEST_POLL, "7d", none="auto")] = Field(
        default=None, description=f'"auto" or {_allowed_span(FASTEST_POLL, "7d", "30m")}'
    )
    dedup_key: Annotated[DedupKey, _read(_dedup_key)] = Field(
        default=DedupKey.ANY, description='"any", "guid", "link" or "text"'
    )
    repost_after: Annotated[timedelta | None, _span("1d", "3650d", none="none")] = Field(
        default=None, description=f'"none" or {_allowed_span("1d", "3650d", "365d")}'
    )
    near_duplicates: StrictBool = Field(default=True, description="true or false")
    approval: Literal["none", "all"] = Field(default="none", description='"none" or "all"')


class Defaults(Inherited):
    """What feeds take unless they say otherwise; `load` has put it into each feed."""


class Filters(Section):
    """Regular expressions on what an entry says; each is searched anywhere, without regard to case."""

    title: tuple[Pattern, ...] = Field(default=(), description=_PATTERNS)
    summary: tuple[Pattern, ...] = Field(default=(), description=_PATTERNS)
    category: tuple[Pattern, ...] = Field(default=(), description=_PATTERNS)
    link: tuple[Pattern, ...] = Field(default=(), description=_PATTERNS)

    @property
    def patterns(self) -> Patterns:
        """The same, as the core takes it."""
        return Patterns(title=self.title, summary=self.summary, category=self.category, link=self.link)


class BasicAuth(Section):
    """User and password of a feed that asks for them."""

    user: Secret = Field(description='a text without ":", or a reference')
    password: Secret = Field(
        description='a reference, such as "${FEED_PASSWORD}", to what is kept outside this file'
    )


def _frozen_map(value: Mapping[str, Secret]) -> Mapping[str, Secret]:
    return MappingProxyType(dict(value))


class Feed(Inherited):
    """One source of entries: an address or a local file, one of the two."""

    name: Annotated[str, _read(parse_name)] = Field(
        description=f"1 to {NAME_LENGTH} printable characters, unlike the names of the other feeds"
    )
    url: Annotated[str, _read(parse_url)] | None = Field(
        default=None, description="an http:// or https:// address"
    )
    file: Annotated[Path | None, PlainValidator(_local_feed)] = Field(
        default=None, description="the path of a file"
    )
    headers: Annotated[Mapping[str, Secret], AfterValidator(_frozen_map)] = Field(
        default_factory=lambda: MappingProxyType({}),
        max_length=HEADERS_MAX,
        description='a table of header names and values, such as {Accept-Language = "en"}',
    )
    basic_auth: BasicAuth | None = Field(default=None, description="a table with user and password")
    include: Filters = Field(default=Filters(), description="a table with title, summary, category, link")
    exclude: Filters = Field(default=Filters(), description="a table with title, summary, category, link")


class Document(Section):
    """The whole file, as it is validated; `load` makes a `Config` of it."""

    state_dir: Annotated[Path | None, PlainValidator(_place)] = Field(
        default=None, description="a path; a relative one counts from this file"
    )
    account: Account | None = Field(default=None, description="an [account] section")
    dedup: Dedup = Field(default=Dedup(), description="a [dedup] section")
    pacing: Pacing = Field(default=Pacing(), description="a [pacing] section")
    budget: Budget = Field(default=Budget(), description="a [budget] section")
    prices: Prices = Field(default=Prices(), description="a [prices] section")
    network: Network = Field(default=Network(), description="a [network] section")
    defaults: Defaults = Field(default=Defaults(), description="a [defaults] section")
    feed: tuple[Feed, ...] = Field(description="one [[feed]] section or more")
