"""What feeds say is to be seen on an entry's picture, in each form in which they do."""

from __future__ import annotations

import json

import pytest

from bot.core.pictures import LONGEST_ALT
from bot.sources.reading import parse_feed


def of_rss(inner):
    text = f"""<?xml version="1.0"?><rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"
        xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
        <channel><title>Harbour</title><link>https://a.example/</link><item><title>Ferries stop</title>{inner}</item>
        </channel></rss>"""
    (entry,) = parse_feed(text.encode(), feed="harbour", url="https://a.example/feed").entries
    return entry.image, entry.image_alt


def of_atom(inner):
    text = f"""<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
        <title>Harbour</title><id>a</id><entry><id>1</id><title>Ferries stop</title>{inner}</entry></feed>"""
    (entry,) = parse_feed(text.encode(), feed="harbour", url="https://a.example/feed").entries
    return entry.image, entry.image_alt


def of_json(**item):
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Harbour",
        "items": [{"id": "1", **item}],
    }
    body = json.dumps(document).encode()
    (entry,) = parse_feed(body, feed="harbour", url="https://a.example/feed").entries
    return entry.image, entry.image_alt


PICTURE = "https://a.example/1.jpg"
MEDIA = "<media:content url='/1.jpg' medium='image'>"
TEXT = "&lt;p&gt;They wait.&lt;/p&gt;"


@pytest.mark.parametrize(
    ("inner", "alt"),
    [
        (f"<description>{TEXT}</description>{MEDIA}<media:description>A ferry &amp; fog</media:description></media:content>", "A ferry & fog"),
        (f"<description>{TEXT}</description>{MEDIA}</media:content>", ""),
        (f"<description>{TEXT}</description><content:encoded>{TEXT} All day.</content:encoded>{MEDIA}</media:content>", ""),
        (f"<description>{TEXT}</description><media:thumbnail url='/1.jpg'/><media:description>A quay</media:description>", "A quay"),
        ("<description>&lt;img src='/1.jpg' alt='A  ferry\nin fog'&gt; They wait.</description>", "A ferry in fog"),
        ("<description>&lt;img src='/1.jpg' alt=''&gt; They wait.</description>", ""),
        ("<description>&lt;img src='/1.jpg'&gt; They wait.</description>", ""),
        (f"<description>&lt;img src='/2.jpg' alt='Another'&gt; They wait.</description>{MEDIA}</media:content>", ""),
        (f"<description>&lt;img src='/1.jpg' alt='A ferry'&gt; They wait.</description>{MEDIA}</media:content>", "A ferry"),
        ("<description>They wait.</description><enclosure url='/1.jpg' type='image/jpeg' length='1'/>", ""),
        ("<description>They wait.</description><itunes:image href='/1.jpg'/>", ""),
        (f"<description>&lt;img src='/1.jpg' alt='{'x' * 2000}'&gt;</description>", "x" * LONGEST_ALT),
    ],
)  # fmt: skip
def test_the_caption_of_a_picture_in_rss(inner, alt):
    assert of_rss(inner) == (PICTURE, alt)


def test_without_a_picture_there_is_nothing_to_describe():
    assert of_rss("<description>They wait.</description><media:description>A ferry</media:description>") == (
        None,
        "",
    )


def test_what_is_content_in_atom_is_no_caption():
    media = "<media:content url='/1.jpg' medium='image'/>"
    assert of_atom(f"<summary>They wait.</summary><content type='text'>All day long.</content>{media}") == (
        PICTURE,
        "",
    )
    html = "<content type='html'>&lt;img src='/1.jpg' alt='A ferry'&gt;</content>"
    assert of_atom(html) == (PICTURE, "A ferry")


def test_the_caption_of_a_picture_in_json():
    assert of_json(image=PICTURE, content_text="They wait.") == (PICTURE, "")
    assert of_json(image=PICTURE, content_html=f"<img src='{PICTURE}' alt='A ferry'>") == (PICTURE, "A ferry")
    attached = [{"url": "/1.jpg", "mime_type": "image/jpeg", "title": "A ferry in fog"}]
    assert of_json(attachments=attached, content_text="They wait.") == (PICTURE, "A ferry in fog")
