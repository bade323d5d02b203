"""Bytes of a feed to text: which of the charsets that are claimed is the true one.

In this order, the first that decodes:
  1. a byte order mark, or the zero bytes that betray UTF-16 and UTF-32 without one;
  2. UTF-8, if there is anything but ASCII and all of it is well-formed: other charsets hardly ever are by chance,
     whatever the headers and the prolog claim;
  3. what the XML prolog says, for whoever wrote the text wrote that too;
  4. what Content-Type says, which servers set without looking;
  5. UTF-8 with a few bad bytes among many good ones;
  6. windows-1252, which has a character for nearly every byte.

Where 3, 4 or 6 would give a Western charset or one of Cyrillic, and the letters say that it is another of Cyrillic
(`cyrillic`), that one it is.

(RFC 7303 puts Content-Type before the prolog. It was not followed: where the two differ and neither is UTF-8,
the header is a default of the server's, as ISO-8859-1 is over windows-1251.)
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from bot.sources.cyrillic import CHARSETS, cyrillic_charset

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"\x00\x00\x00<", "utf-32-be"),
    (b"<\x00\x00\x00", "utf-32-le"),
    (b"\x00<\x00", "utf-16-be"),
    (b"<\x00", "utf-16-le"),
)

_PROLOG: Final = re.compile(
    rb"\s{0,100}<\?xml\b[^>]{0,200}?\bencoding\s{0,10}=\s{0,10}[\"']([A-Za-z0-9._:-]{1,40})[\"']"
)
_CONTENT_TYPE: Final = re.compile(
    r";\s{0,10}charset\s{0,10}=\s{0,10}[\"']?([A-Za-z0-9._:-]{1,40})", re.IGNORECASE
)

_WIDER: Final = {
    # What the name promises -> what is meant (WHATWG Encoding Standard, 4.2): the larger set of the same family.
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}

_NO_CHARSET: Final = frozenset(
    # Python's codecs that are no charsets of documents, or that hide what the guards look for.
    "utf-7 punycode idna undefined unicode-escape raw-unicode-escape mbcs oem palmos".split()
)

_DOUBTED: Final = frozenset((*CHARSETS, "koi8-r", "cp1252", "cp1250", "iso8859-2", "iso8859-15"))
"""By Python's names: what stands over Cyrillic that it is not."""

_MARKUP: Final = 5
"""One in so many characters at least is ASCII, at the beginning of any feed in UTF-16."""

_FEW: Final = 20
"""Of so many characters beyond ASCII one may be broken, for the text to be UTF-8 all the same."""


def decode(body: bytes, content_type: str | None = None) -> str:
    """Turn `body` into text; never fails, in the worst case some signs are wrong.

    Args:
        body: the feed as it came.
        content_type: the header of that name, None when there was none.
    """
    marked = next((name for mark, name in _MARKS if body.startswith(mark)), None) or _by_zeros(body)
    if marked:
        return body.decode(marked, "replace").removeprefix("\ufeff")
    utf8 = None if body.isascii() else _tried(body, "utf-8")
    if utf8 is not None:
        return utf8
    mended = body.decode("utf-8", "replace")
    is_utf8 = not body.isascii() and _mostly_good(mended)
    for name in _claims(body, content_type):
        text = (mended if is_utf8 else None) if name == "utf-8" else _tried(body, name)
        if text is not None:
            return text if name == "utf-8" or is_utf8 else _in_cyrillic(body, name) or text
    if is_utf8:
        return mended
    fallback = _in_cyrillic(body, None) or _tried(body, "cp1252")
    return fallback if fallback is not None else body.decode("latin-1")


def named_charsets(body: bytes, content_type: str | None = None) -> list[str]:
    """Return what the prolog and the header say that `body` is, by Python's names; what is no charset is left out."""
    return list(dict.fromkeys(_claims(body, content_type)))


def _by_zeros(body: bytes) -> str | None:
    """Return which UTF-16 it is, told by the zeros of its ASCII; None when it is none."""
    even, odd = body[:1000:2].count(0), body[1:1000:2].count(0)
    if max(even, odd) * _MARKUP < len(body[:1000:2]) or min(even, odd) * _FEW > max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _in_cyrillic(body: bytes, name: str | None) -> str | None:
    """Return the text in the charset of Cyrillic that its letters tell, None when they tell none or `name` is to be believed."""
    if name is not None and name not in _DOUBTED:
        return None
    found = cyrillic_charset(body, name)
    return _tried(body, found) if found and found != name else None


def _tried(body: bytes, name: str) -> str | None:
    try:
        return body.decode(name)
    except UnicodeDecodeError:
        return None


def _claims(body: bytes, content_type: str | None) -> list[str]:
    prolog = _PROLOG.match(body)
    header = _CONTENT_TYPE.search(content_type or "")
    named = [prolog[1].decode("ascii") if prolog else "", header[1] if header else ""]
    return [name for claim in named if (name := _python_name(claim))]


def _python_name(claim: str) -> str | None:
    try:
        name = codecs.lookup(claim.removeprefix("x-")).name if claim else ""
    except LookupError:
        return None
    name = _WIDER.get(name, name)
    if not name or name in _NO_CHARSET:
        return None
    try:
        if b"<rss>".decode(name) != "<rss>":  # UTF-16 is known by its zeros, and EBCDIC feeds nobody
            return None
    except (UnicodeError, LookupError):
        return None
    return name


def _mostly_good(text: str) -> bool:
    bad = text.count("\ufffd")
    return bad * _FEW <= len(text) - len(text.encode("ascii", "ignore"))
