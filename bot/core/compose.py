"""An entry made into a post: the template filled in, within the limit, the link whole.

What gives way when it does not fit, in this order, and why:

    1. the summary is cut, down to nothing    it tells the story a second time
    2. tags from categories, last first       the feed chose them, nobody here did
    3. the title is cut, to a third           its beginning says what it is about
    4. the configured tags, last first        somebody wants them: they stay while a third of a title does
    5. the feed's name, the template's own words

The link is never cut. X counts 23 for it, whatever its length; what X would not read to its end (letters of
other scripts, a closing bracket or full stop) is percent-encoded first. A link that X reads as no link at all
(a host without a public domain) is plain text of its full length, and is left out where it leaves no room.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Final, Literal

import regex

from bot.core.model import Entry, Post
from bot.core.readable_links import readable_link
from bot.core.rulers import X_RULER, Ruler
from bot.core.template import (
    CARRIES_THE_STORY,
    DEFAULT_TEMPLATE,
    Line,
    Piece,
    check_template,
    lay_out,
    parse_template,
)
from bot.core.url_grammar import find_urls
from bot.core.wording import acting, clean, hashtag, keep_ours, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.core.weighted_length import Measured

__all__ = [
    "DEFAULT_TEMPLATE",
    "MIN_LIMIT",
    "Composed",
    "check_template",
    "compose",
    "composed",
]

MIN_LIMIT: Final = 40  # a link (23), a space and a word
_LEAST_OF_A_SUMMARY: Final = 20  # X's weight; fewer words than that say nothing
_LEAST_OF_A_TAG: Final = 3  # a space, "#" and a letter
_LEAST_OF_A_TITLE: Final = 1 / 3  # of the limit, while there is a tag that could go instead

# The category that WordPress gives where the author gave none (wp-admin/includes/upgrade.php, as translated).
_NO_CATEGORY: Final = frozenset(
    {
        "uncategorized",
        "uncategorised",
        "sin categoría",
        "sem categoria",
        "non classé",
        "allgemein",
        "без рубрики",
    }
)

_BARE: Final = parse_template("{title} {link}")
_OURS: Final = frozenset({None, "link", "categories", "hashtags"})
_TAG_FIELDS: Final = frozenset({"categories", "hashtags"})
_JOINS_TAG: Final = regex.compile(r"[\w&]\Z")

_Cuttable = Literal["title", "summary", "feed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """What goes into the template: the fields as they stand at one stage of the fitting."""

    title: str
    summary: str
    feed: str
    link: str
    categories: tuple[str, ...]
    hashtags: tuple[str, ...]
    ruler: Ruler

    def values(self) -> dict[str, str]:
        return {
            "title": self.title,
            "summary": self.summary,
            "feed": self.feed,
            "link": self.link,
            "categories": " ".join(self.categories),
            "hashtags": " ".join(self.hashtags),
        }

    def with_words(self, field: _Cuttable, value: str) -> _Draft:
        match field:
            case "title":
                return replace(self, title=value)
            case "summary":
                return replace(self, summary=value)
            case "feed":
                return replace(self, feed=value)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """A text as it would be posted, the destination's measure of it, what went into it, and what acts in it no more."""

    text: str
    measured: Measured
    lines: tuple[Line, ...]
    draft: _Draft
    neutralised: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """A post, and what was done to the entry's words on the way.

    Attributes:
        post: ready to be sent.
        cut: the fields of which a part is missing, by their names in templates.
        left_out: the fields that the template asks for and that had no room; a tag by itself, with its sign.
        neutralised: what the feed would have mentioned or tagged, with its sign, in the order of the text.
    """

    post: Post
    cut: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    neutralised: tuple[str, ...] = ()


def compose(
    entry: Entry,
    *,
    template: str,
    hashtags: tuple[str, ...],
    limit: int | None = None,
    link: str | None = None,
    ruler: Ruler = X_RULER,
) -> Post:
    """Make the post of an entry, as `composed` does, without telling how."""
    return composed(entry, template=template, hashtags=hashtags, limit=limit, link=link, ruler=ruler).post


def composed(
    entry: Entry,
    *,
    template: str,
    hashtags: tuple[str, ...],
    limit: int | None = None,
    link: str | None = None,
    ruler: Ruler = X_RULER,
) -> Composed:
    """Make the post of an entry: never empty, never over `limit`, the link never cut.

    Lengths are measured by `ruler`; `limit` may be less than what that allows.
    `link` stands for the entry's own (a shortened one); None takes the entry's, and an entry may have none.
    The title is the summary, or the body, where there is none. What a feed says acts on nobody: mentions,
    hashtags and further cashtags are neutralised; the template's own words and `hashtags` stand as they are.

    Raises ValueError where the caller is wrong: a limit below `MIN_LIMIT`, a template with faults, an entry
    with neither text nor link.
    """
    limit = ruler.limit if limit is None else limit
    if limit < MIN_LIMIT:
        raise ValueError(f"a limit of {limit} is too low; {MIN_LIMIT} is the least")
    lines = parse_template(template)
    draft = _draft(entry, lines, hashtags, link, ruler)
    if not draft.title and not draft.link:
        raise ValueError("an entry with neither text nor link makes no post")
    if not _tells(lines, draft):
        lines = parse_template(DEFAULT_TEMPLATE)
    text = next(_stages(lines, _bounded(draft, limit), limit))
    cut, left_out = _missing(lines, draft, text)
    post = Post(
        text=text.text,
        weight=text.measured.weight,
        limit=limit,
        has_link=bool(text.measured.urls),
        link=text.draft.link if text.draft.link and text.draft.link in text.text else None,
    )
    return Composed(post=post, cut=cut, left_out=left_out, neutralised=text.neutralised)


def _missing(lines: tuple[Line, ...], draft: _Draft, text: _Text) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of a draft that are cut in a text, and those that are not in it."""
    wanted = draft.values()
    shown = dict.fromkeys(wanted, "") | {name: text.draft.values()[name] for name in _fields(text.lines)}
    cut, left_out = [], []
    for field in _fields(lines):
        if field in _TAG_FIELDS:
            left_out += [tag for tag in wanted[field].split() if tag not in shown[field].split()]
        elif wanted[field] and not shown[field]:
            left_out.append(field)
        elif shown[field] != wanted[field]:
            cut.append(field)
    return tuple(cut), tuple(left_out)


def _draft(
    entry: Entry, lines: tuple[Line, ...], hashtags: tuple[str, ...], link: str | None, ruler: Ruler
) -> _Draft:
    told = [text for text in (clean(entry.title), clean(entry.summary), clean(entry.body)) if text]
    title = told[0] if told else ""
    summary = clean(entry.summary)
    fields = _fields(lines)
    used = {
        word.casefold() for line in lines for piece in line if not piece.field for word in piece.text.split()
    }
    chosen = list(_tags(hashtags, used)) if "hashtags" in fields else []
    offered = (name for name in entry.categories if name.strip().casefold() not in _NO_CATEGORY)
    found = list(_tags(tuple(offered), used)) if "categories" in fields else []
    return _Draft(
        title=title,
        summary="" if summary.casefold() == title.casefold() else summary,
        feed=clean(entry.feed),
        link=readable_link(link or entry.link or ""),
        categories=tuple(found),
        hashtags=tuple(chosen),
        ruler=ruler,
    )


def _bounded(draft: _Draft, limit: int) -> _Draft:
    """Cut what cannot fit by itself, so that the fitting costs what the limit does, not what the entry does."""
    return replace(
        draft,
        title=shorten(draft.title, limit, draft.ruler),
        summary=shorten(draft.summary, limit, draft.ruler),
        feed=shorten(draft.feed, limit, draft.ruler),
        categories=draft.categories[: limit // _LEAST_OF_A_TAG],
    )


def _tags(words: tuple[str, ...], used: set[str]) -> Iterator[str]:
    """The hashtags of words, without those in `used`, which they join."""
    for word in words:
        tag = hashtag(word)
        if tag and tag.casefold() not in used:
            used.add(tag.casefold())
            yield tag


def _stages(lines: tuple[Line, ...], draft: _Draft, limit: int) -> Iterator[_Text]:
    """The texts that fit, the best first: the steps of the module's docstring. There is always one."""
    whole = _render(lines, draft)
    if whole.measured.weight <= limit:
        yield whole
    if draft.summary:
        yield from _cut(lines, draft, "summary", limit, least=_LEAST_OF_A_SUMMARY)
        draft = replace(draft, summary="")
        lines = lines if _tells(lines, draft) else _BARE
    yield from _with_categories(lines, draft, limit)
    draft = replace(draft, categories=())
    enough = min(draft.ruler.measure(draft.title).weight, ceil(limit * _LEAST_OF_A_TITLE))
    for count in range(len(draft.hashtags), 0, -1):
        yield from _cut(lines, replace(draft, hashtags=draft.hashtags[:count]), "title", limit, least=enough)
    draft = replace(draft, hashtags=())
    yield from _cut(lines, draft, "title", limit, least=min(enough, MIN_LIMIT // 2))
    yield from _cut(lines, draft, "feed", limit, least=1)
    yield from _cut(lines, replace(draft, feed=""), "title", limit, least=1)
    yield from _cut(_BARE, draft, "title", limit, least=1)
    without_title = _render(_BARE, replace(draft, title=""))
    if draft.link and without_title.measured.weight <= limit:
        yield without_title
    yield from _cut(_BARE, replace(draft, link=""), "title", limit, least=1)
    raise ValueError(
        f"no post of {limit} can be made of this entry: its link alone is longer, and it has no text"
    )


def _with_categories(lines: tuple[Line, ...], draft: _Draft, limit: int) -> Iterator[_Text]:
    """The text with as many tags from categories as fit; nothing where it does not fit without any."""

    def with_first(count: int) -> _Text:
        return _render(lines, replace(draft, categories=draft.categories[:count]))

    too_many = bisect_right(
        range(len(draft.categories) + 1), limit, key=lambda count: with_first(count).measured.weight
    )
    if too_many:
        yield with_first(too_many - 1)


def _fields(lines: tuple[Line, ...]) -> list[str]:
    """The fields of a template, each once, in order."""
    return list(dict.fromkeys(piece.field for line in lines for piece in line if piece.field))


def _tells(lines: tuple[Line, ...], draft: _Draft) -> bool:
    """Whether something of the story stands in a template filled in."""
    values = draft.values()
    return any(values[piece.field] for line in lines for piece in line if piece.field in CARRIES_THE_STORY)


def _cut(
    lines: tuple[Line, ...], draft: _Draft, field: _Cuttable, limit: int, *, least: int
) -> Iterator[_Text]:
    """The text with one field cut so far that it fits; nothing where less than `least` of the field is left."""
    full = draft.values()[field]
    times = sum(piece.field == field for line in lines for piece in line)
    if not full or not times:
        return
    text = _render(lines, draft)
    room = draft.ruler.measure(full).weight
    while text.measured.weight > limit:
        room -= ceil((text.measured.weight - limit) / times)
        value = shorten(full, room, draft.ruler) if room >= least else ""
        if not value:
            return
        text = _render(lines, draft.with_words(field, value))
    yield text


def _render(lines: tuple[Line, ...], draft: _Draft) -> _Text:
    """The text of a draft: laid out, the link apart from its neighbours, nothing of the feed's acting."""
    pieces = _apart(lay_out(lines, draft.values()))
    text = "".join(piece.text for piece in pieces)
    ours = "".join(("1" if piece.field in _OURS else "0") * len(piece.text) for piece in pieces)
    harmless, _ = keep_ours(text, ours)
    acted = () if harmless == text else acting(text, ours)
    return _Text(
        text=harmless, measured=draft.ruler.measure(harmless), lines=lines, draft=draft, neutralised=acted
    )


def _apart(pieces: list[Piece]) -> list[Piece]:
    """The pieces with a space where a neighbour would keep X from reading the link, or a tag, as it is."""
    apart: list[Piece] = []
    text = "".join(piece.text for piece in pieces)
    found = {url.indices for url in find_urls(text)}
    at = 0
    for number, piece in enumerate(pieces):
        span = (at, at + len(piece.text))
        at = span[1]
        space = Piece(text=" ")
        if piece.field in _TAG_FIELDS and apart and _JOINS_TAG.search(apart[-1].text):
            apart.append(space)
        if piece.field != "link" or span in found:
            apart.append(piece)
            continue
        if apart and not apart[-1].text[-1].isspace():
            apart.append(space)
        apart.append(piece)
        if number + 1 < len(pieces) and not pieces[number + 1].text[0].isspace():
            apart.append(space)
    return apart
