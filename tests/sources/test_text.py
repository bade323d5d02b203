"""What must hold of any text, whatever a feed puts there. Single cases are feeds, in test_rss.py."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources.charsets import decode
from bot.sources.links import absolute, is_web
from bot.sources.markup import attributes, read_html
from bot.sources.text import _UNWANTED, decode_entities, one_line, plain_title, read_text

PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            "<b> </b> <i> </i> <br> <br/> <script> </script> <style> <!-- --> --!> <![CDATA[ ]]> &amp; &lt; &gt; &#39; "
            '&amp;lt;b&amp;gt; &#x27; &nbsp; & < > " \' = <a href=" <a href=x> </a> <img src=p.png> <p> </p> <? <! </ '
            "<svg> </svg> <T> &#0; &#xD800; &unknown; /".split(" ")
        ),
        st.text(max_size=6),
    ),
    max_size=25,
).map("".join)


@given(PIECES, st.booleans())
def test_a_title_is_one_clean_line(raw, declared):
    title = plain_title(raw, declared_text=declared)
    assert title == " ".join(title.split())
    assert unicodedata.is_normalized("NFC", title)
    assert not any(unicodedata.category(c) in {"Cc", "Cs"} for c in title)


@given(PIECES)
def test_a_summary_is_one_clean_line_without_scripts(raw):
    read = read_text(f"<p>{raw}</p>")
    assert read.text == " ".join(read.text.split())
    assert not any(unicodedata.category(c) in {"Cc", "Cs"} for c in read.text)


@given(st.text(st.characters(exclude_characters="<>&", exclude_categories=["Cc", "Cs", "Cf", "Cn"])))
def test_plain_words_stay(words):
    kept = " ".join(unicodedata.normalize("NFC", words).split())
    assert plain_title(words) == kept
    assert read_text(words).text == kept


@given(PIECES)
def test_reading_html_leaves_no_piece_twice(raw):
    assert len(read_html(raw).text) <= 2 * len(raw) + 2


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<script>b</script>c", "ac"),
        ("a<SCRIPT x='</script>'>b</script >c", "ac"),
        ("a<script>b", "a"),
        ("a<style><!-- </style>b", "ab"),
        ("a<!-- b > c -->d", "ad"),
        ("a<!-->b", "ab"),
        ("a<!--->b", "ab"),
        ("a<!-- b --!>c", "ac"),
        ("a<!-- b", "a"),
        ("a<p title='1 > 0'>b", "a b"),
        ('a<p title="x\'y">b', "a b"),
        ("a<p x=1>2>b", "a 2>b"),
        ("a < b", "a < b"),
        ("a <3 b", "a <3 b"),
        ("a</>b</ c>d", "abd"),
        ("a<?php echo 1 ?>b", "ab"),
        ("a<b/>c<br/>d", "ac d"),
        ("a<a href=x", "a"),
        ("<title>a</title>b", "b"),
        ("a&lt;b&gt;c", "a<b>c"),
        ("&copy 2026", "© 2026"),
        ("a<custom-tag>b</custom-tag>", "ab"),
        ("<table><tr><td>1<td>2</table>", "  1 2 "),
    ],
)
def test_html_is_read_as_browsers_do(html, text):
    assert " ".join(read_html(html).text.split()) == " ".join(text.split())


def test_attributes_are_read_in_any_spelling():
    assert attributes(" SRC = 'a&amp;b.png' width=10 height=\"20\" alt='' src=second ismap") == {
        "src": "a&b.png",
        "width": "10",
        "height": "20",
        "alt": "",
    }


@pytest.mark.parametrize(
    ("raw", "decoded"),
    [
        ("&amp;lt;", "&lt;"),
        ("&#8217;&#x2019;&rsquo;", "’’’"),
        ("&#146;", "’"),
        ("&#0;", "\ufffd"),
        ("&reg &copy=1", "&reg &copy=1"),
        ("&nosuch;", "&nosuch;"),
        ("&#99999999;", "&#99999999;"),
        ("&;&#;&#x;", "&;&#;&#x;"),
    ],
)
def test_an_entity_is_decoded_once_and_only_with_its_semicolon(raw, decoded):
    assert decode_entities(raw) == decoded


@given(st.text(), st.sampled_from(["", "https://x.example/a/b", "relative", "http://[bad/"]))
def test_a_link_is_absolute_or_none(link, base):
    found = absolute(link, [base])
    assert found is None or is_web(found)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_utf8_is_read_back_whatever_is_claimed(text):
    body = f"<?xml version='1.0' encoding='koi8-r'?><a>я{text}</a>".encode()
    assert decode(body, "text/xml; charset=iso-8859-1") == body.decode()


@given(st.binary(), st.sampled_from([None, "text/xml", "text/xml; charset=utf-16", 'text/xml; charset="x"']))
def test_any_bytes_become_text(body, content_type):
    assert isinstance(decode(body, content_type), str)


def test_a_link_within_the_feed_takes_nothing_of_the_feeds_own_query_along():
    """`https://example.com/rss?key=...` is the owner's affair; what is linked will be posted."""
    assert absolute("#story-5", ["https://example.com/rss?key=secret"]) == "https://example.com/rss#story-5"
    assert absolute("?id=5", ["https://example.com/rss?key=secret"]) == "https://example.com/rss?id=5"


def test_nothing_unwanted_is_printable():
    """That is how a text is known to hold nothing of it."""
    unwanted = [sign for sign in map(chr, range(sys.maxunicode + 1)) if _UNWANTED.match(sign)]
    assert len(unwanted) > 2000
    assert not any(sign.isprintable() for sign in unwanted)
    assert all(one_line(f"a {sign}b{sign}") == "a b" for sign in unwanted)
