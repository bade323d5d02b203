"""The template of a post: named fields in braces, read once, checked in words, laid out without gaps.

A template is text with fields: `{title} {link} {hashtags}`. `{{` and `}}` are braces meant as text. A field
stands by its name alone: no attributes, no indexes, no format specifications, so that a template can do
nothing but place words. What a feed says is never read as a template.

A field that is empty leaves no trace: the punctuation that led to it goes with it, brackets that would stand
empty go, and so does a line all of whose fields are empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import regex

from bot.core.weighted_length import MAX_WEIGHT, measure, sendable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_TEMPLATE: Final = "{title} {link} {hashtags}"
FIELDS: Final = ("title", "link", "summary", "feed", "categories", "hashtags")
CARRIES_THE_STORY: Final = frozenset({"title", "link", "summary"})

_MOST_OF_OWN_WORDS: Final = 200  # of 280: beyond it a link (23) and a title worth reading find no room

_BRACES: Final = regex.compile(r"\{\{|\}\}|\{[^{}\n]*\}|[{}]")
_NAME: Final = regex.compile(r"\s*(\w*)\s*(.*)", regex.DOTALL)
_BRACKETS_ROUND_NOTHING: Final = regex.compile(r"[(\[{<«“‘„‹\"'（「『【]\s*\0[\s\0]*[)\]}>»”’“›\"'）」』】]")
_LEADS_IN: Final = regex.compile(
    r"[^\w\n.!?)\]}>»”’」』】]*\Z"
)  # what closes a sentence or a quotation stays
_LEADS_OUT: Final = regex.compile(r"[^\w\n]*")
_SPACES: Final = regex.compile(r"[^\S\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a template, or of a text laid out from it.

    Attributes:
        text: the words.
        field: the name of the field that they come from (in a template: that goes here), None where they are
            the template's own.
    """

    text: str
    field: str | None = None


Line = tuple[Piece, ...]


def check_template(template: str) -> list[str]:
    """List what is wrong with a template, in sentences for its author; an empty list where nothing is."""
    faults = []
    names = set()
    own = []
    for place, piece in _read(template):
        if piece.field is None:
            own.append(piece.text)
        elif piece.field in FIELDS:
            names.add(piece.field)
        else:
            faults.append(_fault(piece.text, place))
    if not faults and not names & CARRIES_THE_STORY:
        faults.append("names none of {title}, {summary} and {link}, so all posts would read the same")
    weight = measure("".join(own)).weight
    if weight > _MOST_OF_OWN_WORDS:
        faults.append(
            f"its own words weigh {weight} of the {MAX_WEIGHT} that X allows; at most {_MOST_OF_OWN_WORDS} leave room"
            " for a story"
        )
    if not sendable("".join(own)):
        faults.append("holds a character that X refuses (U+FEFF, U+FFFE, U+FFFF or half of a surrogate pair)")
    return faults


@lru_cache(maxsize=256)
def parse_template(template: str) -> tuple[Line, ...]:
    """Read a template into its lines. Raises ValueError with every fault that `check_template` finds."""
    faults = check_template(template)
    if faults:
        raise ValueError(f"template {template!r}: " + "; ".join(faults))
    lines: list[list[Piece]] = [[]]
    for _, piece in _read(template.replace("\r\n", "\n").replace("\r", "\n")):
        if piece.field is not None:
            lines[-1].append(piece)
            continue
        first, *others = piece.text.split("\n")
        lines[-1].append(Piece(text=first))
        lines.extend([Piece(text=text)] for text in others)
    return tuple(tuple(piece for piece in line if piece.field or piece.text) for line in lines)


def _read(template: str) -> Iterator[tuple[int, Piece]]:
    """The pieces of a template and where they begin. One that is wrong has "" as its field, as found as text."""
    at = 0
    for match in _BRACES.finditer(template):
        if match.start() > at:
            yield at, Piece(text=template[at : match.start()])
        found, at = match[0], match.end()
        if found in {"{{", "}}"}:
            yield match.start(), Piece(text=found[0])
        else:
            name = found[1:-1].strip()
            yield match.start(), Piece(text=found, field=name if len(found) > 1 and name in FIELDS else "")
    if at < len(template):
        yield at, Piece(text=template[at:])


def _fault(found: str, place: int) -> str:
    known = ", ".join(f"{{{name}}}" for name in FIELDS)
    if found == "{":
        return f"the brace at character {place + 1} is never closed; write {{{{ for a brace meant as text"
    if found == "}":
        return f"the brace at character {place + 1} closes nothing; write }}}} for a brace meant as text"
    match = _NAME.fullmatch(found[1:-1])
    name, rest = (match[1], match[2]) if match else ("", found)
    if name in FIELDS and rest:
        return f"{found}: a field stands by its name alone, as {{{name}}}"
    near = get_close_matches(name.lower(), FIELDS, n=1, cutoff=0.6)
    nearest = f"did you mean {{{near[0]}}}? " if near else ""
    return f"unknown field {found}; {nearest}known are {known}"


def lay_out(lines: tuple[Line, ...], values: Mapping[str, str]) -> list[Piece]:
    """Put values into a template: the pieces of the text in order, line breaks among them, none empty.

    `values` has every name of `FIELDS`; "" is an empty field.
    """
    laid: list[Piece] = []
    blank = False
    for line in lines:
        fields = [piece for piece in line if piece.field]
        if fields and not any(values[piece.field or ""] for piece in fields):
            continue
        pieces = _trimmed(_close_up(line, values))
        if not pieces:
            blank = bool(laid)
            continue
        if laid:
            laid.append(Piece(text="\n\n" if blank else "\n"))
        laid += pieces
        blank = False
    return laid


def _close_up(line: Line, values: Mapping[str, str]) -> Iterator[Piece]:
    """The pieces of one line without its empty fields, and without what led to them."""
    begun = False  # whether a field stands to the left
    words = ""  # the template's own since then; a NUL stands for each empty field
    for piece in line:
        if piece.field is None:
            words += piece.text.replace("\0", "")
        elif not values[piece.field]:
            words += "\0"
        else:
            yield Piece(text=_joined(words, begun=begun, goes_on=True))
            yield Piece(text=values[piece.field], field=piece.field)
            begun, words = True, ""
    yield Piece(text=_joined(words, begun=begun, goes_on=False))


def _joined(words: str, *, begun: bool, goes_on: bool) -> str:
    """Own words without the places of empty fields in them."""
    while "\0" in words:
        closed = _BRACKETS_ROUND_NOTHING.sub("\0", words)
        if closed != words:
            words = closed
            continue
        before, _, after = words.partition("\0")
        lead_in = _matched(_LEADS_IN.search(before))
        lead_out = _matched(_LEADS_OUT.match(after))
        left, right = before.removesuffix(lead_in), after.removeprefix(lead_out)
        if right.startswith("\0"):
            words = left + (lead_out if lead_out.strip() else lead_in) + right  # the next is empty as well
        elif (begun or left) and (goes_on or right):
            words = left + (lead_out or lead_in if begun else lead_in or lead_out) + right
        elif begun or left:
            words = left
        else:
            words = right
    return words


def _matched(match: regex.Match[str] | None) -> str:
    return match[0] if match else ""


def _trimmed(pieces: Iterator[Piece]) -> list[Piece]:
    """One line's pieces without spaces at its ends, doubled spaces and empty pieces."""
    kept: list[Piece] = []
    for piece in pieces:
        text = _SPACES.sub(" ", piece.text)
        if not kept or kept[-1].text.endswith(" "):
            text = text.lstrip(" ")
        if text:
            kept.append(Piece(text=text, field=piece.field))
    while kept and not (text := kept[-1].text.rstrip(" ")):
        kept.pop()
    if kept:
        kept[-1] = Piece(text=text, field=kept[-1].field)
    return kept
