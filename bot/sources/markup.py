"""HTML to text, in time and memory linear in its length, whatever it is.

A tokenizer by the rules of HTML's own (WHATWG, 13.2.5) and no tree, for text needs none. A tree was measured and
not taken: lexbor needs 394 s for 500 KB of nested `<div>`, as each looks through all that are open, and 1.6 s
for 170 KB of attributes on one element. On real feeds both give the same words.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN: Final = re.compile(
    # Each branch ends at the end of the text if not before, so nothing is ever read twice.
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|<!\[CDATA\[|\]\]>"  # feeds wrap text twice: the marks go, the text stays
    r"|<[!?/](?![a-zA-Z])[^>]*+(?:>|\Z)"
    r"|<[!?][^>]*+(?:>|\Z)"
    r"|<(?P<close>/?)(?P<name>[a-zA-Z][^\s/>]*+)"
    r"(?P<rest>(?:[^>=]++|=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))?+)*+)(?:>|\Z)",
    re.DOTALL,
)

_ATTRIBUTE: Final = re.compile(r"([a-zA-Z][\w:-]*+)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))")

BLOCKS: Final = frozenset(
    # The elements that the HTML Standard's default style sheet (15.3) does not lay out within a line.
    "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li main menu nav "
    "ol optgroup option p pre search section select summary table tbody td tfoot th thead tr ul".split()
)

UNSEEN: Final = frozenset(
    "script style textarea title template noembed noframes iframe object svg math".split()
)
"""Elements whose content is not the article's text."""

_END: Final = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in UNSEEN}


class Read(NamedTuple):
    """What HTML says.

    Attributes:
        text: with a space where a block begins or ends; entities decoded once, white space as it was.
        images: the attributes of each `<img>` in order, at most `MOST_IMAGES`; names in lower case.
        marked: whether there was any tag at all.
    """

    text: str
    images: tuple[dict[str, str], ...]
    marked: bool


MOST_IMAGES: Final = 20
"""Those that are looked at to find one that is a picture and no counter."""


def read_html(html: str) -> Read:
    """Read the words and the pictures of `html`, which need not be well-formed."""
    if "<" not in html:
        return Read(unescape(html), (), marked=False)
    pieces: list[str] = []
    images: list[dict[str, str]] = []
    marked = False
    at = 0
    while token := _TOKEN.search(html, at):
        pieces.append(html[at : token.start()])
        at = token.end()
        name = token["name"]
        if name is None:
            continue
        marked = True
        name = name.lower()
        if name in BLOCKS:
            pieces.append(" ")
        elif name == "img" and len(images) < MOST_IMAGES:
            images.append(attributes(token["rest"]))
        if name in UNSEEN and not token["close"]:
            end = _END[name].search(html, at)
            at = end.start() if end else len(html)
    pieces.append(html[at:])
    return Read(unescape("".join(pieces)), tuple(images), marked=marked)


def elements(html: str, names: frozenset[str], most: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the elements of these names (in lower case) with their attributes, in order, at most `most` of them."""
    at = 0
    while most and (token := _TOKEN.search(html, at)):
        at = token.end()
        name = (token["name"] or "").lower()
        if token["close"]:
            continue
        if name in names:
            most -= 1
            yield name, attributes(token["rest"])
        elif name in UNSEEN:
            end = _END[name].search(html, at)
            at = end.start() if end else len(html)


def attributes(text: str) -> dict[str, str]:
    """Read the attributes in the inside of a tag; of two with one name the first counts, as in HTML."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        name, *values = match.groups()
        found.setdefault(name.lower(), unescape(next((v for v in values if v is not None), "")))
    return found
