"""Where X reads a link in a text: its URL grammar, in time linear in the text.

X's twitter-text finds links by one large regular expression, which backtracks over every suffix of a long
chain of labels. Here the same grammar is read in pieces: the text is split into runs of host characters,
each run is judged once from its last dot to its first (`_judge_labels`), and then every place in it where a link may
begin is answered from that table. What follows the host (port, path, query) is read without backtracking.

The grammar is that of twitter-text 3.1.0 (`extractUrlsWithIndices`), with its oddities, since the length
that X counts comes from them: a bare domain must be ASCII or accented Latin, a path may hold Latin and
Cyrillic letters, one level of nested parentheses and a final letter, digit, `/`, `#`, `=`, `_`, `+` or `-`;
a t.co link ends with its slug.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Final

from bot.core.tlds import ASCII_TLDS, UNICODE_TLDS

MAX_URL_LENGTH: Final = 4096  # twitter-text: MAX_URL_LENGTH, the protocol counted twice when it is written
MAX_TCO_SLUG: Final = 40  # twitter-text: MAX_TCO_SLUG_LENGTH
MAX_LABEL: Final = 63  # RFC 1035, 2.3.4
_ASSUMED_PROTOCOL: Final = len("https://")

# Character groups, for use inside a class; twitter-text `src/regexp`.
_SPACES: Final = "\t-\r \x85\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_INVALID: Final = "\ufffe\ufeff\uffff"
_DIRECTIONAL: Final = "\u202a-\u202e\u061c\u200e\u200f\u2066-\u2069"
_PUNCT_BUT_HOST: Final = r"!'#%&()*+,/:;<=>?@\[\]^{|}~$\\"
_LATIN: Final = (
    "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\u0100-\u024f\u0253\u0254\u0256\u0257\u0259\u025b\u0263\u0268"
    "\u026f\u0272\u0289\u028b\u02bb\u0300-\u036f\u1e00-\u1eff"
)
_CYRILLIC: Final = "\u0400-\u04ff"

_NOT_HOST: Final = f"{_PUNCT_BUT_HOST}{_SPACES}{_INVALID}{_DIRECTIONAL}"
_HOST_RUN: Final = re.compile(f"[^{_NOT_HOST}]++")
_LABEL_CHAR: Final = f"[^_.\\-{_NOT_HOST}]"
_MAY_PRECEDE: Final = f"[^A-Za-z0-9@＠$#＃{_INVALID}]"
_BEGINNING: Final = re.compile(rf"(?:(?<={_MAY_PRECEDE})|\A){_LABEL_CHAR}")
_AT_SECOND: Final = re.compile(f"(?<={_MAY_PRECEDE}){_LABEL_CHAR}")
_MAY_PRECEDE_ONE: Final = re.compile(_MAY_PRECEDE)
_PROTOCOL_AT_END: Final = re.compile(r"https?://\Z", re.IGNORECASE | re.ASCII)
_BARE_DOMAIN_NEVER_AFTER: Final = "-_./"

_ASCII_WORD: Final = re.compile(r"[0-9A-Za-z]++")
_PUNYCODE: Final = re.compile(r"[Xx][Nn]--[-0-9A-Za-z]++")
_TLD_NEVER_BEFORE: Final = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz@+-")
_LATIN_ONLY: Final = re.compile(rf"[-.A-Za-z0-9{_LATIN}]++")
_LATIN_LABELS: Final = re.compile(rf"(?:[-A-Za-z0-9{_LATIN}]++\.)++")

_TAIL_BEGINS: Final = frozenset(":/?")
_PORT: Final = re.compile(r":[0-9]++")
_PATH_CHAR: Final = rf"[A-Za-z{_CYRILLIC}0-9!*';:=+,.$/%#\[\]\-\u2013_~@|&{_LATIN}]"
_PATH_CHARS: Final = re.compile(f"{_PATH_CHAR}++")
_PATH_NEVER_ENDS: Final = "!*';:,.$%[]\u2013~@|&"
_PARENTHESES: Final = re.compile(
    rf"\((?:{_PATH_CHAR}++|{_PATH_CHAR}*+\({_PATH_CHAR}++\){_PATH_CHAR}*+)\)",
)
_QUERY: Final = re.compile(r"\?([A-Za-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]++)")
_QUERY_NEVER_ENDS: Final = "!?*'@();:+$%[].,~|"
_TCO: Final = re.compile(r"https?://t\.co/([a-z0-9]++)", re.IGNORECASE | re.ASCII)
_SKEWED: Final = (36 - 1) * 26 // 2  # RFC 3492, 6.1
_IDEOGRAPHIC_DOTS: Final = re.compile("[\u3002\uff0e\uff61]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Url:
    """A stretch of a text that X turns into a link.

    Attributes:
        url: the link as X reads it, the protocol included where it is written.
        indices: where it begins and where it ends (exclusive), in code points of the text.
    """

    url: str
    indices: tuple[int, int]

    @property
    def start(self) -> int:
        """The first code point."""
        return self.indices[0]

    @property
    def end(self) -> int:
        """The code point after the last."""
        return self.indices[1]


def find_urls(text: str) -> tuple[Url, ...]:
    """Find the links that X would make of a text, in their order; none overlap.

    Linear in `len(text)`. Nothing is normalized: indices are those of `text` as given.
    """
    found: list[Url] = []
    free = 0  # a link takes its text: the next one, and the character before it, lie behind
    for run in _HOST_RUN.finditer(text) if "." in text else ():
        start, end = run.span()
        last_dot = text.rfind(".", start, end)
        if last_dot < max(start, free):
            continue
        labels = _judge_labels(text, start, last_dot)
        while labels and (place := _next_place(text, start, labels, free)) is not None:
            begin, host, host_end = place
            free = _tail_end(text, host_end)
            found.extend(_links(text, begin, host, host_end, free))
            if free > last_dot:
                break
    return tuple(found)


# One label of a run of host characters: the dot that ends it, the end of the domain that goes on with the next
# label, the end of the domain whose last name it is, and its last underscore.
_Label = tuple[int, int | None, int | None, int]


def _judge_labels(text: str, start: int, last_dot: int) -> list[_Label]:
    """Judge the labels of a run, rightmost first; empty where no domain begins in any of them.

    A domain takes as many labels as it can; the last one before the top-level domain holds no underscore, and
    none begins or ends with `-` or `_`. So a label either hands on what the next one found, or is the last
    name of a domain that begins behind its last underscore, or is no part of one.
    """
    labels: list[_Label] = []
    following: int | None = None  # the end of a domain that begins with the label to the right
    some = False
    dot = last_dot
    while dot >= start:
        before = text.rfind(".", start, dot)
        first = before + 1 if before >= 0 else start
        handed_on = own = None
        underscore = text.rfind("_", first, dot)
        if dot > first and text[dot - 1] not in "-_":
            handed_on, own = following, _tld_end(text, dot + 1)
            some = some or own is not None
        labels.append((dot, handed_on, own, underscore))
        if dot == first or text[first] in "-_":
            following = None
        elif handed_on is not None:
            following = handed_on
        else:
            following = own if underscore < 0 else None
        dot = before
    return labels if some else []


def _next_place(text: str, start: int, labels: list[_Label], free: int) -> tuple[int, int, int] | None:
    """The first link of a run behind `free`: where it begins, where its host begins and where that ends.

    Labels that lie before the place are taken off the list: nothing begins in them any more.
    """
    if start >= free and text.startswith("://", max(start - 3, 0)) and text[start] not in "-_.":
        protocol = _protocol_before(text, start, free)
        if protocol is not None and (host_end := _domain_end(labels[-1], start)) is not None:
            return protocol, start, host_end
    last_dot = labels[0][0]
    if start == 0 and _AT_SECOND.match(text, 1, last_dot) and text[0] != ".":
        # At the very beginning X tries "a character, then a link" before "a link".
        host_end = _domain_end(labels[-1], 1) if labels[-1][0] > 1 else None
        if host_end is not None and free == 0:
            return 1, 1, host_end
    for match in _BEGINNING.finditer(text, max(start, free + 1 if free else 0), last_dot):
        begin = match.start()
        while labels[-1][0] < begin:
            labels.pop()
        host_end = _domain_end(labels[-1], begin)
        if host_end is not None:
            return begin, begin, host_end
    return None


def _domain_end(label: _Label, begin: int) -> int | None:
    _, handed_on, own, underscore = label
    if handed_on is not None:
        return handed_on
    return own if begin > underscore else None


def _protocol_before(text: str, host: int, free: int) -> int | None:
    """Where the protocol before a host begins; None where there is none, or where it may not begin."""
    protocol = _PROTOCOL_AT_END.search(text, max(host - 8, 0), host)
    begin = protocol.start() if protocol else -1
    if begin == 0 or (begin > free and _MAY_PRECEDE_ONE.match(text, begin - 1)):
        return begin
    return None


def _links(text: str, begin: int, host: int, host_end: int, end: int) -> list[Url]:
    """The links of one match: none where X drops it, several where bare domains stand in one run."""
    domain = text[host:host_end]
    protocol = host - begin or _ASSUMED_PROTOCOL
    if not _is_domain(domain) or protocol + end - begin > MAX_URL_LENGTH:
        return []
    if begin < host:
        if (tco := _TCO.match(text, begin, end)) is not None:
            if len(tco[1]) > MAX_TCO_SLUG:
                return []
            end = _query_end(text, tco.end())
        return [Url(url=text[begin:end], indices=(begin, end))]
    if begin > 0 and text[begin - 1] in _BARE_DOMAIN_NEVER_AFTER:
        return []
    latin = [(begin + first, begin + last) for first, last in _latin_domains(domain)]
    links = [Url(url=text[first:last], indices=(first, last)) for first, last in latin]
    if latin and host_end < end and text.startswith("/", _port_end(text, host_end), end):
        first, last = latin[-1]
        links[-1] = Url(url=text[first:last] + text[host_end:end], indices=(first, end))
    return links


def _latin_domains(domain: str) -> list[tuple[int, int]]:
    """The stretches of a domain that are ASCII or accented Latin labels and a top-level domain."""
    if _LATIN_ONLY.fullmatch(domain):
        return [(0, len(domain))]
    found = []
    for labels in _LATIN_LABELS.finditer(domain):
        dot = labels.end() - 1
        while dot > labels.start():
            end = _tld_end(domain, dot + 1)
            if end is not None:
                found.append((labels.start(), end))
                break
            dot = domain.rfind(".", labels.start(), dot)
    return found


def _tail_end(text: str, at: int) -> int:
    """The end of port, path and query behind a domain."""
    if text[at : at + 1] not in _TAIL_BEGINS:
        return at
    at = _port_end(text, at)
    if text.startswith("/", at):
        at = _path_end(text, at + 1)
    return _query_end(text, at)


def _port_end(text: str, at: int) -> int:
    port = _PORT.match(text, at) if text.startswith(":", at) else None
    return port.end() if port else at


def _path_end(text: str, at: int) -> int:
    """The end of a path: behind the last character that may end one, and groups that follow it directly."""
    end = at
    while True:
        plain = _PATH_CHARS.match(text, at)
        if plain:
            kept = len(plain[0].rstrip(_PATH_NEVER_ENDS))
            if kept:
                end = at + kept
            at = plain.end()
        group = _PARENTHESES.match(text, at) if text.startswith("(", at) else None
        if group is None:
            return end
        if at == end:
            end = group.end()
        at = group.end()


def _query_end(text: str, at: int) -> int:
    query = _QUERY.match(text, at) if text.startswith("?", at) else None
    kept = len(query[1].rstrip(_QUERY_NEVER_ENDS)) if query else 0
    return at + 1 + kept if kept else at


def _fold(text: str) -> str:
    """Case folding as in twitter-text: one character for one, and none turns into ASCII."""
    return "".join(
        upper
        if len(upper := character.upper()) == 1 and (character.isascii() or not upper.isascii())
        else character
        for character in text
    )


def _by_first_letter() -> dict[str, tuple[str, ...]]:
    index: dict[str, tuple[str, ...]] = {}
    for name in sorted(map(_fold, UNICODE_TLDS), key=len, reverse=True):  # the longer of two that fit
        for first in {name[0], name[0].lower()}:
            index[first] = (*index.get(first, ()), name)
    return index


_UNICODE_TLDS: Final = _by_first_letter()


def _tld_end(text: str, at: int) -> int | None:
    """The end of the top-level domain at `at`, None where there is none."""
    word = _ASCII_WORD.match(text, at)
    if word is not None and word[0].lower() in ASCII_TLDS and _may_follow_tld(text, word.end()):
        return word.end()
    for name in _UNICODE_TLDS.get(text[at : at + 1], ()):
        end = at + len(name)
        if _fold(text[at:end]) == name and _may_follow_tld(text, end):
            return end
    punycode = _PUNYCODE.match(text, at) if word is not None else None
    return punycode.end() if punycode else None


def _may_follow_tld(text: str, at: int) -> bool:
    return at >= len(text) or text[at] not in _TLD_NEVER_BEFORE


def _is_domain(domain: str) -> bool:
    """Whether every label is short enough when it is written in ASCII (RFC 3490, as twitter-text checks it)."""
    if domain.isascii() and len(domain) <= MAX_LABEL:
        return True
    if domain.startswith("xn--") and not _latin_domains(domain):
        return False
    return all(map(_label_fits, domain.split(".")))


def _label_fits(label: str) -> bool:
    """Whether a label is at most `MAX_LABEL` characters when it is written in ASCII."""
    if label.isascii() or len(label) > MAX_LABEL:
        return len(label) <= MAX_LABEL
    parts = _IDEOGRAPHIC_DOTS.split(label)  # punycode.js takes them for dots, and counts the parts together
    others = sum(not character.isascii() for character in label)
    if len(label) + 5 * len(parts) + 6 * others <= MAX_LABEL:
        return True  # "xn--", a hyphen, and seven digits for each: more no label this short can need
    return sum(map(_punycode_length, parts)) + len(parts) - 1 <= MAX_LABEL


def _punycode_length(label: str) -> int:
    """The length of `xn--` and the punycode of a label (RFC 3492, 6.3), or of the label where it is ASCII.

    `str.encode("punycode")` gives the same, quadratic in the label and several times slower. Past `MAX_LABEL`
    it stops counting.
    """
    others = sorted(
        (ord(character), place) for place, character in enumerate(label) if not character.isascii()
    )
    if not others:
        return len(label)
    placed = [place for place, character in enumerate(label) if character.isascii()]
    length = 4 + len(placed) + (1 if placed else 0)
    previous, position, bias, damp = 0x80, 0, 72, 700
    for code_point, place in others:
        target = bisect_left(placed, place)
        delta = rest = (code_point - previous) * (len(placed) + 1) + target - position
        length, k = length + 1, 36
        while rest >= (threshold := 1 if k <= bias else 26 if k >= bias + 26 else k - bias):
            rest = (rest - threshold) // (36 - threshold)
            length, k = length + 1, k + 36
        if length > MAX_LABEL:
            break
        placed.insert(target, place)
        delta //= damp
        delta += delta // len(placed)
        bias = 0
        while delta > _SKEWED:
            delta, bias = delta // 35, bias + 36
        bias += 36 * delta // (delta + 38)
        previous, position, damp = code_point, target + 1, 2
    return length
