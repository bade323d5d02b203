"""How pages are made of templates, and how what strangers wrote is said in them: on one line, bounded, isolated, escaped."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from bot.core.budget import in_dollars
from bot.core.canonize import canonize

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime, timedelta

HERE: Final = Path(__file__).parent

TITLE: Final = 300
"""Characters of a title that are shown."""

_BEGINNING: Final = 20_000
"""Characters that are looked at: a text of 4 MB is not taken apart for the 300 that are shown."""

_WORD: Final = re.compile(r"\w+")


def plain(text: object, width: int = TITLE) -> str:
    """Return a text on one line of at most `width` characters, without controls and marks that turn the writing round."""
    clean = str(text)[:_BEGINNING]
    if not clean.isprintable():  # most texts are: they hold nothing that has to go
        clean = "".join(c if unicodedata.category(c)[0] != "C" or c == "\u200d" else " " for c in clean)
    clean = " ".join(clean.split())
    return clean if len(clean) <= width else clean[: width - 1].rstrip() + "…"


def foreign(text: object, width: int = TITLE) -> Markup:
    """Return what a stranger wrote, as an element of its own direction."""
    return Markup('<bdi dir="auto">{}</bdi>').format(plain(text, width))


def lines(text: object, width: int = 25_000) -> Markup:
    """Return a post as it stands, line by line."""
    shown = (plain(line, width) for line in str(text)[:width].splitlines())
    return Markup('<span dir="auto">{}</span>').format(Markup("<br>").join(shown))


@lru_cache(maxsize=20_000)
def _form(word: str) -> frozenset[str]:
    return frozenset(canonize(word)) or frozenset({word.casefold()})


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in the form in which they are compared."""
    return frozenset().union(*map(_form, islice(_WORD.findall(plain(text, 3000)), 400)))


def marked(text: str, others: Collection[str], width: int = TITLE) -> Markup:
    """Return a text in which each word that is not among `others` is marked as differing, and the rest as shared."""
    shown = plain(text, width)
    parts: list[Markup] = []
    end = 0
    for word in _WORD.finditer(shown):
        parts.append(escape(shown[end : word.start()]))
        is_shared = not _form(word.group()).isdisjoint(others)
        mark = '<span class="shared">{}</span>' if is_shared else '<mark class="differs">{}</mark>'
        parts.append(Markup(mark).format(word.group()))  # noqa: S704 - our own words, and what is put in is escaped
        end = word.end()
    parts.append(escape(shown[end:]))
    return Markup('<bdi dir="auto">{}</bdi>').format(Markup("").join(parts))


def safe_link(link: str | None) -> str | None:
    """Return a link that leads to another page and does nothing else: http or https with a host; None for any other."""
    if not link or len(link) > 2000 or any(unicodedata.category(c)[0] == "C" for c in link):  # noqa: PLR2004
        return None
    try:
        parts = urlsplit(link)
    except ValueError:
        return None
    return link if parts.scheme in {"http", "https"} and parts.hostname else None


def linked(link: str | None, text: object, width: int = TITLE) -> Markup:
    """Return a text that leads to a stranger's page, or the text alone where the link is none."""
    shown = text if isinstance(text, Markup) else foreign(text, width)
    if (safe := safe_link(link)) is None:
        return shown
    return Markup('<a href="{}" rel="noopener noreferrer nofollow" class="out">{}</a>').format(safe, shown)


def span(delta: timedelta) -> str:
    """Say a span in its largest fitting unit."""
    seconds = abs(delta.total_seconds())
    for below, unit, words in ((90, 1, "{:.0f} s"), (5400, 60, "{:.0f} min"), (172_800, 3600, "{:.1f} h")):
        if seconds < below:
            return words.format(seconds / unit)
    return f"{seconds / 86400:.1f} days"


def ago(time: datetime, now: datetime) -> str:
    """Say when `time` was or will be, seen from `now`."""
    return f"{span(now - time)} ago" if time <= now else f"in {span(time - now)}"


def when(time: datetime | None, now: datetime) -> Markup:
    """Return a time: as UTC for all, in the reader's own zone where the page's script runs."""
    if time is None:
        return Markup("never")
    iso = time.isoformat(timespec="seconds").replace("+00:00", "Z")
    return Markup('<time datetime="{}" title="{}">{} <span class="ago">({})</span></time>').format(
        iso, iso, f"{time:%Y-%m-%d %H:%M} UTC", ago(time, now)
    )


def says(name: str) -> str:
    """Return a name of the store as people read it: `near_duplicate` is near duplicate."""
    return str(name).replace("_", " ")


def query(**given: object) -> str:
    """Return a query of those values that are something; "" for none."""
    wanted = {name: value for name, value in given.items() if value not in {None, ""}}
    return f"?{urlencode(wanted)}" if wanted else ""


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the templates; everything in them is escaped, and a name that is not there is an error."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "foreign": foreign,
        "plain": plain,
        "lines": lines,
        "says": says,
        "dollars": in_dollars,
        "span": span,
    }
    made.globals |= {"linked": linked, "when": when, "query": query, "version_of": version_of}
    return made


@lru_cache(maxsize=8)
def version_of(name: str) -> str:
    """Return what names the content of a static file, so that a browser may keep it for good."""
    return sha256((HERE / "static" / name).read_bytes()).hexdigest()[:12]


def render(template: str, **given: Any) -> str:
    """Return a page."""
    return environment().get_template(template).render(given)
