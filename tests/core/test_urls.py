from __future__ import annotations

import json
import string
import time
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.core import redirectors, tracking_parameters
from bot.core.urls import link_key, unwrap

CASES = Path(__file__).parent.parent / "data" / "urls"


def lines(name: str) -> list[str]:
    return [line for line in (CASES / name).read_text("utf-8").splitlines() if not line.startswith("# ")]


def rows(name: str) -> list[object]:
    split = [[json.loads(f'"{cell}"') for cell in line.split("\t")] for line in lines(name)]
    return [pytest.param(*cells, id=what) for what, *cells in split]


@pytest.mark.parametrize(("one", "other"), rows("same.tsv"))
def test_one_article_has_one_key(one, other):
    assert link_key(one) == link_key(other)
    assert link_key(one) is not None


@pytest.mark.parametrize(("one", "other"), rows("distinct.tsv"))
def test_two_articles_have_two_keys(one, other):
    keys = {link_key(one), link_key(other)}
    assert len(keys) == 2
    assert None not in keys


@pytest.mark.parametrize("text", [json.loads(line) for line in lines("no_link.txt")])
def test_no_link_has_no_key(text):
    assert link_key(text) is None
    assert unwrap(text) == text


@pytest.mark.parametrize(("link", "target"), rows("unwrapped.tsv"))
def test_a_target_that_stands_in_the_link_is_read(link, target):
    assert unwrap(link) == target
    assert link_key(link) == link_key(target)


def test_the_key_is_the_folded_link_without_its_scheme():
    link = "HTTP://WWW.Example.org:80/News//caf\u00e9/index.html?utm_source=rss&b=2&a=1#top"
    assert link_key(link) == "example.org/News/caf%C3%A9?a=1&b=2"


def test_an_anchored_feed_keeps_its_fragments():
    assert link_key("http://example.org/may.html#A%62", anchored=True) == "example.org/may.html#Ab"
    assert link_key("http://example.org/may.html#", anchored=True) == "example.org/may.html"
    assert link_key("https://example.org/may.html#Ab", anchored=True) == "example.org/may.html#Ab"


def test_redirectors_are_followed_five_deep_and_no_deeper():
    link = "https://example.org/a"
    for _ in range(5):
        link = f"https://www.google.com/amp/s/{link.removeprefix('https://')}"
    assert link_key(link) == "example.org/a"
    deeper = f"https://www.google.com/amp/s/{link.removeprefix('https://')}"
    assert link_key(deeper) is None
    assert unwrap(deeper) == deeper


PIECES = st.sampled_from([
    *("/", "//", ".", "..", "?", "&", "=", "#", "#!/", "#/", ";", ":", "@", "%", "+", "\\", " ", "[", "]"),
    *("amp", ".amp", "_amp", "amp;", "&amp;", "&#038;", "%26amp;", ".html", "index.html", "default.aspx", "go", "-"),
    *("%2e", "%2F", "%3B", ";jsessionid=1", "%25", "%61", "%E9", "\u00e9", "\ud800", "\x00", "\u3002", "\uff0f"),
    *("www.", "m.", "amp.", "co.uk", "example.org", "bbc.co.uk", "news.google.com", "google.com", "yandex.ru"),
    *("cdn.ampproject.org", "anonym.to", "rd.yahoo.com", "l.facebook.com", "turbopages.org", "[::1]", ":443", ":8080"),
    *("url", "q", "u", "http://", "https%3A%2F%2F", "*http:", "c", "s", "turbo", "articles", "CBMiD2h0dHBzOi8vYS5iL2M"),
    *("utm_source", "ref", "rss", "id", "2026-05-26", "a", "b", "7"),
])  # fmt: skip
MANGLED = st.builds(
    lambda scheme, pieces: scheme + "".join(pieces),
    st.sampled_from(["http://", "https://", "https://www.", "//", "https://google.com/", "https://bbc.com/"]),
    st.lists(PIECES, max_size=12),
)
ANY_TEXT = st.text(st.characters())


@given(MANGLED | ANY_TEXT | ANY_TEXT.map("https://example.org/{}".format))
def test_any_text_is_taken_and_a_key_read_again_gives_itself(text):
    unwrap(text)
    for anchored in (False, True):
        key = link_key(text, anchored=anchored)
        if key is not None:
            assert key.isascii()
            assert link_key(f"https://{key}", anchored=anchored) == key


WORDS = st.text(string.ascii_letters + string.digits + "-_~", min_size=1, max_size=8)
ARTICLES = st.builds(
    lambda path, query: (
        "example.org/" + "/".join(path) + ("?" + "&".join(f"{k}={v}" for k, v in query) if query else "")
    ),
    st.lists(WORDS, max_size=4),
    st.lists(st.tuples(WORDS, WORDS), max_size=3),
)


@given(ARTICLES, st.permutations(["utm_source=rss", "fbclid=1", "at_medium=RSS", "ref=rss"]), WORDS)
def test_dress_does_not_change_the_key(article, tracking, fragment):
    path, mark, query = article.partition("?")
    key = link_key(f"https://{article}")
    dressed = f"http://www.{path}/?{'&'.join([*tracking[:2], *([query] if mark else []), *tracking[2:]])}#{fragment}"
    assume(not fragment[:4].isdigit())
    assert link_key(dressed) == key


@given(ARTICLES, ARTICLES)
def test_what_is_not_dress_changes_the_key(one, other):
    def kept(article):
        path, _, query = article.partition("?")
        pairs = [pair.partition("=")[::2] for pair in query.split("&") if query]
        # Drawn words may be dress by chance.
        assume(not any(word.startswith(("amp", "_amp")) or word.endswith("_amp") for word in path.split("/")))
        assume(not any(tracking_parameters.is_tracking(name, value, frozenset()) for name, value in pairs))
        return path.rstrip("/"), frozenset(pairs)

    assert (link_key(f"https://{one}") == link_key(f"https://{other}")) == (kept(one) == kept(other))


SIZES = [
    pytest.param(100_000, 2.0, id="100kB"),
    pytest.param(1_000_000, 20.0, id="1MB", marks=pytest.mark.slow),
]


def seconds(link):
    began = time.perf_counter()
    link_key(link)
    unwrap(link)
    return time.perf_counter() - began


@pytest.mark.parametrize("piece", [
    *("/", "/.", "/..", "/a/..", "/amp", ".amp", "_amp.html", "/index.html", "/a.amp.html", "//x", "\\"),
    *("%", "%25", "%2e", "\u00e9", "\ud800", "\x00", " ", "\t", "&#0", "&amp;", "&amp", "?", "?a", "#", "#!", "a"),
    *(";jsessionid=", ";", "@", ":", ".", "a.", "[", "\u0301\u0316", "xn--", "www.", "\u3002"),
    *("?a=1&", "&a", "amp;", "=", "+", "?utm_", "?rss", "rss.", "?id=%26"),
])  # fmt: skip
@pytest.mark.parametrize("start", ["http://", "http://a.example/", "http://a.example/?ref="])
@pytest.mark.parametrize(("size", "limit"), SIZES)
def test_a_hostile_link_takes_linear_time(size, limit, start, piece):
    assert seconds(start + piece * (size // len(piece)) + "x") < limit  # what is quadratic takes minutes


@pytest.mark.parametrize("piece", [
    "https://www.google.com/amp/s/",
    "https://www.google.com/url?q=",
    "https://href.li/?http://",
    "https://bbc.com/go/-/",
    "http://us.rd.yahoo.com/*",
    "https://news.google.com/articles/CBMi",
    "http://[/&q=",
])  # fmt: skip
@pytest.mark.parametrize(("size", "limit"), SIZES)
def test_a_hostile_redirector_takes_linear_time(size, limit, piece):
    assert seconds("https://www.google.com/url?q=" + piece * (size // len(piece))) < limit


@pytest.mark.parametrize("table", ["ANYWHERE", "PREFIXES", "BY_HOST", "BY_VALUE"])
def test_every_tracking_name_is_lower_case_and_says_where_it_is_known_from(table):
    for name, seen in getattr(tracking_parameters, table).items():
        assert name == name.lower()
        inner = seen.values() if table == "BY_HOST" else [seen[1]] if table == "BY_VALUE" else [seen]
        assert all(len(text) > 2 for text in inner)


def test_every_redirector_says_where_it_is_known_from():
    assert all(len(seen) > 2 for seen in redirectors.HOSTS.values())


def test_no_name_that_may_identify_is_dropped_whatever_its_value():
    identifying = (
        "id p v t n s sid story storyid story_id objectid newsid news_id nid bctid article articleid num item"
    )
    dropped = [n for n in identifying.split() if tracking_parameters.is_tracking(n, "7", frozenset())]
    assert dropped == []


@pytest.mark.data
def test_identity_links_stay_apart(data):
    links = (data / "urls" / "url_id_param_must_stay_distinct.txt").read_text("utf-8").split("\n")
    links = [link for link in links if link]
    assert len({link_key(link) for link in links}) == len(links)


@pytest.mark.data
def test_links_of_google_news_are_decoded(data):
    table = (data / "urls" / "google_news_rss_decoded.tsv").read_text("utf-8").splitlines()[1:]
    for link, article in (line.split("\t")[:2] for line in table):
        assert unwrap(link) == article
