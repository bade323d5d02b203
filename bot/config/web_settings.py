"""The settings of the page."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import Field, StrictInt

from bot.config.faults import Unfit
from bot.config.fields import Section, read_by

_HOST: Final = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:]+", re.IGNORECASE)
_PREFIX: Final = re.compile(r"(/[A-Za-z0-9._~-]+)*")


def parse_host(text: str) -> str:
    """Return a name or address, in lower case. Raises Unfit."""
    if not _HOST.fullmatch(text):
        raise Unfit
    return text.lower()


def parse_prefix(text: str) -> str:
    """Return a path without a slash at its end, "" for none. Raises Unfit."""
    text = text.rstrip("/")
    if not _PREFIX.fullmatch(text):
        raise Unfit
    return text


class Web(Section):
    """Where `shinglebot web` shows the page."""

    host: Annotated[str, read_by(parse_host)] = Field(
        default="127.0.0.1", description="a name or an address of this machine"
    )
    port: StrictInt = Field(default=8467, ge=1, le=65535, description="a whole number from 1 to 65535")
    hosts: tuple[Annotated[str, read_by(parse_host)], ...] = Field(
        default=(), description='a list of names, such as ["news.example.org"]'
    )
    prefix: Annotated[str, read_by(parse_prefix)] = Field(default="", description='a path such as "/news"')
