"""Links as feeds write them, made absolute."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

_WEB: Final = re.compile(r"https?://[^/?#]", re.IGNORECASE)
_PLAIN_HOST: Final = re.compile(r"https?://[a-z0-9][a-z0-9.-]*+(?:[/?#]|\Z)", re.IGNORECASE | re.ASCII)
"""Where nothing but letters, digits and dots stands there is no fault to find, and no need to take the link apart."""
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_BREAKS: Final = re.compile(r"[\t\r\n]")
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]")

LONGEST: Final = 4096
"""Characters of a link. Longer ones are data or a trap; the longest real one of 50,000 has under 900."""


def is_web(link: str) -> bool:
    """Whether `link` is absolute http(s) and names a host."""
    if _PLAIN_HOST.match(link):
        return True
    if not _WEB.match(link):
        return False
    try:
        return bool(urlsplit(link).hostname)
    except ValueError:
        return False


def absolute(link: str, bases: Sequence[str] = ()) -> str | None:
    """Return `link` as absolute http(s), None when it cannot be: another scheme, no base, no link at all.

    White space around it and line breaks within go, spaces within are encoded, `&amp;` is undone, `www.` alone is
    taken for a host. All else stays as it was written; IRIs are not encoded.

    Args:
        link: as the feed gave it.
        bases: what it may be relative to, the first that is http(s) counts.
    """
    text = _CONTROLS.sub("", _BREAKS.sub("", link.strip()).replace("&amp;", "&")).strip().replace(" ", "%20")
    if not text or len(text) > LONGEST:
        return None
    if not _SCHEME.match(text):
        text = _joined(text, next((base for base in bases if is_web(base)), ""))
    if not is_web(text):
        return None
    scheme, _, rest = text.partition(":")
    return f"{scheme.lower()}:{rest}"


def _joined(text: str, base: str) -> str:
    if text.startswith("//"):
        return f"{urlsplit(base).scheme or 'https'}:{text}"
    if text.lower().startswith("www."):
        return f"http://{text}"
    if text.startswith("#"):
        base = base.partition("?")[0]  # the query is the feed's, and may hold a key that is for no reader
    try:
        return urljoin(base, text)
    except ValueError:
        return ""
