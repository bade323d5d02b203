"""The canonical key of a link: what is equal for one article however its link is dressed.

`link_key` folds what does not identify (scheme, host prefix, session, tracking parameters, the accelerated copy
of a page, a redirector around the link) and keeps what may (every other parameter, the case of the path). It looks
nothing up and opens nothing: a redirector that holds no target stays itself, and the entry's guid must help.

The steps, in this order, each on what the one before left:

    entities undone -> split -> host folded -> path and query decoded, and encoded again in one spelling
    -> a redirector? start again with its target -> index page, amp copy, tracking parameters dropped -> joined

A key read again as `"https://" + key` gives itself: that is why the decision what is a redirector is taken on the
folded parts, and why what encodes is never what was decoded. Every step is linear in the length of the link.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from bot.core.redirectors import find_target, redirector_at
from bot.core.tracking_parameters import is_tracking, names_at

_DEPTH: Final = 5  # redirectors within redirectors; two is the most that was seen
_LONGEST_HOST: Final = 253  # characters, by RFC 1035
_LONGEST_LABEL: Final = 63
_LONGEST_PORT: Final = 5  # digits, 65535
_LAST_PORT: Final = 65535
_DEFAULT_PORTS: Final = frozenset({80, 443})  # both, because http and https are one here

_HOST_PREFIXES: Final = frozenset({"www", "m", "mobile", "amp"})
_SECOND_LEVEL: Final = frozenset({"ac", "co", "com", "edu", "go", "gob", "gov", "ne", "net", "or", "org"})

_INDEX_PAGES: Final = frozenset(
    f"{stem}.{ending}"
    for stem in ("index", "default")
    for ending in ("html", "htm", "shtml", "php", "asp", "aspx", "jsp", "cfm")
)
_PAGE_ENDINGS: Final = frozenset({".html", ".htm", ".shtml", ".php", ".asp", ".aspx"})

_EDGES: Final = (
    "".join(map(chr, range(0x21))) + "\x7f\u00a0\u200b\u2060\ufeff"
)  # blanks that are no part of a link
_BREAKS: Final = str.maketrans("", "", "\t\n\r")  # a feed's line breaks within a link, dropped as browsers do
_ENTITY: Final = re.compile(r"&(?:amp;|#0{0,3}38;|#x26;)+", re.IGNORECASE)  # `&amp;amp;` is one ampersand too
_AMP_BEFORE_NAME: Final = re.compile(r"\A(?:amp;)+")
_LINK: Final = re.compile(r"(?:https?:)?//([^/\\?#]*)([^?#]*)(\?[^#]*)?(?:#(.*))?", re.IGNORECASE | re.DOTALL)
_SESSION: Final = re.compile(r";(?:jsessionid|phpsessid)=[^;]*", re.IGNORECASE)
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_PLAIN_HOST: Final = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_HOST_SIGN: Final = re.compile(r"[a-z0-9_\x80-\U0010ffff-]+")
_PLAIN_TEXT: Final = re.compile(r"[A-Za-z0-9._~!$'()*,:@-]*")  # the same encoded and decoded, anywhere
_PATH_SAFE: Final = "!$'()*+,;=:@"
_QUERY_SAFE: Final = "!$'()*,;:@/?"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """A link in parts, each in its one spelling.

    Attributes:
        host: folded, with its port unless that is a default one.
        segments: of the path, none empty, no dots.
        parameters: name and value, None for a bare name; in the order of the link.
        fragment: "" where it identifies nothing.
        tail: "/" where the path ended so, and the query as it was written, with its "?".
    """

    host: str
    segments: list[str]
    parameters: list[tuple[str, str | None]]
    fragment: str
    tail: str


@lru_cache(maxsize=250)  # a poll asks for each link's key twice or more
def link_key(url: str, *, anchored: bool = False) -> str | None:
    """Give the key of a link: two links with one key lead to one article.

    The key is the folded link without its scheme (`example.org/news?id=7`), pure ASCII, and gives itself when it
    is read again as `"https://" + key`. It is for comparing, not for opening.

    A fragment is dropped unless it routes (`#!/news/7`, `#/news/7`) or is a date: pages with one entry a day
    (`/devlog/2026/#2026-05-26`) know their entries by nothing else. `anchored` keeps every fragment, for a feed
    whose links differ by nothing but that.

    None means that this is no http(s) link to a host, or a redirector's around something that is none or around
    more than four other redirectors; the entry must then be known by its other keys. Takes any text, never raises.
    """
    link = _unwrapped(url, anchored=anchored)[1]
    return None if link is None else _joined(link)


def unwrap(url: str) -> str:
    """Give the link within a redirector's link, through at most five of them; else `url` as it is.

    Reads only what the link itself holds: Google News before 2024, `google.com/url?q=`, `l.php?u=`, AMP caches and
    the others of `bot.core.redirectors`. Takes any text, never raises.
    """
    return _unwrapped(url, anchored=False)[0]


def _unwrapped(url: str, *, anchored: bool) -> tuple[str, _Link | None]:
    """Give the innermost link, as text and in parts; the parts are None where there is no key."""
    text, link = url, _read(url, anchored=anchored)
    for _ in range(_DEPTH + 1):
        if link is None:
            break
        target = find_target(link.host, link.segments, link.parameters, link.tail)
        if target is None:
            return text, link
        text, link = target, _read(target, anchored=anchored)
    return url, None


def _read(url: str, *, anchored: bool) -> _Link | None:
    """Split and spell a link; None where it is none."""
    match = _LINK.fullmatch(_ENTITY.sub("&", url.strip(_EDGES).translate(_BREAKS)))
    if match is None:
        return None
    authority, path, query, fragment = match.groups("")
    host = _host(authority.rpartition("@")[2])
    if host is None:
        return None
    path = path.replace("\\", "/")
    segments = _segments(path)
    if redirector_at(host) is None:
        segments = _without_copies(segments)
    return _Link(
        host=host,
        segments=segments,
        parameters=_parameters(query[1:]),
        fragment=_fragment(fragment, anchored=anchored),
        tail=("/" if path.endswith("/") else "") + query,
    )


def _joined(link: _Link) -> str:
    at_host = names_at(link.host)
    kept = sorted(
        {
            name if value is None else f"{name}={value}"
            for name, value in link.parameters
            if not is_tracking(name, value or "", at_host)
        }
    )
    query = f"?{'&'.join(kept)}" if kept else ""
    return "/".join((link.host, *link.segments)) + query + link.fragment


def _host(text: str) -> str | None:
    """Fold `WWW.Example.org:443` to `example.org`; None for what no browser would look up."""
    if text.startswith("["):
        literal, closed, port = text[1:].partition("]")
        try:
            host = f"[{ipaddress.IPv6Address(literal)}]" if closed and "%" not in literal else ""
        except ValueError:
            return None
        if not host or (port and not port.startswith(":")):
            return None
        port = port[1:]
    else:
        name, _, port = text.partition(":")
        folded = _host_name(name)
        if folded is None:
            return None
        host = _without_prefix(folded)
    if not port:
        return host
    digits = port.lstrip("0") or "0"
    if not (
        port.isascii() and port.isdecimal() and len(digits) <= _LONGEST_PORT and int(digits) <= _LAST_PORT
    ):
        return None
    return host if int(digits) in _DEFAULT_PORTS else f"{host}:{digits}"


def _host_name(text: str) -> str | None:
    """Fold case, compatibility forms and Unicode (to Punycode) of a host name, labels as by RFC 1035."""
    if len(text) > 4 * _LONGEST_HOST:  # all that folds below 253 characters, and what follows is not linear
        return None
    name = text.lower().removesuffix(".")
    if not _PLAIN_HOST.fullmatch(name):
        try:
            name = unquote_to_bytes(text).decode()
        except UnicodeError:
            return None
        name = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).lower())
        labels = name.replace("\u3002", ".").removesuffix(".").split(".")
        if not all(_HOST_SIGN.fullmatch(label) for label in labels):
            return None
        name = ".".join(
            label if label.isascii() else f"xn--{label.encode('punycode').decode()}" for label in labels
        )
    if len(name) > _LONGEST_HOST or any(len(label) > _LONGEST_LABEL for label in name.split(".")):
        return None
    return name


def _without_prefix(host: str) -> str:
    """Drop `www.`, `m.`, `mobile.` and `amp.`, but leave `amp.dev` and `m.co.uk`, which are sites of their own."""
    while True:
        prefix, _, rest = host.partition(".")
        if prefix not in _HOST_PREFIXES or "." not in rest:
            return host
        second, _, country = rest.partition(".")
        if prefix != "www" and second in _SECOND_LEVEL and len(country) == 2:  # noqa: PLR2004 - a country's code
            return host
        host = rest


def _spelled(text: str, safe: str) -> str:
    """Percent-encode in one way: decode all, then encode all but the safe; upper-case digits, UTF-8."""
    if _PLAIN_TEXT.fullmatch(text):
        return text
    return quote(unquote_to_bytes(text.encode("utf-8", "surrogatepass")), safe=safe)


def _segments(path: str) -> list[str]:
    """Split a path; empty segments (doubled and trailing slashes), dots and session ids are resolved."""
    segments: list[str] = []
    for part in path.split("/"):
        segment = _spelled(part, _PATH_SAFE)
        if ";" in segment:
            segment = _SESSION.sub("", segment)
        if segment == "..":
            del segments[-1:]
        elif segment not in {"", "."}:
            segments.append(segment)
    return segments


def _without_copies(segments: list[str]) -> list[str]:
    """Drop what makes another address of the same page: `amp` and index pages.

    `/amp/` may stand at either end or within (`/news/amp/uk-1`); a page cannot be told from its AMP copy by the
    rest of the path, so a word that is exactly "amp" never identifies. "-amp" at the end of a word may (a guitar's).
    """
    segments = [segment for segment in segments if segment != "amp"] or segments[:1]
    while segments:
        last = segments[-1]
        if last.lower() in _INDEX_PAGES:
            segments.pop()
            continue
        bare = _without_amp_ending(last)
        if bare == last:
            break
        segments[-1:] = [bare] if bare and (bare != "amp" or len(segments) == 1) else []
    return segments


def _without_amp_ending(name: str) -> str:
    """Turn `story.amp`, `story.amp.html` and `story_amp.shtml` into `story`, `story.html` and `story.shtml`."""
    dot = name.rfind(".")
    end = dot if dot > 0 and name[dot:].lower() in _PAGE_ENDINGS else len(name)
    ending = name[end:]
    while name.endswith((".amp", "_amp"), 0, end):
        end -= len(".amp")
    return name[:end] + ending if name[:end].strip(".") else name


def _parameters(query: str) -> list[tuple[str, str | None]]:
    """Parse a query; a parameter that is present but empty (`id=`) is as good as absent."""
    parameters: list[tuple[str, str | None]] = []
    for part in query.split("&") if query else ():
        name, equals, value = part.partition("=")
        name = _AMP_BEFORE_NAME.sub("", _spelled(name.replace("+", "%20"), _QUERY_SAFE))
        value = _spelled(value.replace("+", "%20"), _QUERY_SAFE)
        if value:
            parameters.append((name, value))
        elif name and not equals:
            parameters.append((name, None))
    return parameters


def _fragment(text: str, *, anchored: bool) -> str:
    if text[:1] in {"!", "/"}:
        route = _spelled(text, _PATH_SAFE + "/?").rstrip("/")
        return f"#{route}" if route not in {"", "!"} else ""
    return f"#{_spelled(text, _PATH_SAFE)}" if text and (anchored or _DATE.match(text)) else ""
