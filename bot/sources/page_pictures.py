"""The picture that an article's page names for those who link to it.

Pages are searched for a few elements, by the tokenizer that reads the texts of feeds: in time linear in what is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from bot.core.pictures import LONGEST_ALT
from bot.sources.links import absolute
from bot.sources.markup import elements
from bot.sources.text import plain_title

if TYPE_CHECKING:
    from collections.abc import Mapping

READ: Final = 512 * 1024
"""Characters of a page that are read: its head stands at the top, and some carry a style sheet before their names."""

MOST: Final = 500
"""Elements that are looked at; a head has some tens."""

_PICTURES: Final = (
    "og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src", "thumbnail",
)  # fmt: skip
"""By the trust that is put in them: what others show, too, comes first (ogp.me; X's page on cards)."""

_ALTS: Final = ("og:image:alt", "twitter:image:alt")


class Named(NamedTuple):
    """A picture that a page names: an absolute link, and what is to be seen on it, "" when the page does not say."""

    link: str
    alt: str


def picture_of_page(text: str, url: str) -> Named | None:
    """Return the picture that the page `text` at `url` names, None when it names none."""
    said: dict[str, str] = {}
    base = None
    for name, given in elements(text[:READ], frozenset({"meta", "link", "base"}), MOST):
        if name == "base":
            base = base or given.get("href")
        elif name == "meta":
            said.setdefault(_key(given), given.get("content", "").strip())
        elif "image_src" in given.get("rel", "").lower().split():
            said.setdefault("image_src", given.get("href", "").strip())
    bases = [found for found in (absolute(base, [url]) if base else None, url) if found]
    for key in (*_PICTURES, "image_src"):
        link = absolute(said[key], bases) if said.get(key) else None
        if link:
            alt = next((words for key in _ALTS if (words := said.get(key, ""))), "")
            return Named(link, plain_title(alt[:LONGEST_ALT], declared_text=True))
    return None


def _key(given: Mapping[str, str]) -> str:
    return (given.get("property") or given.get("name") or "").strip().lower()
