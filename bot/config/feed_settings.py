"""The settings of a feed, and those that `[defaults]` may give to all of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, PlainValidator, StrictBool, StrictInt

from bot.composing import CORRECTION_TEMPLATE, LinkUse
from bot.config.fields import (
    PATTERNS,
    Hashtag,
    Pattern,
    Section,
    allowed_span,
    read_by,
    read_dedup_key,
    read_link_use,
    read_local_feed,
    read_picture_use,
    read_template,
    span,
)
from bot.config.grammar import (
    NAME_LENGTH,
    TAKE_MAX,
    parse_catch_up,
    parse_first_run,
    parse_name,
    parse_url,
)
from bot.config.secrets import Secret
from bot.config.shortener_settings import Utm
from bot.core.compose import DEFAULT_TEMPLATE, MIN_LIMIT
from bot.core.filters import Patterns, Take, TakeKind
from bot.core.identity import DedupKey
from bot.core.pacing import MIDDLE
from bot.core.pictures import PictureUse
from bot.core.weighted_length import LONGEST_WEIGHT, MAX_WEIGHT

HASHTAGS_MAX: Final = 10
"""More would leave no room for a title: ten of ten letters take 120 of 280 characters."""

HEADERS_MAX: Final = 20

FASTEST_POLL: Final = "1m"
"""No server asked to be polled more often, and few feeds change within five minutes."""


class Inherited(Section):
    """The keys of a feed that may also stand in `[defaults]`, for all feeds that do not have them."""

    template: Annotated[str, read_by(read_template)] = Field(
        default=DEFAULT_TEMPLATE, description="a text with fields in braces"
    )
    link: Annotated[LinkUse, read_by(read_link_use)] = Field(
        default=LinkUse.ALWAYS, description='"always", "never" or "budget"'
    )
    picture: Annotated[PictureUse, read_by(read_picture_use)] = Field(
        default=PictureUse.NONE, description='"none", "feed" or "page"'
    )
    hashtags: tuple[Hashtag, ...] = Field(
        default=(),
        max_length=HASHTAGS_MAX,
        description=f'a list of at most {HASHTAGS_MAX} hashtags, such as ["news", "Kyiv"]',
    )
    max_length: StrictInt = Field(
        default=MAX_WEIGHT,
        ge=MIN_LIMIT,
        le=LONGEST_WEIGHT,
        description=f"a whole number from {MIN_LIMIT} to {LONGEST_WEIGHT}",
    )
    shorten: StrictBool = Field(default=True, description="true or false")
    utm: Utm = Field(default=Utm(), description="a table with source, medium, campaign, term, content, id")
    first_run: Annotated[Take, read_by(parse_first_run, Take)] = Field(
        default=Take(kind=TakeKind.NONE), description=f'"seed", "newest N" (N from 1 to {TAKE_MAX}) or "all"'
    )
    max_age: Annotated[timedelta, span("1h", "3650d")] = Field(
        default=timedelta(days=3), description=allowed_span("1h", "3650d", "3d")
    )
    catch_up: Annotated[Take, read_by(parse_catch_up, Take)] = Field(
        default=Take(kind=TakeKind.NEWEST, count=25),
        description=f'"none", "newest N" (N from 1 to {TAKE_MAX}) or "all"',
    )
    interval: Annotated[timedelta | None, span(FASTEST_POLL, "7d", none="auto")] = Field(
        default=None, description=f'"auto" or {allowed_span(FASTEST_POLL, "7d", "30m")}'
    )
    dedup_key: Annotated[DedupKey, read_by(read_dedup_key)] = Field(
        default=DedupKey.ANY, description='"any", "guid", "link" or "text"'
    )
    repost_after: Annotated[timedelta | None, span("1d", "3650d", none="none")] = Field(
        default=None, description=f'"none" or {allowed_span("1d", "3650d", "365d")}'
    )
    near_duplicates: StrictBool = Field(default=True, description="true or false")
    spam: StrictBool = Field(default=True, description="true or false")
    approval: Literal["none", "all"] = Field(default="none", description='"none" or "all"')
    corrections: Literal["show", "post"] = Field(default="show", description='"show" or "post"')
    correction_template: Annotated[str, read_by(read_template)] = Field(
        default=CORRECTION_TEMPLATE, description="a text with fields in braces"
    )
    priority: StrictInt = Field(default=MIDDLE, ge=0, le=9, description="a whole number from 0 to 9")
    settle: Annotated[timedelta, span("0s", "6h")] = Field(
        default=timedelta(0), description=allowed_span("0s", "6h", "10m")
    )


class Defaults(Inherited):
    """What feeds take unless they say otherwise; `load` has put it into each feed."""


class Filters(Section):
    """Regular expressions on what an entry says; each is searched anywhere, without regard to case."""

    title: tuple[Pattern, ...] = Field(default=(), description=PATTERNS)
    summary: tuple[Pattern, ...] = Field(default=(), description=PATTERNS)
    category: tuple[Pattern, ...] = Field(default=(), description=PATTERNS)
    link: tuple[Pattern, ...] = Field(default=(), description=PATTERNS)

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

    name: Annotated[str, read_by(parse_name)] = Field(
        description=f"1 to {NAME_LENGTH} printable characters, unlike the names of the other feeds"
    )
    url: Annotated[str, read_by(parse_url)] | None = Field(
        default=None, description="an http:// or https:// address"
    )
    file: Annotated[Path | None, PlainValidator(read_local_feed)] = Field(
        default=None, description="the path of a file"
    )
    headers: Annotated[Mapping[str, Secret], AfterValidator(_frozen_map)] = Field(
        default_factory=lambda: MappingProxyType({}),
        max_length=HEADERS_MAX,
        description='a table of header names and values, such as {Accept-Language = "en"}',
    )
    basic_auth: BasicAuth | None = Field(default=None, description="a table with user and password")
    preferred: StrictBool = Field(default=False, description="true or false")
    include: Filters = Field(default=Filters(), description="a table with title, summary, category, link")
    exclude: Filters = Field(default=Filters(), description="a table with title, summary, category, link")
