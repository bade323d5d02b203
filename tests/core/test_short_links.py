"""What may stand in a post for a link."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.short_links import why_unfit, with_scheme
from bot.core.url_grammar import find_urls


@pytest.mark.parametrize(
    "short", ["https://bit.ly/3xYz", "http://is.gd/a", "https://s.gazette.com:8443/x", "HTTPS://BIT.LY/x"]
)
def test_short_links(short):
    assert why_unfit(short) is None


@pytest.mark.parametrize(
    ("short", "why"),
    [
        ("", "empty"),
        ("https://bit.ly/" + "x" * 200, "characters"),
        ("bit.ly/x", "no http"),
        ("https://bit.ly/", "no http"),
        ("https://bit.ly?x", "no http"),
        ("https://me@bit.ly/x", "login"),
        ("https://bit.ly/a b", "no http"),
        ("https://bit.ly/x)", "whole"),
        ("https://host/x", "whole"),
        ("https://127.0.0.1/x", "whole"),
    ],
)
def test_what_is_none(short, why):
    assert why in why_unfit(short)


def test_the_host_is_the_one_that_is_expected():
    assert why_unfit("https://Bit.ly/x", host="bit.ly") is None
    assert "leads to bit.ly.evil.com" in why_unfit("https://bit.ly.evil.com/x", host="bit.ly")
    assert why_unfit("https://bit.ly:8080/x", host="bit.ly")


def test_some_leave_the_scheme_out():
    assert with_scheme(" rebrand.ly/x ") == "https://rebrand.ly/x"
    assert with_scheme("http://rebrand.ly/x") == "http://rebrand.ly/x"


@given(
    st.text(max_size=60) | st.text(alphabet="htps:/.bitlyx@?#& ", max_size=40).map("https://bit.ly/{}".format)
)
def test_what_passes_is_read_whole_wherever_it_stands(short):
    if why_unfit(short) is None:
        text = f"The ferry is back {short} #news"
        assert [url.url for url in find_urls(text)] == [short]
