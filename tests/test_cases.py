"""Faults that users of feed bots reported, each a file in tests/data/cases that carries its own expectation.

A case is a series of polls. `at` is hours after the start; an item's `born` is its date in hours after the start
(left out: undated). `fresh` lists the titles that are posted, `reasons` counts the verdicts by reason (an
empty table: nothing was seen for the first time), `held` how many wait.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from bot.config import parse_duration, parse_take
from bot.core.dedupe import Level
from bot.core.filters import Patterns
from bot.core.identity import DedupKey
from bot.pipeline import FeedRules, Judge, Pipeline
from bot.sources.collect import Address, Failed, Validators, read_body
from bot.store import Store

CASES = sorted((Path(__file__).parent / "data" / "cases").glob("*.toml"))
START = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_case(path: Path) -> None:
    case = tomllib.loads(path.read_text(encoding="utf-8"))
    with Store.in_memory() as store:
        pipeline = Pipeline(store, Judge(store, Level(case.get("level", "balanced"))), ["x"])
        posted = 0
        for number, poll in enumerate(case["poll"]):
            for again in range(poll.get("times", 1)):
                report = one_poll(pipeline, store, case, poll, again)
                where = f"poll {number + 1}.{again + 1}"
                titles = [
                    d.entry.title or d.entry.summary for d in report.decisions if d.verdict.kind == "fresh"
                ]
                fresh = poll.get("fresh", [])
                assert len(titles) == fresh if isinstance(fresh, int) else sorted(titles) == sorted(fresh), (
                    where
                )
                counted = Counter(
                    str(d.verdict.reason) for d in report.decisions if d.verdict.kind != "fresh"
                )
                if "reasons" in poll:
                    assert counted == poll["reasons"], where
                assert sum(d.verdict.kind == "held" for d in report.decisions) == poll.get("held", 0), where
                assert len(report.notices) == poll.get("notices", 0), where
                assert bool(report.fault) == poll.get("fault", False), where
                posted += len(titles)
        assert len(store.outbox.rows(limit=10_000)) == posted


def one_poll(pipeline: Pipeline, store: Store, case: dict[str, Any], poll: dict[str, Any], again: int):
    feed = poll.get("feed", "a")
    rules = rules_of(feed, {**case.get("rules", {}), **case.get("rules_of", {}).get(feed, {})})
    now = START + timedelta(hours=poll["at"] + again * poll.get("every", 1))
    if "fails" in poll:
        return pipeline.absorb(rules, Failed(fault=poll["fails"]), now)
    items = [*poll.get("items", []), *many(poll.get("many", {}))]
    if again % 2:
        items = [{**item, **poll.get("odd", {})} for item in items]
    body = poll["body"].encode() if "body" in poll else rss(items, again).encode()
    known = store.sources.get(feed)
    validators = Validators(body_hash=known.body_hash if known else None)
    collected = read_body(Address(feed=feed, url=f"https://{feed}.example/rss"), body, known=validators)
    return pipeline.absorb(rules, collected, now)


def rules_of(feed: str, keys: dict[str, Any]) -> FeedRules:
    rules = FeedRules(name=feed, url=f"https://{feed}.example/rss")
    readers = {
        "first_run": parse_take,
        "catch_up": parse_take,
        "max_age": parse_duration,
        "repost_after": parse_duration,
        "dedup_key": DedupKey,
        "exclude": lambda pattern: Patterns(title=(re.compile(pattern, re.IGNORECASE),)),
    }
    return replace(rules, **{key: readers[key](value) for key, value in keys.items()})


def many(template: dict[str, Any]) -> list[dict[str, Any]]:
    """Return `count` items from a template whose texts may hold {n} and {word} (unlike for each n)."""
    items = []
    for n in range(template.get("first", 0), template.get("first", 0) + template.get("count", 0)):
        word = WORDS[n % len(WORDS)] + WORDS[(n // len(WORDS)) % len(WORDS)]
        item = {
            key: value.format(n=n, word=word) for key, value in template.items() if isinstance(value, str)
        }
        if "born" in template:
            item["born"] = template["born"] - n * template.get("apart", 1)
        items.append(item)
    return items


WORDS = [
    "oak",
    "elm",
    "ash",
    "fir",
    "yew",
    "bay",
    "fig",
    "nut",
    "hop",
    "rye",
    "oat",
    "pea",
    "bee",
    "owl",
    "elk",
    "cod",
]


def rss(items: list[dict[str, Any]], again: int) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<rss version="2.0" xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0"><channel>'
        "<title>A feed</title><link>https://a.example/</link><description/>"
        + "".join(f"<item>{item_xml(item, again)}</item>" for item in items)
        + "</channel></rss>"
    )


def item_xml(item: dict[str, Any], again: int) -> str:
    parts = []
    for key, tag in (
        ("id", "guid"),
        ("link", "link"),
        ("title", "title"),
        ("text", "description"),
        ("orig", "feedburner:origLink"),
    ):
        if key in item:
            value = escape(str(item[key]).replace("{again}", str(again)))
            attributes = ' isPermaLink="false"' if tag == "guid" else ""
            parts.append(f"<{tag}{attributes}>{value}</{tag}>")
    if "born" in item:
        parts.append(f"<pubDate>{format_datetime(START + timedelta(hours=item['born']))}</pubDate>")
    return "".join(parts)
