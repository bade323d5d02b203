"""What the bot would say to a text that somebody wrote: the rules of its searches tried on it, offline, and nothing is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from bot.answer_wiring import answering_of, offline, rules_of
from bot.core.answers import Skipped
from bot.core.hits import Hit, Stream
from bot.core.queries import QueryFault, matches, parse_query
from bot.lanes import ruler_of

if TYPE_CHECKING:
    from datetime import datetime

    from bot.answering import Answering
    from bot.config import Config, Destination
    from bot.core.answers import AnswerRule
    from bot.store import Store

TESTER: Final = "somebody"
"""The id of an author whom nobody knows."""

BOT: Final = "(the bot)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What is decided of a text that one stream brings.

    Attributes:
        destination, stream, search: where it was heard; `search` is "" for mentions.
        rule: the one that decides, None where none does.
        found_by_the_search: whether its query finds the text, None for mentions, and where the network alone can say.
        answer: the text that would be said, None for none.
        repost: whether it would be passed on.
        reason, detail: why it is not answered, None where it is.
        weight, limit: of the answer, as the destination measures it; None without one.
        says: the network's rules for answers.
    """

    destination: str
    stream: str
    search: str
    rule: str | None
    found_by_the_search: bool | None
    answer: str | None = None
    repost: bool = False
    reason: str | None = None
    detail: str | None = None
    weight: int | None = None
    limit: int | None = None
    says: str


def hit_of(
    text: str,
    now: datetime,
    *,
    author: str = TESTER,
    name: str = "",
    language: str = "",
    mentions_us: bool = True,
) -> Hit:
    """Return a text as if somebody had written it now."""
    return Hit(
        id="0",
        reference="0",
        author=author,
        name=name,
        text=text,
        created_at=now,
        mentions_us=mentions_us,
        language=language,
    )


def tried(config: Config, destination: Destination, store: Store, hit: Hit, now: datetime) -> list[Trial]:
    """Return what is decided at a destination: of the mentions' rules together, and of each search's; empty without rules."""
    rules = rules_of(config, destination)
    if not rules:
        return []
    answering = answering_of(config, destination, store, offline(destination), lambda: now)
    asked = [(Stream.MENTIONS, "")] if any(rule.stream is Stream.MENTIONS for rule in rules) else []
    asked += [(Stream.SEARCH, rule.name) for rule in rules if rule.stream is Stream.SEARCH]
    return [
        _trial(config, destination, answering, hit, stream, search, rules, now) for stream, search in asked
    ]


def _trial(
    config: Config,
    destination: Destination,
    answering: Answering,
    hit: Hit,
    stream: Stream,
    search: str,
    rules: tuple[AnswerRule, ...],
    now: datetime,
) -> Trial:
    rule, found = answering.judge(hit, stream, search, BOT, now)
    trial = Trial(
        destination=destination.name,
        stream=str(stream),
        search=search,
        rule=rule.name if rule is not None else None,
        found_by_the_search=_finds(rules, search, hit),
        says=offline(destination).rule,
    )
    if isinstance(found, Skipped):
        return replace(trial, reason=str(found.reason), detail=found.detail)
    text, repost = found
    if repost:
        return replace(trial, repost=True)
    ruler = ruler_of(destination, config)
    return replace(trial, answer=text, weight=ruler.measure(text).weight, limit=ruler.limit)


def _finds(rules: tuple[AnswerRule, ...], search: str, hit: Hit) -> bool | None:
    if not search:
        return None
    query = next(each.query for each in rules if each.name == search)
    try:
        return matches(parse_query(query, local=True), hit)
    except QueryFault:
        return None
