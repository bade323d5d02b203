"""The settings of keyword searches and of the answers to what they find."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field, PlainValidator, StrictBool, StrictInt

from bot.config.faults import Unfit, shown_text
from bot.config.fields import Section, allowed_span, read_by, span
from bot.config.money import parse_limit
from bot.core.answers import AnswerRule, check_answer
from bot.core.hits import Stream
from bot.core.prices import micros_of
from bot.core.queries import LONGEST, QueryFault, parse_query
from bot.core.rulers import BlueskyRuler, MastodonRuler, XRuler
from bot.core.weighted_length import sendable

if TYPE_CHECKING:
    from bot.config.faults import Loc
    from bot.config.report import Report
    from bot.core.rulers import Ruler

ANSWERS_MAX: Final = 50
WORDS_MAX: Final = 100
PER_DAY_MAX: Final = 200
PAGES_MAX: Final = 10
"""A thousand posts at X in one reading: five dollars of a search."""

NETWORKS: Final[dict[str, Ruler]] = {"x": XRuler(), "bluesky": BlueskyRuler(), "mastodon": MastodonRuler()}

NAME_ROOM: Final = 40
"""What an answer leaves for the name of whom it is for, where the network wants it there."""

_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")
_NAME: Final = re.compile(r"[a-z0-9-]{1,30}")

APPROVAL: Final = (
    "X lets an app answer only where the author named or quoted the account, and forbids answers to whoever uses a word; "
    'accounts are suspended for it. Use reply_to = "mentions", or leave answers out and pass hits on with post = true; where X '
    "has approved your app for this, or no X account is concerned and the network's rules allow it, say so with search_approved = true"
)


def parse_search_name(text: str) -> str:
    """Return the name of a search. Raises Unfit."""
    if not _NAME.fullmatch(text):
        raise Unfit
    return text


def parse_search_query(text: str) -> str:
    """Return a query that X would take. Raises Unfit with what is wrong."""
    try:
        parse_query(text)
    except QueryFault as fault:
        raise Unfit(str(fault)) from None
    return text


def parse_answer(text: str) -> str:
    """Return the template of an answer. Raises Unfit with its faults."""
    if faults := check_answer(text):
        raise Unfit("; ".join(faults))
    if not sendable(text):
        raise Unfit(
            "it holds a character that X refuses (U+FEFF, U+FFFE, U+FFFF or half of a surrogate pair)"
        )
    return text.strip()


def parse_search_language(text: str) -> str:
    """Return the code of a language. Raises Unfit."""
    if not _LANGUAGE.fullmatch(text):
        raise Unfit
    return text


def parse_words(text: str) -> str:
    """Return a word or phrase. Raises Unfit for none."""
    if not re.search(r"\w", text):
        raise Unfit("a word or a phrase")
    return text


def parse_daily(value: object) -> Decimal:
    """Return dollars a day, 0 for none. Raises Unfit."""
    found = parse_limit(value)
    if found is None:
        raise Unfit("a sum of dollars: a search without a limit has no end")
    return found


_Words = Annotated[str, read_by(parse_words)]


class Search(Section):
    """What is looked for, and what is said to it."""

    name: Annotated[str, read_by(parse_search_name)] = Field(
        description="1 to 30 small letters, digits and hyphens"
    )
    query: Annotated[str, read_by(parse_search_query)] = Field(
        description=f"a query of at most {LONGEST} characters, with X's operators"
    )
    answers: tuple[Annotated[str, read_by(parse_answer)], ...] = Field(
        default=(),
        max_length=ANSWERS_MAX,
        description=f"a list of at most {ANSWERS_MAX} texts, in which {{author}} stands for a name",
    )
    reply_to: Literal["mentions", "search"] = Field(default="mentions", description='"mentions" or "search"')
    search_approved: StrictBool = Field(default=False, description="true or false")
    post: StrictBool = Field(default=False, description="true or false")
    destinations: tuple[str, ...] | None = Field(
        default=None, min_length=1, description='a list of names of destinations, such as ["x"]'
    )
    language: Annotated[str, read_by(parse_search_language)] | None = Field(
        default=None, description='two or three letters, such as "en"'
    )
    exclude: tuple[_Words, ...] = Field(
        default=(), max_length=WORDS_MAX, description=f"a list of at most {WORDS_MAX} words or phrases"
    )
    stop_words: tuple[_Words, ...] = Field(
        default=(), max_length=WORDS_MAX, description=f"a list of at most {WORDS_MAX} words or phrases"
    )
    every: Annotated[timedelta, span("1m", "1d")] = Field(
        default=timedelta(minutes=5), description=allowed_span("1m", "1d", "5m")
    )
    cooldown: Annotated[timedelta, span("1h", "365d")] = Field(
        default=timedelta(days=1), description=allowed_span("1h", "365d", "1d")
    )
    max_age: Annotated[timedelta, span("10m", "6d")] = Field(
        default=timedelta(days=1), description=allowed_span("10m", "6d", "1d")
    )
    per_day: StrictInt = Field(
        default=20, ge=1, le=PER_DAY_MAX, description=f"a whole number from 1 to {PER_DAY_MAX}"
    )
    pages: StrictInt = Field(
        default=1, ge=1, le=PAGES_MAX, description=f"a whole number from 1 to {PAGES_MAX}"
    )
    daily_dollars: Annotated[Decimal, PlainValidator(parse_daily)] = Field(
        default=Decimal("0.50"), description="a sum of dollars, such as 0.50"
    )

    @property
    def rule(self) -> AnswerRule:
        """The same, as the core takes it."""
        return AnswerRule(
            name=self.name,
            query=self.query,
            stream=Stream.SEARCH if self.reply_to == "search" or self.post else Stream.MENTIONS,
            answers=self.answers,
            language=self.language or "",
            exclude=self.exclude,
            cooldown=self.cooldown,
            max_age=self.max_age,
            most_per_day=self.per_day,
            post=self.post,
            every=self.every,
            pages=self.pages,
            daily_micros=micros_of(self.daily_dollars),
        )


def check_searches(raw: dict[str, Any], report: Report) -> None:
    """Add to `report` what searches lack, or have that does not go together. Reads the raw tables."""
    sections = raw.get("search")
    named = _destinations(raw)
    names: dict[str, int] = {}
    for place, section in enumerate(sections if isinstance(sections, list) else []):
        if not isinstance(section, dict):
            continue
        loc: Loc = ("search", place)
        name = section.get("name")
        if isinstance(name, str) and names.setdefault(name, place) != place:
            other = report.spell(("search", names[name]))
            report.add((*loc, "name"), found=shown_text(name), hint=f"{other} has it already: name this one")
        for number, wanted in enumerate(_texts(section.get("destinations"))):
            if wanted not in named:
                report.add(
                    (*loc, "destinations", number),
                    found=shown_text(wanted),
                    allowed=f"the name of a destination on a network: {', '.join(named) or 'there is none'}",
                )
        _fitting(section, loc, _kinds(section, named), report)


def _fitting(section: dict[str, Any], loc: Loc, kinds: list[str], report: Report) -> None:
    answers, post = _texts(section.get("answers")), section.get("post") is True
    searching = section.get("reply_to") == "search" or post
    if not answers and not post:
        report.add(
            (*loc, "answers"), found="none", hint="say what is answered, or pass hits on with post = true"
        )
    if answers and searching and section.get("search_approved") is not True:
        report.add(
            (*loc, "reply_to"),
            found="answers to what a search finds, without search_approved = true",
            allowed='"mentions"',
            hint=APPROVAL,
        )
    query = section.get("query")
    if isinstance(query, str) and (not searching or set(kinds) - {"x"}):
        try:
            parse_query(query)
            parse_query(query, local=True)
        except QueryFault as fault:
            if _is_readable(query):
                report.add((*loc, "query"), found=shown_text(query), hint=str(fault))
    for number, answer in enumerate(answers):
        for kind in kinds:
            ruler, room = NETWORKS[kind], NAME_ROOM if kind == "mastodon" or "{author}" in answer else 0
            weight = ruler.measure(answer.replace("{author}", "")).weight
            if weight + room > ruler.limit:
                report.add(
                    (*loc, "answers", number),
                    found=f"a text that weighs {weight}",
                    allowed=f"{ruler.limit - room} for {kind}",
                    hint="with the name of whom it is for it would be too long" if room else "it is too long",
                )


def _is_readable(query: str) -> bool:
    try:
        parse_query(query)
    except QueryFault:
        return False
    return True


def _destinations(raw: dict[str, Any]) -> dict[str, str]:
    """Return the destinations on networks, name to type."""
    sections = raw.get("destination")
    tables = [each for each in sections if isinstance(each, dict)] if isinstance(sections, list) else []
    named = {str(each.get("name", each.get("type"))): str(each.get("type")) for each in tables}
    if "account" in raw or not tables:
        named.setdefault("x", "x")
    return {name: kind for name, kind in named.items() if kind in NETWORKS}


def _kinds(section: dict[str, Any], named: dict[str, str]) -> list[str]:
    wanted = section.get("destinations")
    chosen = _texts(wanted) if isinstance(wanted, list) else list(named)
    return sorted({named[name] for name in chosen if name in named})


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
