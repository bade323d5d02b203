"""X's own conformance vectors for mentions, hashtags and cashtags."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bot.core.url_grammar import find_urls
from bot.core.x_entities import find_cashtags, find_hashtags, find_mentions

VECTORS = Path(__file__).parents[1] / "data" / "twitter_text" / "extract.yml"
GROUPS = {
    "mentions": find_mentions,
    "mentions_with_indices": find_mentions,
    "mentions_or_lists_with_indices": find_mentions,
    "hashtags": find_hashtags,
    "hashtags_from_astral": find_hashtags,
    "hashtags_with_indices": find_hashtags,
    "cashtags": find_cashtags,
    "cashtags_with_indices": find_cashtags,
}
CASES = [
    pytest.param(find, entry["text"], entry["expected"], id=f"{group}: {entry['description']}")
    for group, entries in yaml.safe_load(VECTORS.read_text(encoding="utf-8"))["tests"].items()
    if (find := GROUPS.get(group))
    for entry in entries
]


@pytest.mark.parametrize(("find", "text", "expected"), CASES)
def test_conformance(find, text, expected):
    urls = find_urls(text)
    spans = [span for span in find(text) if not any(url.start <= span[0] < url.end for url in urls)]
    if expected and isinstance(expected[0], dict):
        assert [list(span) for span in spans] == [each["indices"] for each in expected]
    else:
        assert [text[start + 1 : end] for start, end in spans] == expected


@pytest.mark.parametrize(
    ("find", "group"),
    [(find_mentions, "usernames"), (find_mentions, "lists"), (find_hashtags, "hashtags")],
)
def test_what_is_one_and_nothing_else(find, group):
    path = VECTORS.with_name("validate.yml")
    for entry in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"][group]:
        whole = list(find(entry["text"])) == [(0, len(entry["text"]))]
        is_list = group != "lists" or "/" in entry["text"]
        assert (whole and is_list) == entry["expected"], entry["description"]


@pytest.mark.parametrize(
    ("find", "text", "spans"),
    [
        (find_mentions, "RT@one: rt @two, RT:@three", [(2, 6), (11, 15), (20, 26)]),
        (find_mentions, "meet@the beach, @aliceì, @_@ and ＠full", [(33, 38)]),
        (find_mentions, "@twenty_characters_long_names", [(0, 21)]),
        (find_hashtags, "#漢字」カ「#カタカナ　#ﾊｯｼｭﾀｸﾞ123", [(0, 3), (6, 11), (12, 23)]),
        (find_hashtags, "&#nbsp; a#b #1234 #dodge/#answer ＃full", [(18, 24), (25, 32), (33, 38)]),
        (find_hashtags, "\u200eمرحبا #هاشتاق\u200f #תגית", [(7, 14), (16, 21)]),
        (find_hashtags, "#don't #1\ufe0f\u20e3 #\ufe0f\u20e3 #ok", [(0, 4), (7, 11), (16, 19)]),
        (find_cashtags, "$STOCK $Stock.A $LONGTICKER $123 a$B $C!", [(0, 6), (7, 15), (37, 39)]),
    ],
)
def test_entities_worth_knowing(find, text, spans):
    assert list(find(text)) == spans
