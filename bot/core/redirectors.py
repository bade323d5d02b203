"""Links that carry another link: which hosts write them, and where in them the target stands.

Only what can be read from the link itself is read; a redirector that keeps its target at home (feedproxy, t.co,
the newer links of Google News) has none here. The hosts are a table, because a parameter named `url` is a target
at a redirector and a subject anywhere else.

Everything works on the folded parts that `bot.core.urls` makes, so that a link and its key are read alike.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_BY_PARAMETER: Final = (
    # host, path, names of the parameter that holds the target, where it is known from
    ("google.com", "url", "q url", "clearurls"),
    ("google.com", "news/url", "url", "old Google News feeds: usg, ei and cid change by the fetch"),
    ("news.google.com", "news/url", "url", "old Google News feeds"),
    ("googleadservices.com", "pagead/aclk", "adurl", "brave clearurls"),
    ("bing.com", "news/apiclick.aspx", "url", "Bing News feeds: tid changes by the fetch"),
    ("facebook.com", "l.php", "u", "clearurls"),
    ("messenger.com", "l.php", "u", "clearurls"),
    ("l.instagram.com", "", "u", "clearurls"),
    ("l.threads.com", "", "u", "as l.instagram.com"),
    ("youtube.com", "redirect", "q", "clearurls"),
    ("out.reddit.com", "", "url", "clearurls"),
    ("t.umblr.com", "redirect", "z", "clearurls"),
    ("duckduckgo.com", "l", "uddg", "clearurls"),
    ("vk.com", "away.php", "to", "clearurls"),
    ("t.me", "iv", "url", "Telegram's instant view"),
    ("steamcommunity.com", "linkfilter", "url u", "clearurls"),
    ("getpocket.com", "", "url", "clearurls"),
    ("go.skimresources.com", "", "url", "clearurls"),
    ("redirect.viglink.com", "", "u", "clearurls"),
    ("gate.sc", "", "url", "clearurls"),
    ("awin1.com", "", "ued p", "brave clearurls"),
    ("click.linksynergy.com", "", "murl", "brave clearurls"),
    ("tradedoubler.com", "", "_td_deeplink url", "brave clearurls"),
    ("app.adjust.com", "", "redirect", "brave clearurls"),
    ("yandex.ru", "turbo", "text", "links of Yandex News"),
    ("infoworld.com", "cgi-bin/redirect", "url", "feed infoworld.com"),
)

_BY_PATH: Final = (
    # host, what stands before the target's host ("" nothing), where it is known from
    ("cdn.ampproject.org", ("c", "v", "i"), "brave ddg"),
    ("bing-amp.com", ("c",), "the AMP cache of Bing"),
    ("google.com", ("amp",), "brave clearurls ddg"),
    ("turbopages.org", ("turbo", ""), "brave: a Turbo page of Yandex"),
    ("yandex.ru", ("turbo",), "a Turbo page of Yandex"),
)

_BY_SEGMENT: Final = (
    # host, what stands before the target within its path segment, where it is known from
    ("rd.yahoo.com", "*", "feeds news.yahoo.com"),
    ("search.yahoo.com", "RU=", "links of Yahoo's search"),
    ("click.redditmail.com", "", "brave clearurls"),
    ("awstrack.me", "", "brave clearurls"),
)

_BY_WHOLE_QUERY: Final = MappingProxyType({"href.li": "clearurls", "anonym.to": "clearurls"})

HOSTS: Final[Mapping[str, str]] = MappingProxyType(
    {row[0]: row[-1] for row in (*_BY_PARAMETER, *_BY_PATH, *_BY_SEGMENT)}
    | dict(_BY_WHOLE_QUERY)
    | {"news.google.com": "feed news.google.com"}
)
"""Host of a redirector, without its prefix -> where it is known from. Their own paths are left as they are."""

_GOOGLE: Final = re.compile(r"((?:news\.)?google)(?:\.[a-z]{2,3}){1,2}")
_TARGET: Final = re.compile(r"https?://[^/\s]", re.IGNORECASE)
_ASCII_ESCAPE: Final = re.compile(r"%([0-7][0-9A-Fa-f])")
_GOOGLE_NEWS: Final = "news.google.com"
_LINK_FIELD: Final = 4  # of the message in an article's id; field 26 holds the AMP copy's link
_LENGTH_DELIMITED: Final = 2
_VARINT: Final = 0
_LONGEST_VARINT: Final = 10  # bytes, by the Protocol Buffers encoding
_MORE: Final = 0x80  # in a byte of a varint: another follows


@lru_cache(maxsize=1024)
def redirector_at(host: str) -> str | None:
    """Give the row of `HOSTS` that a folded host falls under, itself or a host above it; None for none."""
    google = _GOOGLE.fullmatch(host)
    if google:
        return f"{google[1]}.com"
    places = host.split(".")
    above = (".".join(places[start:]) for start in range(len(places) - 1))
    return next((place for place in above if place in HOSTS), None)


def find_target(
    host: str, segments: Sequence[str], parameters: Sequence[tuple[str, str | None]], tail: str
) -> str | None:
    """Give the link that a redirector's link carries, None where it is no redirector or carries none.

    The target begins as an http(s) link does; whether it can be read is for the caller to see.

    Args:
        host: folded.
        segments: of the path, folded, none empty.
        parameters: name and value, both folded, the value None for a bare name; in the order of the link.
        tail: what follows the path: "/" where it ended so, then "?" and the query where there is one.
    """
    place = redirector_at(host)
    if place is None:
        return _bbc_target(host, segments, tail)
    if place == _GOOGLE_NEWS and (target := _google_news_target(segments)):
        return target
    if target := _target_in_parameters(place, "/".join(segments), parameters):
        return target
    for row_host, heads, _ in _BY_PATH:
        if row_host == place and (target := _target_in_path(segments, heads, tail)):
            return target
    for row_host, before, _ in _BY_SEGMENT:
        if row_host == place and (target := _target_in_segments(segments, before, tail)):
            return target
    return _target_in_query(parameters) if place in _BY_WHOLE_QUERY else None


def _as_link(text: str) -> str | None:
    """Undo one layer of escapes, except those of bytes beyond ASCII, and give the text if it is a link."""
    text = _ASCII_ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), text)
    return text if _TARGET.match(text) else None


def _target_in_parameters(place: str, path: str, parameters: Sequence[tuple[str, str | None]]) -> str | None:
    for host, row_path, names, _ in _BY_PARAMETER:
        if host == place and row_path in {"", path}:
            for name, value in parameters:
                if name in names.split() and value and (target := _as_link(value)):
                    return target
    return None


def _target_in_path(segments: Sequence[str], heads: Sequence[str], tail: str) -> str | None:
    """Read `c/s/example.org/news`: an "s" before the host says https; a Turbo page may have it after the host."""
    rest = list(segments)
    if rest and rest[0] in heads:
        del rest[0]
    elif "" not in heads:
        return None
    scheme = "http"
    for place in (0, 1) if "turbo" in heads else (0,):
        if rest[place : place + 1] == ["s"]:
            scheme = "https"
            del rest[place]
            break
    return f"{scheme}://{'/'.join(rest)}{tail}" if rest and "." in rest[0] else None


def _target_in_segments(segments: Sequence[str], before: str, tail: str) -> str | None:
    """Read `.../*http://example.org/news` (its slashes folded to one) and `.../RU=http%3A%2F%2Fexample.org/...`."""
    for place, segment in enumerate(segments):
        start = segment[len(before) :] if segment.startswith(before) else ""
        if start.lower() in {"http:", "https:"} and place + 1 < len(segments):
            return f"{start}//{'/'.join(segments[place + 1 :])}{tail}"
        if target := _as_link(start):
            return target
    return None


def _target_in_query(parameters: Sequence[tuple[str, str | None]]) -> str | None:
    """Read `?http://example.org/news?id=7&page=2`: from a name that is a link on, all is the link."""
    for place, (name, _) in enumerate(parameters):
        if _TARGET.match(name):
            return "&".join(f"{key}={value}" if value else key for key, value in parameters[place:])
    return None


def _bbc_target(host: str, segments: Sequence[str], tail: str) -> str | None:
    """Read `news.bbc.co.uk/go/rss/-/2/hi/health/1.stm`, as the BBC's feeds wrote until they had `at_medium`."""
    if segments[:1] == ["go"] and "-" in segments and f".{host}".endswith((".bbc.co.uk", ".bbc.com")):
        return f"https://{host}/{'/'.join(segments[segments.index('-') + 1 :])}{tail}"
    return None


def _google_news_target(segments: Sequence[str]) -> str | None:
    """Decode the id of `.../articles/ID`: URL-safe Base64 of a Protocol Buffers message, the link in field 4.

    Ids made since the middle of 2024 hold a key that only Google can resolve: None.
    """
    place = next((place for place, name in enumerate(segments[:-1]) if name in {"articles", "read"}), None)
    if place is None:
        return None
    identifier = segments[place + 1]
    try:
        message = urlsafe_b64decode(identifier + "=" * (-len(identifier) % 4))
    except ValueError:
        return None
    contents = (
        content.decode("utf-8", "replace") for field, content in _fields(message) if field == _LINK_FIELD
    )
    return next((text for text in contents if _TARGET.match(text)), None)


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (number, content) of the length-delimited fields, up to where the message stops to be one."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        kind = tag & 7
        if kind == _VARINT:
            _, place = _varint(message, place)
        elif kind == _LENGTH_DELIMITED:
            length, place = _varint(message, place)
            yield tag >> 3, message[place : place + length]
            place += length
        else:
            return


def _varint(message: bytes, place: int) -> tuple[int, int]:
    """Read a base-128 number; give it and the place after it."""
    number = 0
    for shift, byte in enumerate(message[place : place + _LONGEST_VARINT]):
        number |= (byte & ~_MORE) << (7 * shift)
        if byte < _MORE:
            return number, place + shift + 1
    return number, place + _LONGEST_VARINT
