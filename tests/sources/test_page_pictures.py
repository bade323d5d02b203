"""The picture that an article's page names, in each form in which pages do."""

from __future__ import annotations

import time

import pytest

from bot.sources.page_pictures import picture_of_page

URL = "https://a.example/news/1"


def of(text):
    found = picture_of_page(text, URL)
    return tuple(found) if found else None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<meta property="og:image" content="https://b.example/1.jpg">', ("https://b.example/1.jpg", "")),
        ("<META content='/1.jpg' property=OG:IMAGE />", ("https://a.example/1.jpg", "")),
        ('<meta name="og:image" content="1.jpg">', ("https://a.example/news/1.jpg", "")),
        ('<meta name="twitter:image" content="//b.example/1.jpg">', ("https://b.example/1.jpg", "")),
        ('<link rel="image_src" href="/1.jpg">', ("https://a.example/1.jpg", "")),
        ('<meta name="thumbnail" content="/1.jpg">', ("https://a.example/1.jpg", "")),
        (
            '<meta name="twitter:image" content="/2.jpg"><meta property="og:image" content="/1.jpg">',
            ("https://a.example/1.jpg", ""),
        ),
        (
            '<meta property="og:image" content="/1.jpg"><meta property="og:image" content="/2.jpg">',
            ("https://a.example/1.jpg", ""),
        ),
        (
            '<base href="https://cdn.example/x/"><meta property="og:image" content="1.jpg?a=1&amp;b=2">',
            ("https://cdn.example/x/1.jpg?a=1&b=2", ""),
        ),
        (
            '<meta property="og:image" content="/1.jpg"><meta property="og:image:alt" content="A &lt;quay&gt; &amp; gulls">',
            ("https://a.example/1.jpg", "A <quay> & gulls"),
        ),
        (
            (
                '<meta property="og:image" content=""><meta name="twitter:image:src" content="/1.jpg">'
                '<meta name="twitter:image:alt" content=" A\nquay ">'
            ),
            ("https://a.example/1.jpg", "A quay"),
        ),
        ('<meta property="og:image" content="data:image/png;base64,AAAA">', None),
        ('<!-- <meta property="og:image" content="/1.jpg"> -->', None),
        ('<script>"<meta property=og:image content=/1.jpg>"</script>', None),
        ('<title><meta property="og:image" content="/1.jpg"></title>', None),
        ('<meta property="og:title" content="/1.jpg"><meta><link><base>', None),
        ("", None),
        ("\x00" * 1000, None),
    ],
)
def test_the_picture_of_a_page(text, found):
    assert of(text) == found


def test_what_stands_far_down_is_not_looked_for():
    named = '<meta property="og:image" content="/1.jpg">'
    assert of(" " * 400_000 + named) is not None
    assert of(" " * 600_000 + named) is None
    assert of("<meta name=x content=y>" * 600 + named) is None


@pytest.mark.parametrize(
    "piece",
    ["<meta ", "<meta a=", '<meta a="', "<!--", "<script>", "<script></", "<", "<a<", "<meta/x=1>", "&lt;"],
)
def test_no_page_takes_long(piece):
    began = time.perf_counter()
    picture_of_page(piece * (600_000 // len(piece)), URL)
    assert time.perf_counter() - began < 2  # 0.1 s on a quiet machine
