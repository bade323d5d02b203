"""What `load` takes, and what it warns of."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config import Feed, Secret, load, parse_duration, parse_take, spell_duration, spell_take
from bot.config.grammar import parse_catch_up, parse_first_run
from bot.config.settings import Account, Dedup
from bot.core.compose import DEFAULT_TEMPLATE
from bot.core.dedupe import Level
from bot.core.filters import Take, TakeKind
from bot.core.identity import DedupKey

ENV = {
    "HOME": "/home/nobody",
    "FEED_PASSWORD": "sekrit pw",
    "FEED_TOKEN": "sekrittoken",
    "EMPTY": "",
    "TWO_LINES": "sekrit\nsekrit",
    "WITH_NUL": "sekrit\0",
}
KEYS = {f"X_{key.upper()}": f"sekrit-{key}" for key in Account.model_fields}
ACCOUNT = "[account]\n" + "".join(f'{key} = "${{X_{key.upper()}}}"\n' for key in Account.model_fields)
FEED = '[[feed]]\nname = "News"\nurl = "https://news.invalid/feed.xml"\n'


def test_the_shortest_file_gets_all_defaults(file):
    path = file(FEED)
    config = load(path, env=ENV, need_account=False)
    (feed,) = config.feeds
    assert config.path == path
    assert config.state_dir == Path("/home/nobody/.local/state/shinglebot")
    assert (config.account, config.origins, config.warnings, config.secrets) == (None, (), (), ())
    assert config.dedup.level == "balanced"
    pacing = config.pacing
    assert (pacing.min_gap, pacing.posts_per_hour, pacing.posts_per_day) == (timedelta(minutes=5), 12, 50)
    assert (config.network.allow, config.network.contact) == ((), None)
    assert feed == Feed(name="News", url="https://news.invalid/feed.xml")
    assert (feed.template, feed.hashtags) == (DEFAULT_TEMPLATE, ())
    assert (feed.first_run, feed.catch_up) == (Take(kind=TakeKind.NONE), Take(kind=TakeKind.NEWEST, count=25))
    assert (feed.max_age, feed.interval) == (timedelta(days=3), None)
    assert (feed.dedup_key, feed.repost_after, feed.file) == (DedupKey.ANY, None, None)
    assert (dict(feed.headers), feed.basic_auth) == ({}, None)
    assert not feed.include.patterns
    assert not feed.exclude.patterns


def test_every_key_becomes_what_it_says(file, tmp_path):
    (tmp_path / "feeds").mkdir()
    (tmp_path / "feeds" / "local.xml").write_text("a feed")
    path = file(r"""
state_dir = "state"
[dedup]
level = "eager"
[pacing]
min_gap = "0s"
posts_per_hour = 400
posts_per_day = 2400
[network]
allow = ["127.0.0.0/8", "10.1.0.0/16", "192.168.0.7", "fd12::/48"]
contact = "mailto:me@example.org"
[defaults]
hashtags = ["#news"]
interval = "1h30m"
repost_after = "365d"
[[feed]]
name = "Київ"
url = "http://127.0.0.1:8000/feed.xml?a=1&b=%20#x"
headers = {Authorization = "Bearer ${FEED_TOKEN}", Accept-Language = "uk"}
[feed.include]
title = ['\bcity\b']
category = ['^politics$', 'sport']
[feed.exclude]
link = ['/live/']
summary = ['ad']
[[feed]]
name = "Local"
file = "feeds/local.xml"
basic_auth = {user = "reader", password = "${FEED_PASSWORD}"}
template = "{title} {link}"
hashtags = []
first_run = "newest 3"
max_age = "2w"
catch_up = "none"
interval = "60s"
dedup_key = "guid"
repost_after = "none"
""")
    config = load(path, env=ENV, need_account=False)
    one, two = config.feeds
    assert config.state_dir == tmp_path / "state"
    assert config.dedup.level == "eager"
    assert (config.pacing.min_gap, config.pacing.posts_per_hour) == (timedelta(0), 400)
    assert config.network.allow == tuple(
        ipaddress.ip_network(text) for text in ("127.0.0.0/8", "10.1.0.0/16", "192.168.0.7/32", "fd12::/48")
    )
    assert config.network.contact == "mailto:me@example.org"
    assert one.url == "http://127.0.0.1:8000/feed.xml?a=1&b=%20#x"
    assert (one.hashtags, one.interval, one.repost_after) == (
        ("news",),
        timedelta(minutes=90),
        timedelta(days=365),
    )
    assert {name: value.reveal() for name, value in one.headers.items()} == {
        "Authorization": "Bearer sekrittoken",
        "Accept-Language": "uk",
    }
    assert one.include.patterns.title[0].search("The CITY council")
    assert not one.include.patterns.title[0].search("Felicity")
    assert [p.pattern for p in one.include.patterns.category] == ["^politics$", "sport"]
    assert [p.pattern for p in one.exclude.patterns.link] == ["/live/"]
    assert two.file == tmp_path / "feeds" / "local.xml"
    assert two.basic_auth is not None
    assert (two.basic_auth.user.reveal(), two.basic_auth.password.reveal()) == ("reader", "sekrit pw")
    assert (two.template, two.hashtags, two.repost_after) == ("{title} {link}", (), None)
    assert (two.first_run, two.catch_up) == (Take(kind=TakeKind.NEWEST, count=3), Take(kind=TakeKind.NONE))
    assert (two.max_age, two.interval, two.dedup_key) == (
        timedelta(weeks=2),
        timedelta(minutes=1),
        DedupKey.GUID,
    )


def test_settings_do_not_change(file):
    config = load(file(FEED + 'headers = {Accept = "x"}\n'), env={}, need_account=False)
    with pytest.raises(ValueError, match="frozen"):
        config.feeds[0].name = "Other"
    with pytest.raises(AttributeError):
        config.state_dir = Path("/")
    with pytest.raises(TypeError):
        config.feeds[0].headers["Accept"] = Secret("y")


@pytest.mark.parametrize(
    ("text", "env", "expected"),
    [
        ("", {"HOME": "/h"}, "/h/.local/state/shinglebot"),
        ("", {"HOME": "/h", "XDG_STATE_HOME": "/x"}, "/x/shinglebot"),
        ("", {"HOME": "/h", "XDG_STATE_HOME": "relative"}, "/h/.local/state/shinglebot"),
        (
            "",
            {"HOME": "/h", "XDG_STATE_HOME": "/x", "STATE_DIRECTORY": "/var/lib/a:/var/lib/b"},
            "/var/lib/a",
        ),
        ('state_dir = "/abs"', {"HOME": "/h", "STATE_DIRECTORY": "/var/lib/a"}, "/abs"),
        ('state_dir = "~/s"', {"HOME": "/h"}, "/h/s"),
        ('state_dir = "s"', {"HOME": "/h"}, "HERE/s"),
        ('state_dir = "~s"', {"HOME": "/h"}, "HERE/~s"),
    ],
)
def test_where_the_state_is_kept(text, env, expected, file, tmp_path):
    config = load(file(f"{text}\n{FEED}"), env=env, need_account=False)
    assert config.state_dir == Path(expected.replace("HERE", str(tmp_path)))


def test_paths_count_from_the_file_and_not_from_where_the_bot_was_started(tmp_path, monkeypatch):
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "feed.xml").write_text("a feed")
    (tmp_path / "etc" / "bot.toml").write_text('state_dir = "s"\n[[feed]]\nname = "A"\nfile = "feed.xml"\n')
    monkeypatch.chdir(tmp_path)
    config = load("etc/bot.toml", env={}, need_account=False)
    assert config.state_dir == tmp_path / "etc" / "s"
    assert config.feeds[0].file == tmp_path / "etc" / "feed.xml"


@pytest.mark.parametrize(
    "url",
    [
        "https://news.invalid",
        "http://[::1]:8080/feed",
        "https://münchen.invalid/feed.xml",
        "https://пример.invalid/лента",
        "https://हिन्दी.invalid/feed",
        "https://user.invalid/@name/feed",
        "https://news.invalid/feed?url=https://a@b/",
        "https://a_b.invalid./x?y=1;z=2",
    ],
)
def test_addresses_stay_as_they_are(url, file):
    assert (
        load(file(f'[[feed]]\nname = "A"\nurl = "{url}"\n'), env={}, need_account=False).feeds[0].url == url
    )


@pytest.mark.parametrize(
    "contact", ["me@example.org", "mailto:me@example.org", "https://example.org/bot?x=1"]
)
def test_contacts(contact, file):
    assert (
        load(file(f'[network]\ncontact = "{contact}"\n{FEED}'), env={}, need_account=False).network.contact
        == contact
    )


@pytest.mark.parametrize(
    "contact",
    [
        "",
        "me",
        "me@",
        "a@b c@d",
        "ftp://example.org",
        "https://u:p@example.org/",
        "https://e.org/(x)",
        "é@e.org",
    ],
)
def test_what_is_no_contact(contact, file, faults_of):
    (fault,) = faults_of(file(f'[network]\ncontact = "{contact}"\n{FEED}'), ENV)
    assert fault.path == "network.contact"


def test_the_same_guid_may_come_back_after_a_year_where_the_feed_says_so(file):
    config = load(file(FEED + 'repost_after = "365d"\n'), env={}, need_account=False)
    assert config.feeds[0].repost_after == timedelta(days=365)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("15m", 900),
        ("1h30m", 5400),
        ("3d", 259_200),
        ("2w", 1_209_600),
        (" 1h 30m ", 5400),
        ("0s", 0),
    ],
)
def test_durations(text, seconds):
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "text",
    ["", " ", "1", "1x", "m", "30m1h", "1h1h", "1,5h", "-1h", "+1h", "١h", "1H", "h1", "9" * 5000 + "s"],
)
def test_what_is_no_duration(text):
    with pytest.raises(ValueError, match=r"."):
        parse_duration(text)


@given(st.integers(min_value=0, max_value=10**9))
def test_durations_are_spelled_as_they_are_read(seconds):
    span = timedelta(seconds=seconds)
    assert parse_duration(spell_duration(span)) == span


@given(st.text())
def test_a_duration_is_read_or_refused(text):
    with suppress(ValueError):
        assert parse_duration(text) >= timedelta(0)


@pytest.mark.parametrize("text", ["seed", "newest 1", "newest 100", "all"])
def test_first_runs_are_spelled_as_they_are_read(text):
    assert spell_take(parse_first_run(text), nothing="seed") == text
    assert parse_take(text) == parse_first_run(text)
    if text != "seed":
        assert parse_catch_up(text) == parse_first_run(text)
    else:
        assert parse_take("none") == parse_catch_up("none") == parse_first_run("seed")


@pytest.mark.parametrize("text", ["", "newest", "newest 0", "newest 101", "5", "any"])
def test_what_is_no_take_is_told_whole(text):
    with pytest.raises(ValueError, match=r'^allowed: "seed", "newest N" \(N from 1 to 100\) or "all"'):
        parse_take(text)


def test_the_levels_are_those_that_judge():
    assert get_args(Dedup.model_fields["level"].annotation) == tuple(level.value for level in Level)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FEED + 'hashtags = ["a"]\ntemplate = "{title} {link}"\n', "the feed's hashtags never appear"),
        (FEED + 'approval = "all"\ncorrections = "post"\n', "nobody is asked before a correction is posted"),
        (FEED + 'interval = "1d"\nmax_age = "1h"\n', "entries may be older than max_age (1h)"),
        (FEED.replace("news.invalid", "127.0.0.1"), "a private address is not polled unless network.allow"),
        (
            FEED.replace("news.invalid", "localhost:80"),
            "a private address is not polled unless network.allow",
        ),
        (FEED.replace("news.invalid", "10.1.2.3"), "a private address is not polled unless network.allow"),
        (FEED.replace("news.invalid", "[fe80::1]"), "a private address is not polled unless network.allow"),
        (FEED.replace("news.invalid", "www.example.org"), "this host exists in examples only"),
        (FEED + 'basic_auth = {user = "u", password = "sekrit"}\n', "a secret stands in the file itself"),
        (FEED + 'headers = {X-Api-Key = "sekrit"}\n', "a secret stands in the file itself"),
        (
            FEED.replace("https", "http") + 'basic_auth = {user = "u", password = "${FEED_PASSWORD}"}\n',
            "the feed's secrets travel unencrypted",
        ),
        (
            '[[feed]]\nname = "A"\nfile = "config.toml"\nheaders = {Accept = "x"}\n',
            "headers and basic_auth mean nothing for a local file",
        ),
        ('[[feed]]\nname = "A"\nfile = "gone.xml"\n', "(yet): the feed fails until there is"),
        ('[[feed]]\nname = "A"\nfile = "config.toml/x"\n', "(yet): the feed fails until there is"),
        (
            ACCOUNT + FEED,
            "nothing can be posted yet: no value was found for api_key, api_key_secret, access_token,",
        ),
        (
            '[dedup]\nmethod = "classic"\ngrey = "hold"\n' + FEED,
            "the classic method is never unsure, so nothing is held for doubt",
        ),
        (
            "[account]\n" + FEED,
            "nothing can be posted yet: no value was found for api_key, api_key_secret",
        ),
    ],
)
def test_what_is_most_likely_not_meant_is_a_warning(text, said, file):
    config = load(file(text), env=ENV, need_account=False)
    assert len(config.warnings) == 1
    assert said in config.warnings[0]
    assert "sekrit" not in config.warnings[0]


@pytest.mark.parametrize(
    "text",
    [
        FEED + 'hashtags = ["a"]\n',
        '[network]\nallow = ["127.0.0.0/8"]\n' + FEED.replace("news.invalid", "127.0.0.1"),
        FEED.replace("news.invalid", "8.8.8.8"),
        FEED.replace("news.invalid", "example.organic"),
        FEED + 'headers = {Accept-Language = "en"}\n',
        FEED + 'headers = {Authorization = "Bearer ${FEED_TOKEN}"}\n',
    ],
)
def test_what_is_well_meant_is_none(text, file):
    assert load(file(text, 0o644), env=ENV, need_account=False).warnings == ()
