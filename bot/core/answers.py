"""Whether a post of somebody else is answered, and with which words: never twice, never where somebody said stop.

own?        never itself
stop?       who says stop is never answered again, whatever is said later
handled?    by its id, and by that of the post that it repeats
old?        what was there before the first look, and what nobody expects an answer to any more
a person?   no repost, no account that is marked as a bot
allowed?    its author or its visibility may allow no answer
asked?      the words of a rule, its language, what it leaves out; and that it calls for the bot, where that is the rule
turns?      one answer in a conversation, one an author in a cooldown, so many an author in a month
a copy?     nearly the same words from another account, which was answered
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.core.hits import Stream
from bot.core.queries import holds_any, matches, parse_query

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from bot.core.hits import Hit
    from bot.core.queries import Group

MONTH: Final = timedelta(days=30)
MOST_IN_A_MONTH: Final = 8
"""Answers to one author in 30 days. A person who asks a news bot twice a week has had its use of it; two bots that answer
each other, each time in a new conversation, are through after so many."""

FEWEST_WORDS: Final = 4
"""Two texts of fewer words, as "thanks a lot", are alike without being copies; a marked repeat ("RT @...") always is one."""

STOP: Final = (
    "stop",
    "unsubscribe",
    "opt out",
    "optout",
    "leave me alone",
    "shut up",
    "go away",
    "стоп",
    "хватит",
    "отпишись",
    "отстань",
    "не пиши мне",
)
STOP_PHRASES: Final = (
    "stop replying",
    "stop answering",
    "stop tagging",
    "stop messaging",
    "stop mentioning",
    "stop posting",
    "stop it",
    "stop this",
    "stop bot",
    "don't reply",
    "do not reply",
    "don't answer me",
    "do not answer me",
    "never reply",
    "не отвечай",
    "прекрати",
)
LONGEST_STOP: Final = 4
"""Words. "Stop" alone, or among so few, is meant for the bot; "how do I stop a leak" is not. The phrases count anywhere."""

FIELDS: Final = ("author",)

_REPEAT: Final = re.compile(r"\s*(?:RT|MT|via)\s+@[\w.@-]+\s*:?\s*", re.IGNORECASE)
_MENTION: Final = re.compile(r"(?<!\w)@[\w.-]+(?:@[\w.-]+)?")
_FIELD: Final = re.compile(r"\{\{|\}\}|\{(\w*)\}|[{}]")
_SPACES: Final = re.compile(r"[ \t]{2,}")
_BEFORE_SIGNS: Final = re.compile(r"[ \t]+([,.;:!?])")
_WORD: Final = re.compile(r"\w+")
_LEADING: Final = re.compile(r"^[\s,;:]+")


class Skip(StrEnum):
    """Why a hit was not answered: the names that are stored and shown."""

    OWN = "own"
    SAYS_STOP = "says_stop"
    STOPPED = "stopped"
    HANDLED = "handled"
    SEEDED = "seeded"
    TOO_OLD = "too_old"
    REPOST = "repost"
    BOT = "bot"
    FORBIDDEN = "forbidden"
    NO_MATCH = "no_match"
    EXCLUDED = "excluded"
    LANGUAGE = "language"
    NOT_SUMMONED = "not_summoned"
    CONVERSATION = "conversation"
    COOLDOWN = "cooldown"
    TURNS = "turns"
    COPY = "copy"
    NO_ANSWER = "no_answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRule:
    """What is answered, with what.

    Attributes:
        name: unlike those of the others.
        query: of `core.queries`.
        stream: mentions, filtered by the query here, or what the network's search finds for it.
        answers: templates; none where hits are only posted.
        language: two or three letters, "" for any.
        exclude: words and phrases.
        cooldown: of one author.
        max_age: of a hit.
        most_per_day: answers and reposts of this rule on a UTC day; what is over waits for the next.
        post: whether hits that say nothing said before are posted on, as reposts.
        every: how often it is read.
        pages: the most that is read at once.
        daily_micros: what reading may cost on a UTC day, in micro-dollars.
    """

    name: str
    query: str
    stream: Stream
    answers: tuple[str, ...]
    language: str = ""
    exclude: tuple[str, ...] = ()
    cooldown: timedelta = timedelta(days=1)
    max_age: timedelta = timedelta(days=1)
    most_per_day: int = 20
    post: bool = False
    every: timedelta = timedelta(minutes=5)
    pages: int = 1
    daily_micros: int = 500_000

    @property
    def parsed(self) -> Group:
        """The query, read. Raises QueryFault."""
        return parse_query(self.query, local=self.stream is Stream.MENTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a hit, its author and its conversation before it is judged.

    Attributes:
        account: the bot's own id.
        handled: whether the hit, or the post that it repeats, was answered or queued to be.
        conversation: whether somebody in its conversation was.
        stopped: whether its author said stop, once.
        last_answer: to its author, None for none.
        turns: answers to its author in the last `MONTH`.
        copy_of: the hit that was answered and says nearly the same, None for none.
        since: when the stream was looked at first.
        stop_words: what the owner counts as a stop, beside `STOP`.
    """

    account: str
    handled: bool = False
    conversation: bool = False
    stopped: bool = False
    last_answer: datetime | None = None
    turns: int = 0
    copy_of: str | None = None
    since: datetime | None = None
    stop_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """It is not answered; `detail` says so to a person."""

    reason: Skip
    detail: str


def stands_against(hit: Hit, facts: Facts, now: datetime, longest: timedelta) -> Skipped | None:
    """Return what stands against any answer to a hit, whatever rule would give it; None for nothing.

    `longest` is the greatest `max_age` of the rules.
    """
    checks = (
        (hit.author == facts.account, Skip.OWN, "it is the bot's own"),
        (
            hit.mentions_us and says_stop(hit.text, facts.stop_words),
            Skip.SAYS_STOP,
            "its author says stop, and is not answered any more",
        ),
        (facts.stopped, Skip.STOPPED, "its author said stop before"),
        (facts.handled, Skip.HANDLED, "it, or what it repeats, was answered already"),
        (
            facts.since is not None and hit.created_at < facts.since,
            Skip.SEEDED,
            "it was there before the bot first looked",
        ),
        (hit.created_at < now - longest, Skip.TOO_OLD, "it is too old for an answer"),
        (hit.original is not None, Skip.REPOST, "it repeats another's post: a repost is not answered"),
        (hit.by_bot, Skip.BOT, "its author's account is marked as a bot"),
        (bool(hit.forbidden), Skip.FORBIDDEN, hit.forbidden),
        (facts.conversation, Skip.CONVERSATION, "its conversation has an answer of the bot already"),
    )
    return next((Skipped(reason=reason, detail=detail) for so, reason, detail in checks if so), None)


def not_asked(  # noqa: PLR0911 - a list of reasons
    hit: Hit, rule: AnswerRule, facts: Facts, now: datetime
) -> Skipped | None:
    """Return what stands against an answer by this rule, None for nothing; `stands_against` was asked before."""
    if (word := holds_any(hit.text, rule.exclude)) is not None:
        return Skipped(reason=Skip.EXCLUDED, detail=f"{rule.name} leaves out what holds “{word}”")
    if rule.stream is Stream.MENTIONS and not matches(rule.parsed, hit):
        return Skipped(reason=Skip.NO_MATCH, detail=f"it is not what {rule.name} looks for")
    if rule.language and hit.language and hit.language.partition("-")[0] != rule.language:
        return Skipped(reason=Skip.LANGUAGE, detail=f"{rule.name} answers in “{rule.language}” only")
    if rule.stream is Stream.MENTIONS and not hit.mentions_us:
        return Skipped(reason=Skip.NOT_SUMMONED, detail="it does not name the bot")
    if hit.created_at < now - rule.max_age:
        return Skipped(reason=Skip.TOO_OLD, detail="it is too old for an answer")
    if facts.last_answer is not None and now < facts.last_answer + rule.cooldown:
        return Skipped(
            reason=Skip.COOLDOWN, detail=f"its author was answered at {facts.last_answer:%Y-%m-%d %H:%M} UTC"
        )
    if facts.turns >= MOST_IN_A_MONTH:
        return Skipped(
            reason=Skip.TURNS,
            detail=f"its author was answered {facts.turns} times in 30 days: a loop, perhaps",
        )
    if facts.copy_of is not None:
        return Skipped(reason=Skip.COPY, detail=f"it says what {facts.copy_of} says, which was answered")
    if not rule.answers:
        return Skipped(reason=Skip.NO_ANSWER, detail=f"{rule.name} has no answers")
    return None


def says_stop(text: str, more: Collection[str] = ()) -> bool:
    """Say whether somebody asks not to be answered any more; `more` are words of the owner's for it."""
    own = _MENTION.sub(" ", text)
    if holds_any(own, (*STOP_PHRASES, *more)) is not None:
        return True
    return len(_WORD.findall(own)) <= LONGEST_STOP and holds_any(own, STOP) is not None


def own_words(text: str) -> str:
    """Return what a post itself says: without the mark of a repeat and without whom it names."""
    return _MENTION.sub(" ", _REPEAT.sub(" ", text)).strip()


def is_comparable(text: str) -> bool:
    """Say whether nearly the same words of another account are a copy of this text, and no common courtesy."""
    return bool(_REPEAT.match(text)) or len(_WORD.findall(own_words(text))) >= FEWEST_WORDS


def check_answer(template: str) -> list[str]:
    """List what is wrong with the template of an answer, in sentences for its author."""
    faults = []
    for match in _FIELD.finditer(template):
        if match[0] in {"{{", "}}"} or match[1] in FIELDS:
            continue
        known = ", ".join(f"{{{name}}}" for name in FIELDS)
        faults.append(f"{match[0]} is no field; known are {known}, and {{{{ is a brace")
    if not faults and not _FIELD.sub("", template).strip():
        faults.append("it says nothing of its own")
    return faults


def render(template: str, *, author: str) -> str:
    """Return an answer with the name of whom it is for, "" where nobody knows it; an empty field leaves no gap."""

    def put(match: re.Match[str]) -> str:
        return match[0][0] if match[0] in {"{{", "}}"} else author

    text = _BEFORE_SIGNS.sub(r"\1", _SPACES.sub(" ", _FIELD.sub(put, template)))
    return _LEADING.sub("", text).strip()


def in_turn(rendered: Sequence[str], turn: int, said: Collection[str]) -> str:
    """Return the answer whose turn it is: from `turn` on, the first that is not in `said`, else the one of the turn."""
    order = [rendered[(turn + step) % len(rendered)] for step in range(len(rendered))]
    return next((text for text in order if text not in said), order[0])
