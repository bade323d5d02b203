"""The settings of a shortener of links, and of the parameters that links get."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, StrictInt

from bot.config.faults import Unfit
from bot.config.fields import BY_REFERENCE, Section, read_by
from bot.config.grammar import is_private, parse_url, show_url
from bot.config.secrets import Secret
from bot.core.link_templates import UTM, check_value
from bot.shorteners import Wanted
from bot.shorteners.generic import path_of

if TYPE_CHECKING:
    from bot.config.grammar import IpNetwork
    from bot.config.report import Report

TRIES_MAX: Final = 10

NEEDS: Final = {
    "bitly": ("token",),
    "tinyurl": ("token",),
    "isgd": (),
    "vgd": (),
    "shlink": ("token", "url"),
    "yourls": ("url",),
    "dub": ("token",),
    "json": ("url", "path"),
}
"""Service -> the keys without which it cannot be asked."""

ONLY_JSON: Final = ("method", "headers", "body", "path")
TEMPLATES: Final = ("{url}", "{token}", "{domain}")

_DOMAIN: Final = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]{1,5})?")
_BRACES: Final = re.compile(r"\{[a-z]+\}")


def parse_service_url(text: str) -> str:
    """Return the address of a service, in which fields of a template may stand after the host."""
    try:
        parse_url(text)
    except Unfit as unfit:
        raise Unfit(
            "an http:// or https:// address without blanks and login; a secret goes into token, and {token} stands for it",
            found=unfit.found or show_url(text),
        ) from None
    if "{" in text.split("/", 3)[2]:
        raise Unfit("the host is written out: fields stand after it", found=show_url(text))
    return text


def parse_domain(text: str) -> str:
    """Return a domain of short links, in small letters."""
    domain = text.casefold()
    if not _DOMAIN.fullmatch(domain):
        raise Unfit("a name such as go.example.org, without https:// and without a path")
    return domain


def parse_path(text: str) -> str:
    """Return a path into an answer that can be followed."""
    try:
        path_of(text)
    except ValueError as error:
        raise Unfit(str(error)) from None
    return text


def parse_utm(text: str) -> str:
    """Return the value of a parameter."""
    if why := check_value(text):
        raise Unfit(why)
    return text


UTM_VALUE: Final = "a text, in which {feed} stands for the feed's name"
_Value = Annotated[str, read_by(parse_utm)]


class Utm(Section):
    """The parameters that a feed's links get: `utm_source` and so on."""

    source: _Value | None = Field(default=None, description=UTM_VALUE)
    medium: _Value | None = Field(default=None, description=UTM_VALUE)
    campaign: _Value | None = Field(default=None, description=UTM_VALUE)
    term: _Value | None = Field(default=None, description=UTM_VALUE)
    content: _Value | None = Field(default=None, description=UTM_VALUE)
    id: _Value | None = Field(default=None, description=UTM_VALUE)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Those that are set, in the order of the core."""
        return tuple((name, value) for name in UTM if (value := getattr(self, name)) is not None)


def _frozen_map(value: Mapping[str, Secret]) -> Mapping[str, Secret]:
    return MappingProxyType(dict(value))


class Shortener(Section):
    """The service that makes links short."""

    service: Literal["bitly", "tinyurl", "isgd", "vgd", "shlink", "yourls", "dub", "json"] = Field(
        description='"bitly", "tinyurl", "isgd", "vgd", "shlink", "yourls", "dub" or "json"'
    )
    token: Secret | None = Field(default=None, description=BY_REFERENCE)
    domain: Annotated[str, read_by(parse_domain)] | None = Field(default=None, description="a domain")
    url: Annotated[str, read_by(parse_service_url)] | None = Field(
        default=None, description="an http:// or https:// address"
    )
    method: Literal["GET", "POST", "PUT"] = Field(default="POST", description='"GET", "POST" or "PUT"')
    headers: Annotated[Mapping[str, Secret], AfterValidator(_frozen_map)] = Field(
        default_factory=lambda: MappingProxyType({}),
        max_length=20,
        description="a table of header names and values",
    )
    body: str | None = Field(default=None, description="a text")
    path: Annotated[str, read_by(parse_path)] | None = Field(
        default=None, description='names and positions with dots between, such as "data.link"'
    )
    tries: StrictInt = Field(
        default=3, ge=1, le=TRIES_MAX, description=f"a whole number from 1 to {TRIES_MAX}"
    )

    @property
    def wanted(self) -> Wanted:
        """The same, as the shorteners take it. It holds the key."""
        return Wanted(
            service=self.service,
            token=self.token.reveal() if self.token else None,
            domain=self.domain,
            url=self.url,
            method=self.method,
            headers={name: value.reveal() for name, value in self.headers.items()},
            body=self.body,
            path=self.path or "",
        )


def check_shortener(raw: dict[str, Any], report: Report) -> None:
    """Add to `report` what a shortener lacks, or has that does not go together."""
    section = raw.get("shortener")
    service = section.get("service") if isinstance(section, dict) else None
    if not isinstance(section, dict) or not isinstance(service, str) or service not in NEEDS:
        return
    for key in NEEDS[service]:
        if key not in section:
            report.add(("shortener", key), found="nothing", hint=f"{service} wants it")
    if service != "json":
        return
    url, body = (str(section.get(key, "")) for key in ("url", "body"))
    if "{url}" not in url + body:
        report.add(
            ("shortener", "body"),
            found="no {url}",
            allowed="{url} in the body or in the url",
            hint="it stands for the link that is to be short",
        )
    if body and section.get("method") == "GET":
        report.add(("shortener", "body"), found="a body with GET", allowed="a body with POST or PUT")
    for key, text in (("url", url), ("body", body)):
        if unknown := [found for found in _BRACES.findall(text) if found not in TEMPLATES]:
            report.add(("shortener", key), found=unknown[0], allowed=", ".join(TEMPLATES))


def warn_of_shortener(shortener: Shortener, allowed: tuple[IpNetwork, ...], report: Report) -> None:
    """Add to `report` what is allowed and most likely not meant."""
    if shortener.service != "json":
        for key in ONLY_JSON:
            if key in shortener.model_fields_set:
                report.warn(("shortener", key), f'it means nothing for {shortener.service}, only for "json"')
    if shortener.url is None:
        return
    if is_private(shortener.url, allowed):
        report.warn(("shortener", "url"), "a private address is not asked unless network.allow has its range")
    elif shortener.url.startswith("http://") and shortener.token is not None:
        report.warn(("shortener", "url"), "the token travels unencrypted: use https:// if the server has it")
