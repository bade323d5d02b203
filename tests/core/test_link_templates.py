"""Parameters on links: added once, before the fragment, and in no key."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.link_templates import UTM, check_value, tagged
from bot.core.readable_links import readable_link
from bot.core.urls import link_key

X = (("source", "x"), ("medium", "social"), ("campaign", "{feed}"))
ALL = "utm_source=x&utm_medium=social&utm_campaign=Town%20News"


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("https://a.com/x", f"https://a.com/x?{ALL}"),
        ("https://a.com", f"https://a.com/?{ALL}"),
        ("https://a.com?id=7", f"https://a.com/?id=7&{ALL}"),
        ("https://a.com/x?id=7&b", f"https://a.com/x?id=7&b&{ALL}"),
        ("https://a.com/x?", f"https://a.com/x?{ALL}"),
        ("https://a.com/x?id=7&", f"https://a.com/x?id=7&{ALL}"),
        ("https://a.com/x#part", f"https://a.com/x?{ALL}#part"),
        ("https://a.com/x?id=7#!/route?q=1", f"https://a.com/x?id=7&{ALL}#!/route?q=1"),
        ("https://a.com/x?utm_source=rss", f"https://a.com/x?utm_source=rss&{ALL.partition('&')[2]}"),
        ("https://a.com/x?UTM_Source=rss", f"https://a.com/x?UTM_Source=rss&{ALL.partition('&')[2]}"),
        ("https://a.com/x?utm%5Fsource=rss", f"https://a.com/x?utm%5Fsource=rss&{ALL.partition('&')[2]}"),
        (f"https://a.com/x?{ALL}", f"https://a.com/x?{ALL}"),
        (" https://a.com/x ", f"https://a.com/x?{ALL}"),
        ("mailto:a@a.com", "mailto:a@a.com"),
        ("/x", "/x"),
        ("https://", "https://"),
    ],
)
def test_parameters_stand_before_the_fragment_and_once(link, expected):
    assert tagged(link, X, feed="Town News") == expected


def test_what_a_feed_is_called_breaks_no_link():
    link = tagged("https://a.com/x#top", (("campaign", "{feed}-{feed}"),), feed="A&B #1 ? новини=%")
    assert dict(parse_qsl(urlsplit(link).query)) == {"utm_campaign": "A&B #1 ? новини=%-A&B #1 ? новини=%"}
    assert urlsplit(link).fragment == "top"
    assert readable_link(link) == link


@pytest.mark.parametrize("value", ["", "  ", "a\nb", "{title}", "{feed", "a}"])
def test_what_is_no_value(value):
    assert check_value(value)


@pytest.mark.parametrize("value", ["x", "{feed}", "a {feed} b", "100%", "новини"])
def test_what_is_a_value(value):
    assert check_value(value) is None


PARTS = st.text(alphabet="ab/?&=#%!.;:@utm_sorce7 é", max_size=20)


@given(PARTS, st.sampled_from(UTM), st.text(min_size=1, max_size=10), st.booleans())
def test_no_key_knows_of_them_and_twice_is_once(rest, name, value, anchored):
    link = f"https://a.com/{rest}"
    made = tagged(link, ((name, value),), feed="f")
    assert tagged(made, ((name, value),), feed="f") == made
    assert link_key(made, anchored=anchored) == link_key(link.strip(), anchored=anchored)
