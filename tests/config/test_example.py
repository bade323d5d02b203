"""`config.example.toml` and the starter say what the settings say."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from bot.config import (
    Feed,
    load,
)
from bot.config.settings import (
    Account,
    Alerts,
    Backup,
    BasicAuth,
    Budget,
    Dedup,
    Defaults,
    DestinationSettings,
    Document,
    Filters,
    Follows,
    Inherited,
    Network,
    Pacing,
    Prices,
    Retention,
    Search,
    Shortener,
    Spam,
    Watch,
    Web,
)
from bot.core.template import FIELDS

EXAMPLE = Path(__file__).parents[2] / "config.example.toml"
ENV = {
    "HOME": "/home/nobody",
    "FEED_PASSWORD": "sekrit pw",
    "FEED_TOKEN": "sekrittoken",
    "SHORTENER_TOKEN": "sekritkey",
    "BLUESKY_PASSWORD": "sekritword",
    "MASTODON_TOKEN": "sekrittoken2",
    "PING_URL": "https://monitor.example/sekritcheck",
    "ALERT_URL": "ntfy://sekrittopic",
    "EMPTY": "",
    "TWO_LINES": "sekrit\nsekrit",
    "WITH_NUL": "sekrit\0",
}
KEYS = {f"X_{key.upper()}": f"sekrit-{key}" for key in Account.model_fields}


SECTIONS = {
    "account": Account,
    "destination": DestinationSettings,
    "dedup": Dedup,
    "spam": Spam,
    "web": Web,
    "watch": Watch,
    "alerts": Alerts,
    "pacing": Pacing,
    "budget": Budget,
    "prices": Prices,
    "follows": Follows,
    "network": Network,
    "backup": Backup,
    "retention": Retention,
    "shortener": Shortener,
    "search": Search,
    "defaults": Defaults,
    "feed": Feed,
    "feed.include": Filters,
    "feed.exclude": Filters,
}
LEFT_OUT = re.compile(r"^# (\w+ = .*|\[+[\w.]+\]+)$")


def uncommented(text):
    """Return the file as if no key were left out."""
    return "\n".join(LEFT_OUT.sub(r"\1", line) for line in text.splitlines())


@pytest.fixture
def whole_example():
    return uncommented(EXAMPLE.read_text(encoding="utf-8"))


def test_the_example_loads_as_it_is(file):
    config = load(file(EXAMPLE.read_text(encoding="utf-8"), 0o644), env=KEYS, need_account=True)
    assert [feed.name for feed in config.feeds] == ["Town news"]
    assert len(config.warnings) == 1
    assert "this host exists in examples only" in config.warnings[0]


def test_the_example_loads_with_every_key_in_force(whole_example, file, tmp_path):
    (tmp_path / "press").mkdir()
    (tmp_path / "press" / "feed.xml").write_text("a feed")
    config = load(file(whole_example, 0o644), env={**KEYS, **ENV}, need_account=True)
    assert [feed.name for feed in config.feeds] == ["Town news", "Press office"]
    assert [each.name for each in config.destinations] == ["x", "bluesky", "mastodon"]


def test_the_example_has_every_key_and_no_other(whole_example):
    tables = tomllib.loads(whole_example)
    assert set(tables) == set(Document.model_fields)
    for section in set(tables) - {"state_dir", "feed", "destination", "search"}:
        assert set(tables[section]) == set(SECTIONS[section].model_fields), section
    assert set().union(*tables["destination"]) == set(DestinationSettings.model_fields)
    assert set(tables["search"][0]) == set(Search.model_fields)
    assert set().union(*tables["feed"]) == set(Feed.model_fields)
    assert set(tables["feed"][0]["include"]) == set(tables["feed"][0]["exclude"]) == set(Filters.model_fields)
    assert set(tables["feed"][0]["basic_auth"]) == set(BasicAuth.model_fields)


@pytest.mark.parametrize("section", ["dedup", "pacing", "budget", "prices", "follows", "network", "defaults"])
def test_the_defaults_that_the_example_states_are_the_defaults(section, whole_example):
    model = SECTIONS[section]
    stated = tomllib.loads(whole_example)[section]
    if section == "network":
        assert stated.pop("contact")  # has no default; an example stands there
    assert model.model_validate(stated) == model()
    assert set(stated) | {"contact"} >= set(model.model_fields)


def test_only_the_keys_in_force_differ_from_the_defaults():
    active = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))
    assert {key: value for key, value in active.items() if value} == {
        "account": {key: f"${{X_{key.upper()}}}" for key in Account.model_fields},
        "feed": [{"name": "Town news", "url": "https://news.example.org/feed.xml"}],
    }


def test_the_example_says_of_every_key_what_is_allowed():
    told = set()
    model, allowed = Document, ""
    for line in EXAMPLE.read_text(encoding="utf-8").splitlines():
        plain = LEFT_OUT.sub(r"\1", line)
        if header := re.fullmatch(r"\[+([\w.]+)\]+", plain):
            model = SECTIONS[header[1]]
            told.add(header[1].rpartition(".")[::2])
        elif stated := re.fullmatch(r"# Allowed: (.*)\.", line):
            allowed = stated[1]
        elif key := re.match(r"(\w+) = ", plain):
            place = (model.__name__, key[1])
            if place not in told and not (model is Feed and key[1] in Inherited.model_fields):
                assert allowed == model.model_fields[key[1]].description, place
            told.add(place)
    assert told >= {
        (m.__name__, key) for m in (Account, Defaults, DestinationSettings, Filters) for key in m.model_fields
    }
    assert told >= {("Feed", key) for key in Feed.model_fields if key not in {"include", "exclude"}}
    assert told >= {("feed", "include"), ("feed", "exclude")}


def test_an_unknown_example_key_would_be_noticed(whole_example, file, faults_of):
    path = file(whole_example.replace('level = "balanced"', 'level = "balanced"\nlevels = 1'))
    assert any(fault.path == "dedup.levels" for fault in faults_of(path, {**KEYS, **ENV}))


def test_the_example_names_every_field_of_a_template():
    about = (
        EXAMPLE.read_text(encoding="utf-8").partition("# The text of a post.")[2].partition("# Allowed")[0]
    )
    assert [f"{{{field}}}" for field in FIELDS] == re.findall(r"\{\w+\}", about)
