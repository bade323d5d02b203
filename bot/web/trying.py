"""Try-it boxes: what the bot would say to a text, and what the engine would say of one. Nothing is kept, and nobody is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.answer_trials import hit_of, tried
from bot.configured import rules_of
from bot.core.classic_verdict import Method
from bot.core.dedupe import Level
from bot.core.model import Entry, Step
from bot.core.pairs import Pair, judge_pair
from bot.pipeline import FeedRules, Judge
from bot.tuning.in_use import TablesInUse
from bot.web.rendering import marked, words_of

if TYPE_CHECKING:
    from markupsafe import Markup

    from bot.answer_trials import Trial
    from bot.config import Config
    from bot.core.pairs import PairVerdict
    from bot.store import Store
    from bot.store.entries import StoredEntry
    from bot.web.pages import Visit

NEW_FEED: Final = "(another feed)"
"""The source of a text that comes from none of the configured feeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """What the engine says of a text, held against all that the bot has kept.

    Attributes:
        skipped: whether it would be skipped as a repeat.
        asks: whether a person would be asked.
        steps: as `why` tells them.
        of: the entry that it repeats, or its nearest miss, None where nothing is alike.
        title: of that entry, its differing words marked.
    """

    skipped: bool
    asks: bool
    steps: tuple[Step, ...]
    of: StoredEntry | None
    title: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one level says of a text after another."""

    level: Level
    verdict: PairVerdict


def answers_to(visit: Visit, store: Store) -> list[Trial]:
    """Return what the reply rules make of the text that was given, at each destination; empty without a text or rules."""
    text = visit.asked.get("say", "").strip()
    if not text:
        return []
    hit = hit_of(text, visit.now, mentions_us=visit.asked.get("unnamed") != "1")
    config = visit.desk.config
    return [one for each in config.destinations for one in tried(config, each, store, hit, visit.now)]


def likeness_of(visit: Visit, store: Store) -> Likeness | None:
    """Return what the engine says of the title and summary that were given, None without any."""
    entry = _given(visit, "title", "summary", visit.asked.get("of_feed", "") or NEW_FEED)
    if entry is None:
        return None
    config = visit.desk.config
    trace: list[Step] = []
    judge = _judge(config, store)
    rules = next((rules_of(one) for one in config.feeds if one.name == entry.feed), None)
    found = judge.near(
        entry, rules or FeedRules(name=entry.feed, url=""), visit.now, trace, feed_title=entry.feed
    )
    number = next((step.numbers["entry"] for step in trace if "entry" in step.numbers), None)
    of = store.entries.get(int(number)) if number is not None else None
    return Likeness(
        skipped=found.duplicate is not None,
        asks=found.doubt is not None,
        steps=tuple(trace),
        of=of,
        title=marked(of.entry.label if of else "", words_of(entry.label)),
    )


def sides_of(visit: Visit, store: Store) -> list[Side]:
    """Return what each level says of the text after the other one that was given; empty unless both were."""
    later = _given(visit, "title", "summary", visit.asked.get("of_feed", "") or NEW_FEED)
    earlier = _given(visit, "other", "", "(the other text's feed)")
    if later is None or earlier is None:
        return []
    pair = Pair(a=earlier, b=later, a_seen=visit.now, b_seen=visit.now)
    return [
        Side(level=level, verdict=judge_pair(pair, level, by_keys=False, tables=TablesInUse(store, level)()))
        for level in Level
    ]


def _given(visit: Visit, title: str, summary: str, feed: str) -> Entry | None:
    words = [visit.asked.get(name, "").strip() for name in (title, summary)]
    return Entry(feed=feed, title=words[0], summary=words[1], published=visit.now) if any(words) else None


def _judge(config: Config, store: Store) -> Judge:
    """Return a judge as the bot has it."""
    level = Level(config.dedup.level)
    return Judge(
        store,
        level,
        TablesInUse(store, level),
        method=Method(config.dedup.method),
        asks=config.dedup.grey == "hold",
    )
