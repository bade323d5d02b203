"""What single values may look like: each function reads one text and returns it checked, or raises `Unfit`.

What is allowed at a key is said once, beside the key in `settings`; an `Unfit` adds what to do about this value.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
import warnings
from typing import Final
from urllib.parse import urlsplit

from bot.config.faults import Unfit, shown_text
from bot.core.filters import Take, TakeKind
from bot.core.wording import hashtag

IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

TAKE_MAX: Final = 100
"""At most so many entries at once on a first run or after a pause: two days of posting at the default pace."""

NAME_LENGTH: Final = 64
"""A feed's name is a column of tables and a word on the command line."""

URL_LENGTH: Final = 2048
"""Servers and proxies refuse longer request lines (nginx takes 8 kB with all headers, Apache 8,190 bytes)."""

BROADEST: Final = {4: 8, 6: 7}
"""Prefix lengths of the broadest ranges that are one's own: 10.0.0.0/8 and 127.0.0.0/8, fc00::/7
(RFC 1918, RFC 1122, RFC 4193). Anything broader would switch the guard against private addresses off."""

HOPELESS_HEADERS: Final = {
    "accept-encoding": "the bot decodes what it asked for",
    "connection": "it belongs to the connection",
    "content-length": "a feed is asked for without a body",
    "expect": "it belongs to the connection",
    "host": "it follows from the url",
    "if-match": "the bot asks conditionally by itself",
    "if-modified-since": "the bot asks conditionally by itself",
    "if-none-match": "the bot asks conditionally by itself",
    "if-range": "the bot asks conditionally by itself",
    "if-unmodified-since": "the bot asks conditionally by itself",
    "keep-alive": "it belongs to the connection",
    "proxy-authorization": "it belongs to the connection",
    "proxy-connection": "it belongs to the connection",
    "range": "a feed is read whole",
    "te": "it belongs to the connection",
    "trailer": "it belongs to the connection",
    "transfer-encoding": "a feed is asked for without a body",
    "upgrade": "it belongs to the connection",
}
"""Headers that a feed may not set, with the reason: framing and hop-by-hop fields (RFC 9110 section 7.6.1,
RFC 9112), and those by which the bot itself asks for changes only."""

_TAKE: Final = re.compile(r"newest ([0-9]{1,9})")
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")  # a token of RFC 9110 section 5.6.2
_HEADER_VALUE: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_TELLING: Final = re.compile(r"auth|cookie|token|key|secret|session|password|credential", re.IGNORECASE)
_HOST: Final = re.compile(
    r"(?:[A-Za-z0-9._-]|[^\x00-\x7f])+"
)  # names with letters beyond ASCII are encoded later
_MAIL: Final = re.compile(r"(?:mailto:)?[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,190}")


def parse_first_run(text: str) -> Take:
    """Return what "seed", "newest N" or "all" takes of a new feed; "seed" takes nothing.

    Raises:
        Unfit: `text` is none of them, or N is not 1 to `TAKE_MAX`.
    """
    return _take(text, nothing="seed")


def parse_catch_up(text: str) -> Take:
    """Return what "none", "newest N" or "all" takes after a pause.

    Raises:
        Unfit: `text` is none of them, or N is not 1 to `TAKE_MAX`.
    """
    return _take(text, nothing="none")


def parse_take(text: str) -> Take:
    """Return what a text takes, as a person types it: "seed" or "none", "newest N", "all".

    Raises:
        ValueError: `text` is none of them; the message says all that is allowed.
    """
    try:
        return _take("seed" if text.strip() == "none" else text, nothing="seed")
    except Unfit as unfit:
        hint = f" ({unfit.hint})" if unfit.hint else ""
        raise ValueError(f'allowed: "seed", "newest N" (N from 1 to {TAKE_MAX}) or "all"{hint}') from None


def _take(text: str, *, nothing: str) -> Take:
    plain = " ".join(text.split())
    if plain == nothing:
        return Take(kind=TakeKind.NONE)
    if plain == "all":
        return Take(kind=TakeKind.ALL)
    if found := _TAKE.fullmatch(plain):
        count = int(found[1])
        if not 1 <= count <= TAKE_MAX:
            raise Unfit(f'N is from 1 to {TAKE_MAX}; for more say "all"')
        return Take(kind=TakeKind.NEWEST, count=count)
    if plain == "newest" or re.fullmatch(r"(?:newest )?[0-9-]+", plain):
        raise Unfit('say how many, such as "newest 5"')
    raise Unfit


def spell_take(take: Take, *, nothing: str) -> str:
    """Return `take` as the configuration writes it; `nothing` is the word for none of them."""
    match take.kind:
        case TakeKind.NONE:
            return nothing
        case TakeKind.NEWEST:
            return f"newest {take.count}"
        case TakeKind.ALL:
            return "all"


def parse_name(text: str) -> str:
    """Return a feed's name in NFC."""
    name = unicodedata.normalize("NFC", text)
    if not name.strip():
        raise Unfit("give the feed a name: tables, logs and the store call it so")
    if name != name.strip():
        raise Unfit("take the blanks at its ends away")
    if not name.isprintable() or len(name) > NAME_LENGTH:
        raise Unfit
    return name


def parse_url(text: str) -> str:
    """Return a feed's address, byte for byte as it was given.

    Raises:
        Unfit: it is no http(s) address, or carries a user and password; they are not shown.
    """
    if not text.startswith(("http://", "https://")):
        start = (
            ""
            if not re.match(r"https?://", text, re.IGNORECASE)
            else "; write http and https in small letters"
        )
        raise Unfit(
            f"an address begins with http:// or https://, a local feed goes into file{start}",
            found=show_url(text),
        )
    if "${" in text:
        raise Unfit(
            "an address takes no references: put the secret into headers or basic_auth", found=show_url(text)
        )
    if re.search(r"[\x00-\x20\x7f]", text) or not text.isprintable():
        raise Unfit(
            "an address has no blanks and no control characters: write a blank as %20", found=show_url(text)
        )
    if len(text) > URL_LENGTH:
        raise Unfit(f"it is longer than {URL_LENGTH} characters", found=show_url(text))
    try:
        parts = urlsplit(text)
        port = parts.port
        host = parts.hostname or ""
    except ValueError:
        raise Unfit("the host or the port cannot be read", found=show_url(text)) from None
    if parts.username is not None or parts.password is not None:
        raise Unfit(
            "take user and password out of the address and put them into basic_auth", found=show_url(text)
        )
    if not host or port == 0 or not (_HOST.fullmatch(host) or _is_address(host)):
        raise Unfit("the host or the port cannot be read", found=show_url(text))
    return text


def show_url(url: str) -> str:
    """Return `url` as it may be shown, quoted: what may hold a secret (user, password, query, fragment) left out."""
    address, asked, _ = url.partition("#")[0].partition("?")
    return shown_text(re.sub(r"[^/]*@", "…@", address) + ("?…" if asked else ""))


def same_feed(url: str) -> str:
    """Return a value that is equal for addresses which are certainly one feed: scheme, port, fragment, case of host."""
    parts = urlsplit(url)
    port = parts.port if parts.port not in {None, 80, 443} else ""
    return f"{parts.hostname}:{port}{parts.path.rstrip('/')}?{parts.query}"


def parse_hashtag(text: str) -> str:
    """Return a hashtag without its sign, in NFC.

    Raises:
        Unfit: X would not read it as one hashtag, whole.
    """
    tag = unicodedata.normalize("NFC", text.removeprefix("#").removeprefix("＃"))
    made = hashtag(tag)
    if made == f"#{tag}":
        return tag
    if " " in tag or "," in tag or "#" in tag:
        raise Unfit('one hashtag to a text: ["one", "two"]')
    if made:
        raise Unfit(f"a hashtag has letters, digits and _ only, as {shown_text(made[1:])}")
    raise Unfit("a hashtag is a word: letters, one at least, digits and _")


def parse_pattern(text: str) -> re.Pattern[str]:
    """Return `text` as a regular expression that ignores case."""
    if not text:
        raise Unfit("an empty expression is met by every entry: take it out")
    if "\x08" in text:
        raise Unfit(r"\b in double quotes is a backspace: put the expression into single quotes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return re.compile(text, re.IGNORECASE)
    except re.error as error:
        where = f" at character {error.pos + 1}" if error.pos is not None else ""
        raise Unfit(f"no regular expression: {error.msg}{where}") from None
    except Warning as warning:
        raise Unfit(
            f"ambiguous: {str(warning)[0].lower()}{str(warning)[1:]}; write [ in a set as \\["
        ) from None
    except (OverflowError, RecursionError):
        raise Unfit("no regular expression: too large") from None


def parse_network(text: str) -> IpNetwork:
    """Return an address range of one's own."""
    try:
        network = ipaddress.ip_network(text)
    except ValueError:
        try:
            meant = ipaddress.ip_network(text, strict=False)
        except ValueError:
            raise Unfit("write addresses, not names") from None
        raise Unfit(f'bits are set after the prefix; for the whole range write "{meant}"') from None
    if network.prefixlen < BROADEST[network.version]:
        raise Unfit(
            f"too broad: at most a /{BROADEST[network.version]}, or nothing private would be kept from feeds"
        )
    return network


def parse_contact(text: str) -> str:
    """Return how the owner of a polled server reaches the owner of the bot; ASCII, fit for a header."""
    contact = text.strip()
    if _MAIL.fullmatch(contact):
        return contact
    if not contact.isascii() or re.search(r"[()\\<>\"]", contact) or "@" in contact.partition("?")[0]:
        raise Unfit
    try:
        return parse_url(contact)
    except Unfit:
        raise Unfit from None


def check_header_name(name: str) -> None:
    """Raise `Unfit` unless `name` is a header that a feed may set."""
    if not _HEADER_NAME.fullmatch(name):
        raise Unfit("a header's name has letters, digits and - only")
    if reason := HOPELESS_HEADERS.get(name.casefold()):
        raise Unfit(f"this header is not yours to set: {reason}")


def check_header_value(value: str) -> None:
    """Raise `Unfit` unless `value` can stand in a header: visible ASCII and blanks between."""
    if not _HEADER_VALUE.fullmatch(value):
        raise Unfit(
            "a header's value is visible ASCII on one line, without blanks at its ends",
            found="a value that no header can carry",
        )


def tells_secret(header: str) -> bool:
    """Return whether the value of a header of that name is most likely a secret."""
    return bool(_TELLING.search(header))


def is_private(url: str, allowed: tuple[IpNetwork, ...]) -> bool:
    """Return whether `url` names an address of a private network in figures that `allowed` does not cover."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        host = "127.0.0.1"
    if not _is_address(host):
        return False
    address = ipaddress.ip_address(host)
    return not address.is_global and not any(address in network for network in allowed)


def is_example(url: str) -> bool:
    """Return whether `url` leads to a host that is reserved for examples (RFC 2606, RFC 6761)."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    return host.endswith(".example") or bool(re.search(r"(?:^|\.)example\.(?:com|net|org)$", host))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
