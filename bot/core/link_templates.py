"""A link with the parameters that its owner wants on it: where a reader came from, told to the publisher's statistics.

The parameters are named `utm_source`, `utm_medium` and so on, as the statistics of web sites read them since 2005.
Nothing that identifies an article is touched: `bot.core.urls` leaves these parameters out of every key.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote_plus

if TYPE_CHECKING:
    from collections.abc import Iterable

UTM: Final = ("source", "medium", "campaign", "term", "content", "id")
"""What may follow `utm_` (Google's help on custom campaigns, 2026): statistics read no others."""

FIELD: Final = "{feed}"
"""Stands for the feed's name in a value."""

_LINK: Final = re.compile(r"(https?://[^/?#]+)([^?#]*)(?:\?([^#]*))?(#.*)?", re.IGNORECASE | re.DOTALL)


def check_value(text: str) -> str | None:
    """Say what is wrong with a parameter's value, None when nothing is."""
    if not text.strip() or not text.isprintable():
        return "a value is a text of printable characters"
    rest = text.replace(FIELD, "")
    if "{" in rest or "}" in rest:
        return f"the one field there is in it is {FIELD}"
    return None


def tagged(link: str, utm: Iterable[tuple[str, str]], *, feed: str) -> str:
    """Return `link` with the parameters that it does not have yet, before its fragment.

    Args:
        link: any text; what is no http(s) link comes back as it is.
        utm: pairs of `UTM` and a value, in which `{feed}` stands for the feed's name.
        feed: that name.
    """
    match = _LINK.fullmatch(link.strip())
    if match is None:
        return link
    place, path, query, fragment = match.groups("")
    there = {unquote_plus(part.partition("=")[0]).casefold() for part in query.split("&")}
    added = [
        f"utm_{name}={quote(value.replace(FIELD, feed), safe='-._~')}"
        for name, value in utm
        if f"utm_{name}" not in there
    ]
    if not added:
        return link
    parts = [part for part in (query.strip("&"), *added) if part]
    return f"{place}{path or '/'}?{'&'.join(parts)}{fragment}"
