"""X's queries: read, checked, and held against a post.

    query  = group { ["OR"] group }        spaces mean "and", which binds closer than OR, as at X
    group  = ["-"] ( term | "(" query ")" )
    term   = word | "a phrase" | #tag | $TAG | @name | name:value

Mentions are read whole and filtered here; a search is sent to the network as it is, and only checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from bot.core.normal_forms import nfkc

if TYPE_CHECKING:
    from bot.core.hits import Hit

LONGEST: Final = 512
"""Characters that X takes of a self-serve customer (docs.x.com, search, 2026-08-22)."""

DEEPEST: Final = 20
"""Brackets in brackets; ours, so that no query is read without an end."""

STANDING: Final = frozenset(
    {"from", "to", "url", "conversation_id", "retweets_of", "context", "entity", "list"}
)
"""Operators that can stand alone at X."""

JOINING: Final = frozenset({"lang", "has", "is", "min_likes", "min_replies", "min_reposts", "place_country"})
"""Operators that X takes only beside one that can stand alone (docs.x.com, operators, 2026-08-22)."""

LOCAL: Final = frozenset({"from", "lang", "url"})
"""Operators that can be held against a post as it was read, beside `has:links` and `is:retweet`."""

HAS: Final = frozenset({"links", "hashtags", "mentions", "media", "images", "videos", "cashtags", "geo"})
IS: Final = frozenset({"retweet", "reply", "quote", "verified", "nullcast"})

MOST_SEARCHES: Final = 8
"""Searches that one query becomes where the network's search knows no OR; ours, so that a query does not use up its windows."""

_TOKEN: Final = re.compile(r'\s*(-?\(|\)|-?"[^"]*"|-?[^\s()"]+)')
_OPERATOR: Final = re.compile(r"([a-z_]+):(.*)", re.DOTALL)
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")
_NAME: Final = re.compile(r"@?[\w.-]{1,60}")
_WORDS: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One thing that a post has or has not.

    Attributes:
        kind: "word", "phrase", "tag", "name", or an operator's name.
        value: in small letters; of an operator what stands after the colon.
        negated: whether it must not be so.
    """

    kind: str
    value: str
    negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Any of several alternatives, each of which is several things together."""

    alternatives: tuple[tuple[Term | Group, ...], ...]
    negated: bool = False


class QueryFault(ValueError):
    """A query that X would not take; the words say why."""


@lru_cache(maxsize=256)
def parse_query(text: str, *, local: bool = False) -> Group:
    """Read a query. Raises QueryFault with a sentence for its author.

    `local`: it is to be held against posts here, so that only what can be seen on one may be asked.
    """
    if len(text) > LONGEST:
        raise QueryFault(f"{len(text)} characters; X takes {LONGEST}")
    if text.count('"') % 2:
        raise QueryFault('a quotation mark (") is never closed')
    tokens = _TOKEN.findall(text)
    if not tokens:
        raise QueryFault("it is empty")
    group, rest = _alternatives(tokens, 0)
    if rest < len(tokens):
        raise QueryFault("a ) closes nothing")
    if not _stands(group):
        raise QueryFault(
            'every alternative needs something to look for: a word, a "phrase", a #tag, a @name, from: or url:, '
            "not only lang:, has:, is: or what is left out by -"
        )
    if local and (strange := _strange(group)) is not None:
        raise QueryFault(
            f'{strange}: cannot be seen on a mention; with reply_to = "mentions" use words, "phrases", #tags, @names, '
            "from:, lang:, url:, has:links, is:retweet, OR, - and brackets"
        )
    return group


def _alternatives(tokens: list[str], at: int, depth: int = 0) -> tuple[Group, int]:
    if depth > DEEPEST:
        raise QueryFault(f"more than {DEEPEST} brackets in brackets")
    found: list[tuple[Term | Group, ...]] = []
    together: list[Term | Group] = []
    while at < len(tokens) and tokens[at] != ")":
        token = tokens[at]
        at += 1
        if token == "OR":  # noqa: S105 - a word of the grammar
            if not together:
                raise QueryFault("OR stands between two things")
            found.append(tuple(together))
            together = []
            if at == len(tokens) or tokens[at] in {")", "OR"}:
                raise QueryFault("OR stands between two things")
        elif token == "AND":  # noqa: S105 - a word of the grammar
            raise QueryFault("leave AND out: a space means it")
        elif token in {"(", "-("}:
            inner, at = _alternatives(tokens, at, depth + 1)
            if at == len(tokens):
                raise QueryFault("a ( is never closed")
            at += 1
            together.append(Group(alternatives=inner.alternatives, negated=token.startswith("-")))
        else:
            together.append(_term(token))
    if not together:
        raise QueryFault("brackets stand around nothing" if depth else "it is empty")
    found.append(tuple(together))
    return Group(alternatives=tuple(found)), at


def _term(token: str) -> Term:
    negated, word = token.startswith("-"), token.removeprefix("-")
    if word.startswith('"'):
        if not (phrase := word.strip('"').strip()):
            raise QueryFault("quotation marks stand around nothing")
        return Term(kind="phrase", value=phrase, negated=negated)
    if word.startswith(("#", "$")) and len(word) > 1:
        return Term(kind="tag", value=word.casefold(), negated=negated)
    if word.startswith("@") and len(word) > 1:
        return Term(kind="name", value=word[1:].casefold(), negated=negated)
    found = _OPERATOR.fullmatch(word)
    if found is not None and not word.startswith(("http:", "https:")):
        return Term(kind=found[1], value=_value(found[1], found[2]), negated=negated)
    if not _WORDS.search(word):
        raise QueryFault(f"{word!r} is no word")
    return Term(kind="word", value=word, negated=negated)


def _value(name: str, value: str) -> str:
    if name not in STANDING | JOINING:
        known = ", ".join(f"{each}:" for each in sorted(STANDING | JOINING))
        raise QueryFault(f'{name}: is no operator of X; known are {known}. Put "quotation marks" around text')
    value = value.strip('"').casefold()
    if not value:
        raise QueryFault(f"{name}: wants something after it, without a space")
    if name == "has" and value not in HAS:
        raise QueryFault(f"has:{value} is unknown; known are {', '.join(sorted(HAS))}")
    if name == "is" and value not in IS:
        raise QueryFault(f"is:{value} is unknown; known are {', '.join(sorted(IS))}")
    if name == "lang" and not _LANGUAGE.fullmatch(value):
        raise QueryFault("lang: wants two letters, as lang:en")
    if name in {"from", "to", "retweets_of"}:
        if not _NAME.fullmatch(value):
            raise QueryFault(f"{name}: wants the name of an account")
        return value.removeprefix("@")
    if name.startswith("min_") and not value.isdecimal():
        raise QueryFault(f"{name}: wants a number")
    return value


def _stands(group: Group) -> bool:
    """Say whether each alternative has something of its own to look for."""
    return all(
        any(
            not each.negated and (_stands(each) if isinstance(each, Group) else each.kind not in JOINING)
            for each in together
        )
        for together in group.alternatives
    )


def _strange(group: Group) -> str | None:
    """Return the first operator that cannot be seen on a post as it was read."""
    for each in (each for together in group.alternatives for each in together):
        if isinstance(each, Group):
            if (inner := _strange(each)) is not None:
                return inner
        elif each.kind in STANDING | JOINING and each.kind not in LOCAL:
            said = f"{each.kind}:{each.value}"
            if said not in {"has:links", "is:retweet"}:
                return said
    return None


def matches(group: Group, hit: Hit) -> bool:
    """Say whether a post is what a query asks for; the query was read with `local`."""
    text = f" {' '.join(_words(hit.text))} "
    return _holds(group, hit, text)


def looked_for(group: Group) -> list[str]:
    """Return what a search that knows words alone is asked for: for each alternative its words and phrases, at least one."""
    return list(dict.fromkeys(" ".join(each) for each in _alternative_words(group)))[:MOST_SEARCHES]


def _alternative_words(group: Group) -> list[list[str]]:
    found: list[list[str]] = []
    for together in group.alternatives:
        sets: list[list[str]] = [[]]
        for each in together:
            if each.negated:
                continue
            if isinstance(each, Group):
                sets = [[*words, *more] for words in sets for more in _alternative_words(each)]
            elif each.kind in {"word", "phrase", "tag", "name", "from", "url"}:
                said = {"phrase": f'"{each.value}"', "name": f"@{each.value}", "from": f"from:{each.value}"}
                sets = [[*words, said.get(each.kind, each.value)] for words in sets]
        found += [words for words in sets if words][:MOST_SEARCHES]
    return found[:MOST_SEARCHES]


def holds_any(text: str, wanted: tuple[str, ...]) -> str | None:
    """Return the first of `wanted`, words or phrases, that stands in a text whole; None for none."""
    said = f" {' '.join(_words(text))} "
    return next((each for each in wanted if (own := " ".join(_words(each))) and f" {own} " in said), None)


def _holds(group: Group, hit: Hit, text: str) -> bool:
    found = any(
        all(
            _holds(each, hit, text) if isinstance(each, Group) else _has(each, hit, text) != each.negated
            for each in together
        )
        for together in group.alternatives
    )
    return found != group.negated


def _has(term: Term, hit: Hit, text: str) -> bool:  # noqa: PLR0911 - a table of operators
    match term.kind:
        case "word" | "phrase":
            return f" {' '.join(_words(term.value))} " in text
        case "tag":
            return re.search(rf"{re.escape(term.value)}(?!\w)", hit.text.casefold()) is not None
        case "name":
            return re.search(rf"@{re.escape(term.value)}(?![\w@])", hit.text.casefold()) is not None
        case "from":
            return term.value in {hit.name.casefold(), hit.author.casefold()}
        case "lang":
            return hit.language.casefold().partition("-")[0] == term.value
        case "url":
            return any(term.value in _address(link) for link in hit.links)
        case "has":
            return bool(hit.links)
        case _:
            return hit.original is not None


def _address(link: str) -> str:
    parts = urlsplit(link.casefold())
    return f"{parts.netloc}{parts.path}?{parts.query}"


def _words(text: str) -> list[str]:
    return _WORDS.findall(nfkc(text).casefold().replace("’", "'"))
