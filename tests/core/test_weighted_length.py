"""X's own conformance vectors, and what holds of every text."""

from __future__ import annotations

import json
import time
import unicodedata
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.core.url_grammar import find_urls
from bot.core.weighted_length import MAX_WEIGHT, URL_WEIGHT, measure, weigh_plain

VECTORS = Path(__file__).parents[1] / "data" / "twitter_text"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def vectors(name):
    return yaml.load((VECTORS / name).read_text(encoding="utf-8"), Loader=LOADER)["tests"]  # noqa: S506  a safe loader, the quick one where there is one


def cases(name, *groups):
    return [
        pytest.param(entry["text"], entry["expected"], id=f"{group}: {entry['description']}")
        for group, entries in vectors(name).items()
        if group in groups
        for entry in entries
    ]


WEIGHTED = ("WeightedTweetsCounterTest",)
DISCOUNTED = ("WeightedTweetsWithDiscountedEmojiCounterTest", "UnicodeDirectionalMarkerCounterTest")


@pytest.mark.parametrize(("text", "expected"), cases("validate.yml", *WEIGHTED))
def test_weight_by_configuration_2(text, expected):
    measured = measure(text, discount_emoji=False)
    assert (measured.weight, measured.valid) == (expected["weightedLength"], expected["valid"])


@pytest.mark.parametrize(("text", "expected"), cases("validate.yml", *DISCOUNTED))
def test_weight_by_configuration_3(text, expected):
    measured = measure(text)
    assert (measured.weight, measured.valid) == (expected["weightedLength"], expected["valid"])


@pytest.mark.parametrize(("text", "expected"), cases("extract.yml", "urls", "tco_urls_with_params"))
def test_links(text, expected):
    assert [url.url for url in measure(text).urls] == expected


@pytest.mark.parametrize(
    ("text", "expected"), cases("extract.yml", "urls_with_indices", "urls_with_directional_markers")
)
def test_links_and_their_places(text, expected):
    assert [{"url": url.url, "indices": list(url.indices)} for url in measure(text).urls] == expected


@pytest.mark.parametrize("group", ["country", "generic"])
def test_every_top_level_domain(group):
    entries = vectors("tlds.yml")[group]
    assert len(entries) > 300
    missed = [
        entry["text"]
        for entry in entries
        if [u.url for u in measure(entry["text"]).urls] != entry["expected"]
    ]
    assert missed == []


@pytest.mark.parametrize(("name", "discount"), [("v2.json", False), ("v3.json", True)])
def test_the_tables_are_those_of_the_configuration(name, discount):
    table = json.loads((VECTORS / "config" / name).read_text(encoding="utf-8"))
    assert table["maxWeightedTweetLength"] == MAX_WEIGHT
    assert table["transformedURLLength"] == URL_WEIGHT
    assert table.get("emojiParsingEnabled", False) == discount
    ranges = [(each["start"], each["end"], each["weight"] // table["scale"]) for each in table["ranges"]]
    edges = {point + step for start, end, _ in ranges for point in (start, end) for step in (-1, 0, 1)}
    for point in sorted((edges | {0x4E2D, 0x2026, 0x20AC, 0x10FFFF}) - {-1}):
        expected = next(
            (w for start, end, w in ranges if start <= point <= end), table["defaultWeight"] // 100
        )
        assert weigh_plain(chr(point), discount_emoji=discount) == expected, hex(point)


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("©", 1),
        ("©\ufe0f", 2),
        ("⚡\ufe0f", 2),
        ("😀\ufe0f", 4),  # no such sequence: the selector is counted by itself
        ("👩\u200d💻", 2),
        ("🕵🏽\u200d♀\ufe0f", 2),
        ("🇺🇸", 2),
        ("🇦🇦", 4),  # no such flag
        ("🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", 2),
        ("#\ufe0f\u20e3", 2),
        ("✌\ufe0e", 4),
        ("…", 2),
        ("“—”", 3),
        ("Привет", 6),
        ("한국", 4),
    ],
)
def test_weights_worth_knowing(text, weight):
    assert measure(text).weight == weight


@pytest.mark.parametrize("text", ["", "a\ufeffb", "a\ufffeb", "a\uffffb", "a\ud800b", "x" * 281])
def test_what_x_refuses(text):
    assert not measure(text).valid


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("read README.md and ASP.NET or node.js", ["README.md", "ASP.NET"]),
        ("mail to john@example.com", []),
        ("example.com:8080/path example.com:8080", ["example.com:8080/path", "example.com"]),
        ("example.com?a=b http://example.com?a=b", ["example.com", "http://example.com?a=b"]),
        ("http://example.com/a,(b)", ["http://example.com/a"]),
        (
            "http://example.com/a(b)(c) (http://example.com/d)",
            ["http://example.com/a(b)(c)", "http://example.com/d"],
        ),
        ("http://example.com/(a(b)c", ["http://example.com/"]),
        ("test_underscore.twitter.com", ["underscore.twitter.com"]),
        ("éa.com xéa.com", ["a.com", "xéa.com"]),  # the oddity of the first character
        (".a.com", []),
        ("http://пример.рф/Путь http://ПРИМЕР.РФ", ["http://пример.рф/Путь", "http://ПРИМЕР.РФ"]),
        ("http://example.भारतम् http://example.भारत", ["http://example.भारतम्", "http://example.भारत"]),
        ("https://T.CO/abc?x=1.. HTTPS://t.co/abc.", ["https://T.CO/abc?x=1", "HTTPS://t.co/abc"]),
        ("shttp://a.com $a.com @a.com #a.com", []),
        ("＠a.com ＃b.com", ["a.com", "b.com"]),  # an oddity: a full-width sign is part of the host
        ("http://" + "a" * 63 + ".com http://" + "a" * 64 + ".com", ["http://" + "a" * 63 + ".com"]),
        ("http://localhost/x http://10.0.0.1/x", []),
    ],
)
def test_links_worth_knowing(text, urls):
    assert [url.url for url in measure(text).urls] == urls


def test_indices_are_those_of_the_text_as_given():
    text = "😀 Cafe\u0301 e\u0301.example.com/x end"
    (url,) = measure(text).urls
    assert text[url.start : url.end] == url.url == "e\u0301.example.com/x"


TOKENS = [
    *(
        "a",
        "foo",
        "com",
        "co.jp",
        "みんな",
        "рф",
        "日本",
        "é",
        "\u0301",
        "xn--",
        "t.co/",
        "http://",
        "https://",
    ),
    *("\u200b", "\u202a", "\ufeff", "😀", "👨\u200d👩\u200d👧", "1\u20e3"),
    *"..../_-@#$()?=&,!%' \n\"",
]
texts = st.lists(st.sampled_from(TOKENS) | st.text(max_size=3), max_size=24).map("".join)


@given(texts)
def test_links_lie_apart_and_are_their_text(text):
    at = 0
    for url in find_urls(text):
        assert at <= url.start < url.end <= len(text)
        assert text[url.start : url.end].startswith(url.url.split("/")[0])
        at = url.end


@given(texts)
def test_weight_is_of_the_normalized_text(text):
    measured = measure(text)
    assert measured.weight == measure(unicodedata.normalize("NFC", text)).weight
    assert measured.weight <= measure(text, discount_emoji=False).weight
    assert measured.valid <= (0 < measured.weight <= MAX_WEIGHT)


ADVERSARIAL = [
    "example.example.", "a.", "a_b.", "http://http://", "a.co ", "((((", "a.co/(a(", "a.co/(,b.co,", "a.co/,,",
    "a.co?!!", "日本語.", "日本語日本語日本語日本語.com ", "a.みんな", "👨\u200d", "\u0301\u0316", "\u0f73",
    "@", "#", "-.-.", "🇺🇸", "🇦", "a.co:", "t.co/a ", "$A ", "xn--a.", "..a",
]  # fmt: skip


@pytest.mark.parametrize("pattern", ADVERSARIAL)
def test_time_is_linear_in_the_text(pattern):
    def cost(size):
        text = (pattern * size)[:size]
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            measure(text)
            best = min(best, time.process_time() - start)
        return best

    small, large = cost(4_096), cost(32_768)
    assert large < max(small * 24, 0.02), (
        "eight times the text takes 64 times as long where work is quadratic"
    )


def test_sixteen_kilobytes_of_domains_are_measured_at_once():
    text = ("example." * 2048)[:16_384]
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        measure(text)
        best = min(best, time.process_time() - start)
    assert best < 0.05
