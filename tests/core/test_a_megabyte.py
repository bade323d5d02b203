"""No megabyte takes the engine over a second, whatever it is made of."""

from __future__ import annotations

import json
import time

import pytest

from bot.core.bodies import sign_body
from bot.core.canonize import canonize
from bot.core.classic import edit_distance, ranking_words
from bot.core.classic_verdict import classic_text
from bot.core.dedupe import Level
from bot.core.headlines import segments
from bot.core.pairs import judge_pair, read_pair
from bot.core.signature import sign

MEGABYTE = 1_000_000
UNITS = {
    "one word": "x",
    "digits": "1",
    "groups of digits": "1 800 ",
    "emoji": "🔥",
    "family emoji": "👨\u200d👩\u200d👧",
    "marks in disorder": "\u0301\u0316\u0327",
    "half-width kana": "ｶ\uff9e",
    "entities": "&amp;amp;",
    "entities without their ends": "&a",
    "one Cyrillic letter in entities": "&#1234;",
    "tags": "<div>",
    "open tags": "<a",
    "brackets": "<",
    "escaped brackets": "&lt;",
    "comments": "<!--",
    "Markdown": "[a](",
    "Chinese": "中国总理宣布",
    "Thai": "น้ำ",
    "signs": "!",
    "letters with points": "a.",
    "sentences": "a. ",
    "newlines": "\n",
    "spaces": " ",
    "spaces and newlines": " \n\t",
    "bars": " | x",
    "links": "https://example.com/a?b=c ",
    "bare links": "t.me/",
    "prefixes": "BREAKING: ",
    "retweets": "RT @a: ",
    "ligatures": "ﷺ",
    "prose": "Prime minister resigns after scandal over 1,800 contracts. ",
    "Russian prose": "Мэр заявил о новых дорогах за 1,8 млн рублей. ",
}


def timed(door, text: str) -> float:
    started = time.process_time()
    door(text)
    return time.process_time() - started


def slowest(unit: str, size: int) -> dict[str, float]:
    """The computing of each door, the lesser of two: neighbours of a busy machine only add to it."""
    text = unit * (size // len(unit.encode()))
    took = {}
    for name, door in DOORS.items():
        took[name] = min(timed(door, text) for _ in range(2))
    return took


def a_pair(text: str) -> bool:
    third = text[: len(text) // 6]
    sides = [{"title": third + end, "summary": third + end, "body": third + end} for end in ("", " z")]
    line = json.dumps({"a": sides[0], "b": sides[1]}, ensure_ascii=False).encode()
    return judge_pair(read_pair(line), Level.BALANCED).is_duplicate


def signed(text: str) -> object:
    return sign(text, text, text, feed_title="The Port", boilerplate=frozenset({"a"}))


DOORS = {
    "canonize": canonize,
    "sign": signed,
    "body": sign_body,
    "lines": segments,
    "classic form": lambda text: classic_text("", text),
    "word share": ranking_words,
    "edit distance": lambda text: edit_distance(text, f"z{text}"),
    "pair": a_pair,
}


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_a_megabyte_takes_less_than_a_second(unit):
    assert {name: took for name, took in slowest(unit, MEGABYTE).items() if took >= 1} == {}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_nor_does_a_tenth_of_it_take_long(unit):
    """The faults that were found here took a hundred times as long for ten times the text."""
    assert {name: took for name, took in slowest(unit, MEGABYTE // 10).items() if took >= 0.5} == {}
