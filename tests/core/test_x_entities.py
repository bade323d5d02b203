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
