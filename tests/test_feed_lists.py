"""Lists of feeds of other programs, in and out."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.feed_lists import Listed, ListUnreadable, as_opml, as_toml, read_list

OPML = """<?xml version="1.0" encoding="ISO-8859-1"?>
<opml version="1.0"><head><title>Mine</title></head><body>
<outline text="News">
  <outline text="City" title="City desk" type="rss" xmlUrl="https://city.example/feed?a=1&amp;b=2" htmlUrl="https://city.example/"/>
  <outline text="Abroad"><outline text="Skerry “Times”" xmlurl="HTTP://skerry.example/rss"/></outline>
</outline>
<outline text="City desk" xmlUrl="feed://other.example/atom.xml"/>
<outline text="Again" xmlUrl="https://city.example/feed?a=1&amp;b=2"/>
<outline text="Locked" xmlUrl="https://me:hush@locked.example/"/>
</body></opml>"""

INI = """[twitter]
consumer_key=secret
[rss]
uri=https://gazette.example/rss
uri_list=list.txt
toot={title} {link}
title_pattern=Open [Source]
[hashtaglist]
several_words_hashtags_list=/etc/tags.txt
"""


def nothing(_place: str) -> str:
    raise FileNotFoundError(2, "No such file or directory")


def feeds_of(toml: str) -> list[dict]:
    return tomllib.loads(toml).get("feed", [])


def test_opml_with_folders_becomes_sections_to_paste():
    toml, made, left = as_toml(read_list(OPML, nothing))
    assert (made, left) == (3, 2)
    assert feeds_of(toml) == [
        {"name": "City desk", "url": "https://city.example/feed?a=1&b=2"},
        {"name": "Skerry “Times”", "url": "http://skerry.example/rss"},
        {"name": "City desk 2", "url": "http://other.example/atom.xml"},
    ]
    assert [line for line in toml.splitlines() if line.startswith("# ----")] == [
        "# ---- News",
        "# ---- News / Abroad",
        "# ---- in no folder",
    ]
    assert "left out: Again: that address is there already" in toml
    assert "left out: Locked: take user and password out of the address" in toml
    assert "hush" not in toml


def test_an_ini_file_brings_text_pattern_and_list():
    read = read_list(
        INI, {"list.txt": "# mine\nhttps://a.example/rss\n[B] <https://b.example/> title\n"}.__getitem__
    )
    toml, made, _ = as_toml(read)
    assert made == 3
    first, second, third = feeds_of(toml)
    assert first == {
        "name": "gazette.example",
        "url": "https://gazette.example/rss",
        "template": "{title} {link}",
        "include": {"title": [r"Open\ \[Source\]"]},
    }
    assert second["name"] == "a.example"
    assert (third["name"], third["url"]) == ("B", "https://b.example/")
    assert "secret" not in toml


def test_a_text_that_is_no_template_here_is_left_out_and_named():
    (one,) = read_list("[rss]\nuri=https://a.example/\ntweet={title} {author}\n", nothing)
    assert one.template is None
    assert "{author}" in one.remarks[0]


def test_what_is_configured_already_is_left_out_and_names_stay_unique():
    toml, made, left = as_toml(
        [Listed(name="News", url="https://a.example/"), Listed(name="news", url="https://b.example/x")],
        names=["NEWS"],
        urls=["https://a.example"],
    )
    assert (made, left) == (1, 1)
    assert feeds_of(toml) == [{"name": "news 2", "url": "https://b.example/x"}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no section"),
        ("name: yes", "neither OPML nor an ini"),
        ("[rss]\n", "holds no feed"),
        ("<rss><channel/></rss>", "is no OPML: it begins with <rss>"),
        ("<opml><body>", "broken XML"),
        ("<opml><body/></opml>", "holds no feed"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><opml><body/></opml>', "declares entities"),
        ("<opml><body>" + "<outline>" * 60 + "</outline>" * 60 + "</body></opml>", "50 deep"),
        ("[rss]\nuri_list=gone.txt\n", "gone.txt that uri_list names cannot be read: No such file"),
    ],
)
def test_what_is_no_list_says_so(text, says):
    with pytest.raises(ListUnreadable, match=says):
        read_list(text, nothing)


def test_what_goes_out_comes_in_again():
    feeds = [("A & B “C”", "https://a.example/?x=1&y=<2>"), ("Київ", "http://k.example/")]
    assert [(one.name, one.url) for one in read_list(as_opml(feeds), nothing)] == feeds


@given(
    st.lists(
        st.builds(Listed, name=st.text(), url=st.text(), folders=st.lists(st.text(), max_size=2).map(tuple))
    )
)
def test_whatever_a_list_holds_what_is_printed_can_be_read(listed):
    toml, made, left = as_toml(listed)
    assert len(feeds_of(toml)) == made
    assert made + left == len(listed)
