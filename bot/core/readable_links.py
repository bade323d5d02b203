"""A link written so that X reads it to its end.

X stops at what its grammar of links does not hold: letters of other scripts, a closing bracket, a full stop at the end.
Such are percent-encoded, as a browser would; what X reads as it is stays as it is.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

import regex

from bot.core.url_grammar import MAX_URL_LENGTH, find_urls
from bot.core.wording import clean

_LINK_PARTS: Final = regex.compile(r"(https?://)([^/?#]*)(.*)", regex.IGNORECASE | regex.DOTALL)
_KEPT_IN_LINKS: Final = "!*';:=+,.$/%#[]-_~@|&?()"
_KEPT_IN_HOSTS: Final = "!*';:=+,.$%[]-_~@&()"
_KEPT_IN_HARD_LINKS: Final = ".:=+/%#-_~&?"

_LONGEST_HOST: Final = 320  # 253 for a domain (RFC 1035), and something for a user, a password and a port


def readable_link(link: str) -> str:
    """Write a link so that X reads it to its end: as it is where X does, else percent-encoded.

    A link that X reads in no form (a host with a port only, an address, a domain that X does not know) comes
    back encoded as a browser would.
    """
    link = link.strip()
    if _is_read_whole(link):
        return link
    match = _LINK_PARTS.fullmatch(link)
    if match is None:
        return clean(link)
    scheme, host, rest = match.groups()
    if rest.startswith("#"):
        rest = "/" + rest
    if rest.endswith("?") and rest.count("?") == 1:
        rest = rest[:-1]  # an empty query asks for the same
    host = _ascii_host(host)
    plain = scheme + host + quote(rest, safe=_KEPT_IN_LINKS, errors="ignore")
    if len(plain) > MAX_URL_LENGTH:
        return plain  # X reads none so long, however it is written
    hard = scheme + host + quote(rest, safe=_KEPT_IN_HARD_LINKS, errors="ignore")
    forms = (plain, _with_last_encoded(plain), hard, _with_last_encoded(hard))
    return next((form for form in forms if _is_read_whole(form)), plain)


def _with_last_encoded(link: str) -> str:
    return link[:-1] + f"%{ord(link[-1]):02X}"


def _is_read_whole(link: str) -> bool:
    return [url.indices for url in find_urls(" " + link)] == [(1, 1 + len(link))]


def _ascii_host(host: str) -> str:
    try:
        if len(host) > _LONGEST_HOST:
            return quote(host, safe=_KEPT_IN_HOSTS, errors="ignore")
        return quote(host.encode("idna").decode("ascii"), safe=_KEPT_IN_HOSTS)
    except UnicodeError:
        return quote(host, safe=_KEPT_IN_HOSTS, errors="ignore")
