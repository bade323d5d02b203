"""What stands before a feed's first element, made harmless before a parser sees it.

Everything there is thrown away but the entities that a document may honestly declare, and a new prolog is written.
So newlines without end, external DTDs and entities that expand to gigabytes never reach feedparser and expat.
Measured on feedparser 6.0.14 without this: 100 KB of newlines hold it for over a minute, one 100 KB entity that
is named 2,000 times makes it build 200 MB of text.
"""

from __future__ import annotations

import re
from typing import Final

from bot.errors import FeedUnreadable

MOST_PROLOG: Final = 64 * 1024
"""Characters, white space folded. The longest of 5,395 real ones is under 2,000: a style sheet and a comment."""

MOST_EXPANSION: Final = 1_000_000
"""Characters that a document's own entities may add to it in all."""

_STEP: Final = re.compile(
    # Comments and declarations may hold `<`, so they are stepped over whole; all that ends early ends the text.
    r"<!--.*?(?:-->|\Z)|<\?[^>]*+(?:>|\Z)|<!DOCTYPE(?:[^\[>\"']++|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+"
    r"(?P<subset>\[(?:[^\]\"'<]++|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|<!--.*?(?:-->|\Z)|<)*+\]?+)?+[^>]*+>?"
    r"|(?P<element><[a-zA-Z_])",
    re.DOTALL | re.IGNORECASE,
)
_ENTITY: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<!ENTITY\s++(?P<name>[A-Za-z_][\w.-]{0,60})\s++(?:\"(?P<value>[^\"]*+)\"|'(?P<value_>[^']*+)')",
    re.DOTALL,
)
_SAFE: Final = re.compile(r"&#(?:[0-9]{1,7}|x[0-9a-fA-F]{1,6});|[^&<>%\"]{0,2000}")
_REFERENCE: Final = re.compile(r"&([A-Za-z_][\w.-]*);")
_PREDEFINED: Final = frozenset({"lt", "gt", "amp", "quot", "apos"})
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""What XML 1.0 does not allow at all (production 2); one of them makes a strict parser give up the whole feed."""

_CONTROLS: Final = bytes(set(range(32)) - set(b"\t\n\r"))
"""Those of them that are one byte in UTF-8."""

_NAME: Final = re.compile(r"<([a-zA-Z_][\w.:-]{0,40})")


def element_name(text: str) -> str:
    """Return the name of the first element in lower case, "" when there is none."""
    at = _first_element(text)[0]
    found = _NAME.match(text, at) if at is not None else None
    return found[1].lower() if found else ""


def harmless(text: str) -> str:
    """Return `text` with a new prolog, and without the characters that XML forbids.

    Args:
        text: a document, decoded. If it has no element it is returned as it is, without a prolog.

    Raises:
        FeedUnreadable: the prolog goes on without end, or its entities are a bomb.
    """
    text = _without_forbidden(text)
    at, doctype, subset = _first_element(text)
    if at is None:
        return text
    declared = _honest_entities(subset, text[at:]) if subset else {}
    lines = ["<?xml version='1.0' encoding='utf-8'?>"]
    # feedparser tells Netscape's RSS 0.91 from Userland's by its DOCTYPE.
    name = "netscape" if "netscape" in doctype.lower() else "feed"
    if declared:
        lines += [f"<!DOCTYPE {name} [", *(f'<!ENTITY {n} "{v}">' for n, v in declared.items()), "]>"]
    elif name == "netscape":
        lines.append(f"<!DOCTYPE {name}>")
    return "\n".join([*lines, text[at:]])


def _without_forbidden(text: str) -> str:
    written = text.encode("utf-8", "surrogatepass")
    if (
        len(written.translate(None, _CONTROLS)) == len(written)
        and "\ufffe" not in text
        and "\uffff" not in text
    ):
        return text  # as nearly all are, which takes a fifth of the time to see
    return _FORBIDDEN.sub("", text)


def first_items(text: str, element: str, most: int) -> tuple[str, int]:
    """Return `text` without the items after the first `most`, well-formed if it was, and how many there are in all.

    Measured: feedparser needs 6 s for 100,000 items, and they are not read.

    Args:
        text: a document as `harmless` returns it.
        element: the name of its first element; of other documents than feeds the whole is returned.
        most: a positive number.
    """
    name, ending = _ITEMS.get(element, ("", ""))
    if not name:
        return text, 0
    begins = [found.start() for found in re.finditer(rf"<{name}(?=[\s/>])", text, re.IGNORECASE)]
    return (text if len(begins) <= most else text[: begins[most]] + ending), len(begins)


_ITEMS: Final = {
    "rss": ("item", "</channel></rss>"),
    "rdf:rdf": ("item", "</rdf:RDF>"),
    "feed": ("entry", "</feed>"),
}
"""By the name of the root: what its items are called, and how it ends."""


def _first_element(text: str) -> tuple[int | None, str, str]:
    doctype = subset = ""
    at = 0
    while step := _STEP.search(text, at):
        if step["element"]:
            if len(" ".join(text[: step.start()].split())) > MOST_PROLOG:
                raise FeedUnreadable(
                    "the feed begins with more than 64 KB that are no feed: check its address"
                )
            return step.start(), doctype, subset
        if step["subset"]:
            subset = step["subset"]
        if step[0][:9].upper() == "<!DOCTYPE":
            doctype = step[0][:1000]
        at = step.end()
    return None, doctype, subset


def _honest_entities(subset: str, document: str) -> dict[str, str]:
    """Return the entities that stand for plain characters; others are left undefined, as a parser without them would.

    Entities made of entities, and plain ones that add up to too much, are refused: only bombs do that.
    """
    declared = {
        m["name"]: m["value"] if m["value"] is not None else m["value_"]
        for m in _ENTITY.finditer(subset)
        if m["name"]
    }
    for value in declared.values():
        if any(name in declared and name not in _PREDEFINED for name in _REFERENCE.findall(value)):
            raise FeedUnreadable(
                "the feed declares entities made of entities, as only bombs do: it is not read"
            )
    honest = {n: v for n, v in declared.items() if n not in _PREDEFINED and _SAFE.fullmatch(v)}
    if honest:
        used = re.compile("&(" + "|".join(map(re.escape, honest)) + ");")
        added = sum(len(honest[m[1]]) for m in used.finditer(document))
        if added > MOST_EXPANSION:
            raise FeedUnreadable(
                "the feed's entities expand to more than a megabyte, as only bombs do: it is not read"
            )
    return honest
