"""What feeds call a title or a summary, as plain text. Pure: text in, text out.

Titles. Feeds escape them once, twice or not at all, and some are about markup. The rule:
  1. Entities (with their semicolon) are decoded until nothing changes, at most `ROUNDS` times.
  2. A pair of tags from `INLINE` (`<i>` ... `</i>`) is formatting and goes, at whatever layer it comes to light.
  3. A lone tag from `INLINE` is text ("On the <b>"), and so is every tag that is not in it ("On the <dl>",
     "Intent to ship: <script type=module>", "Vec<T>"): nobody formats a headline with those.
  4. `<br>`, `<img>` and `<wbr>` have no partner to prove that they are meant: at the outermost layer they go,
     unless the feed declares the title as plain text; further in, where a title has been escaped on purpose,
     they are text.
  5. CDATA marks that came through as text go.
Then white space is folded to single spaces, control and invisible characters go, and the rest is NFC.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from bot.core.normal_forms import nfc
from bot.sources.markup import Read, read_html

ROUNDS: Final = 4
"""Seen in feeds: text escaped three times. A fourth round costs nothing where there is nothing to decode."""

INLINE: Final = frozenset(
    "a abbr acronym b bdi bdo big center cite code del dfn div em font h1 h2 h3 h4 h5 h6 i ins kbd label mark nobr "
    "p q s samp small span strike strong sub sup tt u var".split()
)
SPACED: Final = frozenset("br center div h1 h2 h3 h4 h5 h6 hr img p".split())
VOID: Final = frozenset("br hr img wbr".split())

_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)((?:[\s/][^<>]*+)?+)>")
_CDATA: Final = re.compile(r"<!\[CDATA\[|\]\]>")
_UNWANTED: Final = re.compile(
    # Controls, and what shows nothing and is only ever there by accident or to deceive: soft hyphen, zero-width
    # space, word joiner, byte order mark, embedding and overriding of direction, non-characters. Joiners (emoji,
    # Persian) and the plain direction marks stay: they change how the text reads.
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u180e\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
    "\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]"
)


def one_line(text: str) -> str:
    """Fold white space to single spaces, drop controls and invisible characters, compose (NFC)."""
    folded = " ".join(text.split())
    # nothing of the unwanted is printable, and that is told in a tenth of the time
    return nfc(folded if folded.isprintable() else " ".join(_UNWANTED.sub("", text).split()))


def decode_entities(text: str) -> str:
    """Decode entities that have their semicolon, once: `&amp;lt;` becomes `&lt;`, `AT&T` and `?a=1&reg=2` stay."""
    return _ENTITY.sub(lambda m: unescape(m[0]), text) if "&" in text else text


def plain_title(raw: str, *, declared_text: bool = False) -> str:
    """Make one plain line of a title, by the rule above.

    Args:
        raw: as the XML parser gave it, its own escapes already undone.
        declared_text: the feed says that this is plain text, not HTML (Atom's `type="text"`).
    """
    text = _CDATA.sub("", raw)
    for layer in range(ROUNDS):
        text = _without_formatting(text, voids=layer == 0 and not declared_text)
        decoded = decode_entities(text)
        if decoded == text:
            break
        text = _CDATA.sub("", decoded)
    return one_line(text)


def _without_formatting(text: str, *, voids: bool) -> str:
    if "<" not in text:
        return text
    gone: dict[int, str] = {}  # where a tag that goes begins -> its name
    open_at: dict[str, list[int]] = {}
    tags = list(_TAG.finditer(text))
    for tag in tags:
        name = tag[2].lower()
        if name in VOID:
            if voids:
                gone[tag.start()] = name
        elif name not in INLINE:
            continue
        elif not tag[1]:
            open_at.setdefault(name, []).append(tag.start())
        elif open_at.get(name):
            gone[open_at[name].pop()] = name
            gone[tag.start()] = name
    if not gone:
        return text

    def instead(tag: re.Match[str]) -> str:
        name = gone.get(tag.start())
        return tag[0] if name is None else " " if name in SPACED else ""

    return _TAG.sub(instead, text)


def looks_like_html(text: str) -> bool:
    """Whether `text`, declared as plain, is HTML all the same: a pair of formatting tags, or one that stands alone."""
    seen = {(tag[1], tag[2].lower()) for tag in _TAG.finditer(text)} if "<" in text else set()
    return any(("/", name) in seen for slash, name in seen if not slash and name in INLINE) or any(
        name in VOID and not slash for slash, name in seen
    )


def read_text(raw: str, *, declared_text: bool = False) -> Read:
    """Read a summary or a body: its words on one line, and its pictures.

    Tags go, with what is not read by people (scripts, styles); blocks are set apart by a space. What is escaped
    inside HTML is text, however it looks, unless there is no tag but only escaped ones: then the whole was
    escaped once too often. Entities are decoded until nothing changes, at most `ROUNDS` times.

    Args:
        raw: as the XML parser gave it.
        declared_text: the feed says that this is plain text, not HTML.
    """
    if declared_text and not looks_like_html(raw):
        found = Read(raw, (), marked=False)
    else:
        found = read_html(raw)
        if not found.marked and looks_like_html(found.text):
            found = read_html(found.text)
    text = found.text
    for _ in range(ROUNDS):
        decoded = decode_entities(text)
        if decoded == text:
            break
        text = decoded
    return Read(one_line(text), found.images, marked=found.marked)
