"""What the values of keys may be: readers that turn a text of the file into what the bot works with, or say why not.

Nothing here opens a file except to see that a local feed is no directory.
"""

from __future__ import annotations

import ipaddress
import os
import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, PlainValidator, ValidationInfo

from bot.composing import LinkUse
from bot.config.durations import parse_duration
from bot.config.faults import Unfit
from bot.config.grammar import IpNetwork, parse_hashtag, parse_network, parse_pattern
from bot.config.places import place_beside
from bot.core.compose import check_template
from bot.core.identity import DedupKey
from bot.core.pictures import PictureUse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Unfit("a text in quotes is wanted")
    return value


def read_by(parse: Callable[[str], Any], *already: type) -> PlainValidator:
    """Return a validator that reads a text by `parse`, and leaves values of the types `already` as they are."""
    return PlainValidator(
        lambda value: value if already and isinstance(value, already) else parse(_text(value))
    )


def span(low: str, high: str, *, none: str | None = None) -> PlainValidator:
    """Return a validator of durations from `low` to `high`; the word `none`, if any, gives None."""
    least, most = parse_duration(low), parse_duration(high)

    def read(value: object) -> timedelta | None:
        if none is not None and (value is None or value == none):
            return None
        found = value if isinstance(value, timedelta) else _parse_span(value)
        if not least <= found <= most:
            raise Unfit
        return found

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


def allowed_span(low: str, high: str, such_as: str) -> str:
    """Say which durations a key takes, in the words of its description."""
    return f'a duration from {low} to {high}, such as "{such_as}"'


def read_template(text: str) -> str:
    """Return a template that has no fault. Raises Unfit with the faults."""
    if complaints := check_template(text):
        raise Unfit("; ".join(complaints))
    return text


def read_link_use(text: str) -> LinkUse:
    """Return the use of links that a word names. Raises Unfit for any other word."""
    try:
        return LinkUse(text)
    except ValueError:
        raise Unfit from None


def read_picture_use(text: str) -> PictureUse:
    """Return the use of pictures that a word names. Raises Unfit for any other word."""
    try:
        return PictureUse(text)
    except ValueError:
        raise Unfit from None


def read_dedup_key(text: str) -> DedupKey:
    """Return the key that a word names. Raises Unfit for any other word."""
    try:
        return DedupKey(text)
    except ValueError:
        raise Unfit from None


def _surroundings(info: ValidationInfo) -> tuple[Path, Mapping[str, str]]:
    """Return where relative paths count from, and the environment: what `load` hands to the validation."""
    context: dict[str, Any] = info.context or {}
    return context.get("base", Path()), context.get("env", os.environ)


def read_place(value: object, info: ValidationInfo) -> Path:
    """Return the path that a text names, seen from the file that it stands in. Raises Unfit."""
    if isinstance(value, Path):
        return value
    base, env = _surroundings(info)
    return place_beside(_text(value), base=base, env=env)


def read_local_feed(value: object, info: ValidationInfo) -> Path:
    """Return the path of a feed in a file. Raises Unfit for a directory."""
    # Whether it can be read now is a warning (`cross_checks`): files come and go, and one spoils its own feed only.
    path = read_place(value, info)
    if os.path.isdir(path):  # noqa: PTH112 - False also where it may not be looked at
        raise Unfit(f"{path} is a directory: name the feed's file in it")
    return path


Pattern = Annotated[re.Pattern[str], read_by(parse_pattern, re.Pattern)]
Hashtag = Annotated[str, read_by(parse_hashtag)]
AddressRange = Annotated[IpNetwork, read_by(parse_network, ipaddress.IPv4Network, ipaddress.IPv6Network)]

BY_REFERENCE: Final = 'a reference, such as "${X_API_KEY}", to what is kept outside this file'
PATTERNS: Final = "a list of regular expressions, in single quotes"


class Section(BaseModel):
    """One table of the file: unknown keys are faults, values are frozen, no message shows an input."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, hide_input_in_errors=True, arbitrary_types_allowed=True
    )
