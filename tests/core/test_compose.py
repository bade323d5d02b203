"""What goes out: cases as data, and what holds of every entry through every template."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import regex
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.core.compose import DEFAULT_TEMPLATE, MIN_LIMIT, compose, composed
from bot.core.model import Entry
from bot.core.readable_links import readable_link
from bot.core.template import FIELDS, check_template
from bot.core.url_grammar import find_urls
from bot.core.weighted_length import measure, sendable
from bot.core.wording import clean
from bot.core.x_entities import find_cashtags, find_hashtags, find_mentions

TITLES = Path(__file__).parents[1] / "data" / "compose" / "titles.yml"
CASES = yaml.safe_load(TITLES.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["about"]) for case in CASES])
def test_titles_that_broke_other_bots(case):
    entry = Entry(
        feed="Example",
        title=case.get("title", ""),
        summary=case.get("summary", ""),
        link=case.get("link", "https://example.com/a"),
        categories=tuple(case.get("categories", ())),
    )
    post = compose(
        entry,
        template=case.get("template", DEFAULT_TEMPLATE),
        hashtags=tuple(case.get("hashtags", ())),
        limit=case.get("limit", 280),
    )
    assert post.text == case["text"]
    assert post.weight == case.get("weight", post.weight) == measure(post.text).weight
    assert post.has_link == case.get("has_link", post.has_link)


def test_a_shortened_link_stands_for_the_entrys_own():
    entry = Entry(feed="f", title="T", link="https://example.com/long")
    assert compose(entry, template=DEFAULT_TEMPLATE, hashtags=(), link="https://s.example.com/1").text == (
        "T https://s.example.com/1"
    )


def test_a_template_without_a_link_posts_none():
    entry = Entry(feed="f", title="Only words", link="https://example.com/a")
    post = compose(entry, template="{title}", hashtags=())
    assert (post.text, post.has_link) == ("Only words", False)


def test_a_template_whose_fields_are_all_empty_falls_back():
    entry = Entry(feed="f", link="https://example.com/a")
    assert compose(entry, template="{title} #tag", hashtags=()).text == "https://example.com/a"


def test_a_body_is_better_than_no_words():
    entry = Entry(feed="f", body="Said in the body")
    assert compose(entry, template=DEFAULT_TEMPLATE, hashtags=()).text == "Said in the body"


@pytest.mark.parametrize(
    ("entry", "template", "limit", "told"),
    [
        (Entry(feed="f", title="Whole"), "{title}", 280, ((), (), ())),
        (Entry(feed="f", title="one two three four five six seven eight"), "{title}", 40, ((), (), ())),
        (
            Entry(feed="f", title="one two three four five six seven eight nine"),
            "{title}",
            40,
            (("title",), (), ()),
        ),
        (
            Entry(
                feed="f",
                title="A title of some length, whole",
                summary="And a summary",
                categories=("News", "Arts"),
            ),
            "{title} {summary} {categories}",
            40,
            ((), ("summary", "#Arts"), ()),
        ),
        (
            Entry(feed="f", title="A title", summary="And a summary of the story that goes on and on"),
            "{title}: {summary}",
            40,
            (("summary",), (), ()),
        ),
        (
            Entry(feed="f", title=".@bob on #MeToo, $TSLA, $AAPL and a.co/@x"),
            "{title} by @us #ours",
            280,
            ((), (), ("@bob", "#MeToo", "$AAPL")),
        ),
        (
            Entry(feed="f", title="title", link="http://localhost/" + "a" * 300),
            "{title} {link}",
            280,
            ((), ("link",), ()),
        ),
    ],
)
def test_what_was_done_is_told(entry, template, limit, told):
    made = composed(entry, template=template, hashtags=(), limit=limit)
    assert (made.cut, made.left_out, made.neutralised) == told
    assert made.post == compose(entry, template=template, hashtags=(), limit=limit)


def test_a_long_post_has_room():
    entry = Entry(feed="f", title="word " * 1000, link="https://example.com/a")
    post = compose(entry, template=DEFAULT_TEMPLATE, hashtags=(), limit=25_000)
    assert post.weight == 4999 + 1 + 23
    assert post.limit == 25_000


@pytest.mark.parametrize(
    ("entry", "template", "limit"),
    [
        (Entry(feed="f", title="T"), DEFAULT_TEMPLATE, MIN_LIMIT - 1),
        (Entry(feed="f", title="T"), "{titel}", 280),
        (Entry(feed="f", title="\u200b"), DEFAULT_TEMPLATE, 280),
    ],
)
def test_what_only_a_wrong_program_asks_for(entry, template, limit):
    with pytest.raises(ValueError, match=r"limit|unknown field|neither text nor link"):
        compose(entry, template=template, hashtags=(), limit=limit)


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


HOSTILE = [
    "a.b@c #d $E ", "日本語. ", "a.co/(", "com.a.co:#a ", "@a.co ", "#a.co//a.co ", "t.co/a ", "👨\u200d", "\u0f73", "{title} ",
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "limit"), [*((words, 280) for words in HOSTILE), ("a.co/(", 25_000), ("com.a.co:#a ", 25_000)]
)
def test_a_huge_entry_costs_little(words, limit):
    text = words * (400_000 // len(words))
    entry = Entry(
        feed=text[:1000],
        title=text,
        summary=text,
        link="https://example.com/a",
        categories=(text[:300],) * 200,
    )
    posts = []
    took = seconds(
        lambda: posts.append(
            compose(
                entry, template="{title} {summary} {feed} {link} {categories}", hashtags=("a",), limit=limit
            )
        )
    )
    assert took < 5
    assert 0 < posts[0].weight <= limit
    assert posts[0].text.count("https://example.com/a") >= 1


def test_very_many_categories_cost_little():
    entry = Entry(feed="f", title="t " * 200, categories=tuple(f"number {n} of many" for n in range(5000)))
    assert seconds(lambda: compose(entry, template="{title} {categories}", hashtags=())) < 0.5
    assert seconds(lambda: compose(entry, template="{title} {categories}", hashtags=(), limit=25_000)) < 2


@pytest.mark.parametrize("part", ["ཱི", "ﷺ", "日本語.", "a.", "%", "é"])
def test_a_huge_link_costs_little(part):
    assert seconds(lambda: readable_link("https://" + part * 30_000)) < 1
    assert seconds(lambda: readable_link("https://example.com/" + part * 30_000)) < 1


@pytest.mark.parametrize(
    ("link", "readable"),
    [
        ("https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
        ("https://пример.рф/Путь", "https://пример.рф/Путь"),
        ("https://münchen.de/straße?q=ü", "https://xn--mnchen-3ya.de/stra%C3%9Fe?q=%C3%BC"),
        ("https://example.com#frag", "https://example.com/#frag"),
        ("https://example.com/a b|c{d}", "https://example.com/a%20b|c%7Bd%7D"),
        ("https://example.com/%E2%82%AC", "https://example.com/%E2%82%AC"),
        ("https://example.com/it's'", "https://example.com/it's%27"),
        ("https://example.com/a?", "https://example.com/a"),
        ("https://example.com/?q=what?", "https://example.com/?q=what%3F"),
        ("https://example.com/)~", "https://example.com/%29%7E"),
        ("https://example.com/a(b", "https://example.com/a%28b"),
        ("https://example.com/?q=(x)", "https://example.com/?q=(x%29"),
        ("http://[::1]:80/x y", "http://[::1]:80/x%20y"),
        ("https://bad\ud800\ufeffhost.com/x\ud800", "https://bad%EF%BB%BFhost.com/x"),
    ],
)
def test_readable_link(link, readable):
    assert readable_link(link) == readable
    assert readable_link(readable) == readable


TOKENS = [
    *(
        "@",
        "#",
        "$",
        "＠",
        "＃",
        "@bob",
        "#tag",
        "$TSLA ",
        "$AAPL ",
        "RT ",
        "word ",
        "é",
        "e\u0301",
        "{title}",
        "}",
    ),
    *(
        "http://",
        "https://a.co/@x#y ",
        "foo.com",
        ".co",
        "README.md",
        "日本語",
        "한국",
        "мир ",
        "שלום ",
        "แมว",
    ),
    *(
        "👨\u200d👩\u200d👧",
        "😀",
        "🇺🇸",
        "1\ufe0f\u20e3",
        "\u200b",
        "\u202e",
        "\u2066",
        "\ufeff",
        "\uffff",
        "\ud800",
    ),
    *("\x00", "\n", "\u3000", "…", ".", ":", "/", "_", "-", "&", " ", "(", ")", "long " * 30, "x" * 90),
]
texts = st.lists(st.sampled_from(TOKENS) | st.text(max_size=5), max_size=25).map("".join)
links = st.sampled_from(
    [
        "https://example.com/a",
        "https://example.co.uk/x?y=z#(f)",
        "http://пример.рф/я",
        "https://example.com/" + "p" * 300,
    ]
) | st.text(max_size=20).map("https://example.com/".__add__)
templates = st.lists(
    st.sampled_from(
        ["{" + name + "}" for name in FIELDS] + [" ", "\n", " — ", ": ", "(", ")", "{{", " via "]
    ),
    max_size=9,
).map("".join)


@given(
    entry=st.builds(
        Entry,
        feed=texts,
        title=texts,
        summary=texts,
        link=links | st.none(),
        categories=st.lists(texts, max_size=4).map(tuple),
    ),
    template=templates,
    hashtags=st.lists(texts, max_size=3).map(tuple),
    limit=st.sampled_from([40, 60, 140, 280, 280]),
)
def test_every_post_can_be_posted(entry, template, hashtags, limit):
    assume(not check_template(template))
    assume(entry.link or clean(entry.title) or clean(entry.summary))
    post = compose(entry, template=template, hashtags=hashtags, limit=limit)
    measured = measure(post.text)
    assert measured.valid
    assert post.weight == measured.weight <= limit
    assert post.has_link == bool(measured.urls)
    assert "  " not in post.text
    assert post.text == post.text.strip()
    assert "\n\n\n" not in post.text
    if entry.link and "{link}" in template:
        whole = readable_link(entry.link)
        assert whole in post.text
        assert whole in {url.url for url in measured.urls}


SCRIPTS = {
    "Latin": (0x20, 0x24F),
    "marks": (0x300, 0x36F),
    "Greek and Cyrillic": (0x370, 0x52F),
    "Hebrew and Arabic": (0x590, 0x6FF),
    "Indic": (0x900, 0xDFF),
    "Thai to Myanmar": (0xE00, 0x109F),
    "Jamo": (0x1100, 0x11FF),
    "Khmer and Mongolian": (0x1780, 0x18AF),
    "punctuation and signs": (0x2000, 0x2BFF),
    "kana and ideographs": (0x3000, 0x4FFF),
    "Hangul": (0xAC00, 0xD7AF),
    "specials": (0xD800, 0xFFFF),
    "emoji and flags": (0x1F000, 0x1FAFF),
    "tags and selectors": (0xE0000, 0xE01EF),
    "everything": (0, 0x10FFFF),
}
in_scripts = st.sampled_from(sorted(SCRIPTS)).flatmap(
    lambda name: st.text(
        st.characters(min_codepoint=SCRIPTS[name][0], max_codepoint=SCRIPTS[name][1]),
        min_size=1,
        max_size=400,
    )
)


@given(title=in_scripts, template=templates, limit=st.sampled_from([40, 280, 1000]))
def test_any_title_in_any_script_through_any_template_stays_valid(title, template, limit):
    assume(not check_template(template))
    entry = Entry(feed="The Example", title=title, link="https://example.com/a", categories=(title[:20],))
    made = composed(entry, template=template, hashtags=("tag",), limit=limit)
    text = made.post.text
    measured = measure(text)
    assert 0 < measured.weight == made.post.weight <= limit
    assert sendable(text)
    text.encode()
    assert not any("{" + name + "}" in text for name in FIELDS)


@given(title=in_scripts, limit=st.sampled_from([40, 100, 280]))
def test_a_title_of_any_script_is_cut_between_its_characters(title, limit):
    seen = clean(title)
    assume(seen and not set(seen) & set("@#$＠＃."))
    entry = Entry(feed="f", title=title, link="https://example.com/a")
    text = compose(entry, template=DEFAULT_TEMPLATE, hashtags=(), limit=limit).text
    kept = text.removesuffix("https://example.com/a").removesuffix(" ")
    if kept != seen:
        assert kept.endswith("…") or not kept
        kept = kept.removesuffix("…")
        assert seen.startswith(kept)
        assert len(kept) in {0, 1} | {match.end() for match in regex.finditer(r"\X", seen)}


@given(title=texts, summary=texts, limit=st.sampled_from([40, 140, 280]))
def test_no_feed_acts_on_anybody(title, summary, limit):
    entry = Entry(feed="f", title=title, summary=summary, link="https://example.com/a")
    text = compose(entry, template="{title}\n{summary}\n{link}", hashtags=(), limit=limit).text
    urls = find_urls(text)

    def outside(spans):
        return [span for span in spans if not any(url.start <= span[0] < url.end for url in urls)]

    assert outside(find_mentions(text)) == []
    assert outside(find_hashtags(text)) == []
    assert len(outside(find_cashtags(text))) <= 1


@given(st.text(max_size=60) | texts)
def test_every_link_is_readable_or_at_least_sendable(path):
    link = readable_link("https://example.com/" + path)
    assert [url.url for url in find_urls(link)] == [link]
    assert sendable(readable_link("https://" + path))


@pytest.mark.data
def test_real_titles_become_valid_posts(data):
    import json
    import lzma

    with lzma.open(next(data.glob("archive/*.ndjson.xz")), "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % 20:
                continue
            item = json.loads(line)
            entry = Entry(
                feed="f", title=item["title"] or "", summary=item["description"] or "", link=item["link"]
            )
            post = compose(entry, template="{title}\n{summary}\n{link}", hashtags=("news",))
            assert measure(post.text).valid, item["link"]
            assert readable_link(entry.link or "") in post.text
