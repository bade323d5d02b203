"""The shortener of links, and the parameters that links get, as the file says them."""

from __future__ import annotations

import pytest

from bot.config import load
from bot.configured import shortener_of, style_of

FEED = '[[feed]]\nname = "News"\nurl = "https://news.invalid/feed.xml"\n'
KEY = {"KEY": "sekrit-key"}


@pytest.fixture
def read(file):
    return lambda text, **env: load(file(text + FEED), env={**KEY, **env}, need_account=False)


def test_without_a_section_links_stay_as_they_are(read):
    config = read("")
    assert config.shortener is None
    assert shortener_of(config) is None
    assert style_of(config.feeds[0]).utm == ()


@pytest.mark.parametrize(
    ("section", "identity"),
    [
        ('service = "bitly"\ntoken = "${KEY}"', "bitly"),
        ('service = "bitly"\ntoken = "${KEY}"\ndomain = "Go.Gazette.com"', "bitly go.gazette.com"),
        ('service = "tinyurl"\ntoken = "${KEY}"', "tinyurl"),
        ('service = "isgd"', "isgd"),
        ('service = "vgd"', "vgd"),
        ('service = "dub"\ntoken = "${KEY}"', "dub"),
        (
            'service = "shlink"\ntoken = "${KEY}"\nurl = "https://s.gazette.com/"',
            "shlink https://s.gazette.com",
        ),
        ('service = "yourls"\nurl = "https://s.gazette.com/sub/"', "yourls https://s.gazette.com/sub"),
        (
            'service = "json"\nmethod = "GET"\nurl = "https://a.com/api?key={token}&u={url}"\npath = "url.short"',
            "json https://a.com/api",
        ),
    ],
)
def test_each_service(section, identity, read):
    config = read(f"[shortener]\n{section}\n")
    assert config.warnings == ()
    assert shortener_of(config).identity == identity
    assert config.shortener.tries == 3


def test_its_secrets_are_secrets(read):
    config = read(
        '[shortener]\nservice = "json"\nurl = "https://a.com/"\npath = "a"\ntoken = "${KEY}"\nbody = "{url}"\n'
        'headers = {Authorization = "Bearer {token}", X-Other = "k ${OTHER}"}\n',
        OTHER="sekrit-other",
    )
    assert {"sekrit-key", "sekrit-other", "k sekrit-other"} <= set(config.texts_to_mask())
    assert config.warnings == ()
    for shown in (repr(config), repr(config.shortener.wanted), repr(shortener_of(config))):
        assert "sekrit" not in shown
    request = shortener_of(config).request("https://b.com/")
    assert request.headers["Authorization"] == "Bearer sekrit-key"
    assert "sekrit" not in repr(request)


def test_a_key_in_the_file_itself_is_warned_of(read):
    config = read('[shortener]\nservice = "dub"\ntoken = "sekrit-written"\n')
    assert len(config.warnings) == 1
    assert "sekrit-written" in config.texts_to_mask()
    assert "sekrit" not in config.warnings[0]


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ('service = "isgd"\nbody = "{url}"', 'it means nothing for isgd, only for "json"'),
        (
            'service = "shlink"\ntoken = "${KEY}"\nurl = "http://s.gazette.com"',
            "the token travels unencrypted",
        ),
        ('service = "yourls"\nurl = "http://10.0.0.7"', "a private address is not asked"),
    ],
)
def test_what_is_most_likely_not_meant(section, words, read):
    (warning,) = read(f"[shortener]\n{section}\n").warnings
    assert words in warning


def test_a_feed_has_its_own_parameters_and_may_keep_its_links(read):
    defaults = '[defaults]\nutm = {source = "x", campaign = "{feed}"}\n'
    feeds = FEED.replace("News", "Other").replace("news.", "other.") + 'utm = {term = "t"}\nshorten = false\n'
    config = read(defaults + feeds)
    other, news = map(style_of, config.feeds)
    assert news.utm == (("source", "x"), ("campaign", "{feed}"))
    assert news.shorten
    assert other.utm == (("term", "t"),)
    assert not other.shorten
    assert style_of(read(defaults + feeds.replace('{term = "t"}', "{}")).feeds[0]).utm == ()
