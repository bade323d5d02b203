"""Namespaces that feeds use and forget to declare: with them the XML is well-formed, and feedparser knows what the names mean.

Without, its strict parser gives the feed up, and the other one takes `content:encoded` and `dc:date` for nothing.
"""

from __future__ import annotations

import re
from typing import Final

_USUAL: Final = {
    # As the specifications of these modules name them.
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "creativeCommons": "http://backend.userland.com/creativeCommonsRssModule",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
    "georss": "http://www.georss.org/georss",
    "googleplay": "http://www.google.com/schemas/play-podcasts/1.0",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "media": "http://search.yahoo.com/mrss/",
    "podcast": "https://podcastindex.org/namespace/1.0",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
    "thr": "http://purl.org/syndication/thread/1.0",
    "wfw": "http://wellformedweb.org/CommentAPI/",
}

_PREFIX: Final = re.compile(f"<({'|'.join(_USUAL)}):")
_ROOT: Final = re.compile(r"<[a-zA-Z_][\w.:-]*")


def with_usual_namespaces(text: str) -> str:
    """Return `text` with declarations of the usual prefixes that it uses and declares nowhere."""
    used = set(_PREFIX.findall(text))
    missing = [
        f' xmlns:{prefix}="{name}"'
        for prefix, name in _USUAL.items()
        if prefix in used and f"xmlns:{prefix}" not in text
    ]
    root = _ROOT.search(text) if missing else None
    return f"{text[: root.end()]}{''.join(missing)}{text[root.end() :]}" if root else text
