"""Clean, harmless, short: what is promised of every text, and examples worth knowing."""

from __future__ import annotations

import time
import unicodedata

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.url_grammar import find_urls
from bot.core.weighted_length import measure, sendable
from bot.core.wording import clean, hashtag, neutralise, shorten
from bot.core.x_entities import find_cashtags, find_hashtags, find_mentions

TOKENS = [
    *(
        "@",
        "#",
        "$",
        "＠",
        "＃",
        "@bob",
        "#tag",
        "$TSLA",
        "RT ",
        "rt:",
        "a",
        "word ",
        "é",
        "e\u0301",
        "\u0301",
    ),
    *(
        "http://",
        "https://a.co/@x#y",
        "foo.com",
        ".co",
        "README.md",
        "日本語",
        "한국",
        "мир ",
        "עברית",
        "แมว",
    ),
    *(
        "👨\u200d👩\u200d👧",
        "😀",
        "🇺🇸",
        "1\ufe0f\u20e3",
        "\u200b",
        "\u200d",
        "\u202e",
        "\u2066",
        "\ufeff",
        "\uffff",
    ),
    *(
        "\ud800",
        "\x00",
        "\t",
        "\n",
        "\u3000",
        "\u3164",
        "…",
        ".",
        ":",
        "/",
        "_",
        "-",
        "&",
        " ",
        "(",
        ")",
        "!",
    ),
]
texts = st.lists(st.sampled_from(TOKENS) | st.text(max_size=4), max_size=30).map("".join)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (" two\r\n lines\tand\u00a0more \u2028", "two lines and more"),
        ("evil\u202egnp.exe\u202c \u2066x\u2069", "evilgnp.exe x"),
        ("so\u00adft\u200b\ufeff\ufffe\x07 hy\ud800phen", "soft hyphen"),
        ("Cafe\u0301", "Café"),
        ("cafe\u200b\u0301", "café"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d💻 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", None),
        ("hidden\U000e0068\U000e0069", "hidden"),
        ("\u200e\u3164 \u115f\u0301", ""),
        ("A title about <script> & &amp;", "A title about <script> & &amp;"),
    ],
)
def test_clean(text, cleaned):
    assert clean(text) == (text if cleaned is None else cleaned)


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("@elonmusk tells @xai's staff", "elonmusk tells xai's staff"),
        ("RT@user: .@user1 (@user2)", "RTuser: .user1 (user2)"),
        ("the #MeToo movement, ＃日本 and #1", "the MeToo movement, 日本 and #1"),
        ("C# and F# on bus #16", "C# and F# on bus #16"),
        ("mail me@example.com or @me@example.social", "mail me@example.com or @me@example.social"),
        ("$TSLA up, $AAPL down, ($BTC.X) flat", "$TSLA up, AAPL down, (BTC.X) flat"),
        ("US$5 and A$AP and $5", "US$5 and A$AP and $5"),
        ("$ABC and $RBS.CA", "$ABC and RBS․CA"),
        ("@test.com and #foo.co/path", "test․com and foo․co/path"),
        ("https://a.com/@user/#x by @user", "https://a.com/@user/#x by user"),
    ],
)
def test_neutralise(text, harmless):
    assert neutralise(text) == harmless


def test_what_is_ours_stands():
    assert neutralise("@us @them", "1110" + "0" * 5) == "@us them"
    assert neutralise("$A $B", "00011") == "A $B"


@pytest.mark.parametrize(
    ("text", "room", "cut"),
    [
        ("fits", 4, "fits"),
        ("The quick brown fox", 18, "The quick brown…"),
        ("The quick, brown", 13, "The quick…"),
        ("Donaudampfschifffahrtsgesellschaft", 12, "Donaudampf…"),
        ("東京で大きな地震", 11, "東京で大…"),
        ("👨\u200d👩\u200d👧👨\u200d👩\u200d👧👨\u200d👩\u200d👧", 5, "👨\u200d👩\u200d👧…"),
        ("नमस्ते दुनिया", 8, "नमस्ते…"),
        ("see https://example.com/a/long/path for more", 30, "see https://example.com/a/long/path…"),
        ("see https://example.com/a/long/path for more", 20, "see…"),
        ("foo.community", 12, ""),
        ("about foo.comxxxxxx", 15, "about…"),
        ("a" + "\u0323" * 300, 5, "a…"),
        ("no room", 2, ""),
        ("see a.co/(a.co/(a.co/(a.co/ and more", 58, "see a.co/(a.co/…"),  # the end of a link does not dangle
        ("(a.co)(b.co)(c.co) and more", 60, "(a.co)(b.co)…"),
    ],
)
def test_shorten(text, room, cut):
    assert shorten(text, room) == cut


@pytest.mark.parametrize(
    ("words", "tag"),
    [
        ("news", "#news"),
        ("#News", "#News"),
        ("##news", "#news"),
        ("Arts & Culture", "#ArtsCulture"),
        ("climate-change", "#ClimateChange"),
        ("UK news / London", "#UKNewsLondon"),
        ("Women’s Health", "#WomensHealth"),
        ("R&D", "#RD"),
        ("U.S. politics", "#USPolitics"),
        ("C++", "#CPlusPlus"),
        ("C#", "#CSharp"),
        ("экономика россии", "#ЭкономикаРоссии"),
        ("日本", "#日本"),
        ("snake_case", "#snake_case"),
        ("✌️ peace", "#peace"),
        ("2026", ""),
        ("_", ""),
        ("", ""),
        ("🔥", ""),
        ("a category that is a whole sentence about everything in the world", ""),
    ],
)
def test_hashtag(words, tag):
    assert hashtag(words) == tag


@given(texts)
@example("\u0301 a")
@example("a\u200b\u0301")
def test_clean_is_one_sendable_line_and_settled(text):
    line = clean(text)
    assert clean(line) == line
    assert sendable(line)
    assert unicodedata.is_normalized("NFC", line)
    assert line == " ".join(line.split())


@given(texts)
@example("@#foo")
@example("#@#@a")
@example("@$A.CO @$B.CO")
@example("http://@foo.com")
@example("HTTPS://@foo.com/a@b.com")
def test_neutralised_text_acts_no_more(text):
    harmless = neutralise(clean(text))
    urls = find_urls(harmless)

    def outside(spans):
        return [span for span in spans if not any(url.start <= span[0] < url.end for url in urls)]

    assert outside(find_mentions(harmless)) == []
    assert outside(find_hashtags(harmless)) == []
    assert len(outside(find_cashtags(harmless))) <= 1
    assert neutralise(harmless) == harmless
    assert len(urls) <= len(find_urls(clean(text)))


@given(texts, st.integers(0, 60))
def test_shortened_text_fits_and_begins_the_text(text, room):
    line = clean(text)
    cut = shorten(line, room)
    assert measure(cut).weight <= room
    if cut not in {line, ""}:
        kept = cut.removesuffix("…")
        assert line.startswith(kept)
        assert kept
        known = {(url.url, url.start) for url in find_urls(line)}
        assert {(url.url, url.start) for url in find_urls(cut)} <= known
        edges = {match.end() for match in regex.finditer(r"\X", line)}
        assert len(kept) in edges or len(kept) == 1


@given(texts)
def test_a_hashtag_is_one_to_x(words):
    tag = hashtag(words)
    if tag:
        assert list(find_hashtags(tag)) == [(0, len(tag))]
        assert hashtag(tag) == tag


@pytest.mark.parametrize(
    "pattern", ["com.a.co:#a ", "@a.co ", "a.co/(", "#a ", "$A ", "@", "#@", "\u0f73a.co "]
)
@pytest.mark.parametrize("work", [neutralise, lambda text: shorten(text, len(text) // 2), clean])
def test_time_is_linear_in_the_text(work, pattern):
    def cost(size):
        text = (pattern * size)[:size]
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            work(text)
            best = min(best, time.process_time() - start)
        return best

    assert cost(32_768) < max(cost(4_096) * 24, 0.05)
