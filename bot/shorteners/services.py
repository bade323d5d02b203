"""Which service is meant by a name, made of what the configuration says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bot.shorteners.bitly import Bitly
from bot.shorteners.dub import Dub
from bot.shorteners.generic import Generic, path_of
from bot.shorteners.isgd import BASES, IsGd
from bot.shorteners.shlink import Shlink
from bot.shorteners.tinyurl import TinyUrl
from bot.shorteners.yourls import Yourls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.shorteners.calls import Service

SERVICES: Final = ("bitly", "tinyurl", "isgd", "vgd", "shlink", "yourls", "dub", "json")


KEYED: Final[Mapping[str, type[Bitly | TinyUrl | Dub]]] = {"bitly": Bitly, "tinyurl": TinyUrl, "dub": Dub}
"""Those whose servers are known and that want a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A shortener as it is configured; what its service does not use is ignored.

    Attributes:
        service: one of `SERVICES`.
        token: its key.
        domain: whose links it makes.
        url: where it is: of Shlink and YOURLS, whose servers are one's own, and of `json`; of the others in place of
            their own address.
        method, headers, body, path: of `json`, see `bot.shorteners.generic`.
    """

    service: str
    token: str | None = field(default=None, repr=False)
    domain: str | None = None
    url: str | None = None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: str | None = field(default=None, repr=False)
    path: str = ""


def service_of(wanted: Wanted) -> Service:
    """Return the service. Raises ValueError where something is missing that it needs."""
    base = (wanted.url or "").rstrip("/")
    at = {"base": base} if base else {}
    match wanted.service:
        case "bitly" | "tinyurl" | "dub":
            return KEYED[wanted.service](token=_key(wanted), domain=wanted.domain, **at)
        case "isgd" | "vgd":
            return IsGd(name=wanted.service, base=base or BASES[wanted.service])
        case "shlink":
            return Shlink(base=_place(wanted), token=_key(wanted), domain=wanted.domain)
        case "yourls":
            return Yourls(base=_place(wanted), token=wanted.token, domain=wanted.domain)
        case "json":
            _place(wanted)
            return Generic(
                method=wanted.method,
                url=wanted.url or "",
                headers=wanted.headers,
                body=wanted.body,
                path=path_of(wanted.path),
                token=wanted.token,
                domain=wanted.domain,
            )
        case _:
            raise ValueError(f"there is no shortener {wanted.service!r}: it is one of {', '.join(SERVICES)}")


def _key(wanted: Wanted) -> str:
    if not wanted.token:
        raise ValueError(f"{wanted.service} wants a token")
    return wanted.token


def _place(wanted: Wanted) -> str:
    if not wanted.url:
        raise ValueError(f"{wanted.service} wants a url: where it is")
    return wanted.url.rstrip("/")
