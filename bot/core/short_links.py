"""Whether what a shortener gave may stand in a post for the link that it was given.

A post says where it leads, so what comes back is judged as what any stranger says: an http(s) link that X reads to its
end, of a host that fits, without a login in it, with a path, and no longer than what it stands for.
"""

from __future__ import annotations

import re
from typing import Final

from bot.core.url_grammar import find_urls

LONGEST: Final = 200
"""Characters. Shorteners give 15 to 40; one with a domain and a slug of one's own some more."""

_SHORT: Final = re.compile(r"https?://([^/?#@\s]+)/[!-~]+", re.IGNORECASE)


def why_unfit(short: str, *, host: str | None = None) -> str | None:
    """Say why `short` is no short link, None when it is one.

    Args:
        short: as it came.
        host: where it has to lead, if that is known: a name, in any case, with its port if it has one.
    """
    if not short:
        return "it is empty"
    if len(short) > LONGEST:
        return f"it has {len(short)} characters"
    match = _SHORT.fullmatch(short)
    if match is None:
        return "it is no http(s) link with a path, of plain ASCII and without a login"
    if host is not None and match[1].casefold() != host.casefold():
        return f"it leads to {match[1][:60]} and not to {host[:60]}"
    if [url.indices for url in find_urls(f" {short}")] != [(1, 1 + len(short))]:
        return "X would not read it as a link, whole"
    return None


def with_scheme(short: str) -> str:
    """Return what a service gave with the `https://` that some leave out."""
    short = short.strip()
    return short if "://" in short[:8] else f"https://{short}"
