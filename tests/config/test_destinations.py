"""Where posts go: what `[[destination]]` sections become, and what they may not say."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.composing import LinkUse
from bot.config import load
from bot.config.settings import Account
from bot.core.pictures import PictureUse

KEYS = {f"X_{key.upper()}": f"sekrit-{key}" for key in Account.model_fields}
ENV = {"HOME": "/home/nobody", "WORD": "sekrit-word", "TOKEN": "sekrit-token", **KEYS}
ACCOUNT = "[account]\n" + "".join(f'{key} = "${{X_{key.upper()}}}"\n' for key in Account.model_fields)
FEED = '[[feed]]\nname = "News"\nurl = "https://news.invalid/feed.xml"\n'
MORE = FEED + '[[feed]]\nname = "Театр"\nurl = "https://theatre.invalid/feed.xml"\npicture = "feed"\n'
BLUESKY = '[[destination]]\ntype = "bluesky"\nhandle = "gazette.bsky.social"\npicture = "page"\n'
MASTODON = '[[destination]]\ntype = "mastodon"\nserver = "https://social.invalid"\n'
X = '[[destination]]\ntype = "x"\n'


@pytest.fixture
def read(file):
    def reading(text, *, need_account=True):
        return load(file(text), env=ENV, need_account=need_account)

    return reading


def test_without_a_section_the_account_gets_everything_as_before(read):
    config = read(ACCOUNT + "[pacing]\nmin_gap = '7m'\n" + MORE)
    (x,) = config.destinations
    assert (x.type, x.name, x.feeds) == ("x", "x", ("News", "Театр"))
    assert x.pacing == config.pacing
    assert {x.template, x.link, x.picture, x.hashtags, x.shorten, x.utm} == {None}
    assert (x.server, x.handle, x.secret, x.origin) == (None, None, None, None)
    assert config.account is not None
    assert config.warnings == ()


def test_with_neither_account_nor_section_there_is_x_to_rehearse(read):
    assert [each.name for each in read(FEED, need_account=False).destinations] == ["x"]


def test_x_is_first_and_the_others_follow_in_the_files_order(read):
    config = read(ACCOUNT + MASTODON + BLUESKY + X + '[[destination]]\ntype = "stdout"\n' + FEED)
    assert [each.name for each in config.destinations] == ["x", "mastodon", "bluesky", "stdout"]
    assert [each.needs_login for each in config.destinations] == [True, True, True, False]


def test_without_an_account_nothing_goes_to_x(read):
    config = read(BLUESKY + FEED)
    (bluesky,) = config.destinations
    assert config.account is None
    assert (bluesky.server, bluesky.handle) == ("https://bsky.social", "gazette.bsky.social")
    assert (bluesky.secret, bluesky.origin) == (None, None)
    assert bluesky.card
    assert config.warnings == ()


def test_every_key_becomes_what_it_says(read):
    config = read(
        "[pacing]\nmin_gap = '7m'\nposts_per_day = 9\n"
        + MASTODON.replace("social.invalid", "Social.invalid:8443/")
        + """
name = "our-2nd"
access_token = "${TOKEN}"
feeds = ["Театр"]
template = "{title}"
link = "never"
picture = "feed"
shorten = false
utm = {source = "mastodon"}
hashtags = []
pacing = {posts_per_day = 40, order = "newest"}
languages = ["zh-hant-tw"]
visibility = "unlisted"
warnings = [{text = "Violence", title = ['shelling']}, {text = "Death", category = ['^obituaries$']}]
"""
        + MORE
    )
    (one,) = config.destinations
    assert (one.type, one.name, one.server) == ("mastodon", "our-2nd", "https://social.invalid:8443")
    assert one.secret is not None
    assert one.secret.reveal() == "sekrit-token"
    assert one.origin is not None
    assert (one.origin.key, one.origin.name, one.origin.place) == (
        "destination[1].access_token",
        "TOKEN",
        "the environment variable TOKEN",
    )
    assert one.feeds == ("Театр",)
    assert (one.template, one.link, one.picture) == ("{title}", LinkUse.NEVER, PictureUse.FEED)
    assert (one.shorten, one.utm, one.hashtags) == (False, (("source", "mastodon"),), ())
    assert (one.languages, one.visibility, one.card) == (("zh-Hant-TW",), "unlisted", False)
    assert [each.text for each in one.warnings] == ["Violence", "Death"]
    assert one.warnings[0].patterns.title[0].search("After the SHELLING")
    assert (one.pacing.min_gap, one.pacing.posts_per_day) == (timedelta(minutes=7), 40)
    assert str(one.pacing.order) == "newest"
    assert config.pacing.posts_per_day == 9
    assert "sekrit-token" in config.texts_to_mask()
    assert "sekrit" not in repr(config)
    assert [w for w in config.warnings if "no destination takes it" in w] == [
        'feed[1] ("News"): no destination takes it, so it is read and nothing of it is posted'
    ]


def test_what_x_is_given_counts_for_x(read):
    config = read(
        ACCOUNT + X + 'feeds = ["News"]\nlink = "never"\npacing = {min_gap = "1h"}\n' + BLUESKY + MORE
    )
    x, bluesky = config.destinations
    assert (x.feeds, x.link, x.pacing.min_gap) == (("News",), LinkUse.NEVER, timedelta(hours=1))
    assert (bluesky.feeds, bluesky.link, bluesky.pacing) == (("News", "Театр"), None, config.pacing)


@pytest.mark.parametrize(
    ("server", "kept"),
    [
        ("https://mastodon.invalid/", "https://mastodon.invalid"),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
        ("https://Mastodon.Invalid", "https://mastodon.invalid"),
        ("https://[2001:db8::1]:444", "https://[2001:db8::1]:444"),
    ],
)
def test_a_server_is_an_address_without_a_path(server, kept, read):
    assert read(MASTODON.replace("https://social.invalid", server) + FEED).destinations[0].server == kept


@pytest.mark.parametrize("handle", ["@Gazette.bsky.social", "did:plc:z72i7hdynmk6r22z27h6tvur"])
def test_a_handle_has_no_sign_and_may_be_a_did(handle, read):
    config = read(BLUESKY.replace("gazette.bsky.social", handle) + FEED)
    assert config.destinations[0].handle in {"gazette.bsky.social", "did:plc:z72i7hdynmk6r22z27h6tvur"}


def test_without_need_a_secret_that_is_not_found_is_warned_of(read):
    config = read(BLUESKY + 'app_password = "${NO_SUCH}"\n' + FEED, need_account=False)
    (bluesky,) = config.destinations
    assert bluesky.secret is None
    assert bluesky.origin is not None
    assert (bluesky.origin.name, bluesky.origin.place) == ("NO_SUCH", None)
    assert config.warnings == (
        'destination[1] ("bluesky"): nothing can be posted there yet: no value was found for app_password',
    )


def test_with_need_it_is_a_fault(file, faults_of):
    path = file(BLUESKY + 'app_password = "${NO_SUCH}"\n' + FEED)
    (fault,) = faults_of(path, ENV, need_account=True)
    assert fault.path == 'destination[1].app_password ("bluesky")'
    assert fault.found == "no value for ${NO_SUCH}"


def test_an_app_password_in_the_file_is_warned_of_and_refused_in_the_open(file, faults_of):
    text = BLUESKY + 'app_password = "sekrit-in-the-clear"\n' + FEED
    config = load(file(text), env=ENV, need_account=True)
    assert "sekrit-in-the-clear" in config.texts_to_mask()
    assert any("a secret stands in the file itself" in warning for warning in config.warnings)
    (fault,) = faults_of(file(text, 0o644), ENV, need_account=True)
    assert "sekrit" not in str(fault)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MASTODON + 'languages = ["uk", "en"]\n' + FEED, "Mastodon takes one language: the first counts"),
        (MASTODON.replace("invalid", "example") + FEED, "exists in examples only"),
        (
            MASTODON.replace("https://social.invalid", "http://127.0.0.1:3000") + FEED,
            "network.allow has its range",
        ),
        (MASTODON.replace("https", "http") + FEED, "its secrets travel unencrypted"),
        (MASTODON + 'pacing = {quiet = ["23:00-07:00"]}\n' + FEED, "its times are those of UTC"),
        (MASTODON + 'pacing = {spread = "1m"}\n' + FEED, "so nothing more is spread"),
        (
            MASTODON
            + 'pacing = {quiet = ["Sat,Sun 00:00-24:00"], zone = "Europe/Kyiv"}\n'
            + FEED
            + 'max_age = "1d"\n',
            "what of News comes when that begins expires",
        ),
        (MASTODON + 'hashtags = ["one"]\ntemplate = "{title} {link}"\n' + FEED, "they never appear there"),
        (BLUESKY + f'template = "{{title}} {"дія " * 45}"\n' + FEED, None),
        (
            BLUESKY + f'template = "{{title}} https://example.org/{"a" * 230}"\n' + FEED,
            "the template's own words take 251 of the 300 characters there",
        ),
        (BLUESKY.replace('picture = "page"\n', "") + FEED, "its previews have no picture"),
    ],
)
def test_what_is_most_likely_not_meant_is_said(text, said, read):
    warnings = read(text).warnings
    if said is None:
        assert not any("own words" in warning for warning in warnings)
    else:
        assert any(said in warning for warning in warnings), warnings
